package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// PairQR accumulates the R factor of the pair [Y C] of two n×cols matrices, where only a few rows
// of C, the marked ones, are not zero. S3SPSD (paper 1, Algorithm 5) needs R factors of Y − αC for
// shifts α that are known only after the pass. The pair yields all of them: with [Y C] = Q·R,
//
//	Y − αC = Q·(R·[I; −αI])
//
// Unmarked rows go to a cols×cols factor and marked rows to a 2cols×2cols factor, so a block
// without marked rows costs the same as for [QR].
type PairQR struct {
	cols   int // columns of Y, and of C
	plain  *QR // R factor of the unmarked rows y
	marked *QR // R factor of the marked rows [y c]
}

// NewPairQR returns the factor of an empty pair. Y and C have cols columns each, at least 1.
func NewPairQR(cols int) *PairQR {
	if cols < 1 {
		panic(fmt.Sprintf("sketch: NewPairQR of %d columns", cols))
	}
	return &PairQR{cols: cols, plain: NewQR(cols), marked: NewQR(2 * cols)}
}

// Reset removes all rows and keeps the memory.
func (p *PairQR) Reset() {
	p.plain.Reset()
	p.marked.Reset()
}

// Rows returns the number of rows added.
func (p *PairQR) Rows() int64 { return p.plain.rows + p.marked.rows }

// Cols returns the number of columns of Y.
func (p *PairQR) Cols() int { return p.cols }

// Add appends rows y of Y (B×cols). marked lists the rows of the block where C is not zero, in
// ascending order; row k of c (len(marked)×cols) belongs to row marked[k]. It returns a
// [*NonFiniteError] for a non-finite entry of y or c; for c, the row is that of c.
func (p *PairQR) Add(y blas64.General, marked []int, c blas64.General) error {
	checkShape("y of PairQR.Add", y, y.Rows, p.cols)
	checkMarked(marked, y.Rows)
	if len(marked) == 0 {
		return p.plain.Add(y)
	}
	checkShape("c of PairQR.Add", c, len(marked), p.cols)
	s := borrow()
	defer s.giveBack()
	rows := s.pairRows(y, marked, c)
	if CheckFinite(rows) != nil {
		return checkPair(y, c)
	}
	if err := p.plain.append(s, s.plainRows(y, marked)); err != nil {
		if where := checkPair(y, c); where != nil {
			return where
		}
		return err
	}
	return p.marked.append(s, s.pairRows(y, marked, c))
}

// checkPair returns an error for the first entry that is not finite, in y and then in c.
func checkPair(y, c blas64.General) error {
	if err := CheckFinite(y); err != nil {
		return err
	}
	if err := CheckFinite(c); err != nil {
		return fmt.Errorf("rows of C: %w", err)
	}
	return nil
}

// checkMarked panics unless marked ascends strictly within 0..rows-1.
func checkMarked(marked []int, rows int) {
	last := -1
	for _, i := range marked {
		if i <= last || i >= rows {
			panic(fmt.Sprintf("sketch: the marked rows %v do not ascend within a block of %d rows", marked, rows))
		}
		last = i
	}
}

// plainRows returns the unmarked rows of y, in scratch memory.
func (s *scratch) plainRows(y blas64.General, marked []int) blas64.General {
	plain := matrix.Reuse(&s.rows, y.Rows-len(marked), y.Cols)
	at := 0
	for i := range y.Rows {
		if len(marked) > 0 && marked[0] == i {
			marked = marked[1:]
			continue
		}
		copy(matrix.Row(plain, at), matrix.Row(y, i))
		at++
	}
	return plain
}

// pairRows returns the rows [y c] of the marked rows, in scratch memory.
func (s *scratch) pairRows(y blas64.General, marked []int, c blas64.General) blas64.General {
	both := matrix.Reuse(&s.rows, len(marked), 2*y.Cols)
	for k, i := range marked {
		copy(matrix.Row(both, k), matrix.Row(y, i))
		copy(matrix.Row(both, k)[y.Cols:], matrix.Row(c, k))
	}
	return both
}

// Merge appends the rows of later, which must not be used afterwards.
func (p *PairQR) Merge(later *PairQR) error {
	if later.cols != p.cols {
		return fmt.Errorf("cannot merge the R factor of a pair of %d columns each with one of %d", p.cols, later.cols)
	}
	if err := p.plain.Merge(later.plain); err != nil {
		return err
	}
	return p.marked.Merge(later.marked)
}

// R returns the 2cols×2cols upper triangular R factor of [Y C], with no negative diagonal entry, in
// new memory. An entry is infinite only if the norm of a column of Y overflows. Cost: about 4·cols³
// operations.
func (p *PairQR) R() blas64.General {
	s := borrow()
	defer s.giveBack()
	r := matrix.New(2*p.cols, 2*p.cols)
	copyUpper(r, s.reduceTriangles(p.plain.r, p.marked.r))
	return r
}

// Name identifies states of this accumulator, independently of the Go type.
func (p *PairQR) Name() string { return "pair qr" }

// MarshalBinary writes cols, the counts of unmarked and marked rows, and both factors in the form
// of [QR.MarshalBinary].
func (p *PairQR) MarshalBinary() ([]byte, error) {
	data := newState(kindPairQR, uint64(p.cols), uint64(p.plain.rows), uint64(p.marked.rows))
	return p.marked.appendR(p.plain.appendR(data)), nil
}

// UnmarshalBinary reads a state of the same number of columns that MarshalBinary wrote.
func (p *PairQR) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindPairQR, 3)
	if err != nil {
		return err
	}
	if err := checkCount("columns", shape[0], p.cols); err != nil {
		return err
	}
	if err := values.checkLength(trapezoidSize(shape[1], p.cols) + trapezoidSize(shape[2], 2*p.cols)); err != nil {
		return err
	}
	plain, err := readR(values, shape[1], p.cols)
	if err != nil {
		return err
	}
	marked, err := readR(values, shape[2], 2*p.cols)
	if err != nil {
		return err
	}
	p.plain, p.marked = plain, marked
	return nil
}
