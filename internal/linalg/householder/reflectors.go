// Package householder applies products of Householder reflections, and computes QR factorizations,
// with nearly all of the work in matrix products.
//
// It replaces gonum's Dormqr, Dormlq, Dorgqr and Dgeqrf. In v0.17.0 these are wrong if the second
// reflector of a block ends in zeros and the first does not, as with sparse columns: their Dlarft
// uses the wrong length of the first one. A test prints the error of mat.QR (go test -run
// GonumIsWrong -v), and fails once gonum is fixed.
package householder

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/internal/matrix"
)

// blockColumns is the number of reflectors applied at once.
const blockColumns = 48

// Reflectors is the product H_0·H_1·… of the reflections H_i = I − τ_i·v_i·v_iᵀ, in the layout of
// LAPACK: column i of V holds v_i below its diagonal, where v_i is 1; above it v_i is 0. If InRows
// is set, row i of V holds v_i right of the diagonal.
type Reflectors struct {
	V      blas64.General
	Tau    []float64
	InRows bool
}

// QR factorizes a in place. Its upper triangle becomes R, and the returned reflectors, whose
// product is Q, share its memory. Cost: 2·rows·columns² − 2/3·columns³ flops if it is tall.
func QR(a blas64.General) Reflectors {
	r := Reflectors{V: a, Tau: make([]float64, min(a.Rows, a.Cols))}
	work := make([]float64, blockColumns)
	for first := 0; first < len(r.Tau); first += blockColumns {
		cols := min(blockColumns, len(r.Tau)-first)
		gonum.Implementation{}.Dgeqr2(a.Rows-first, cols, a.Data[first*a.Stride+first:], a.Stride, r.Tau[first:first+cols], work)
		if rest := first + cols; rest < a.Cols {
			right := blas64.General{Rows: a.Rows, Cols: a.Cols - rest, Stride: a.Stride, Data: a.Data[rest:]}
			r.block(first, cols).apply(blas.Trans, right)
		}
	}
	return r
}

// Apply sets c to the product times c, in 4·columns flops per number of a tall V. Memory: a block
// of 48 reflectors and 48 rows of c.
func (r Reflectors) Apply(c blas64.General) {
	if c.Cols == 0 {
		return
	}
	count := len(r.Tau)
	for first := (count - 1) / blockColumns * blockColumns; first >= 0 && count > 0; first -= blockColumns {
		r.block(first, min(blockColumns, count-first)).apply(blas.NoTrans, c)
	}
}

// ApplyTransposed sets c to the transpose of the product times c, at the cost of
// [Reflectors.Apply].
func (r Reflectors) ApplyTransposed(c blas64.General) {
	for first := 0; first < len(r.Tau) && c.Cols > 0; first += blockColumns {
		r.block(first, min(blockColumns, len(r.Tau)-first)).apply(blas.Trans, c)
	}
}

// Thin returns the leading columns of the product, one per reflector: the Q of a thin QR
// factorization. Cost: 4·rows·columns² flops if it is tall.
func (r Reflectors) Thin() blas64.General {
	rows := r.V.Rows
	if r.InRows {
		rows = r.V.Cols
	}
	q := matrix.New(rows, len(r.Tau))
	for i := range r.Tau {
		q.Data[i*q.Stride+i] = 1
	}
	r.Apply(q)
	return q
}

// block is a product of consecutive reflectors, as I − V·T·Vᵀ with V starting at row first and T
// upper triangular (Schreiber & Van Loan 1989, "A storage-efficient WY representation for products
// of Householder transformations").
type block struct {
	first int
	v     blas64.General
	t     blas64.Triangular
}

func (r Reflectors) block(first, count int) block {
	rows := r.V.Rows
	if r.InRows {
		rows = r.V.Cols
	}
	b := block{first: first, v: matrix.New(rows-first, count)}
	for i := range count {
		b.v.Data[i*count+i] = 1
		for k := i + 1; k < b.v.Rows; k++ {
			if r.InRows {
				b.v.Data[k*count+i] = r.V.Data[(first+i)*r.V.Stride+first+k]
			} else {
				b.v.Data[k*count+i] = r.V.Data[(first+k)*r.V.Stride+first+i]
			}
		}
	}
	b.t = triangular(b.v, r.Tau[first:first+count])
	return b
}

// triangular returns T: its column i is −τ_i·T·(Vᵀ·v_i) above the diagonal.
func triangular(v blas64.General, tau []float64) blas64.Triangular {
	count := len(tau)
	gram := matrix.New(count, count)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, v, v, 0, gram)
	t := matrix.New(count, count)
	for i := range count {
		t.Data[i*count+i] = tau[i]
		for j := range i {
			sum := 0.0
			for k := j; k < i; k++ {
				sum += t.Data[j*count+k] * gram.Data[k*count+i]
			}
			t.Data[j*count+i] = -tau[i] * sum
		}
	}
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: count, Stride: count, Data: t.Data}
}

// apply sets c to the block, or its transpose, times c.
func (b block) apply(trans blas.Transpose, c blas64.General) {
	c = blas64.General{Rows: c.Rows - b.first, Cols: c.Cols, Stride: c.Stride, Data: c.Data[b.first*c.Stride:]}
	w := matrix.New(b.v.Cols, c.Cols)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, b.v, c, 0, w)
	blas64.Trmm(blas.Left, trans, 1, b.t, w)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, b.v, w, 1, c)
}
