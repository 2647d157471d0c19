package sketch

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/simd"
)

// GuidedQR accumulates the R factor of a tall matrix A as [QR] does, with the help of a
// [Guide] that was worked out from a sample of its rows. With W = A·P⁻¹, P from the guide,
//
//	G = WᵀW = UᵀU (Cholesky),  R = U·P up to an orthogonal matrix.
//
// So a block costs a Gram matrix and what P⁻¹ takes, all of it products of matrices, and
// blocks are merged by adding: no factor is prepared, updated or merged on the way. What
// rounding in G costs depends on the condition of W alone, which the guide keeps small,
// and is told by Loss.
//
// Rows that the sample was not like would spoil that: a block whose rows of W are longer
// than those of the sample by more than 4 in the mean is set aside, in a QR, and so are
// all blocks if there is no guide. Then a block whose rows are long cannot drown the others,
// and since P is from rows of A, no direction of W is much shorter than in the sample:
//
//	WᵀW ≥ I, or σ²_least of the sample times P⁻¹;  trace G ≤ 16·rows·(mean square of the sample)
//
// bound the condition beforehand, whatever the other rows are.
type GuidedQR struct {
	guide *Guide
	cols  int
	rows  int64    // in gram
	gram  triangle // the upper triangle of G, with cols rows, or none
	aside *QR      // the other rows
}

// asideLimit is how many times the mean square of the sample's rows of W a block may have.
const asideLimit = 16

// NewGuidedQR returns the R factor of a matrix of no rows and so many columns, at least
// 1. A nil guide makes it a [QR].
func NewGuidedQR(g *Guide, cols int) *GuidedQR {
	g.checkCols(cols)
	return &GuidedQR{guide: g, cols: cols, gram: triangle{cols: cols}, aside: NewQR(cols)}
}

// Reset forgets everything seen and keeps the memory.
func (q *GuidedQR) Reset() {
	q.rows, q.gram.rows = 0, 0
	q.aside.Reset()
}

// Rows returns the number of rows seen.
func (q *GuidedQR) Rows() int64 { return q.rows + q.aside.Rows() }

// Cols returns the number of columns.
func (q *GuidedQR) Cols() int { return q.cols }

// Add appends the rows of a block. Cost B·cols² operations, and as many again, or fewer,
// for P⁻¹.
func (q *GuidedQR) Add(block blas64.General) error {
	checkShape("the block of GuidedQR.Add", block, block.Rows, q.cols)
	if block.Rows == 0 {
		return nil
	}
	if q.guide == nil {
		return q.aside.Add(block)
	}
	s := borrow()
	defer s.giveBack()
	c := &s.cholesky
	c.g.Reset(q.cols, q.cols)
	c.addGuided(block, q.guide)
	if !(c.trace() <= asideLimit*float64(block.Rows)*q.guide.square) {
		return q.aside.append(s, block)
	}
	q.addGram(func(i int) []float64 { return c.g.Row(i)[i:] })
	q.rows += int64(block.Rows)
	return nil
}

// addGram adds rows of a Gram matrix from the diagonal on.
func (q *GuidedQR) addGram(tail func(i int) []float64) {
	if q.gram.rows == 0 {
		q.gram.resize(q.cols)
		for i := range q.cols {
			copy(q.gram.tail(i), tail(i))
		}
		return
	}
	for i := range q.cols {
		simd.Add(q.gram.tail(i), tail(i))
	}
}

// addGuided sets g to WᵀW for W = rows·P⁻¹.
func (c *cholesky) addGuided(rows blas64.General, guide *Guide) {
	if guide.triangle != nil {
		c.addGram(rows, &guide.solver, false)
		return
	}
	n := chunkRows(rows.Cols)
	for first := 0; first < rows.Rows; first += n {
		chunk := rowsOf(rows, first, min(first+n, rows.Rows))
		c.w.Reset(chunk.Rows, chunk.Cols)
		for i := range chunk.Rows {
			c.w.SetRow(i, 0, row(chunk, i))
		}
		guide.deflateRows(c.w.General(), &c.part)
		simd.Gram(&c.g, &c.w, first > 0)
	}
}

// Merge appends the rows that later has seen, which must have the same guide. later must
// not be used afterwards.
func (q *GuidedQR) Merge(later *GuidedQR) error {
	if later.cols != q.cols {
		return fmt.Errorf("sketch: cannot merge the R factor of %d columns with one of %d", q.cols, later.cols)
	}
	if later.gram.rows > 0 {
		q.addGram(later.gram.tail)
	}
	q.rows += later.rows
	return q.aside.Merge(later.aside)
}

// R returns the cols×cols upper triangular factor R with RᵀR = AᵀA for the stack A of all
// rows seen, and no negative diagonal entry, as [QR.R]. Cost up to 8·cols³ operations.
func (q *GuidedQR) R() (blas64.General, error) {
	if q.gram.rows == 0 {
		return q.aside.R(), nil
	}
	u, triangular, err := q.root()
	if err != nil {
		return u, err
	}
	r := q.guide.times(u)
	if !triangular || q.guide.triangle == nil {
		if _, r, err = CholeskyQR(r); err != nil {
			return r, err
		}
	}
	all := NewQR(q.cols)
	all.rows = q.rows
	if err := all.keep(r); err != nil {
		return r, err
	}
	if err := all.Merge(q.aside); err != nil {
		return r, err
	}
	return all.R(), nil
}

// root returns a square matrix U with UᵀU = G: the Cholesky factor, or one by eigenvectors
// where rows that are set aside determine W.
func (q *GuidedQR) root() (u blas64.General, triangular bool, err error) {
	g := new(simd.Padded)
	g.Reset(q.cols, q.cols)
	for i := range q.cols {
		g.SetRow(i, i, q.gram.tail(i))
	}
	if factorise(g) {
		return g.General(), true, nil
	}
	vectors, values := q.symmetric(), make([]float64, q.cols)
	a := blas64.Symmetric{Uplo: blas.Upper, N: q.cols, Stride: vectors.Stride, Data: vectors.Data}
	work := make([]float64, 34*q.cols)
	if !lapack64.Syev(lapack.EVCompute, a, values, work, len(work)) {
		return u, false, fmt.Errorf("sketch: the eigenvalues of the Gram matrix of %d columns did not converge", q.cols)
	}
	u = newMatrix(q.cols, q.cols)
	for i := range q.cols {
		for j, v := range values {
			row(u, j)[i] = math.Sqrt(max(0, v)) * row(vectors, i)[j]
		}
	}
	return u, false, nil
}

// symmetric returns G.
func (q *GuidedQR) symmetric() blas64.General {
	g := newMatrix(q.cols, q.cols)
	q.gram.into(g)
	for i := range q.cols {
		for j := range i {
			row(g, i)[j] = row(g, j)[i]
		}
	}
	return g
}

// Loss returns by how many times ε, up to a modest factor, RᵀR differs from AᵀA relative
// to itself because of the Gram matrix. The columns of A·R⁻¹ are orthonormal to that, and
// to ε times the condition of A, which is all that [QR] leaves. r is R. It is 0 where
// nothing went into a Gram matrix, and +Inf if R is singular. Cost: 200·cols² operations.
func (q *GuidedQR) Loss(r blas64.General) float64 {
	if q.gram.rows == 0 {
		return 0
	}
	for i := range r.Rows {
		if row(r, i)[i] == 0 {
			return math.Inf(1)
		}
	}
	g := q.symmetric()
	_, high := leading(q.cols, lossVectors, func(y blas64.General) { copyRows(y, multiplied(g, y)) })
	_, inverse := leading(q.cols, lossVectors, func(y blas64.General) { q.guide.against(r, y) })
	if len(high) == 0 || len(inverse) == 0 {
		return math.Inf(1)
	}
	loss := high[0] * inverse[0]
	return loss * loss
}

// lossVectors is how many vectors the estimates of Loss go by.
const lossVectors = 4

// MarshalBinary writes shape cols, the rows in G, the rows set aside; the upper triangle of
// G row by row, if it has rows; and those of the R of the others, as QR does.
func (q *GuidedQR) MarshalBinary() ([]byte, error) {
	data := newState(kindGuidedQR, uint64(q.cols), uint64(q.rows), uint64(q.aside.rows))
	for i := range q.gram.rows {
		data = appendFloats(data, q.gram.tail(i))
	}
	return q.aside.appendR(data), nil
}

// UnmarshalBinary reads what MarshalBinary of a GuidedQR of as many columns wrote.
func (q *GuidedQR) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindGuidedQR, 3)
	if err != nil {
		return err
	}
	if err := sameShape("columns", shape[0], q.cols); err != nil {
		return err
	}
	gram := 0
	if shape[1] > 0 {
		gram = q.cols
	}
	if err := values.need(trapezoid(uint64(gram), q.cols) + trapezoid(shape[2], q.cols)); err != nil {
		return err
	}
	switch {
	case shape[1] > maxCount:
		return fmt.Errorf("sketch: the state counts %d rows", shape[1])
	case gram > 0 && q.guide == nil:
		return errors.New("sketch: the state has a Gram matrix, and there is no guide that says of what")
	}
	restored := NewGuidedQR(q.guide, q.cols)
	restored.rows = int64(shape[1])
	restored.gram.resize(gram)
	for i := range gram {
		if err := values.read(restored.gram.tail(i)); err != nil {
			return err
		}
	}
	if restored.aside, err = readR(values, shape[2], q.cols); err != nil {
		return err
	}
	*q = *restored
	return nil
}
