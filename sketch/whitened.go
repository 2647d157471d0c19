package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Whitening is multiplication by U⁻¹ from the right, for an upper triangular U. It never changes
// and may be shared between goroutines.
type Whitening struct {
	u      simd.Padded
	solver simd.UpperSolver
}

// NewWhitening returns the whitening by a copy of the upper triangle of u. It returns an error if
// the magnitude of a diagonal entry is not between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰.
func NewWhitening(u blas64.General) (*Whitening, error) {
	w := new(Whitening)
	w.u.Reset(u.Rows, u.Cols)
	for i := range u.Rows {
		w.u.SetRow(i, i, matrix.Row(u, i)[i:])
	}
	if !w.solver.Prepare(&w.u) {
		return nil, fmt.Errorf("a triangle of %d columns has a diagonal entry of 0, or one out of range", u.Cols)
	}
	return w, nil
}

// WhitenedGram accumulates the Gram matrix FᵀF of F = A·U⁻¹, where A is a tall matrix that arrives
// in blocks of rows. Each block is whitened before its product: whitening AᵀA afterwards would lose
// ε·cond(U)² instead of ε. A whitened row w belongs exactly to a row a + e with |e| ≤ cε·|w|·|U|
// (see [simd.UpperSolver]).
type WhitenedGram struct {
	by   *Whitening
	rows int64
	gram triangle // upper triangle of FᵀF; empty before the first row
}

// NewWhitenedGram returns an empty Gram matrix of rows whitened by the given whitening.
func NewWhitenedGram(by *Whitening) *WhitenedGram {
	return &WhitenedGram{by: by, gram: triangle{cols: by.u.Cols()}}
}

// Reset removes all rows and keeps the memory.
func (g *WhitenedGram) Reset() { g.rows, g.gram.rows = 0, 0 }

// Add appends the rows of a block. Cost: 2·B·cols² operations.
func (g *WhitenedGram) Add(block blas64.General) error {
	checkShape("the block of WhitenedGram.Add", block, block.Rows, g.gram.cols)
	if block.Rows == 0 {
		return nil
	}
	s := borrow()
	defer s.giveBack()
	c := &s.cholesky
	c.g.Reset(g.gram.cols, g.gram.cols)
	c.addGram(block, &g.by.solver, false)
	g.add(func(i int) []float64 { return c.g.Row(i)[i:] })
	g.rows += int64(block.Rows)
	return nil
}

// add adds a Gram matrix; tail returns its row i from the diagonal on.
func (g *WhitenedGram) add(tail func(i int) []float64) {
	if g.gram.rows == 0 {
		g.gram.resize(g.gram.cols)
		for i := range g.gram.cols {
			copy(g.gram.tail(i), tail(i))
		}
		return
	}
	for i := range g.gram.cols {
		simd.Add(g.gram.tail(i), tail(i))
	}
}

// Merge adds the Gram matrix of later, which must have the same whitening and must not be used
// afterwards.
func (g *WhitenedGram) Merge(later *WhitenedGram) error {
	if later.gram.cols != g.gram.cols {
		return fmt.Errorf("cannot merge the Gram matrix of %d columns with one of %d", g.gram.cols, later.gram.cols)
	}
	if later.gram.rows > 0 {
		g.add(later.gram.tail)
	}
	g.rows += later.rows
	return nil
}

// Rows returns the number of rows added.
func (g *WhitenedGram) Rows() int64 { return g.rows }

// Matrix returns FᵀF in new memory.
func (g *WhitenedGram) Matrix() blas64.General {
	m := matrix.New(g.gram.cols, g.gram.cols)
	for i := range g.gram.rows {
		for j, v := range g.gram.tail(i) {
			matrix.Row(m, i)[i+j], matrix.Row(m, i+j)[i] = v, v
		}
	}
	return m
}

// Name identifies states of this accumulator, independently of the Go type.
func (g *WhitenedGram) Name() string { return "whitened gram" }

// MarshalBinary writes cols, the number of rows and, if there are rows, the upper triangle row by
// row.
func (g *WhitenedGram) MarshalBinary() ([]byte, error) {
	data := newState(kindWhitenedGram, uint64(g.gram.cols), uint64(g.rows))
	for i := range g.gram.rows {
		data = appendFloats(data, g.gram.tail(i))
	}
	return data, nil
}

// UnmarshalBinary reads a state of the same number of columns that MarshalBinary wrote.
func (g *WhitenedGram) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindWhitenedGram, 2)
	if err != nil {
		return err
	}
	if err := checkCount("columns", shape[0], g.gram.cols); err != nil {
		return err
	}
	if shape[1] > maxCount {
		return fmt.Errorf("the state counts %d rows", shape[1])
	}
	restored := NewWhitenedGram(g.by)
	restored.rows = int64(shape[1])
	if restored.rows > 0 {
		restored.gram.resize(g.gram.cols)
	}
	if err := values.checkLength(trapezoidSize(uint64(restored.gram.rows), g.gram.cols)); err != nil {
		return err
	}
	for i := range restored.gram.rows {
		if err := values.read(restored.gram.tail(i)); err != nil {
			return err
		}
	}
	*g = *restored
	return nil
}
