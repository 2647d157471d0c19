package filetest

import (
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Specials returns float64 numbers whose bits a conversion might lose: negative zero, subnormal
// numbers, infinities, and NaNs with a payload, quiet and signalling.
func Specials() []float64 {
	list := []float64{0, math.Copysign(0, -1), 1, -1.5, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-310, 1 << 53, math.Pi}
	for _, bits := range []uint64{0x7ff8000000000001, 0xfff8dead0000beef, 0x7ff0000000000001, 0xfff4000000000000} {
		list = append(list, math.Float64frombits(bits))
	}
	return list
}

// CheckStraight reads each numeric column twice in one pass: into rows, directly if the format can,
// and as a kept column, through words. The bits must agree for reads of any size from any starting
// row, and for Gather.
func CheckStraight(t testing.TB, tb column.Table) {
	t.Helper()
	var chosen []int
	for i, c := range tb.About().Columns {
		if c.Kind.Computable() && c.Kind.Keepable() && !c.ZeroPadded {
			chosen = append(chosen, i)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	src, err := column.ChooseInexact(tb, chosen, chosen, column.InexactRound)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 40, 700, 5000} {
		for _, first := range []int64{0, random.Int64N(src.Info().Rows), src.Info().Rows - 1} {
			checkPass(t, src, first, func() int { return 1 + random.IntN(most) })
			if most == 1 {
				break
			}
		}
	}
	var rows []int64
	for row := random.Int64N(3); row < src.Info().Rows; row += 1 + random.Int64N(50)*random.Int64N(2) {
		rows = append(rows, row)
	}
	b := NewBatch(src, len(rows))
	if err := src.Gather(t.Context(), rows, b); err != nil {
		t.Fatal(err)
	}
	sameAsKept(t, src.Info(), b, len(rows))
}

// checkPass implements CheckStraight for one pass from a starting row, in reads of the sizes that
// next returns.
func checkPass(t testing.TB, src stream.Source, first int64, next func() int) {
	t.Helper()
	r, err := src.Open(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for all := int64(0); ; {
		b := NewBatch(src, next())
		n, err := r.Read(b)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		sameAsKept(t, src.Info(), b, n)
		if all += int64(n); err == io.EOF {
			if all != src.Info().Rows-first {
				t.Fatalf("%d rows from %d on, of %d", all, first, src.Info().Rows)
			}
			return
		}
	}
}

// sameAsKept compares the first n rows of b with its kept columns, which hold the same columns.
func sameAsKept(t testing.TB, info stream.Info, b *stream.Batch, n int) {
	t.Helper()
	for k := range b.Kept {
		c := &b.Kept[k]
		for i := range n {
			got, want := matrix.Row(b.X, i)[k], math.NaN()
			if !c.Null(i) && c.Kind == stream.Int64 {
				want = float64(c.Ints[i])
			} else if !c.Null(i) {
				want = c.Floats[i]
			}
			if math.Float64bits(got) != math.Float64bits(want) && !(c.Null(i) && math.IsNaN(got)) {
				t.Fatalf("column %q: %v (%#x) in row %d of the read, kept as %v (%#x)", info.Columns[k], got, math.Float64bits(got), i, want, math.Float64bits(want))
			}
		}
	}
}
