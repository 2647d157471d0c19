package sketch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/sketch"
)

// sparseSign returns an operator, and fails the test on an error.
func sparseSign(t testing.TB, rows int64, cols, nnz int, seed uint64) *sketch.SparseSign {
	t.Helper()
	s, err := sketch.NewSparseSign(rows, cols, nnz, seed, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rowSign(t testing.TB, cols, nnz int, seed uint64, purpose string) *sketch.RowSign {
	t.Helper()
	s, err := sketch.NewRowSign(cols, nnz, seed, purpose)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sparseSignDense builds C from its rows.
func sparseSignDense(s *sketch.SparseSign) *mat.Dense {
	c := mat.NewDense(int(s.Rows), s.Cols, nil)
	for i := range int(s.Rows) {
		if j, v, ok := s.Row(int64(i)); ok {
			c.Set(i, j, v)
		}
	}
	return c
}

// compressed builds Ĉ from its positions.
func compressed(s *sketch.SparseSign) *mat.Dense {
	c := mat.NewDense(len(s.Positions()), s.Cols, nil)
	for k := range s.Positions() {
		c.Set(k, s.Col(k), s.Value(k))
	}
	return c
}

// rowSignDense returns rows of a RowSign as a dense matrix.
func rowSignDense(s *sketch.RowSign, start, rows int) *mat.Dense {
	c := mat.NewDense(rows, s.Cols, nil)
	cols, vals := make([]int, s.NNZ), make([]float64, s.NNZ)
	for i := range rows {
		s.Row(int64(start+i), cols, vals)
		for t, j := range cols {
			c.Set(i, j, c.At(i, j)+vals[t])
		}
	}
	return c
}

func TestSparseSignOrthonormal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cols := rapid.IntRange(1, 20).Draw(rt, "cols")
		nnz := rapid.IntRange(1, 9).Draw(rt, "nnz")
		rows := int64(cols*nnz + rapid.SampledFrom([]int{0, 1, 50}).Draw(rt, "rows to spare"))
		s := sparseSign(t, rows, cols, nnz, rapid.Uint64().Draw(rt, "seed"))
		c := sparseSignDense(s)
		checkClose(t, "CᵀC", mul(c.T(), c), identity(cols), 1e-15)
		if p := s.Positions(); len(p) != cols*nnz || !slices.IsSorted(p) {
			rt.Fatalf("positions %v", p)
		}
		chat := mat.NewDense(cols*nnz, cols, nil)
		for k, p := range s.Positions() {
			chat.SetRow(k, c.RawRowView(int(p)))
			if v := math.Abs(s.Value(k)); v != 1/math.Sqrt(float64(nnz)) {
				rt.Fatalf("value %v for %d nonzeros a column", v, nnz)
			}
		}
		if !mat.Equal(chat, compressed(s)) {
			rt.Fatal("rows and positions tell different stories")
		}
	})
}

func TestSparseSignHugeRows(t *testing.T) {
	s := sparseSign(t, 1<<62, 50, 4, 1)
	if p := s.Positions(); p[0] < 1<<50 || p[len(p)-1] < 1<<61 {
		t.Errorf("positions from %d to %d are not spread over 2⁶² rows", p[0], p[len(p)-1])
	}
}

// Over many seeds, every column hits every row equally often, with either sign.
func TestSparseSignUniform(t *testing.T) {
	const seeds, rows, cols, nnz = 4000, 11, 3, 2
	counts := make([]int, rows*cols*2)
	for seed := range uint64(seeds) {
		s := sparseSign(t, rows, cols, nnz, seed)
		for k, p := range s.Positions() {
			cell := int(p)*cols + s.Col(k)
			if s.Value(k) > 0 {
				cell += rows * cols
			}
			counts[cell]++
		}
	}
	checkChiSquare(t, "cells", counts, uniform(len(counts), seeds*cols*nnz))
}

// The sketch is unbiased: the mean of C·Cᵀ is a multiple of the identity.
func TestOperatorsUnbiased(t *testing.T) {
	const seeds, rows, cols = 3000, 8, 4
	for name, c := range map[string]func(seed uint64) *mat.Dense{
		"sparse sign, by column": func(seed uint64) *mat.Dense {
			c := sparseSignDense(sparseSign(t, rows, cols, 2, seed))
			c.Scale(math.Sqrt(rows/cols), c)
			return c
		},
		"sparse sign, by row": func(seed uint64) *mat.Dense { return rowSignDense(rowSign(t, cols, 3, seed, "test"), 5, rows) },
	} {
		mean := mat.NewDense(rows, rows, nil)
		for seed := range uint64(seeds) {
			m := c(seed)
			mean.Add(mean, mul(m, m.T()))
		}
		mean.Scale(1.0/seeds, mean)
		checkClose(t, name, mean, identity(rows), 5/math.Sqrt(seeds)) // entries have variance ≤ 1
	}
}

func TestSparseSignRefuses(t *testing.T) {
	for _, c := range []struct {
		rows      int64
		cols, nnz int
		want      string
	}{
		{1000, 300, 4, "300 columns with 4 nonzeros each needs 1200 rows and there are 1000: at most 250 columns fit"},
		{3, 1, 4, "needs 4 rows and there are 3: at most 0 columns fit"},
		{1 << 62, math.MaxInt, 2, "at most 2305843009213693952 columns fit"},
		{0, 1, 1, "0 rows"},
		{10, 0, 1, "0 columns"},
		{10, 1, 0, "0 nonzeros"},
		{-5, -1, -1, "at least 1"},
	} {
		s, err := sketch.NewSparseSign(c.rows, c.cols, c.nnz, 1, "test")
		if err == nil || s != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q in it", c, err, c.want)
		}
	}
}

func TestSparseSignFolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cols := rapid.IntRange(1, 12).Draw(rt, "cols")
		nnz := rapid.IntRange(1, 6).Draw(rt, "nnz")
		n := rapid.IntRange(0, 9).Draw(rt, "n")
		s := sparseSign(t, 500, cols, nnz, rapid.Uint64().Draw(rt, "seed"))
		chat := compressed(s)
		if n > 0 {
			tile := random(n, cols*nnz, 1)
			dst := randomBlock(n, cols, 2) // FoldCols overwrites
			s.FoldCols(dst, whole(folded(s, tile)))
			checkClose(t, "FoldCols", dense(dst), mul(tile, chat), 1e-14)
		}
		tile, old := random(cols*nnz, n+1, 3), random(cols, n+1, 4)
		dst, pieces := whole(old), whole(old)
		s.FoldRows(dst, whole(tile), 0)
		var want mat.Dense
		want.Add(old, mul(chat.T(), tile)) // FoldRows adds
		checkClose(t, "FoldRows", dense(dst), &want, 1e-14)
		cut := rapid.IntRange(0, cols*nnz).Draw(rt, "cut")
		s.FoldRows(pieces, general(tile, 0, cut), 0)
		s.FoldRows(pieces, general(tile, cut, cols*nnz), cut)
		if !mat.Equal(dense(pieces), dense(dst)) {
			rt.Fatal("FoldRows depends on how the rows are cut")
		}
	})
}

func TestSparseSignWithin(t *testing.T) {
	s := sparseSign(t, 60, 5, 4, 9)
	for start := int64(-2); start < 63; start++ {
		for stop := start - 1; stop < 63; stop++ {
			first, end := s.PositionsIn(start, stop)
			var want []int64
			for i := start; i < stop; i++ {
				if _, _, ok := s.Row(i); ok {
					want = append(want, i)
				}
			}
			if got := s.Positions()[first:end]; !slices.Equal(got, want) {
				t.Fatalf("Within(%d, %d) gives %v, want %v", start, stop, got, want)
			}
		}
	}
}

func TestRowSignRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cols := rapid.IntRange(1, 100).Draw(rt, "cols")
		nnz := rapid.IntRange(1, cols).Draw(rt, "nnz")
		s := rowSign(t, cols, nnz, rapid.Uint64().Draw(rt, "seed"), "test")
		at, vals := make([]int, nnz), make([]float64, nnz)
		s.Row(rapid.Int64Range(0, 1<<62).Draw(rt, "row"), at, vals)
		if !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != nnz || at[0] < 0 || at[nnz-1] >= cols {
			rt.Fatalf("columns %v of %d", at, cols)
		}
		for _, v := range vals {
			if math.Abs(v) != 1/math.Sqrt(float64(nnz)) {
				rt.Fatalf("value %v for %d nonzeros a row", v, nnz)
			}
		}
	})
}

// All 10 pairs of columns, with all four pairs of signs, are equally frequent.
func TestRowSignUniform(t *testing.T) {
	const rows = 20000
	s := rowSign(t, 5, 2, 1, "uniform")
	place := map[[4]int]int{}
	counts := make([]int, 40)
	at, vals := make([]int, 2), make([]float64, 2)
	for i := range int64(rows) {
		s.Row(i, at, vals)
		key := [4]int{at[0], at[1], int(math.Copysign(1, vals[0])), int(math.Copysign(1, vals[1]))}
		if _, ok := place[key]; !ok {
			place[key] = len(place)
		}
		counts[place[key]]++
	}
	checkChiSquare(t, "rows", counts, uniform(40, rows))
}

func TestRowSignManySigns(t *testing.T) { // more signs than bits in one word
	s := rowSign(t, 300, 300, 1, "signs")
	at, vals := make([]int, 300), make([]float64, 300)
	positive := 0
	for i := range int64(40) {
		s.Row(i, at, vals)
		for _, v := range vals[128:] {
			if v > 0 {
				positive++
			}
		}
	}
	for i := range 64 {
		if vals[i] != vals[i+64] {
			break
		}
		if i == 63 {
			t.Error("the signs repeat after 64")
		}
	}
	const draws = 40 * (300 - 128)
	checkChiSquare(t, "signs", []int{positive, draws - positive}, uniform(2, draws))
}

func TestNormalsHaveStandardMoments(t *testing.T) {
	x := blas64.General{Rows: 2000, Cols: 50, Stride: 50, Data: make([]float64, 1e5)}
	sketch.NewRandom(1, "test").Normals(x)
	c := dense(x)
	mean, square := mat.Sum(c)/1e5, mat.Norm(c, 2)*mat.Norm(c, 2)/1e5
	if math.Abs(mean) > 5/math.Sqrt(1e5) || math.Abs(square-1) > 5*math.Sqrt(2/1e5) {
		t.Errorf("mean %v, mean square %v", mean, square)
	}
}

func TestSampleIsUniform(t *testing.T) {
	const seeds = 10000
	counts := make([]int, 10)
	for seed := range uint64(seeds) {
		s, err := sketch.NewSample(10, 3, seed, "test")
		if err != nil {
			t.Fatal(err)
		}
		p := s.Positions()
		if len(p) != 3 || !(p[0] < p[1] && p[1] < p[2]) {
			t.Fatalf("positions %v", p)
		}
		for _, i := range p {
			counts[i]++
		}
	}
	for i, n := range counts { // binomial, mean 3000, standard deviation 46
		if math.Abs(float64(n)-3000) > 5*46 {
			t.Errorf("position %d was chosen %d times", i, n)
		}
	}
}

func TestOperatorsRefuse(t *testing.T) {
	for _, err := range []error{
		second(sketch.NewSample(3, 4, 1, "")), second(sketch.NewSample(3, 0, 1, "")), second(sketch.NewSample(0, 1, 1, "")),
		second(sketch.NewRowSign(3, 4, 1, "")), second(sketch.NewRowSign(3, 0, 1, "")), second(sketch.NewRowSign(0, 0, 1, "")),
	} {
		if err == nil || len(err.Error()) < 8 {
			t.Errorf("error %v", err)
		}
	}
}

// second returns the error of a call with two results.
func second[T any](_ T, err error) error { return err }

// folded reorders the columns of a tile as FoldOrder lists them.
func folded(s *sketch.SparseSign, tile *mat.Dense) *mat.Dense {
	n, m := tile.Dims()
	out := mat.NewDense(n, m, nil)
	for place, k := range s.FoldOrder() {
		out.ColView(place).(*mat.VecDense).CopyVec(tile.ColView(k))
	}
	return out
}

func TestOperatorShapePanics(t *testing.T) {
	s := sparseSign(t, 100, 3, 2, 1)
	checkPanics(t, "FoldCols tile", func() { s.FoldCols(randomBlock(4, 3, 1), randomBlock(4, 5, 1)) })
	checkPanics(t, "FoldCols dst", func() { s.FoldCols(randomBlock(3, 3, 1), randomBlock(4, 6, 1)) })
	checkPanics(t, "FoldRows first", func() { s.FoldRows(randomBlock(3, 3, 1), randomBlock(2, 3, 1), 5) })
}

func ExampleSparseSign() {
	c, err := sketch.NewSparseSign(1_000_000, 2, 3, 1, "landmarks")
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, row := range c.Positions() {
		fmt.Printf("row %6d, column %d: %+.3f\n", row, c.Col(k), c.Value(k))
	}
	// Output:
	// row 272462, column 1: +0.577
	// row 514332, column 0: -0.577
	// row 725278, column 0: -0.577
	// row 860218, column 0: +0.577
	// row 873623, column 1: -0.577
	// row 952074, column 1: -0.577
}

func ExampleNewSparseSign_tooWide() {
	_, err := sketch.NewSparseSign(1000, 300, 4, 1, "landmarks")
	fmt.Println(err)
	// Output: a sparse-sign operator of 300 columns with 4 nonzeros each needs 1200 rows and there are 1000: at most 250 columns fit
}

func BenchmarkFoldCols(b *testing.B) {
	for _, cols := range []int{50, 200} {
		b.Run(fmt.Sprintf("1024x%d", cols), func(b *testing.B) {
			s := sparseSign(b, 1e9, cols, 4, 1)
			tile, dst := randomBlock(1024, 4*cols, 1), randomBlock(1024, cols, 1)
			b.SetBytes(int64(1024 * 4 * cols * 8))
			for b.Loop() {
				s.FoldCols(dst, tile)
			}
		})
	}
}

// Row i comes from item i, also with padding between rows and without columns.
func TestNormalsByRow(t *testing.T) {
	x := blas64.General{Rows: 5, Cols: 3, Stride: 4, Data: make([]float64, 20)}
	random := sketch.NewRandom(7, "test")
	random.Normals(x)
	want := make([]float64, 3)
	for i := range x.Rows {
		draws := random.At(uint64(i))
		for j := range want {
			want[j] = draws.Normal()
		}
		if got := x.Data[i*4:]; !slices.Equal(got[:3], want) || got[3] != 0 {
			t.Errorf("row %d is %v, not %v", i, got[:4], want)
		}
	}
	random.Normals(blas64.General{Rows: 5, Stride: 1})
}
