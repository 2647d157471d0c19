package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// everyPath runs a test on every path of this machine and build.
func everyPath(t *testing.T, test func(t *testing.T)) {
	for _, p := range Available() {
		t.Run(p.String(), func(t *testing.T) {
			defer Use(p)()
			test(t)
		})
	}
}

// paddedOf copies m into memory that contained NaN, between guard words.
func paddedOf(m blas64.General) *Padded {
	p := new(Padded)
	p.Reset(m.Rows+Lanes, m.Cols)
	all := p.data[:cap(p.data)]
	for i := range all {
		all[i] = math.NaN()
	}
	p.Reset(m.Rows, m.Cols)
	for i := range m.Rows {
		p.SetRow(i, 0, matrix.Row(m, i))
	}
	return p
}

// checkBehind fails if memory after the rows of p was written, or if the padding of a row is not zero.
func checkBehind(t *testing.T, p *Padded, rows int) {
	t.Helper()
	for i, v := range p.data[rows*p.stride : cap(p.data)] {
		if !math.IsNaN(v) {
			t.Fatalf("word %d behind the matrix was overwritten with %g", i, v)
		}
	}
	for i := range p.rows {
		for j, v := range p.padded(i)[p.cols:wholeGroups(p.cols)] {
			if v != 0 {
				t.Fatalf("the padding of row %d holds %g at %d", i, v, j)
			}
		}
	}
}

// Rows of a Padded begin at odd multiples of the lanes, so that they do not share cache sets.
func TestPaddedLayout(t *testing.T) {
	var p Padded
	for _, shape := range [][2]int{{3, 5}, {0, 9}, {20, 64}, {1, 1}, {64, 20}} {
		p.Reset(shape[0], shape[1])
		if p.Rows() != shape[0] || p.Cols() != shape[1] || p.stride%Lanes != 0 || p.stride/Lanes%2 != 1 || p.stride < shape[1] {
			t.Errorf("%v: %d×%d with stride %d", shape, p.Rows(), p.Cols(), p.stride)
		}
		for i := range shape[0] {
			for j := range p.padded(i) {
				p.padded(i)[j] = guard
			}
			p.SetRow(i, shape[1]/2, []float64{7}[:min(1, shape[1]-shape[1]/2)])
			for j, v := range p.padded(i) {
				if want := map[bool]float64{true: 7}[j == shape[1]/2]; v != want {
					t.Errorf("%v: row %d holds %v at %d", shape, i, v, j)
				}
			}
		}
	}
	part := p.Slice(3, 7)
	part.Row(1)[2] = 5
	if p.Row(4)[2] != 5 || part.Rows() != 4 || p.General().Data[4*p.stride+2] != 5 {
		t.Error("a slice does not share memory with its matrix")
	}
	for _, cut := range [][2]int{{-1, 3}, {4, 3}, {0, 65}} {
		checkPanic(t, fmt.Sprint("slice ", cut), func() { p.Slice(cut[0], cut[1]) })
	}
}

// checkPanic fails unless f panics with a message of this package.
func checkPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if message, _ := recover().(string); len(message) < 6 || message[:6] != "simd: " {
			t.Errorf("%s: panic %q, want one of this package", what, message)
		}
	}()
	f()
}

// Gram matrices have the bits of the reference for all shapes.
func TestGramEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	everyPath(t, func(t *testing.T) {
		for _, rows := range []int{0, 1, 2, 7, 64, 1500} {
			for _, cols := range []int{1, 2, 7, 8, 9, 16, 23, 24, 25, 33, 50} {
				x := randomMatrix(rng, rows, cols, 3)
				before := randomMatrix(rng, cols, cols, 0)
				for _, add := range []bool{false, true} {
					dst := paddedOf(before)
					if !add {
						for i := range cols {
							dst.SetRow(i, 0, nil)
							dst.Row(i)[i] = math.NaN() // is overwritten
						}
					}
					for i := cols; i < wholeGroups(cols); i++ {
						clear(dst.padded(i))
					}
					px := paddedOf(x)
					Gram(dst, px, add)
					checkBehind(t, dst, wholeGroups(cols))
					checkGram(t, fmt.Sprintf("%d×%d, add %v", rows, cols, add), dst, x, before, add)
				}
			}
		}
	})
}

// A tile has the same bits as that part of the whole Gram matrix, however the rows are cut.
func TestGramTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	everyPath(t, func(t *testing.T) {
		for _, rows := range []int{0, 1, 7, 300, 1500} {
			for _, cut := range [][2]int{{1, 1}, {8, 3}, {9, 24}, {24, 25}, {40, 96}} {
				m := randomMatrix(rng, rows, cut[0]+cut[1], 3)
				left, right := m, m
				left.Cols = cut[0]
				right.Cols, right.Data = cut[1], m.Data[min(cut[0], len(m.Data)):]
				whole, x, y, tile := new(Padded), paddedOf(left), paddedOf(right), paddedOf(randomMatrix(rng, cut[0], cut[1], 0))
				whole.Reset(m.Cols, m.Cols)
				Gram(whole, paddedOf(m), false)
				upper, lower, half := x.Slice(0, rows/2), x.Slice(rows/2, rows), rows/2
				right1, right2 := y.Slice(0, half), y.Slice(half, rows)
				GramTile(tile, &upper, &right1, false)
				GramTile(tile, &lower, &right2, true)
				checkBehind(t, tile, wholeGroups(cut[0]))
				for i := range cut[0] {
					for j := range cut[1] {
						if got, want := tile.Row(i)[j], whole.Row(i)[cut[0]+j]; got != want {
							t.Fatalf("%d rows, %v columns: [%d,%d] = %v, want %v", rows, cut, i, j, got, want)
						}
					}
				}
			}
		}
	})
	a, b := new(Padded), new(Padded)
	a.Reset(5, 4)
	b.Reset(4, 4)
	checkPanic(t, "shape", func() { GramTile(b, a, b, false) })
}

// checkGram compares with sums in order, with fused or with rounded products: the two arithmetics of paths.
func checkGram(t *testing.T, what string, dst *Padded, x, before blas64.General, add bool) {
	t.Helper()
	for i := range x.Cols {
		for j := i / Lanes * Lanes; j < x.Cols; j++ {
			sum := 0.0
			if add {
				sum = matrix.Row(before, i)[j]
			}
			for k := range x.Rows {
				a, b := matrix.Row(x, k)[i], matrix.Row(x, k)[j]
				if active == Go {
					sum += float64(a * b)
				} else {
					sum = math.FMA(a, b, sum)
				}
			}
			if got := dst.Row(i)[j]; got != sum {
				t.Fatalf("%s: [%d,%d] = %v, want %v", what, i, j, got, sum)
			}
		}
	}
}

func TestGramPanics(t *testing.T) {
	x, dst := new(Padded), new(Padded)
	x.Reset(5, 4)
	dst.Reset(4, 5)
	checkPanic(t, "shape", func() { Gram(dst, x, false) })
}
