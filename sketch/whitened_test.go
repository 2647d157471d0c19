package sketch_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

// gradedTriangle returns an upper triangle whose diagonal falls from 1 to least.
func gradedTriangle(n int, least float64) blas64.General {
	u := general(random(n, n, 5), 0, n)
	for i := range n {
		scale := math.Pow(least, float64(i)/float64(n-1))
		for j := range n {
			switch v := &u.Data[i*u.Stride+j]; {
			case j < i:
				*v = 0
			case j == i:
				*v = scale
			default:
				*v *= scale / 4
			}
		}
	}
	return u
}

// newWhitening returns a whitening, and fails the test on an error.
func newWhitening(t *testing.T, u blas64.General) *sketch.Whitening {
	t.Helper()
	w, err := sketch.NewWhitening(u)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWhitenedGramConformance(t *testing.T) {
	by := newWhitening(t, gradedTriangle(5, 1e-3))
	conformance.Run(t, func() *sketch.WhitenedGram { return sketch.NewWhitenedGram(by) }, func(block int64) *sketch.WhitenedGram {
		g := sketch.NewWhitenedGram(by)
		if err := g.Add(randomBlock(9, 5, uint64(block))); err != nil {
			t.Error(err)
		}
		return g
	}, 11)
}

// Blocks F·U, with cond(U) of 1e7 or more, give FᵀF to rounding. Whitening AᵀA afterwards leaves no
// correct digit.
func TestWhitenedGram(t *testing.T) {
	const rows, cols = 300, 40
	u := gradedTriangle(cols, 1e-7)
	f := random(rows, cols, 6)
	a := general(f, 0, rows)
	blas64.Trmm(blas.Right, blas.NoTrans, 1, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: cols, Stride: u.Stride, Data: u.Data}, a)
	g := sketch.NewWhitenedGram(newWhitening(t, u))
	for _, cut := range [][2]int{{0, 1}, {1, 1}, {1, 250}, {250, rows}} {
		block := blas64.General{Rows: cut[1] - cut[0], Cols: cols, Stride: a.Stride, Data: a.Data[cut[0]*a.Stride:]}
		if err := g.Add(block); err != nil {
			t.Fatal(err)
		}
	}
	checkClose(t, "FᵀF", dense(g.Matrix()), mul(f.T(), f), 1e-9)
	if s := dense(g.Matrix()); !mat.Equal(s, s.T()) {
		t.Error("FᵀF is not symmetric to the last bit")
	}
	u.Data[3*u.Stride+3] = 0
	if _, err := sketch.NewWhitening(u); err == nil {
		t.Error("a singular triangle whitens")
	}
}

// Tiles give FᵀF to rounding, with the same bits however the rows of a call are cut into blocks.
func TestWhitenedGramTiles(t *testing.T) {
	for _, cols := range []int{5, 96, 97, 300} {
		const rows = 400
		by := newWhitening(t, gradedTriangle(cols, 1e-3))
		a := general(random(rows, cols, 6), 0, rows)
		part := func(from, to int) blas64.General {
			return blas64.General{Rows: to - from, Cols: cols, Stride: a.Stride, Data: a.Data[from*a.Stride:]}
		}
		blocks, tiles := sketch.NewWhitenedGram(by), []*sketch.WhitenedGram{}
		if err := cmp.Or(blocks.Add(part(0, 150)), blocks.Add(part(150, rows))); err != nil {
			t.Fatal(err)
		}
		for _, cuts := range [][]int{{0, 150}, {0, 1, 77, 150}} {
			g := sketch.NewWhitenedGram(by)
			for _, call := range [][]int{cuts, {150, rows}} {
				var made []*sketch.WhitenedRows
				for i, from := range call[:len(call)-1] {
					made = append(made, new(sketch.WhitenedRows))
					made[i].Whiten(part(0, 5), by) // reuses memory
					made[i].Whiten(part(from, call[i+1]), by)
					g.Expect(call[i+1] - from)
				}
				var wait sync.WaitGroup
				for tile := range g.Tiles() {
					wait.Go(func() { g.AddTile(tile, made) })
				}
				wait.Wait()
			}
			tiles = append(tiles, g)
			want := dense(blocks.Matrix())
			checkClose(t, fmt.Sprint(cols, " columns in tiles"), dense(g.Matrix()), want, 1e-13*mat.Norm(want, 2))
		}
		states := [2][]byte{}
		for i, g := range tiles {
			states[i], _ = g.MarshalBinary()
		}
		if !bytes.Equal(states[0], states[1]) {
			t.Errorf("%d columns: the bits depend on the blocks of a call", cols)
		}
		tiles[0].Reset()
		tiles[0].Expect(0)
		if s := tiles[0].Matrix(); mat.Norm(dense(s), 1) != 0 {
			t.Error("rows are left after Reset")
		}
	}
}
