package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// watchedLines read sources, which are words of one capital letter: rows X and Y, labels L, edges E and nodes N, and a
// model M.
var watchedLines = []string{
	"fit landmark X --right Y --kernel rbf(gamma=0.5) --rank 4 --left-factors u.npy --right-factors v.npy -o m.npz",
	"fit operator X --with Y --kind cca --kernel rbf(gamma=0.5) --rank 2 --landmarks 12 --engine landmark -o m.npz",
	"fit ksvd --graph E --nodes N --kernel rbf(gamma=0.5) --rank 2 -o m.npz",
	"transform M X -o u.npy",
	"convert X -o u.npy",
	"inspect X",
	"fit landmark X --kernel rbf(gamma=0.5) --rank 4 --scale standard --factors u.npy -o m.npz",
	"fit ksvd X --right Y --kernel rbf(gamma=0.5) --method nystrom --rank 4 -o m.npz",
	"fit operator X --with Y --kind cross-covariance --kernel linear --rank 2 --engine exact -o m.npz",
	"fit transport X --right Y --kernel rbf(gamma=0.5) --engine lowrank --rank 2 --iterations 1 -o m.npz",
	"fit askls X --label L --kernel rbf(gamma=0.5) --engine lowrank --rank 4 -o m.npz",
	"fit askls --graph E --labels N -o m.npz",
	"fit ism X --label L --dim 1 --engine linear --landmarks 4 --iterations 1 --kernel gaussian(sigma=1) -o m.npz",
	"predict M X -o u.npy",
	"verify M X --error sampled --sample 50",
}

// fileChanges are ways to replace the content of a file.
var fileChanges = map[string]func(path string, now []byte) error{
	"written over": func(path string, now []byte) error { return writeAt(path, os.O_WRONLY, now) },
	"replaced": func(path string, now []byte) error {
		return errors.Join(os.WriteFile(path+".new", now, 0o666), os.Rename(path+".new", path))
	},
	"appended to": func(path string, now []byte) error {
		return writeAt(path, os.O_WRONLY|os.O_APPEND, now[bytes.IndexByte(now, '\n')+1:])
	},
}

func writeAt(path string, how int, content []byte) error {
	f, err := os.OpenFile(path, how, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// moments is a context and an output that count their calls, and change a file at one of these moments.
type moments struct {
	context.Context
	asked, written, at atomic.Int64 // at is the moment of the change; negative moments count writes
	change             func()
	says               bytes.Buffer
}

func (m *moments) Value(key any) any {
	if m.asked.Add(1) == m.at.Load() {
		m.change()
	}
	return m.Context.Value(key)
}

func (m *moments) Err() error {
	_ = m.Value(nil)
	return m.Context.Err()
}

// Write receives a line of progress, between blocks of a pass.
func (m *moments) Write(p []byte) (int, error) {
	if -m.written.Add(1) == m.at.Load() {
		time.Sleep(2 * time.Millisecond) // other readers go on meanwhile, but for one of long lines
		m.change()
	}
	return m.says.Write(p)
}

// all returns some of the moments of a run, mostly early or late.
func (m *moments) all() (list []int64) {
	for _, c := range []struct{ n, sign int64 }{{m.asked.Load(), 1}, {m.written.Load(), -1}} {
		for at := int64(1); at <= c.n; at += max(1, 2*min(at-1, c.n-at)) {
			list = append(list, c.sign*at)
		}
	}
	return list
}

// watched is a command line whose sources change during the run.
type watched struct {
	*testing.T
	folder, format string
	args           []string
	outputs        []string
}

// TestEverySourceIsWatched changes each source of each verb at several moments. Either the results are those of the old
// or of the new file, or the command names the file, ends with exit code 3 and leaves no output. The first lines read
// CSV, the others one format in turn. WATCHED=all go test -run TestEverySourceIsWatched -timeout 1h ./cmd/nystream
// reads all formats in each line.
func TestEverySourceIsWatched(t *testing.T) {
	const first = 6 // lines, with -short alone
	for i, line := range watchedLines {
		for k, format := range []string{"csv", "npy", "parquet", "nys"} {
			graph, text := strings.Contains(line, "--graph"), k == 0
			turn := !testing.Short() && (k == i%4 || graph && text)
			if !(turn || i < first && text || os.Getenv("WATCHED") == "all") || graph && !text {
				continue
			}
			t.Run(format+"/"+line, func(t *testing.T) {
				t.Parallel()
				w := &watched{T: t, folder: t.TempDir(), format: format}
				var letters []string
				w.args, letters = w.words(line)
				for _, letter := range letters {
					w.put(letter, 0)
				}
				for _, letter := range letters {
					w.watch(letter)
				}
			})
		}
	}
}

// words returns the words of a line with paths for letters, and the letters.
func (w *watched) words(line string) (words, letters []string) {
	w.outputs = nil
	for _, word := range strings.Fields(line) {
		switch extension := filepath.Ext(word); {
		case len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z':
			letters, word = append(letters, word), w.path(word)
		case extension == ".npz" || extension == ".npy":
			word = filepath.Join(w.folder, word)
			w.outputs = append(w.outputs, word)
		}
		words = append(words, word)
	}
	return append(words, "--threads", "2", "--log-every", "0", "--format", "json"), letters
}

// path returns the file of a source.
func (w *watched) path(letter string) string {
	extension := w.format
	switch letter {
	case "E", "N":
		extension = "csv"
	case "M":
		extension = "npz"
	}
	return filepath.Join(w.folder, letter+"."+extension)
}

// put writes a version of a source, 0 or 1, as of an hour ago, and returns its content.
func (w *watched) put(letter string, version int) []byte {
	path := w.path(letter)
	switch letter {
	case "E", "N":
		var text strings.Builder
		for i := range 2000 {
			if letter == "E" {
				fmt.Fprintf(&text, "%03d,%03d\n", i%500, (i*7+i/500+version)%500)
			} else if i < 500 {
				fmt.Fprintf(&text, "%03d,%d\n", (i+version)%500, i%2)
			}
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			w.Fatal(err)
		}
	case "M":
		w.fitModel(version)
	default:
		w.putRows(letter, path, version)
	}
	content, err := os.ReadFile(path)
	if err = errors.Join(err, os.Chtimes(path, hourAgo, hourAgo)); err != nil {
		w.Fatal(err)
	}
	return content
}

var hourAgo = time.Now().Add(-time.Hour)

// fitModel fits M to X, so that the line takes it.
func (w *watched) fitModel(version int) {
	line := "fit landmark X --rank 4 -o M --kernel rbf(gamma=0.%d)"
	if w.args[0] == "predict" {
		line = "fit askls X --label L --engine lowrank --rank 4 -o M --kernel rbf(gamma=0.%d)"
		w.put("L", 0)
	}
	outputs := w.outputs
	args, _ := w.words(fmt.Sprintf(line, version+1))
	w.put("X", 0)
	if w.outputs = outputs; run(context.Background(), append(args, "--quiet"), nil, &bytes.Buffer{}, os.Stderr) != app.ExitOK {
		w.Fatal("the model cannot be fitted")
	}
}

// watch changes a source at several moments of the command, by each kind of change in turn.
func (w *watched) watch(letter string) {
	path, other := w.path(letter), w.put(letter, 1)
	ways, results := slices.Sorted(maps.Keys(fileChanges)), make(map[string]string)
	run := func(way string, at int64) (string, *moments) {
		w.put(letter, 0)
		m := &moments{Context: context.Background(), change: func() {
			if err := fileChanges[way](path, other); err != nil {
				w.Error(err)
			}
		}}
		if m.at.Store(at); at == 0 && way != "" {
			m.change()
		}
		return w.run(m), m
	}
	for _, way := range ways {
		results[way], _ = run(way, 0)
	}
	old, whole := run("", 0)
	if old == "" || old == results["replaced"] {
		w.Fatalf("%s: the command fails, or does not depend on the file", letter)
	}
	refused, list := 0, whole.all()
	for i, at := range list {
		way := ways[i%len(ways)]
		if at < 0 {
			way = "written over"
		}
		switch got, _ := run(way, at); {
		case got == "":
			refused++
		case got != old && got != results[way]:
			w.Errorf("%s %s at moment %d: a mixture", letter, way, at)
		}
	}
	w.Logf("%s: changed at %d of %d moments, refused %d times", letter, len(list), whole.asked.Load()+whole.written.Load(), refused)
	w.put(letter, 0)
}

// run runs the command and returns its outputs, "" if it failed.
func (w *watched) run(m *moments) string {
	for _, output := range w.outputs {
		if err := os.RemoveAll(output); err != nil {
			w.Fatal(err)
		}
	}
	var out bytes.Buffer
	code := run(m, w.args, nil, &out, m)
	all := ""
	for _, output := range w.outputs {
		content, err := os.ReadFile(output)
		if (err == nil) != (code == app.ExitOK) {
			w.Fatalf("ends with %d, and %s: %v: %s", code, output, err, &m.says)
		}
		all += string(content)
	}
	if code != app.ExitOK && (code != app.ExitData || !strings.Contains(m.says.String(), w.folder)) {
		w.Fatalf("ends with %d: %s", code, &m.says)
	}
	if code == app.ExitOK && len(w.outputs) == 0 {
		all = ofRun.ReplaceAllString(out.String(), "")
	}
	return all
}

// ofRun matches the parts of results that differ between runs.
var ofRun = regexp.MustCompile(`"(seconds|peak_rss_bytes)": *[^,}]*|"read": *\{("[a-z]+": *\{[^}]*\},?)*\}`)

// putRows writes three blocks of rows. In text, lines of both versions have equal lengths, and those of the second
// block are long.
func (w *watched) putRows(letter, path string, version int) {
	columns := 3
	if letter == "L" {
		columns = 1
	}
	block := stream.BlockRows(columns)
	x := matrix.New(2*block+100, columns)
	text := bytes.NewBufferString("a,b,c\n"[2*(3-columns):])
	for i := range x.Data {
		if x.Data[i] = float64(1000+(i*7919+int(letter[0])+version*500)%1009) / 1000; letter == "L" {
			x.Data[i] = float64((i/3 + version) % 2)
		}
		digits := 3
		if row := i / columns; row >= block && row < 2*block {
			digits = 100
		}
		fmt.Fprintf(text, "%.*f%c", digits, x.Data[i], ",\n"[(i%columns+1)/columns])
	}
	if w.format == "csv" {
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			w.Fatal(err)
		}
		return
	}
	rows, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(columns), Rows: int64(x.Rows)})
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Abort()
	if err := errors.Join(rows.Write(&stream.Batch{X: x}, x.Rows), rows.Commit()); err != nil {
		w.Fatal(err)
	}
}
