package blockstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/s3"
	"github.com/nystream/nystream/blockstore/object/web"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/storetest"
	"github.com/nystream/nystream/stream"
)

// startStore starts a server of objects, which Open uses until the test ends.
func startStore(t *testing.T) *storetest.Server {
	t.Helper()
	s := storetest.New()
	t.Cleanup(s.Close)
	s.Setenv(t.Setenv)
	patience := object.Patience{Pause: time.Millisecond}
	object.Register(t.Context(), "s3", s3.New(), patience)
	object.Register(t.Context(), "http", web.New(), patience)
	return s
}

// makeFile writes n rows of d numbers and a text column to a file, in the format of its extension.
func makeFile(t *testing.T, path string, n, d int) {
	t.Helper()
	schema := Schema{Columns: stream.NumberedColumns(d), Rows: int64(n)}
	b := &stream.Batch{X: matrix.New(n, d)}
	if filepath.Ext(path) != ".npy" && filepath.Ext(path) != ".libsvm" {
		schema.Kept = []stream.Field{{Name: "name", Kind: stream.String}}
		b.Kept = []stream.Column{{Kind: stream.String}}
		for i := range n {
			b.Kept[0].Strings = append(b.Kept[0].Strings, fmt.Sprintf("row %d", i))
		}
	}
	for i := range b.X.Data {
		b.X.Data[i] = float64(i%9973)/7 + 1
	}
	w, err := Create(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b, n); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// readBack reads all rows of files, gathers some of them, and compares the two.
func readBack(ctx context.Context, o Options, paths ...string) ([]float64, []string, error) {
	src, err := Open(ctx, paths, o)
	if err != nil {
		return nil, nil, err
	}
	r, err := src.Open(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	info := src.Info()
	b := &stream.Batch{X: matrix.New(700, len(info.Columns))}
	for _, f := range info.Kept {
		b.Kept = append(b.Kept, stream.Column{Kind: f.Kind})
	}
	var numbers []float64
	var texts []string
	for {
		n, err := r.Read(b)
		if err != nil && err != io.EOF {
			return nil, nil, err
		}
		numbers = append(numbers, b.X.Data[:n*b.X.Cols]...)
		for _, k := range b.Kept {
			texts = append(texts, k.Strings...)
		}
		if err == io.EOF {
			break
		}
	}
	some := []int64{0, 1, info.Rows / 2, info.Rows - 1}
	x := matrix.New(len(some), len(info.Columns))
	if err := stream.Gather(ctx, src, some, &stream.Batch{X: x}); err != nil {
		return nil, nil, err
	}
	for i, row := range some {
		if !slices.Equal(x.Data[i*x.Cols:(i+1)*x.Cols], numbers[int(row)*x.Cols:(int(row)+1)*x.Cols]) {
			return nil, nil, fmt.Errorf("row %d is gathered otherwise than it is read", row)
		}
	}
	return numbers, texts, nil
}

// Files of every format have the same values from S3, from a web server and from a file:// URL.
func TestObjectsAreReadAsFiles(t *testing.T) {
	s := startStore(t)
	dir := t.TempDir()
	for _, extension := range []string{".parquet", ".arrow", ".npy", ".csv", ".tsv", ".libsvm", ".nys"} {
		t.Run(extension, func(t *testing.T) {
			path := filepath.Join(dir, "rows"+extension)
			makeFile(t, path, 5000, 7)
			var o Options
			if extension != ".npy" && extension != ".libsvm" {
				o.Keep = []string{"name"}
			}
			numbers, texts, err := readBack(t.Context(), o, path)
			if err != nil {
				t.Fatal(err)
			}
			url := s.PutFile(path)
			for _, address := range []string{url, s.URL + "/web/rows" + extension + "?signature=secret", "file://" + filepath.ToSlash(path)} {
				gotNumbers, gotTexts, err := readBack(t.Context(), o, address)
				if err != nil {
					t.Fatalf("%s: %v", address, err)
				}
				if !slices.Equal(gotNumbers, numbers) || !slices.Equal(gotTexts, texts) {
					t.Errorf("%s: other values than in the file", address)
				}
			}
			if extension == ".nys" {
				if err := VerifyStore(t.Context(), url); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Globs and folders list objects in byte order, and k=v folders become columns.
func TestGlobsOfObjects(t *testing.T) {
	s := startStore(t)
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("u,v\n1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	content, _ := os.ReadFile(path)
	for _, key := range []string{"d/year=2023/b.csv", "d/year=2023/a.csv", "d/year=2024/a.csv", "d/_SUCCESS", "d/year=2024/.hidden.csv", "d/", "dx.csv", "e/x.txt"} {
		s.Put(key, content)
	}
	for pattern, want := range map[string]int{
		"s3://bucket/d":                 6,
		"s3://bucket/d/":                6,
		"s3://bucket/d/*/a.csv":         4,
		"s3://bucket/d/year=2024":       2,
		"s3://bucket/**/*.csv":          8,
		"s3://bucket/d*":                8,
		"s3://bucket/d/year=2023/?.cs*": 4,
		"s3://bucket/{dx,dy}.csv":       2,
	} {
		src, err := Open(t.Context(), []string{pattern}, Options{})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		} else if got := src.Info().Rows; got != int64(want) {
			t.Errorf("%s: %d rows, want %d", pattern, got, want)
		}
	}
	src, err := Open(t.Context(), []string{"s3://bucket/d"}, Options{Keep: []string{"year"}})
	if err != nil || len(src.Info().Kept) != 1 {
		t.Errorf("the column of a folder: %v", err)
	}
}

// A list of more objects than one answer holds is fetched in pages.
func TestListsHavePages(t *testing.T) {
	s := startStore(t)
	for i := range 25 {
		s.Put(fmt.Sprintf("many/%04d.csv", i), []byte("1,2\n"))
	}
	var lists atomic.Int64
	s.Break(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		if q := r.URL.Query(); q.Has("list-type") {
			lists.Add(1)
			q.Set("max-keys", "10")
			r.URL.RawQuery = q.Encode()
		}
		return false
	})
	src, err := Open(t.Context(), []string{"s3://bucket/many/*.csv"}, Options{Layout: Layout{NoHeader: true}})
	if err != nil {
		t.Fatal(err)
	}
	if n := src.Info().Rows; n != 25 || lists.Load() < 3 {
		t.Errorf("%d rows of 25 files after %d lists of 10", n, lists.Load())
	}
}

// With requests that fail, end early or stall, reading gives the values of the file or an error that names the object.
func TestFaultsOfStores(t *testing.T) {
	s := startStore(t)
	path := filepath.Join(t.TempDir(), "rows.parquet")
	makeFile(t, path, 20000, 7)
	numbers, _, err := readBack(t.Context(), Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	url := s.PutFile(path)
	other := filepath.Join(t.TempDir(), "rows.parquet")
	makeFile(t, other, 20000, 8)
	changed, _ := os.ReadFile(other)
	content, _ := os.ReadFile(path)
	for _, address := range []string{url, s.URL + "/web/rows.parquet?X-Amz-Signature=very-secret"} {
		for name, c := range map[string]struct {
			fault storetest.Fault
			want  error
			fails bool // reading must fail, with any error
		}{
			"503 every third time": {func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n%3 == 1 {
					storetest.Unavailable(w)
				}
				return n%3 == 1
			}, nil, false},
			"bodies end early": {func(n int, w http.ResponseWriter, r *http.Request) bool {
				if n%2 == 1 && storetest.IsData(r) {
					s.Cut(w, r, 1000)
				}
				return false
			}, nil, false},
			"connections close": {func(n int, _ http.ResponseWriter, _ *http.Request) bool {
				if n%2 == 1 {
					panic(http.ErrAbortHandler)
				}
				return false
			}, nil, false},
			"always 503": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				storetest.Unavailable(w)
				return true
			}, nil, true},
			"forbidden": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusForbidden)
				return true
			}, nil, true},
			"changed": {func(n int, _ http.ResponseWriter, r *http.Request) bool {
				if n == 2 {
					s.Put("rows.parquet", changed)
				}
				return false
			}, object.ErrChanged, true},
			"removed": {func(n int, w http.ResponseWriter, r *http.Request) bool {
				if n > 1 {
					http.NotFound(w, r)
				}
				return n > 1
			}, object.ErrChanged, true},
		} {
			t.Run(strings.SplitN(address, ":", 2)[0]+"/"+name, func(t *testing.T) {
				s.Put("rows.parquet", content)
				s.Break(c.fault)
				defer s.Break(nil)
				got, _, err := readBack(t.Context(), Options{}, address)
				switch {
				case c.fails == (err == nil), c.want != nil && !errors.Is(err, c.want):
					t.Errorf("%v, want %v", err, c.want)
				case err == nil && !slices.Equal(got, numbers):
					t.Error("other values than in the file")
				case err != nil && strings.Contains(err.Error(), "secret"):
					t.Errorf("a secret is told: %v", err)
				}
			})
		}
	}
}

// A request that hangs ends with its context.
func TestCancelledRequests(t *testing.T) {
	s := startStore(t)
	s.Put("a.csv", []byte("1,2\n"))
	hangs := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	s.Break(func(n int, _ http.ResponseWriter, r *http.Request) bool {
		if n == 1 {
			cancel()
			select {
			case <-hangs:
			case <-r.Context().Done():
			case <-time.After(time.Minute):
				t.Error("the request goes on")
			}
		}
		return false
	})
	if _, err := Open(ctx, []string{"s3://bucket/a.csv"}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(hangs)
}

// A web server that sends a modification time instead of an ETag can be read.
func TestServersWithoutETags(t *testing.T) {
	s := startStore(t)
	s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		http.ServeContent(w, r, "a.csv", time.Unix(1e9, 0), bytes.NewReader([]byte("u,v\n1,2\n3,4\n5,6\n7,8\n")))
		return true
	})
	if got, _, err := readBack(t.Context(), Options{}, s.URL+"/web/a.csv"); err != nil || !slices.Equal(got, []float64{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("%v: %v", got, err)
	}
}

// Objects of one and of several parts are written completely. After a failure neither an object nor a temporary file is
// left.
func TestObjectsAreWritten(t *testing.T) {
	s := startStore(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	dir := t.TempDir()
	for _, rows := range []int{100, 400000} { // 6 kB, and 25 MB in two parts
		path := filepath.Join(dir, "rows.npy")
		makeFile(t, path, rows, 8)
		makeFile(t, "s3://bucket/out/rows.npy", rows, 8)
		want, _ := os.ReadFile(path)
		if !bytes.Equal(s.Content("out/rows.npy"), want) {
			t.Errorf("%d rows: other bytes than in the file", rows)
		}
		s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
			refused := r.Method == http.MethodPut && r.URL.Query().Get("partNumber") != "1"
			if refused {
				w.WriteHeader(http.StatusForbidden)
			}
			return refused
		})
		err := WriteFile("s3://bucket/new.npy", want)
		filetest.WantError(t, err, "cannot write s3://bucket/new.npy")
		if s.Content("new.npy") != nil {
			t.Error("an object that could not be written is there")
		}
		if log := strings.Join(s.Log(), "\n"); rows > 100 && !strings.Contains(log, "DELETE /bucket/new.npy?uploadId=") {
			t.Errorf("the upload is not given up:\n%s", log)
		}
		s.Break(nil)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
