package blockstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

var update = flag.Bool("update", false, "write testdata/faults.txt and digests.txt anew")

// badFile is a file that cannot be used, and the request that fails.
type badFile struct {
	name    string // of the file, with the extension
	what    string // description of the fault
	content string
	called  string // name in the error, if not the path
	shown   string // name in faults.txt, if not the path
	Options
	graph  *graph.Options                               // an edge list, if not nil
	ask    func(ctx context.Context, path string) error // the request; nil to read the file
	mutant bool                                         // row and column depend on versions of libraries, or on the system
	kind   stream.ErrorKind                             // of a mutant; 0 allows Damaged and what resembles it
	maybe  bool                                         // reading may succeed
	large  bool                                         // slow: skipped with -short
}

// raw matches words of libraries and of Go's run-time that no user should read.
var raw = regexp.MustCompile(`runtime error|panic|goroutine|index out of range|nil pointer|slice bounds|arrow/|ipc:|parquet:|thrift|zlib|flate:|gzip:|zstd:|lz4:|snappy:|bzip2|strconv|unexpected EOF|\bEOF\b|json:|invalid |zip:|0xc0|<nil>|%!|\*[a-z]+\.[A-Z]|\n|  |\(\?\)|\.$`)

// TestFaults checks that the error of each unusable file is a DataError that names the file and a remedy.
// testdata/faults.txt has its row, column and kind; go test -run TestFaults -update records them.
func TestFaults(t *testing.T) {
	golden := testdata(t, "faults.txt")
	var lines, omitted []string
	for _, f := range slices.Concat(badText(t), badSettings(t), badNPY(t), badEdges(), badParquet(t), badArrow(t), badStores(t), badChanges(t), badPaths(t), badOutputs(t), badArchives(t), badObjects(t), badColumnar(t)) {
		if f.large && testing.Short() {
			omitted = append(omitted, f.name+", "+f.what)
			continue
		}
		path := filetest.FileIn(t, t.TempDir(), f.name, f.content)
		err := f.fault(t.Context(), path)
		var e *stream.DataError
		told := ""
		if errors.As(err, &e) {
			told = strings.ReplaceAll(err.Error(), cmp.Or(e.Path, path), "PATH")
		}
		switch {
		case err == nil && f.maybe:
			continue
		case e == nil:
			t.Errorf("%s, %s: %v, which is no DataError", f.name, f.what, err)
			continue
		case e.Remedy == "" && !errors.As(err, new(*stream.OverBudgetError)), raw.MatchString(told), len(told) > 600:
			t.Errorf("%s, %s: no remedy, no words for users, or too many: %s", f.name, f.what, err)
		case f.mutant && (e.Path != cmp.Or(f.called, path) || e.Kind != f.kind && (f.kind > 0 || e.Kind > stream.Damaged)):
			t.Errorf("%s, %s: it names %q and is %v: %v", f.name, f.what, e.Path, e.Kind, err)
		}
		if !f.mutant {
			lines = append(lines, f.line(path, e))
		}
	}
	if *update {
		if testing.Short() {
			t.Fatal("-update needs all files: run without -short")
		}
		if err := os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(line string) bool {
		return slices.ContainsFunc(omitted, func(o string) bool { return strings.HasPrefix(line, o+"\t") })
	})
	for i := range max(len(lines), len(want)) {
		if i >= min(len(lines), len(want)) || lines[i] != want[i] {
			t.Errorf("%d lines, want %d; the first that differs from %s:\n%q\n%q", len(lines), len(want), golden, lines[min(i, len(lines)):][:1], want[min(i, len(want)):][:1])
			break
		}
	}
}

// testdata returns the absolute path of a file in testdata, for tests that change the working folder.
func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// line returns the line of faults.txt for an error about the file at path.
func (f *badFile) line(path string, e *stream.DataError) string {
	named := e.Path
	switch named {
	case path:
		named = f.name
	case f.called:
		named = cmp.Or(f.shown, f.called)
	}
	row := ""
	if e.Row >= 0 {
		row = strconv.FormatInt(e.Row, 10)
	}
	return strings.Join([]string{f.name + ", " + f.what, named, row, e.Column, e.Kind.String()}, "\t")
}

// fault makes the request on the file at path and returns the error.
func (f *badFile) fault(ctx context.Context, path string) error {
	switch {
	case f.ask != nil:
		return f.ask(ctx, path)
	case f.graph != nil:
		_, err := graph.Read(ctx, path, *f.graph)
		return err
	}
	src, err := Open(ctx, []string{path}, f.Options)
	if err == nil {
		_, err = filetest.ReadAll(src, 7)
	}
	return err
}

// badColumnar returns files of binary formats with one byte changed, or truncated.
func badColumnar(t *testing.T) []badFile {
	var list []badFile
	for _, format := range []string{".parquet", ".arrow", ".arrows", ".nys", ".compressed.nys"} {
		healthy, s := healthyFile(t, format)
		o := Options{Columns: s.Columns}
		for _, f := range s.Kept {
			o.Keep = append(o.Keep, f.Name)
		}
		add := func(what string, content []byte) {
			list = append(list, badFile{name: "a" + format, what: what, content: string(content), Options: o, mutant: true})
		}
		add("too few bytes", healthy[:12])
		add("ends early", healthy[:2*len(healthy)/3])
		for at := 0; at < len(healthy); at += max(1, len(healthy)/60) {
			damaged := bytes.Clone(healthy)
			damaged[at] ^= 0xff
			add(fmt.Sprintf("byte %d xor 255", at), damaged)
			list[len(list)-1].maybe = true
		}
	}
	return list
}
