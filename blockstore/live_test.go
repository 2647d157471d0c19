package blockstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	arrowlib "github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// trickle is a reader that returns a few bytes at a time, with pauses.
type trickle struct {
	in     io.Reader
	random *rand.Rand
}

func (r *trickle) Read(p []byte) (int, error) {
	if r.random.IntN(40) == 0 {
		time.Sleep(2 * file.Pause)
	}
	return r.in.Read(p[:min(len(p), 1+r.random.IntN(700))])
}

// liveTexts are text files, each with its kept columns.
var liveTexts = []struct {
	name, text string
	o          Options
}{
	{"a.csv", "x,y,id,word\n1,2.5,7,a\n-3,,8,\" b, \"\n4,5e3,9,\"two\nlines\"\n", Options{Columns: []string{"x", "y"}, Keep: []string{"id", "word"}}},
	{"a.csv", "\ufeff# no row\n\nx\ty\n1\t2\n3\t4", Options{Layout: Layout{Comment: "#"}}},
	{"a.csv", "title\nx;y\n1;2\n3;4\n", Options{Layout: Layout{Skip: 1}}},
	{"one.csv", "x\n1\n\n\n2\n# 3\n\n4\n\n\n", Options{Layout: Layout{Comment: "#"}}},
	{"a.tsv", "x\ty\n1\t2\n3\t4\n", Options{}},
	{"a.jsonl", "{\"x\":1,\"e\":[1,2],\"id\":5,\"w\":\"a\"}\n{\"w\":\"b\",\"id\":6,\"e\":[3.5,4],\"x\":null}\n\n{\"id\":7}\n", Options{Keep: []string{"id", "w"}}},
	{"a.jsonl", "[1,2]\n[3,null]\n", Options{}},
	{"a.libsvm", "1 1:2 3:4 # a\n-1 2:5\n+1\n", Options{Label: "label", Features: 4}},
	{"zero.libsvm", "1 0:2 3:4\n-1 2:5\n", Options{Features: 4}},
}

// A pipe that is read as it arrives gives the rows of the file.
func TestLiveText(t *testing.T) {
	t.Parallel()
	for _, c := range liveTexts {
		path := filetest.TempFile(t, c.name, c.text)
		want := filetest.MustRead(t, mustOpen(t, c.o, path), 5)
		for seed := range uint64(4) {
			live := c.o
			live.Live, live.Reader = true, &trickle{strings.NewReader(c.text), rand.New(rand.NewPCG(seed, 1))}
			live.Format = strings.TrimPrefix(filepath.Ext(c.name), ".")
			if live.Format == "tsv" {
				live.Format = "csv"
			}
			src := mustOpen(t, live, "-")
			if info := src.Info(); !info.Live || !info.OnePass || info.Rows != -1 || info.PassesToOpen != 0 {
				t.Fatalf("%s: %+v", c.name, info)
			}
			if d := filetest.Diff(want, filetest.MustRead(t, src, 2)); d != "" {
				t.Errorf("%s %q: %s", c.name, c.text, d)
			}
			if _, err := src.Open(t.Context(), 0); err == nil {
				t.Errorf("%s was read twice", c.name)
			}
			if err := src.Gather(t.Context(), nil, &stream.Batch{}); err == nil {
				t.Errorf("rows of %s were gathered", c.name)
			}
		}
	}
}

// Every written format can be read from a pipe, as it arrives where the format allows it.
func TestLiveFormats(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	rows := filetest.SampleBatch(700, 3)
	copy(rows.X.Data, []float64{0, -0.5, 1e200, 1e-200, 5e-324}) // no NaN, nothing infinite
	for _, c := range []struct {
		extension string
		live      bool
	}{{".npy", true}, {".csv", true}, {".csv.gz", true}, {".tsv", true}, {".jsonl", true}, {".libsvm", true}, {".arrows", true}, {".parquet", false}, {".arrow", false}, {".nys", false}} {
		path := filepath.Join(t.TempDir(), "x"+c.extension)
		writeBatch(t, path, names, rows)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := numbersOf(t, mustOpen(t, Options{}, path))
		for seed := range uint64(2) {
			in := &trickle{bytes.NewReader(content), rand.New(rand.NewPCG(seed, 2))}
			o := Options{Live: seed > 0, Reader: in, Format: map[string]string{".libsvm": "libsvm"}[c.extension]}
			src := mustOpen(t, o, "-")
			if src.Info().Live != (c.live && o.Live) {
				t.Errorf("%s: live %v", c.extension, src.Info().Live)
			}
			if diff := cmp.Diff(want, numbersOf(t, src)); diff != "" {
				t.Errorf("%s: %s", c.extension, diff)
			}
		}
	}
}

// A read returns the rows that have arrived when the input pauses.
func TestLivePause(t *testing.T) {
	t.Parallel()
	for format, c := range map[string][2]string{
		"csv":    {"x,y\n1,2\n", "3,4\n"},
		"jsonl":  {"{\"x\":1,\"y\":2}\n", "{\"x\":3,\"y\":4}\n"},
		"libsvm": {"1 1:1 2:2\n", "1 1:3 2:4\n"},
	} {
		out, in := io.Pipe()
		go in.Write([]byte(c[0]))
		src := mustOpen(t, Options{Live: true, Reader: out, Format: format}, "-")
		r, err := src.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		b := stream.Batch{X: stream.NewMatrix(100, 2)}
		for k := range 3 {
			if k > 0 {
				go in.Write([]byte(c[1][:3]))
				time.Sleep(2 * file.Pause) // within a row
				go in.Write([]byte(c[1][3:]))
			}
			if n, err := r.Read(&b); n != 1 || err != nil || b.X.Data[0] != float64(1+2*min(k, 1)) {
				t.Fatalf("%s: %d rows, %v, %v", format, n, err, b.X.Data[:2])
			}
		}
		in.Close()
		if n, err := r.Read(&b); n != 0 || err != io.EOF {
			t.Errorf("%s: %d rows, %v", format, n, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The first lines determine the kinds of columns. A value of another kind ends the rows with an error, since a file
// with it would have other rows.
func TestLiveRefuses(t *testing.T) {
	t.Parallel()
	head := strings.Repeat("1,2,3\n", 20_000) // more than a head
	for _, c := range []struct{ name, late, says string }{
		{"a kept number among integers", "1,2,3.5\n", "\"3.5\" is not a number"},
		{"zeros before it", "1,2,007\n", "no integer"},
		{"minus zero", "1,2,-0\n", "no integer"},
		{"a kept word", "1,2,a\n", "\"a\" is not a number"},
		{"a word among numbers", "1,a,3\n", "\"a\" is not a number"},
		{"a short line", "1,2\n", "2 cells"},
		{"an open quote", "1,2,\"3\n", "never closed"},
	} {
		o := Options{Live: true, Columns: []string{"x", "y"}, Keep: []string{"id"}, Reader: strings.NewReader("x,y,id\n" + head + c.late)}
		src := mustOpen(t, o, "-")
		rows, _, err := filetest.Slurp(src, 1000)
		filetest.WantError(t, err, "standard input", "line", c.says)
		if want := strings.Count(head, "\n"); len(rows) != want {
			t.Errorf("%s: %d rows before it, not %d", c.name, len(rows), want)
		}
	}
}

// Kept columns have the types that they would have in a file. A value in a column that was empty so far, or a new
// column, ends the rows with an error, unless the type is given.
func TestLiveExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, head, late, types, columns, says string }{
		{"csv", "id,e\n1,\n", "2,9\n", "id=int64", "", "\"9\" is the first value of its column"},
		{"csv", "id,e\n1,\n", "2,9\n", "e=int64", "", ""},
		{"csv", "id,e\n1,\n", "007,\n", "e=int64", "", "\"007\" is no integer"},
		{"csv", "id,e\n1,\n", "007,\n", "id=int64", "", ""},
		{"csv", "id,e\n1,true\n", "2,1\n", "e=bool", "", ""},
		{"csv", "id,e\n1,0001-01-01\n", "2,0002-01-01\n", "id=int64", "", ""},
		{"csv", "id,e\n1,0001-01-01\n", "2,soon\n", "id=int64", "", "\"soon\" is no value of the type date"},
		{"jsonl", "{\"id\":1}\n", "{\"id\":2,\"e\":3}\n", "id=int64", "", "the member \"e\" is not in the first lines"},
		{"jsonl", "{\"id\":1}\n", "{\"id\":2,\"e\":3}\n", "id=int64", "id", ""},
		{"jsonl", "{\"id\":1,\"e\":null}\n", "{\"id\":2,\"e\":true}\n", "id=int64", "", "\"true\" is the first value"},
		{"libsvm", "1 1:2\n", "1 2:3\n", "label=int8", "", "feature 2 is one more"},
		{"libsvm", "1 1:2\n", "1.5 1:3\n", "label=float64", "", ""},
		{"libsvm", "1 1:2\n", "1 3:3\n", "x1=float64", "", "feature 3 is one more"},
		{"libsvm", "1 1:2\n", "1 3:3\n", "x2=float64", "", ""},
	} {
		o := Options{Live: true, AllColumns: true, FindTypes: true, Carry: CarryAll, NoNumbers: true, Format: c.format, Types: []string{c.types},
			Reader: io.MultiReader(strings.NewReader(c.head), &slow{strings.NewReader(c.late)})}
		if c.columns != "" {
			o.Columns = []string{c.columns}
		}
		t.Run(c.late, func(t *testing.T) {
			t.Parallel()
			src := mustOpen(t, o, "-")
			r, err := src.Open(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			b := stream.Batch{X: stream.NewMatrix(10, len(src.Info().Columns)), Kept: src.Info().NewKept()}
			n, err := stream.ReadFull(r, &b)
			r.Close()
			if c.says != "" {
				filetest.WantError(t, err, "standard input", "line", c.says)
			} else if err != io.EOF || n != 2 {
				t.Errorf("%s%s: %d rows, %v", c.head, c.late, n, err)
			}
		})
	}
}

// slow returns nothing before the head of a text has ended.
type slow struct{ io.Reader }

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(file.Patience + 20*file.Pause)
	return s.Reader.Read(p)
}

// A batch above the memory limit is an error after the rows of the earlier batches.
func TestLimitBatches(t *testing.T) {
	t.Parallel()
	schema := arrowlib.NewSchema([]arrowlib.Field{{Name: "w", Type: &arrowlib.DictionaryType{IndexType: arrowlib.PrimitiveTypes.Int32, ValueType: arrowlib.BinaryTypes.String}},
		{Name: "e", Type: arrowlib.FixedSizeListOf(1, arrowlib.PrimitiveTypes.Float32)}, {Name: "n", Type: arrowlib.PrimitiveTypes.Int64}}, nil)
	read := func(left, of int64, o Options) (int, error) {
		src, err := FromRecords(t.Context(), "queue", schema, recordsOf(schema, 10, 5000), o)
		if err != nil {
			return 0, err
		}
		src.LimitBatches(left, of)
		r, err := src.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, rows := stream.Batch{X: stream.NewMatrix(100, len(src.Info().Columns))}, 0
		for {
			n, err := r.Read(&b)
			if rows += n; err != nil {
				return rows, err
			}
		}
	}
	for _, c := range []struct {
		left int64
		rows int
	}{{0, 0}, {8 << 10, 10}, {1 << 20, 5010}} {
		rows, err := read(c.left, 16<<20, Options{})
		var over *stream.OverBudgetError
		if rows != c.rows || errors.As(err, &over) != (rows < 5010) {
			t.Errorf("%d bytes left: %d rows, %v", c.left, rows, err)
		}
		if over != nil && (over.Need <= over.Limit || over.Limit != 16<<20 || over.Largest.Bytes <= c.left) {
			t.Errorf("%+v", over)
		}
	}
	if rows, err := read(0, 0, Options{}); rows != 5010 || err != io.EOF {
		t.Errorf("no limit: %d rows, %v", rows, err)
	}
}

// A pipe of text does not announce columns without nulls.
func TestLiveNulls(t *testing.T) {
	t.Parallel()
	text := "x,id\n" + strings.Repeat("1,2\n", 20_000) + "3,\n"
	src := mustOpen(t, Options{Live: true, Columns: []string{"x"}, Keep: []string{"id"}, Reader: strings.NewReader(text)}, "-")
	if f := src.Info().Kept[0]; f.NoNulls {
		t.Errorf("%+v", f)
	}
}

// recordsOf yields records of an id, a list and a number.
func recordsOf(schema *arrowlib.Schema, sizes ...int) func(yield func(arrowlib.Record, error) bool) {
	return func(yield func(arrowlib.Record, error) bool) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		row := 0
		for _, n := range sizes {
			for range n {
				_ = b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(strings.Repeat("w", row%3))
				switch list := b.Field(1).(type) {
				case *array.ListBuilder:
					list.Append(true)
					list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{float32(row), 0.5}, nil)
				case *array.FixedSizeListBuilder:
					list.Append(true)
					list.ValueBuilder().(*array.Float32Builder).Append(float32(row))
				}
				b.Field(2).(*array.Int64Builder).Append(int64(-row))
				row++
			}
			record := b.NewRecord()
			more := yield(record, nil)
			record.Release()
			if !more {
				return
			}
		}
	}
}

// Records give the same rows as a stream of them. Their error comes after the rows before it.
func TestFromRecords(t *testing.T) {
	t.Parallel()
	words := &arrowlib.DictionaryType{IndexType: arrowlib.PrimitiveTypes.Int32, ValueType: arrowlib.BinaryTypes.String}
	schema := arrowlib.NewSchema([]arrowlib.Field{{Name: "w", Type: words}, {Name: "e", Type: arrowlib.ListOf(arrowlib.PrimitiveTypes.Float32)},
		{Name: "n", Type: arrowlib.PrimitiveTypes.Int64}}, nil)
	o := Options{Keep: []string{"w"}}
	src, err := FromRecords(t.Context(), "queue", schema, recordsOf(schema, 0, 3, 1, 5), o)
	if err != nil {
		t.Fatal(err)
	}
	got := filetest.MustRead(t, src, 4)
	want := []string{"", "w", "ww", "", "w", "ww", "", "w", "ww"}
	if diff := cmp.Diff(want, got.Kept[0].Strings); diff != "" || got.X.Rows != 9 || got.X.Data[3*8] != 8 || got.X.Data[3*8+2] != -8 {
		t.Errorf("%v %s", got.X, diff)
	}

	broken := errors.New("the queue is gone")
	failing := func(yield func(arrowlib.Record, error) bool) {
		recordsOf(schema, 2)(yield)
		yield(nil, broken)
	}
	if src, err = FromRecords(t.Context(), "queue", schema, failing, o); err != nil {
		t.Fatal(err)
	}
	if rows, _, err := filetest.Slurp(src, 10); len(rows) != 2 || !errors.Is(err, broken) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	other := arrowlib.NewSchema(schema.Fields()[:1], nil)
	if _, err = FromRecords(t.Context(), "queue", other, recordsOf(schema, 2), o); err == nil {
		t.Error("records of another schema were read")
	}

	// Closing the reader, or the end of its context, stops the sequence.
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan bool)
		endless := func(yield func(arrowlib.Record, error) bool) {
			defer close(stopped)
			for more := true; more; {
				recordsOf(schema, 1000)(func(r arrowlib.Record, err error) bool {
					more = yield(r, err)
					return more
				})
			}
		}
		if src, err = FromRecords(ctx, "queue", schema, endless, o); err != nil {
			t.Fatal(err)
		}
		r, err := src.Open(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		r.Close()
		<-stopped
	}
}
