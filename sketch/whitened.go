package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// A Whitening is multiplication by U⁻¹ from the right, for an upper triangular U. It never
// changes and may be shared between goroutines.
type Whitening struct {
	u      simd.Padded
	solver simd.UpperSolver
}

// NewWhitening returns the whitening by U, of which it copies the upper triangle. It fails if
// an entry on the diagonal is not between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰.
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

// WhitenedGram accumulates the Gram matrix FᵀF of F = A·U⁻¹, where A is a tall matrix that is
// seen in blocks of rows. Each block is whitened before its product: AᵀA, whitened
// afterwards, would lose ε·cond(U)² instead of ε. A whitened row w belongs exactly to a row
// a + e with |e| ≤ cε·|w|·|U| (see [simd.UpperSolver]).
type WhitenedGram struct {
	by   *Whitening
	rows int64
	gram triangle // the upper triangle of FᵀF, or no rows
}

// NewWhitenedGram returns the Gram matrix of no rows.
func NewWhitenedGram(by *Whitening) *WhitenedGram {
	return &WhitenedGram{by: by, gram: triangle{cols: by.u.Cols()}}
}

// Reset forgets everything seen and keeps the memory.
func (g *WhitenedGram) Reset() { g.rows, g.gram.rows = 0, 0 }

// Add appends the rows of a block. Cost 2·B·cols² operations.
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

// add adds rows of a Gram matrix from the diagonal on.
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

// Merge adds what later has seen, which must have the same whitening. later must not be used
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

// Rows returns the number of rows seen.
func (g *WhitenedGram) Rows() int64 { return g.rows }

// Matrix returns FᵀF. The result is the caller's.
func (g *WhitenedGram) Matrix() blas64.General {
	m := matrix.New(g.gram.cols, g.gram.cols)
	for i := range g.gram.rows {
		for j, v := range g.gram.tail(i) {
			matrix.Row(m, i)[i+j], matrix.Row(m, i+j)[i] = v, v
		}
	}
	return m
}

// Name names the states of this accumulator, whatever its type is called.
func (g *WhitenedGram) Name() string { return "whitened gram" }

// MarshalBinary writes shape cols and rows, and the upper triangle row by row if there are
// rows.
func (g *WhitenedGram) MarshalBinary() ([]byte, error) {
	data := newState(kindWhitenedGram, uint64(g.gram.cols), uint64(g.rows))
	for i := range g.gram.rows {
		data = appendFloats(data, g.gram.tail(i))
	}
	return data, nil
}

// UnmarshalBinary reads what MarshalBinary of a WhitenedGram of as many columns wrote.
func (g *WhitenedGram) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindWhitenedGram, 2)
	if err != nil {
		return err
	}
	if err := sameShape("columns", shape[0], g.gram.cols); err != nil {
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
	if err := values.need(trapezoid(uint64(restored.gram.rows), g.gram.cols)); err != nil {
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
