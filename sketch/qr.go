package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// QR accumulates the R factor of a tall matrix that arrives in blocks of rows: the R factor of [A;
// B] is that of [R_A; B]. It holds at most cols·(cols+1)/2 numbers, whatever the number of rows.
// Unlike a Gram matrix it does not square the condition number: the singular values of R are those
// of the whole matrix up to a small multiple of ε·σ₁ (Demmel, Grigori, Hoemmen and Langou 2012,
// "Communication-optimal parallel and sequential QR and LU factorizations").
//
// Errors are relative to each column: columns as small as 1e-150 or as large as 1e150 keep their
// relative accuracy.
type QR struct {
	cols int
	rows int64    // rows added
	r    triangle // min(rows, cols) × cols, diagonal ≥ 0
}

// NewQR returns the R factor of an empty matrix with cols columns, at least 1.
func NewQR(cols int) *QR {
	if cols < 1 {
		panic(fmt.Sprintf("sketch: NewQR of %d columns", cols))
	}
	return &QR{cols: cols, r: triangle{cols: cols}}
}

// Reset removes all rows and keeps the memory.
func (q *QR) Reset() { q.rows, q.r.rows = 0, 0 }

// Rows returns the number of rows added.
func (q *QR) Rows() int64 { return q.rows }

// Cols returns the number of columns.
func (q *QR) Cols() int { return q.cols }

// R returns the cols×cols upper triangular factor R with RᵀR = AᵀA for the stack A of all rows
// added, in new memory. No diagonal entry is negative. The last rows are zero if fewer than cols
// rows were added.
func (q *QR) R() blas64.General {
	r := matrix.New(q.cols, q.cols)
	q.r.copyTo(r)
	return r
}

// Add appends the rows of a block. Cost: about 2·B·cols² operations by matrix products, or twice
// that by reflections where products are not accurate (see cholesky.go). It allocates nothing once
// there are cols rows.
func (q *QR) Add(block blas64.General) error {
	checkShape("the block of QR.Add", block, block.Rows, q.cols)
	s := borrow()
	defer s.giveBack()
	return q.append(s, block)
}

// append implements Add.
func (q *QR) append(s *scratch, block blas64.General) error {
	if block.Rows == 0 {
		return nil
	}
	if q.usesCholesky(block.Rows) && s.append(block, q.r) {
		q.rows += int64(block.Rows)
		return q.setR(s.cholesky.p.General())
	}
	if err := CheckFinite(block); err != nil {
		return err
	}
	a := s.reduceBlock(block, q.r)
	q.rows += int64(block.Rows)
	return q.setR(a)
}

// usesCholesky reports whether matrix products are faster than reflections for a block of this many
// rows. The limits are measured: a full R takes time to prepare, multiply and factorise even for
// few rows, and a first block needs rounds. In plain Go products are always slower.
func (q *QR) usesCholesky(rows int) bool {
	switch {
	case simd.Active() == simd.Go || q.cols < 8:
		return false
	case q.r.rows == q.cols:
		return rows >= max(64, q.cols/3)
	default:
		return rows >= max(256, 2*q.cols)
	}
}

// setR replaces R by the upper triangle of a.
func (q *QR) setR(a blas64.General) error {
	q.r.resize(min(a.Rows, q.cols))
	for i := range q.r.rows {
		tail := q.r.tail(i)
		copy(tail, matrix.Row(a, i)[i:])
		if !matrix.IsFinite(blas64.Asum(blas64.Vector{N: len(tail), Inc: 1, Data: tail})) {
			return checkOverflow("R factor", q.R())
		}
	}
	return nil
}

// Merge appends the rows of later, which must not be used afterwards. Cost: about cols³ operations,
// by reflections; on two triangles matrix products were a third slower.
func (q *QR) Merge(later *QR) error {
	if later.cols != q.cols {
		return fmt.Errorf("cannot merge the R factor of %d columns with one of %d", q.cols, later.cols)
	}
	if later.rows == 0 {
		return nil
	}
	if q.rows == 0 { // swap, so that later keeps its own memory
		*q, *later = *later, *q
		return nil
	}
	s := borrow()
	defer s.giveBack()
	q.rows += later.rows
	return q.setR(s.reduceTriangles(q.r, later.r))
}

// Name identifies states of this accumulator, independently of the Go type.
func (q *QR) Name() string { return "qr" }

// MarshalBinary writes cols, rows and the first min(rows, cols) rows of R, each from the diagonal
// on.
func (q *QR) MarshalBinary() ([]byte, error) {
	data := newState(kindQR, uint64(q.cols), uint64(q.rows))
	return q.appendR(data), nil
}

// UnmarshalBinary reads a state of the same number of columns that MarshalBinary wrote.
func (q *QR) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindQR, 2)
	if err != nil {
		return err
	}
	if err := checkCount("columns", shape[0], q.cols); err != nil {
		return err
	}
	if err := values.checkLength(trapezoidSize(shape[1], q.cols)); err != nil {
		return err
	}
	restored, err := readR(values, shape[1], q.cols)
	if err != nil {
		return err
	}
	*q = *restored
	return nil
}

// trapezoidSize returns the number of stored entries in the R factor of the given number of rows.
func trapezoidSize(rows uint64, cols int) int {
	k := int(min(rows, uint64(cols)))
	return k*cols - k*(k-1)/2
}

func (q *QR) appendR(data []byte) []byte {
	for i := range q.r.rows {
		data = appendFloats(data, q.r.tail(i))
	}
	return data
}

// readR reads the R factor of the given number of rows. values must hold that many numbers.
func readR(values *floatReader, rows uint64, cols int) (*QR, error) {
	if rows > maxCount {
		return nil, fmt.Errorf("the state counts %d rows", rows)
	}
	q := &QR{cols: cols, rows: int64(rows), r: triangle{cols: cols}}
	q.r.resize(int(min(rows, uint64(cols))))
	for i := range q.r.rows {
		r := q.r.tail(i)
		if err := values.read(r); err != nil {
			return nil, err
		}
		if r[0] < 0 {
			return nil, fmt.Errorf("the state has the negative entry %v on the diagonal of an R factor", r[0])
		}
	}
	return q, nil
}
