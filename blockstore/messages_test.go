package blockstore

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

var updateMessages = flag.Bool("update", false, "write testdata/messages.txt anew")

// badFile is a file that cannot be used, and what a user asks of it.
type badFile struct {
	name    string // of the file, with the extension
	what    string // is wrong
	content string
	Options
	graph  *graph.Options // an edge list, if not nil
	mutant bool           // which bytes it has depends on versions of libraries
}

// whole is what is wrong with a file and not with a place in it.
var whole = regexp.MustCompile(`empty|only a header|too (few|short)|unknown|begins|ends|encrypted|encoding|columns? (chosen|kept|called)|one line|binary|endings|array|dimension|type|compressed|layout|delimiter`)

// place is how a message tells where something is.
var place = regexp.MustCompile(`\b(row|line|byte|column|row group|section|chunk|header|footer|trailer|attribute|array|member|begin|end|ends|schema|layout|first|last)\b`)

// remedy is how a message says what to do.
var remedy = regexp.MustCompile(`; (or |and )?(make|close|mend|name|choose|carry|save|write|use|say|pass|leave|keep|change|sort|add|put|unzip|decompress|wait|drop|rename|take|if|it is another format|do not|only lists|inside a quoted|numeric|JSON|weights|rows must|only text|the arrays are|the columns are|is |was )|\?$|: make or fetch|reshape|flatten| take the | do not keep|only text|write it anew|unless it is damaged|jq |the remedy`)

// raw is what no user is to read: words of libraries and of Go.
var raw = regexp.MustCompile(`runtime error|panic|goroutine|index out of range|nil pointer|slice bounds|arrow/|ipc:|parquet:|thrift|zlib|flate:|gzip:|zstd:|lz4:|snappy:|bzip2|strconv|unexpected EOF|\bEOF\b|json:|invalid |zip:|0xc0|<nil>|%!|\*[a-z]+\.[A-Z]`)

// Every message about a file that cannot be used names it, says where, what and what to do,
// and is short. The messages are in testdata/messages.txt; go test -run TestMessages -update
// writes them, and a reader of the change sees what a user will read.
func TestMessages(t *testing.T) {
	var lines strings.Builder
	for _, f := range append(badFiles(t), badColumnar(t)...) {
		path := filetest.FileIn(t, t.TempDir(), f.name, f.content)
		message, err := messageOf(path, f), ""
		switch {
		case message == "":
			err = "it is read without an error"
		case !strings.HasPrefix(message, path+": "):
			err = "the file does not come first"
		case len(message)-len(path) > 1000:
			err = fmt.Sprintf("%d bytes are too many", len(message))
		case raw.MatchString(message[len(path):]):
			err = fmt.Sprintf("%q is no word for users", raw.FindString(message[len(path):]))
		case !place.MatchString(message[len(path):]) && !whole.MatchString(f.what):
			err = "it says no place"
		case !remedy.MatchString(message):
			err = "it does not say what to do"
		}
		message = strings.ReplaceAll(message, path, f.name)
		if err != "" {
			t.Errorf("%s, %s: %s: %s", f.name, f.what, err, message)
		}
		if f.mutant {
			continue
		}
		fmt.Fprintf(&lines, "%s, %s\n\t%s\n", f.name, f.what, message)
	}
	golden := filepath.Join("testdata", "messages.txt")
	if *updateMessages {
		if err := errors.Join(os.MkdirAll("testdata", 0o777), os.WriteFile(golden, []byte(lines.String()), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := lines.String(); got != string(want) {
		t.Errorf("the messages are others than in %s; if they should be, run go test -run TestMessages -update and look at the difference; the first is\n%s", golden, firstDifference(got, string(want)))
	}
}

// firstDifference returns the first line of got that is another in want.
func firstDifference(got, want string) string {
	others := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(others) || line != others[i] {
			return line
		}
	}
	return "(there are fewer)"
}

// messageOf opens a file and reads its rows, and returns what the user is told.
func messageOf(path string, f badFile) string {
	var err error
	if f.graph != nil {
		_, err = graph.Read(context.Background(), path, *f.graph)
	} else if src, failed := Open(context.Background(), []string{path}, f.Options); failed != nil {
		err = failed
	} else {
		_, err = filetest.ReadAll(src, 7)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// badFiles returns the table.
func badFiles(t *testing.T) []badFile {
	long := strings.Repeat("long", 5000)
	list := []badFile{
		{name: "a.csv", what: "empty"},
		{name: "a.csv", what: "ragged", content: "a,b\n1,2\n3\n"},
		{name: "a.csv", what: "ragged below a comment", content: "# made by x\na,b\n1,2\n"},
		{name: "a.csv", what: "an open quote", content: "a,b\n1,\"2\n3,4\n"},
		{name: "a.csv", what: "text after a quote", content: "a,b\n\"x\"y,1\n"},
		{name: "a.csv", what: "binary", content: "a,b\n1,\x002\n"},
		{name: "a.csv", what: "endings of old Macintoshes", content: "a,b\r1,2\r"},
		{name: "a.csv", what: "a long line", content: "a\n" + strings.Repeat("x", 17<<20)},
		{name: "a.csv", what: "an integer beyond 2^53", content: "a,b\n1,9007199254740993\n", Options: Options{}},
		{name: "a.csv", what: "text to compute with", content: "a,b\n1,x\n", Options: Options{Columns: []string{"b"}}},
		{name: "a.csv", what: "a word among numbers", content: "a,b\n1,2\n2,x\n3,4\n"},
		{name: "a.csv", what: "an unknown column", content: "alpha,b\n1,2\n", Options: Options{Columns: []string{"alpah"}}},
		{name: "a.csv", what: "columns called the same", content: "a,a\n1,2\n", Options: Options{Columns: []string{"a"}}},
		{name: "a.csv", what: "an unknown column with a long name", content: long + ",b\n1,2\n", Options: Options{Columns: []string{long + "r"}}},
		{name: "a.csv", what: "a long word among numbers", content: "a,b\n1,2\n2," + long + "\n3,4\n"},
		{name: "a.csv", what: "kept text in Latin-1", content: "a,b\n1,caf\xe9\n", Options: Options{Keep: []string{"b"}}},
		{name: "a.csv", what: "a name in Latin-1", content: "a,caf\xe9\n1,x\n", Options: Options{Keep: []string{"1"}}},
		{name: "a.csv", what: "bytes that are not in Shift-JIS", content: "a,b\n1,\xfd\xfd\n", Options: Options{Encoding: "shift_jis"}},
		{name: "a.csv", what: "too short for what is skipped", content: "a\n1\n", Options: Options{Skip: 9}},
		{name: "a.tsv", what: "badly quoted and ragged", content: "a\tb\n\"x\"y\t1\n1\t2\t3\n"},
		{name: "a.csv.gz", what: "not compressed as its beginning says", content: "\x1f\x8b\x08\x00zzzzzzzzzzzzzzzzzzzz"},
		{name: "a.csv.gz", what: "compressed, and cut", content: gzipped(t, strings.Repeat("1,2\n", 1000))[:25]},
		{name: "a.csv.zst", what: "compressed, and cut", content: "\x28\xb5\x2f\xfd\x04\x00\x61\x00"},
		{name: "a.dat", what: "of an unknown layout", content: "\x07\x00\x01"},
		{name: "a.parquet", what: "begins like CSV", content: "a,b\n1,2\n"},

		{name: "a.libsvm", what: "empty"},
		{name: "a.libsvm", what: "indices from 0", content: "1 0:1\n"},
		{name: "a.libsvm", what: "indices that do not ascend", content: "1 2:1 1:1\n"},
		{name: "a.libsvm", what: "a word for a number", content: "1 1:x\n"},
		{name: "a.libsvm", what: "no colon", content: "1 1\n1 1:2\n"},
		{name: "a.libsvm", what: "an index beyond the columns that can be read", content: "1 99999999:1\n"},

		{name: "a.jsonl", what: "empty"},
		{name: "a.jsonl", what: "a line that ends early", content: "{\"a\": 1}\n{\"a\": \n"},
		{name: "a.jsonl", what: "one array", content: "[\n{\"a\": 1},\n{\"a\": 2}]\n"},
		{name: "a.jsonl", what: "objects and arrays", content: "{\"a\": 1}\n[1]\n"},
		{name: "a.jsonl", what: "a member twice", content: "{\"a\": 1, \"a\": 2}\n"},
		{name: "a.jsonl", what: "no value of JSON", content: "{\"a\": nope}\n"},
		{name: "a.jsonl", what: "a missing colon", content: "{\"a\" 1}\n"},
		{name: "a.jsonl", what: "a missing comma", content: "{\"a\": 1 \"b\": 2}\n"},
		{name: "a.jsonl", what: "a name without quotes", content: "{a: 1}\n"},
		{name: "a.jsonl", what: "two values on a line", content: "{\"a\": 1} {\"a\": 2}\n"},
		{name: "a.jsonl", what: "a value of one number", content: "{\"a\": 1}\n5\n"},
		{name: "a.jsonl", what: "a control character", content: "{\"a\": \"x\ty\"}\n", Options: Options{Keep: []string{"a"}}},
		{name: "a.jsonl", what: "values deep in each other", content: strings.Repeat("[", 20000) + "\n"},

		{name: "a.arff", what: "no @data", content: "@relation r\n@attribute a numeric\n"},
		{name: "a.arff", what: "an unknown type", content: "@relation r\n@attribute a complex\n@data\n1\n"},
		{name: "a.arff", what: "an attribute without a type", content: "@relation r\n@attribute a\n@data\n1\n"},
		{name: "a.arff", what: "a line before @data", content: "@relation r\nhello\n@attribute a numeric\n@data\n1\n"},
		{name: "a.arff", what: "no attributes", content: "@relation r\n@data\n1\n"},
		{name: "a.arff", what: "a relational attribute", content: "@relation r\n@attribute a relational\n@data\n1\n"},
		{name: "a.arff", what: "a nominal type that is open", content: "@relation r\n@attribute a {x, y\n@data\nx\n"},
		{name: "a.arff", what: "too many values", content: "@relation r\n@attribute a numeric\n@data\n1,2\n"},
		{name: "a.arff", what: "a word for a number", content: "@relation r\n@attribute a numeric\n@data\n1\nx\n"},
		{name: "a.arff", what: "a value that is not among the nominal ones", content: "@relation r\n@attribute a numeric\n@attribute b {x, y}\n@data\n1,z\n", Options: Options{Keep: []string{"b"}}},
		{name: "a.arff", what: "open quotes", content: "@relation r\n@attribute a string\n@attribute b numeric\n@data\n'x,1\n"},
		{name: "a.arff", what: "a sparse row that is open", content: "@relation r\n@attribute a numeric\n@data\n{0 1\n"},
		{name: "a.arff", what: "a sparse index out of range", content: "@relation r\n@attribute a numeric\n@data\n{5 1}\n"},
		{name: "a.arff", what: "a sparse entry without a value", content: "@relation r\n@attribute a numeric\n@data\n{x}\n"},
	}
	list = append(list, badNPY(t)...)
	return append(list, badEdges()...)
}

// npyFile returns an NPY file with a header.
func npyFile(header string, data int) string {
	header += "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + strings.Repeat("\x00", data)
}

// zipped returns a zip archive of a file, or of none.
func zipped(t *testing.T, names ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", 16)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// badNPY are NPY and NPZ files.
func badNPY(t *testing.T) []badFile {
	header := func(descr, shape string) string {
		return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }"
	}
	return []badFile{
		{name: "a.npy", what: "empty"},
		{name: "a.npy", what: "ends within its header", content: "\x93NUMPY\x01\x00\xff"},
		{name: "a.npy", what: "an unknown version", content: "\x93NUMPY\x09\x00\x10\x00\x00\x00"},
		{name: "a.npy", what: "objects in an array", content: npyFile(header("'|O'", "(2, 1)"), 16)},
		{name: "a.npy", what: "an array of named fields", content: npyFile(header("[('a', '<f8')]", "(2,)"), 16)},
		{name: "a.npy", what: "an unknown type", content: npyFile(header("'<c16'", "(2, 1)"), 32)},
		{name: "a.npy", what: "no type", content: npyFile("{'fortran_order': False, 'shape': (2, 1), }", 16)},
		{name: "a.npy", what: "too short an array", content: npyFile(header("'<f8'", "(9, 2)"), 32)},
		{name: "a.npy", what: "too long an array", content: npyFile(header("'<f8'", "(1, 2)"), 99)},
		{name: "a.npy", what: "three dimensions", content: npyFile(header("'<f8'", "(2, 2, 2)"), 64)},
		{name: "a.npy", what: "no dimension", content: npyFile(header("'<f8'", "()"), 8)},
		{name: "a.npy", what: "an array without columns", content: npyFile(header("'<f8'", "(2, 0)"), 0)},
		{name: "a.npy", what: "more than a file can hold", content: npyFile(header("'<f8'", "(99999999999999999, 99999)"), 0)},
		{name: "a.npy", what: "a negative dimension", content: npyFile(header("'<f8'", "(-1, 2)"), 0)},
		{name: "a.npy", what: "a header that is no dictionary", content: npyFile("hello", 0)},
		{name: "a.npz", what: "too few bytes", content: "PK\x03\x04"},
		{name: "a.npz", what: "ends early", content: zipped(t, "x.npy")[:120]},
		{name: "a.npz", what: "no array", content: zipped(t, "x.txt")},
		{name: "a.npz", what: "an unknown array", content: zipped(t, "x.npy", "y.npy"), Options: Options{Array: "z"}},
		{name: "a.npz", what: "two arrays", content: zipped(t, "x.npy", "y.npy")},
		{name: "a.npy", what: "an array named in one", content: npyFile(header("'<f8'", "(2, 1)"), 16), Options: Options{Array: "z"}},
	}
}

// badEdges are edge lists and Matrix Market files.
func badEdges() []badFile {
	market := "%%MatrixMarket matrix coordinate real general\n"
	return []badFile{
		{name: "e.csv", what: "empty", graph: &graph.Options{}},
		{name: "e.csv", what: "ragged", content: "1,2\n3\n", graph: &graph.Options{}},
		{name: "e.csv", what: "a weight that is no number", content: "1,2,3\n1,2,x\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an id in Latin-1", content: "a,caf\xe9\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an id that is missing", content: "a,b\nc,\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an open quote", content: "a,b\n\"c,d\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an unknown column", content: "src,dst\n1,2\n", graph: &graph.Options{Weight: "w8"}},
		{name: "e.csv", what: "bytes that are not in Shift-JIS", content: "a,b\na,\xfd\xfd\n", graph: &graph.Options{Encoding: "shift_jis"}},
		{name: "e.csv.gz", what: "compressed, and cut", content: "\x1f\x8b\x08\x00zzzzzzzzzzzzzzzzzzzz", graph: &graph.Options{}},
		{name: "e.parquet", what: "begins like Parquet", content: "PAR1\x00\x00\x00\x00PAR1", graph: &graph.Options{}},
		{name: "e.mtx", what: "an unknown kind of matrix", content: "%%MatrixMarket matrix array real general\n2 2\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "no square", content: market + "2 3 1\n1 1 1\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "too few entries", content: market + "2 2 2\n1 1 1\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "an entry outside", content: market + "2 2 1\n3 1 1\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "a word for a number", content: market + "2 2 1\n1 1 x\n", graph: &graph.Options{}},
	}
}

// badColumnar are healthy files of the formats with columns of bytes, of which a byte is
// changed in turn, or the end is missing.
func badColumnar(t *testing.T) []badFile {
	var list []badFile
	for _, format := range []string{".parquet", ".arrow", ".arrows", ".nys", ".compressed.nys"} {
		healthy, s := healthyFile(t, format)
		o := Options{Columns: s.Columns}
		for _, f := range s.Kept {
			o.Keep = append(o.Keep, f.Name)
		}
		name := "a" + format
		add := func(what string, content []byte) {
			list = append(list, badFile{name: name, what: what, content: string(content), Options: o, mutant: true})
		}
		add("too few bytes", healthy[:12])
		add("ends early", healthy[:2*len(healthy)/3])
		seen := map[string]bool{}
		for at := 0; at < len(healthy); at += max(1, len(healthy)/60) {
			for _, flip := range []byte{0xff} {
				damaged := bytes.Clone(healthy)
				damaged[at] ^= flip
				f := badFile{name: name, content: string(damaged), Options: o}
				path := filetest.FileIn(t, t.TempDir(), name, f.content)
				kind := digits.ReplaceAllString(strings.ReplaceAll(messageOf(path, f), path, ""), "#")
				if kind != "" && !seen[kind] {
					seen[kind] = true
					add(fmt.Sprintf("byte %d xor %d", at, flip), damaged)
				}
			}
		}
	}
	return list
}

// digits are the numbers and quoted words of a message.
var digits = regexp.MustCompile(`"[^"]*"|0x[0-9a-f]+|-?[0-9]+`)
