package blockstore

import (
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// integerFile writes integers to a column id, beside a column v.
func integerFile(t *testing.T, path string, ids ...int64) {
	t.Helper()
	w, err := Create(path, Schema{Columns: []string{"v"}, Kept: []stream.Field{{Name: "id", Kind: stream.Int64}}, Rows: int64(len(ids))})
	if err != nil {
		t.Fatal(err)
	}
	b := &stream.Batch{X: matrix.New(len(ids), 1), Kept: []stream.Column{{Kind: stream.Int64, Ints: ids}}}
	if err := w.Write(b, len(ids)); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Integers that float64 cannot represent are refused at the same row in every format, or rounded to the same bits.
// Representable ones beyond 2^53 are read.
func TestInexactIntegers(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	good := []int64{1, 1 << 53, 1<<53 + 2, 1700000000 * 1e9, math.MinInt64, -1 << 60}
	bad := append(good[:len(good):len(good)], 1700000000*1e9+1)
	for _, name := range []string{"a.parquet", "a.arrow", "a.arrows", "a.csv", "a.nys", "a.npz.npy"} {
		path := filepath.Join(dir, name)
		for _, ids := range [][]int64{good, bad} {
			if strings.HasSuffix(name, ".npy") {
				filetest.FileIn(t, dir, name, string(npyIntegers(ids)))
			} else {
				integerFile(t, path, ids...)
			}
			o := Options{Columns: []string{"id"}}
			if strings.HasSuffix(name, ".npy") {
				o.Columns = nil
			}
			for _, inexact := range []Inexact{InexactRefuse, InexactRound} {
				o.Inexact = inexact
				src, err := Open(ctx, []string{path}, o)
				var rows blas64.General
				if err == nil {
					rows, err = stream.ReadAll(ctx, src)
				}
				if len(ids) > len(good) && inexact == InexactRefuse {
					filetest.WantError(t, err, path, "row 6 ", "1700000000000000001", "2^53", "`Options.Inexact round`", "leave the column out")
					continue
				}
				if err != nil {
					t.Fatalf("%s, %v: %v", name, inexact, err)
				}
				for i, id := range ids {
					if rows.Data[i] != float64(id) {
						t.Errorf("%s, %v: row %d is %v, want %d", name, inexact, i, rows.Data[i], id)
					}
				}
			}
		}
	}
}

// A text column is float64 if one cell has a point or an exponent. Its integers are then accepted, since they may be
// printed floats.
func TestInexactText(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		text string
		want string // "" for none
	}{
		{"id,v\n18446744073709551615,1\n", "18446744073709551615"},
		{"id,v\n18446744073709551616,1\n", ""},
		{"id,v\n9007199254740993,1\n0.5,2\n", "9007199254740993"},
		{"id,v\n0.5,1\n1152921504606847000,2\n", ""},
		{"id,v\n3,1\n1152921504606847000,2\n", "1152921504606847000"},
		{"id,v\n-0,1\n1152921504606847000,2\n", ""},
		{"id,v\n1e300,1\n100000000000000000000000000000000000000000,2\n", ""},
		{"id,v\n00000000000000000007,1\n", ""},
	} {
		for _, open := range []func(o Options) (stream.Source, error){
			func(o Options) (stream.Source, error) {
				return Open(ctx, []string{filetest.TempFile(t, "a.csv", test.text)}, o)
			},
			func(o Options) (stream.Source, error) {
				o.Reader = strings.NewReader(test.text)
				return Open(ctx, []string{"-"}, o)
			},
		} {
			src, err := open(Options{})
			if err == nil {
				_, err = filetest.ReadAll(src, 10)
			}
			if test.want == "" {
				if err != nil {
					t.Errorf("%q: %v", test.text, err)
				}
			} else {
				filetest.WantError(t, err, `column "id"`, test.want, "row ", "line ")
			}
			if src, err = open(Options{Inexact: InexactRound}); err != nil {
				t.Fatal(err)
			}
			if _, err := stream.ReadAll(ctx, src); err != nil {
				t.Errorf("%q: %v", test.text, err)
			}
		}
	}
	src := mustOpen(t, Options{Keep: []string{"id"}}, filetest.TempFile(t, "a.csv", "id,v\n18446744073709551615,1\n"))
	_, err := filetest.ReadAll(src, 10)
	filetest.WantError(t, err, `column "id"`, "18446744073709551615")
}

// Columns of true and false in text, in any case, are 0 and 1 as in other formats.
func TestBooleansInText(t *testing.T) {
	ctx := context.Background()
	const text = "a,b,c,d,e\ntrue,FALSE,True,true,1\nfalse,TRUE,,maybe,true\nfalse,,False,false,0\n"
	path := filetest.TempFile(t, "a.csv", text)
	for _, o := range []Options{{Columns: []string{"!e"}}, {Columns: []string{"!e"}, Reader: strings.NewReader(text)}} {
		from := path
		if o.Reader != nil {
			from = "-"
		}
		src, err := Open(ctx, []string{from}, o)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := stream.ReadAll(ctx, src)
		if err != nil {
			t.Fatal(err)
		}
		nan := math.NaN()
		for i, want := range [][]float64{{1, 0, 1}, {0, 1, nan}, {0, nan, 0}} {
			for j, v := range want {
				if got := rows.Data[i*rows.Stride+j]; got != v && !(math.IsNaN(v) && math.IsNaN(got)) {
					t.Errorf("%s: row %d, column %d: %v, want %v", from, i, j, got, v)
				}
			}
		}
	}
	src, err := Open(ctx, []string{path}, Options{Columns: []string{"a"}, Label: "c", Keep: []string{"d"}})
	if err != nil {
		t.Fatal(err)
	}
	b := filetest.NewBatch(src, 3)
	err = src.Gather(ctx, []int64{0, 1, 2}, b)
	if kept := b.Kept; err != nil || kept[0].Ints[0] != 1 || !kept[0].Null(1) || kept[0].Ints[2] != 0 || kept[1].Strings[1] != "maybe" {
		t.Error(kept, err)
	}
	_, err = Open(ctx, []string{path}, Options{})
	filetest.WantError(t, err, `"e"`, `"true" is not a number`)
	src, err = Open(ctx, []string{filetest.TempFile(t, "b.csv", "true,1\nfalse,2\n")}, Options{})
	if err != nil || src.Info().Rows != 2 {
		t.Error("a row of booleans is taken for names: ", err)
	}
}

// npyIntegers returns a vector of int64 in the layout of numpy.save.
func npyIntegers(ids []int64) []byte {
	b := npy.HeaderBytes("<i8", int64(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint64(b, uint64(id))
	}
	return b
}
