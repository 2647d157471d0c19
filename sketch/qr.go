package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// QR accumulates the R factor of a tall matrix that is seen in blocks of rows:
// the R factor of [A; B] is that of [R_A; B]. It keeps at most
// cols·(cols+1)/2 numbers, however many rows there are, and it does not square the condition number as
// a Gram matrix does: the singular values of R are those of the whole matrix up
// to a small multiple of ε·σ₁ (Demmel, Grigori, Hoemmen and Langou 2012,
// "Communication-optimal parallel and sequential QR and LU factorizations").
//
// Columns are treated alike whatever their scale, so columns as small as 1e-150
// or as large as 1e150 keep their relative accuracy.
type QR struct {
	cols int
	rows int64    // seen so far
	r    triangle // min(rows, cols) × cols, diagonal ≥ 0
}

// NewQR returns the R factor of a matrix of no rows and so many columns, at
// least 1.
func NewQR(cols int) *QR {
	if cols < 1 {
		panic(fmt.Sprintf("sketch: NewQR of %d columns", cols))
	}
	return &QR{cols: cols, r: triangle{cols: cols}}
}

// Reset forgets everything seen and keeps the memory.
func (q *QR) Reset() { q.rows, q.r.rows = 0, 0 }

// Rows returns the number of rows seen.
func (q *QR) Rows() int64 { return q.rows }

// Cols returns the number of columns.
func (q *QR) Cols() int { return q.cols }

// R returns the cols×cols upper triangular factor R with RᵀR = AᵀA for the
// stack A of all rows seen, and no negative diagonal entry. Its last rows are
// zero when fewer than cols rows were seen. The result is the caller's.
func (q *QR) R() blas64.General {
	r := matrix.New(q.cols, q.cols)
	q.r.into(r)
	return r
}

// Add appends the rows of a block. Cost about 2·B·cols² operations by products of
// matrices, or twice that by reflections where products are not accurate (see
// cholesky.go). It allocates nothing once there are cols rows.
func (q *QR) Add(block blas64.General) error {
	checkShape("the block of QR.Add", block, block.Rows, q.cols)
	s := borrow()
	defer s.giveBack()
	return q.append(s, block)
}

// append does the work of Add.
func (q *QR) append(s *scratch, block blas64.General) error {
	if block.Rows == 0 {
		return nil
	}
	if q.byCholesky(block.Rows) && s.append(block, q.r) {
		q.rows += int64(block.Rows)
		return q.keep(s.cholesky.p.General())
	}
	if err := CheckFinite(block); err != nil {
		return err
	}
	a := s.reflect(block, q.r)
	q.rows += int64(block.Rows)
	return q.keep(a)
}

// byCholesky reports whether so many new rows are better reduced by products of
// matrices. The limits are where they were measured to be faster than
// reflections: a full R costs something to prepare, multiply and factorise even
// for few rows, and a first block takes rounds. In plain Go they are slower.
func (q *QR) byCholesky(rows int) bool {
	switch {
	case simd.Active() == simd.Go || q.cols < 8:
		return false
	case q.r.rows == q.cols:
		return rows >= max(64, q.cols/3)
	default:
		return rows >= max(256, 2*q.cols)
	}
}

// keep makes the upper triangle of a the new R.
func (q *QR) keep(a blas64.General) error {
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

// Merge appends the rows that later has seen. later must not be used afterwards.
// Cost about cols³ operations, by reflections: on two triangles products of
// matrices were slower by a third.
func (q *QR) Merge(later *QR) error {
	if later.cols != q.cols {
		return fmt.Errorf("cannot merge the R factor of %d columns with one of %d", q.cols, later.cols)
	}
	if later.rows == 0 {
		return nil
	}
	if q.rows == 0 { // swap, so that later keeps its memory and none of ours
		*q, *later = *later, *q
		return nil
	}
	s := borrow()
	defer s.giveBack()
	q.rows += later.rows
	return q.keep(s.interleaved(q.r, later.r))
}

// Name names the states of this accumulator, whatever its type is called.
func (q *QR) Name() string { return "qr" }

// MarshalBinary writes shape cols, rows and the rows of R from the diagonal on,
// as many of them as are not zero by shape.
func (q *QR) MarshalBinary() ([]byte, error) {
	data := newState(kindQR, uint64(q.cols), uint64(q.rows))
	return q.appendR(data), nil
}

// UnmarshalBinary reads what MarshalBinary of a QR of as many columns wrote.
func (q *QR) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindQR, 2)
	if err != nil {
		return err
	}
	if err := sameShape("columns", shape[0], q.cols); err != nil {
		return err
	}
	if err := values.need(trapezoid(shape[1], q.cols)); err != nil {
		return err
	}
	restored, err := readR(values, shape[1], q.cols)
	if err != nil {
		return err
	}
	*q = *restored
	return nil
}

// trapezoid returns how many numbers are stored of the R factor of so many rows.
func trapezoid(rows uint64, cols int) int {
	k := int(min(rows, uint64(cols)))
	return k*cols - k*(k-1)/2
}

func (q *QR) appendR(data []byte) []byte {
	for i := range q.r.rows {
		data = appendFloats(data, q.r.tail(i))
	}
	return data
}

// readR reads the R factor of so many rows from values, which must be long
// enough.
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
