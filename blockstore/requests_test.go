package blockstore

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
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

// severalParts is content that needs an upload of two parts.
var severalParts = make([]byte, 16<<20+1)

// startImpatient is startStore with a time limit of 100 ms for stalled requests.
func startImpatient(t *testing.T) *storetest.Server {
	s := startStore(t)
	patience := object.Patience{Stall: 100 * time.Millisecond, Pause: time.Millisecond}
	object.Register(t.Context(), "s3", s3.New(), patience)
	object.Register(t.Context(), "http", web.New(), patience)
	return s
}

// Every kind of request that hangs, before or within its answer, fails soon.
func TestStalledRequestsFail(t *testing.T) {
	s := startImpatient(t)
	open := func(url string) func() error {
		return func() error {
			_, err := Open(t.Context(), []string{url}, Options{Layout: Layout{NoHeader: true}})
			return err
		}
	}
	write := func(content []byte) func() error {
		return func() error { return WriteFile("s3://bucket/new.npy", content) }
	}
	small := []byte("content")
	for name, c := range map[string]struct {
		do   func() error
		hang func(r *http.Request) bool
	}{
		"open":     {open("s3://bucket/a.csv"), storetest.IsData},
		"page":     {open(s.URL + "/web/a.csv"), storetest.IsData},
		"list":     {open("s3://bucket/*.csv"), func(r *http.Request) bool { return r.URL.Query().Has("list-type") }},
		"bucket":   {write(small), func(r *http.Request) bool { return r.Method == http.MethodHead }},
		"put":      {write(small), func(r *http.Request) bool { return r.Method == http.MethodPut }},
		"part":     {write(severalParts), func(r *http.Request) bool { return r.Method == http.MethodPut }},
		"complete": {write(severalParts), func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") }},
	} {
		t.Run(name, func(t *testing.T) {
			s.Put("a.csv", []byte("1,2\n"))
			s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if c.hang(r) {
					io.Copy(io.Discard, r.Body) // else the server does not see that the client goes
					<-r.Context().Done()
				}
				return c.hang(r)
			})
			defer s.Break(nil)
			filetest.WantError(t, c.do(), "no answer for 100ms")
		})
	}
	s.Put("a.csv", []byte("1,2\n"))
	s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Range", "bytes 0-3/4")
		w.Header().Set("Content-Length", "4")
		w.WriteHeader(http.StatusPartialContent)
		w.Write([]byte("1"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	})
	filetest.WantError(t, open("s3://bucket/a.csv")(), "no answer for 100ms")
	filetest.WantError(t, open(s.URL+"/web/a.csv")(), "no answer for 100ms")
}

// A redirect to the same address is followed at most ten times.
func TestRedirectsEnd(t *testing.T) {
	s := startStore(t)
	s.Put("a.csv", []byte("1,2\n"))
	for _, address := range []string{"s3://bucket/a.csv", s.URL + "/web/a.csv"} {
		s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, s.URL+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		})
		_, err := Open(t.Context(), []string{address}, Options{})
		filetest.WantError(t, err, "redirects more than ten times")
		if n := len(s.Log()); n != 11 {
			t.Errorf("%s: %d requests", address, n)
		}
	}
}

// If the last request of an upload fails, before or after the server has completed it, only this request is repeated:
// each part is sent once.
func TestOnlyCompletingIsRepeated(t *testing.T) {
	s := startStore(t)
	isComplete := func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") }
	parts := func() (n int) {
		for _, line := range s.Log() {
			if strings.Contains(line, "partNumber=") {
				n++
			}
		}
		return n
	}
	for name, c := range map[string]struct {
		fault func(failures int64, w http.ResponseWriter, r *http.Request) bool
		want  string
	}{
		"twice": {func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			if n <= 2 {
				storetest.Unavailable(w)
			}
			return n <= 2
		}, ""},
		"always": {func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
			storetest.Unavailable(w)
			return true
		}, "after 8 attempts"},
		"answer lost": {func(n int64, w http.ResponseWriter, r *http.Request) bool {
			if n == 1 {
				s.Cut(w, r, 10)
			}
			return false
		}, ""},
		"given up": {func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `<Error><Code>NoSuchUpload</Code><Message>It is gone.</Message></Error>`)
			return true
		}, "the server has given up the upload"},
	} {
		t.Run(name, func(t *testing.T) {
			var failures atomic.Int64
			s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
				return isComplete(r) && c.fault(failures.Add(1), w, r)
			})
			err := WriteFile("s3://bucket/"+name, severalParts)
			if c.want != "" {
				filetest.WantError(t, err, c.want)
			} else if err != nil || len(s.Content(name)) != len(severalParts) {
				t.Errorf("%d bytes: %v", len(s.Content(name)), err)
			}
			if parts() != 2 {
				t.Errorf("%d parts were sent", parts())
			}
		})
	}
}

// The next run removes the unfinished upload of a killed run.
func TestAbandonedUploads(t *testing.T) {
	s := startStore(t)
	uploads := func() int {
		answer, err := http.Get(s.URL + "/bucket?uploads")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "<UploadId>")
	}
	s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		refused := r.Method == http.MethodPut || r.Method == http.MethodDelete
		if refused {
			w.WriteHeader(http.StatusForbidden)
		}
		return refused
	})
	for _, name := range []string{"s3://bucket/a.npy", "s3://bucket/a.npy.other"} {
		if err := WriteFile(name, severalParts); err == nil {
			t.Fatal("it is written")
		}
	}
	s.Break(nil)
	if n := uploads(); n != 2 {
		t.Fatalf("%d uploads", n)
	}
	if err := WriteFile("s3://bucket/a.npy", []byte("small")); err != nil {
		t.Fatal(err)
	}
	if n := uploads(); n != 1 {
		t.Errorf("%d uploads are left, want that of another object", n)
	}
}

// Reading a changed object ends after few requests.
func TestChangedObjectsEnd(t *testing.T) {
	s := startStore(t)
	path := filepath.Join(t.TempDir(), "rows.parquet")
	makeFile(t, path, 100_000, 20)
	url := s.PutFile(path)
	src, err := Open(t.Context(), []string{url}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Put("rows.parquet", []byte("another version"))
	s.Break(nil)
	for range 5 {
		_, err = filetest.ReadAll(src, 1000)
		filetest.WantError(t, err, "the object was changed")
	}
	if n := len(s.Log()); n > 4 {
		t.Errorf("%d requests after the change", n)
	}
}

// A server that sends at most 1,000 bytes per answer can be read.
func TestShortRanges(t *testing.T) {
	s := startStore(t)
	path := filepath.Join(t.TempDir(), "rows.npy")
	makeFile(t, path, 1000, 5)
	url := s.PutFile(path)
	numbers, _, err := readBack(t.Context(), Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	s.Break(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		var first, last int
		if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); n == 2 {
			r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", first, min(last, first+999)))
		}
		return false
	})
	for _, address := range []string{url, s.URL + "/web/rows.npy"} {
		got, _, err := readBack(t.Context(), Options{}, address)
		if err != nil || !slices.Equal(got, numbers) {
			t.Errorf("%s: other values: %v", address, err)
		}
	}
}

// An answer with another range than requested is an error.
func TestOtherRanges(t *testing.T) {
	s := startStore(t)
	s.Put("a.csv", []byte("1,2\n3,4\n5,6\n7,8\n"))
	s.Break(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		if storetest.IsData(r) {
			r.Header.Set("Range", "bytes=4-")
		}
		return false
	})
	for _, address := range []string{"s3://bucket/a.csv", s.URL + "/web/a.csv"} {
		_, err := Open(t.Context(), []string{address}, Options{Layout: Layout{NoHeader: true}})
		filetest.WantError(t, err, "another range")
	}
}

// A list whose continuation token repeats is an error.
func TestRepeatedLists(t *testing.T) {
	s := startStore(t)
	s.Break(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		io.WriteString(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>`+
			`<Contents><Key>a.csv</Key><ETag>"e"</ETag><Size>4</Size></Contents></ListBucketResult>`)
		return true
	})
	_, err := Open(t.Context(), []string{"s3://bucket/*.csv"}, Options{})
	filetest.WantError(t, err, "would never end")
	if n := len(s.Log()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// A server with an untrusted certificate, or without TLS, gets a single attempt.
func TestUntrustedServers(t *testing.T) {
	startStore(t)
	object.Register(t.Context(), "https", web.New(), object.Patience{Pause: time.Millisecond})
	for name, start := range map[string]func(*httptest.Server){"certificate": (*httptest.Server).StartTLS, "TLS": (*httptest.Server).Start} {
		var connections atomic.Int64
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		start(s)
		defer s.Close()
		_, err := Open(t.Context(), []string{strings.Replace(s.URL, "http://", "https://", 1)}, Options{})
		filetest.WantError(t, err, name)
		if n := connections.Load(); n != 1 {
			t.Errorf("%s: %d connections: %v", name, n, err)
		}
	}
}

// The announced memory of a reader of Parquet objects, whose page sizes are estimated, is at least that for the local
// file and at most 4 MiB more.
func TestAssumedPages(t *testing.T) {
	s := startStore(t)
	for name, distinct := range map[string]int{"constant.parquet": 1, "few.parquet": 100, "many.parquet": 40_000} {
		path := filepath.Join(t.TempDir(), name)
		x := matrix.New(40_000, 30)
		for i := range x.Data {
			x.Data[i] = float64(i / 30 % distinct)
		}
		w, err := Create(path, Schema{Columns: stream.NumberedColumns(30), Rows: int64(x.Rows), Compression: "zstd"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(&stream.Batch{X: x}, x.Rows), w.Commit()); err != nil {
			t.Fatal(err)
		}
		url := s.PutFile(path)
		var holds [2]int64
		for i, address := range []string{path, url} {
			src, err := Open(t.Context(), []string{address}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			holds[i] = src.Info().ReaderBytes
		}
		size := int64(len(s.Content(name)))
		t.Logf("%s: %d bytes, a file holds %d, an object %d", name, size, holds[0], holds[1])
		if more := holds[1] - min(size, 16<<20) - holds[0]; more < 0 || more > 4<<20 {
			t.Errorf("%s: %d bytes more than the pages of the file", name, more)
		}
	}
}
