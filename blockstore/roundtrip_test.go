package blockstore

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// roundTrips returns the number of random files of each format: $ROUNDTRIPS, such as 2000, or few.
func roundTrips() int {
	if n, err := strconv.Atoi(os.Getenv("ROUNDTRIPS")); err == nil {
		return n
	}
	if testing.Short() {
		return 10
	}
	return 30
}

// randomRows is the content of a random file.
type randomRows struct {
	Schema
	rows [][]float64
	kept []stream.Column
}

// anyText returns text that a reader might mistake for a number, null or syntax.
func anyText(random *rand.Rand) string {
	list := []string{"", "a", "007", "true", "null", "NaN", "1e400", " blank", "a,b;c\td", "\"quoted\"", "two\nlines", "é日本", `\N`, "#", "a text of more than 12 bytes"}
	return list[random.IntN(len(list))]
}

// drawRows draws rows that the format can hold. Some kept columns are null, empty or constant.
func drawRows(random *rand.Rand, format string) *randomRows {
	numbers := []float64{0, math.Copysign(0, -1), 1, 1.0 / 3, 5e-324, math.MaxFloat64, 1<<53 + 2, math.NaN(), math.Inf(1)}
	if format == ".jsonl" {
		numbers = numbers[:len(numbers)-1] // it has no infinite numbers
	}
	r := &randomRows{Schema: Schema{Columns: stream.NumberedColumns(1 + random.IntN(4)), Rows: -1}}
	count := []int{1, 2, 7, 100}[random.IntN(4)]
	if random.IntN(40) == 0 {
		count = 1025
	}
	if format != ".jsonl" && format != ".libsvm" && random.IntN(8) == 0 {
		count = 0 // the others are refused without rows
	}
	for range count {
		row := make([]float64, len(r.Columns))
		for j := range row {
			row[j] = numbers[random.IntN(len(numbers))]
		}
		r.rows = append(r.rows, row)
	}
	kinds := map[string]int{".npy": 0, ".libsvm": 0}
	most, limited := kinds[format]
	if !limited {
		most = 3
	}
	for k := range random.IntN(most + 1) {
		f := stream.Field{Name: "k" + strconv.Itoa(k), Kind: stream.ColumnKind(random.IntN(3))}
		r.Kept = append(r.Kept, f)
		c := stream.Column{Kind: f.Kind}
		nulls, text := []float64{0, 0.3, 1}[random.IntN(3)], ""
		mixed := random.IntN(2) == 0
		for range count {
			if mixed {
				text = anyText(random)
			}
			one := stream.Column{Kind: f.Kind, Strings: []string{text}, Ints: []int64{random.Int64N(1 << 40)}, Floats: []float64{random.NormFloat64()}}
			if random.Float64() < nulls {
				one.Valid = []bool{false}
			}
			filetest.CopyValue(&c, &one, 0)
		}
		r.kept = append(r.kept, c)
	}
	return r
}

// Written files are read with the same bits of numbers and, in typed formats, the same kept columns. ROUNDTRIPS=2000 go
// test -run TestRandomRoundTrips ./blockstore writes more.
func TestRandomRoundTrips(t *testing.T) {
	t.Parallel()
	for _, name := range OutputFormats() {
		format := OutputExtensions(name)[0]
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a"+format)
			for k := range roundTrips() {
				random := rand.New(rand.NewPCG(uint64(k), 41))
				r := drawRows(random, format)
				if compressions := Compressions(OutputFormat(path)); len(compressions) > 0 && random.IntN(2) == 0 {
					r.Compression = compressions[random.IntN(len(compressions))]
				}
				if err := writeRows(path, r.Schema, r.rows, r.kept, 1+random.IntN(300)); err != nil {
					t.Fatalf("%d: %v", k, err)
				}
				r.check(t, k, path, format)
			}
		})
	}
}

// Arrays of models are read as they were written.
func TestRandomArchives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npz")
	for k := range roundTrips() {
		random := rand.New(rand.NewPCG(uint64(k), 42))
		a := &archive.Archive{Meta: []byte(strconv.Quote(anyText(random)))}
		for i := range random.IntN(4) {
			v := array.Array{Name: strconv.Itoa(i), Shape: []int{random.IntN(50)}}
			switch random.IntN(3) {
			case 0:
				v.Ints = make([]int64, v.Size())
				for i := range v.Ints {
					v.Ints[i] = int64(random.Uint64())
				}
			case 1:
				v.Shape = append(v.Shape, random.IntN(9))
				fallthrough
			default:
				for range v.Size() {
					v.Floats = append(v.Floats, math.Float64frombits(random.Uint64()))
				}
			}
			a.Arrays = append(a.Arrays, v)
		}
		if err := archive.Write(path, a); err != nil {
			t.Fatalf("%d: %v", k, err)
		}
		got, err := archive.Read(path)
		if diff := cmp.Diff(a, got, filetest.SameBits, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%d: %v, %s", k, err, diff)
		}
	}
}

// check compares the rows read from a file with those written.
func (r *randomRows) check(t *testing.T, k int, path, format string) {
	o := Options{Layout: Layout{Header: format == ".csv" || format == ".tsv"}, Columns: r.Columns}
	typed := slices.Contains([]string{".nys", ".parquet", ".arrow", ".arrows"}, format)
	for _, f := range r.Kept {
		o.Keep = append(o.Keep, f.Name)
	}
	src, err := Open(t.Context(), []string{path}, o)
	if err != nil {
		t.Errorf("%d: %d rows of %v and %v: %v", k, len(r.rows), r.Columns, r.Kept, err)
		return
	}
	b, err := filetest.ReadAll(src, 100)
	if err != nil || b.X.Rows != len(r.rows) {
		t.Errorf("%d: not all %d rows: %v", k, len(r.rows), err)
		return
	}
	for i, want := range r.rows {
		if got := matrix.Row(b.X, i); !filetest.SameRow(want, got) {
			t.Errorf("%d: row %d: %v, want %v", k, i, got, want)
		}
	}
	if typed && len(r.rows) > 0 {
		if diff := cmp.Diff(r.kept, b.Kept, filetest.SameBits, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%d: %s", k, diff)
		}
	}
}
