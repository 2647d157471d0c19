package krylov

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Tolerance is the cutoff of singular values relative to the largest. Smaller ones are rounding
// errors of the matrix.
const Tolerance = 1e-12

// Basis is an orthonormal basis Q that grows by blocks, together with the product of a matrix and
// Q.
type Basis struct {
	q, y        blas64.General // capacity for all columns; the first cols of q and known of y are set
	cols        int            // columns of Q
	productCols int            // columns of the product
	lastWidth   int            // columns of the newest block
}

// NewBasis returns an empty basis with capacity for most vectors of length n, and for their
// products of length m.
func NewBasis(n, m, most int) *Basis {
	return &Basis{q: matrix.New(n, most), y: matrix.New(m, most)}
}

// Cols returns the number of columns of Q.
func (b *Basis) Cols() int { return b.cols }

// Vectors returns Q, which shares memory with the basis.
func (b *Basis) Vectors() blas64.General { return matrix.Columns(b.q, 0, b.cols) }

// Product returns the matrix times the leading columns of Q whose product is known.
func (b *Basis) Product() blas64.General { return matrix.Columns(b.y, 0, b.productCols) }

// unmultiplied returns the columns of Q whose product is unknown, and the destination of their
// product.
func (b *Basis) unmultiplied() (x, y blas64.General) {
	return matrix.Columns(b.q, b.productCols, b.cols-b.productCols), matrix.Columns(b.y, b.productCols, b.cols-b.productCols)
}

// newestProduct returns a copy of the product of the newest block, which must be known.
func (b *Basis) newestProduct() blas64.General {
	return matrix.Clone(matrix.Columns(b.y, b.productCols-b.lastWidth, b.lastWidth))
}

// full reports whether width more vectors exceed the capacity. A basis with capacity for the whole
// space is never full.
func (b *Basis) full(width int) bool {
	return b.q.Cols-b.cols < width && b.q.Cols < b.q.Rows
}

// Add extends the basis by at most most directions of a block, which it overwrites: the longest
// ones outside the span of the basis that are longer than least. Shorter ones are rounding errors.
// It reports whether the basis has grown.
func (b *Basis) Add(block blas64.General, most int, least float64) (grown bool, err error) {
	b.lastWidth = 0
	b.project(block)
	b.project(block) // one projection is not enough
	most = min(most, b.q.Cols-b.cols)
	if block.Cols == 0 || most == 0 {
		return false, nil
	}
	fresh, err := leadingDirections(block, most, least)
	if err != nil || fresh.Cols == 0 {
		return false, err
	}
	// After rounding, short directions have a component in Q again. They are projected once more at
	// length 1.
	b.project(fresh)
	if fresh, _, err = sketch.CholeskyQR(fresh); err != nil {
		return false, err
	}
	for i := range fresh.Rows {
		copy(matrix.Row(b.q, i)[b.cols:], matrix.Row(fresh, i))
	}
	b.cols += fresh.Cols
	b.lastWidth = fresh.Cols
	return true, nil
}

// leadingDirections returns the left singular vectors of a block for the largest singular values
// above least, at most most.
func leadingDirections(block blas64.General, most int, least float64) (blas64.General, error) {
	block, err := compressColumns(block)
	if err != nil {
		return block, err
	}
	q, r, err := sketch.CholeskyQR(block)
	if err != nil {
		return block, err
	}
	d, err := newSVD("a block of the space", r)
	if err != nil {
		return block, err
	}
	keep := 0
	for keep < min(most, len(d.S)) && d.S[keep] > least {
		keep++
	}
	return dense.Mul(blas.NoTrans, q, blas.NoTrans, matrix.Columns(d.U, 0, keep)), nil
}

// compressColumns returns a block with the same left singular vectors and singular values and no
// more columns than rows: Rᵀ of the QR factorisation of its transpose.
func compressColumns(block blas64.General) (blas64.General, error) {
	if block.Cols <= block.Rows {
		return block, nil
	}
	_, r, err := sketch.CholeskyQR(matrix.Transpose(block))
	return matrix.Transpose(r), err
}

// project removes the components in the span of the basis from the columns of a block.
func (b *Basis) project(block blas64.General) {
	if b.cols == 0 || block.Cols == 0 {
		return
	}
	part := dense.Mul(blas.Trans, b.Vectors(), blas.NoTrans, block)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, b.Vectors(), part, 1, block)
}

// restart replaces the basis by Q·f, for an f with orthonormal columns. All products must be known.
func (b *Basis) restart(f blas64.General) {
	q, y := dense.Mul(blas.NoTrans, b.Vectors(), blas.NoTrans, f), dense.Mul(blas.NoTrans, b.Product(), blas.NoTrans, f)
	for i := range q.Rows {
		copy(matrix.Row(b.q, i), matrix.Row(q, i))
	}
	for i := range y.Rows {
		copy(matrix.Row(b.y, i), matrix.Row(y, i))
	}
	b.cols, b.productCols, b.lastWidth = f.Cols, f.Cols, f.Cols
}

// NotFiniteError reports a number that is NaN or infinite.
type NotFiniteError struct {
	Of          string // description of the matrix
	Row, Column int
	Value       float64
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("entry (%d, %d) of %s is %v", e.Row, e.Column, e.Of, e.Value)
}

// checkFinite returns a NotFiniteError for the first entry that is not finite.
func checkFinite(what string, m blas64.General) error {
	i, j, found := dense.NotFinite(m)
	if !found {
		return nil
	}
	return &NotFiniteError{what, i, j, m.Data[i*m.Stride+j]}
}

// newSVD decomposes a small matrix. what describes it in errors.
func newSVD(what string, a blas64.General) (*dense.SVD, error) {
	if err := checkFinite(what, a); err != nil {
		return nil, err
	}
	d, err := dense.NewSVD(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return d, nil
}
