package ksvd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// basis is an orthonormal basis Q that grows by blocks, and the product of a
// matrix with it, as in solvers/lowrank; it can also begin again with fewer
// vectors.
type basis struct {
	q, y  blas64.General // with room for all columns; the first cols and known are there
	cols  int            // columns of Q
	known int            // columns of the product
	last  int            // columns of the newest block
}

// newBasis has room for most vectors of n numbers, and for products of m numbers.
func newBasis(n, m, most int) basis {
	return basis{q: stream.NewMatrix(n, most), y: stream.NewMatrix(m, most)}
}

// vectors is Q, and product the matrix times Q.
func (s *basis) vectors() blas64.General { return dense.Columns(s.q, 0, s.cols) }
func (s *basis) product() blas64.General { return dense.Columns(s.y, 0, s.known) }

// unknown are the columns of Q that the product is not known for, and the place
// for it.
func (s *basis) unknown() (x, y blas64.General) {
	return dense.Columns(s.q, s.known, s.cols-s.known), dense.Columns(s.y, s.known, s.cols-s.known)
}

// newestProduct is a copy of the product of the newest block, which is known.
func (s *basis) newestProduct() blas64.General {
	return dense.Clone(dense.Columns(s.y, s.known-s.last, s.last))
}

// room is how many vectors more there is room for.
func (s *basis) room() int { return s.q.Cols - s.cols }

// add adds at most so many directions of a block, which it overwrites, to the
// space: the longest ones of what the space does not hold. What is not longer than
// least is rounding and is left out.
func (s *basis) add(block blas64.General, most int, least float64) (grown bool, err error) {
	s.last = 0
	s.project(block)
	s.project(block)
	most = min(most, s.room())
	if block.Cols == 0 || most == 0 {
		return false, nil
	}
	if block.Cols > block.Rows {
		_, r, err := sketch.CholeskyQR(dense.Transpose(block))
		if err != nil {
			return false, err
		}
		block = dense.Transpose(r) // the same left singular vectors and values
	}
	q, r, err := sketch.CholeskyQR(block)
	if err != nil {
		return false, err
	}
	d, err := newSVD("the block of an exact pass", r)
	if err != nil {
		return false, err
	}
	keep := 0
	for keep < min(most, len(d.S)) && d.S[keep] > least {
		keep++
	}
	if keep == 0 {
		return false, nil
	}
	// Short directions have a part in Q by rounding: once more, at length 1.
	fresh := dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Columns(d.U, 0, keep))
	s.project(fresh)
	if fresh, _, err = sketch.CholeskyQR(fresh); err != nil {
		return false, err
	}
	for i := range fresh.Rows {
		copy(dense.Row(s.q, i)[s.cols:], dense.Row(fresh, i))
	}
	s.cols += keep
	s.last = keep
	return true, nil
}

// project takes the part in the space away from the columns of a block.
func (s *basis) project(block blas64.General) {
	if s.cols == 0 || block.Cols == 0 {
		return
	}
	part := dense.Mul(blas.Trans, s.vectors(), blas.NoTrans, block)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, s.vectors(), part, 1, block)
}

// restart keeps Q·f, for an f with orthonormal columns and as many rows as Q has
// columns; all products are known.
func (s *basis) restart(f blas64.General) {
	q, y := dense.Mul(blas.NoTrans, s.vectors(), blas.NoTrans, f), dense.Mul(blas.NoTrans, s.product(), blas.NoTrans, f)
	for i := range q.Rows {
		copy(dense.Row(s.q, i), dense.Row(q, i))
	}
	for i := range y.Rows {
		copy(dense.Row(s.y, i), dense.Row(y, i))
	}
	s.cols, s.known, s.last = f.Cols, f.Cols, f.Cols
}
