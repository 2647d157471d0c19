package askls

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// A formed system is a symmetric matrix M in memory, factored once for all right sides:
// M = P·L·U for the plain system, M² + λI = RᵀR for the ridge one.

// errSingular reports that a system is singular to rounding.
var errSingular = errors.New("the system is singular to rounding")

// singularCondition is the condition number from which on a system counts as singular:
// fewer than 3 digits of its solution would be right.
const singularCondition = 1e13

// factored is a formed system.
type factored struct {
	m         blas64.General
	ridge     float64
	lu        blas64.General // of M; or empty
	pivots    []int
	chol      blas64.Triangular // of M² + λI
	inverse   blas64.General    // of M or M² + λI, once it is asked for
	condition float64           // of M, in the 1-norm; of M² + λI for a ridge system
}

// factorPlain factors M. Cost: 2/3·N³ flops and a copy. errSingular comes with the
// condition number in the result.
func factorPlain(m blas64.General) (*factored, error) {
	f := &factored{m: m, lu: dense.Clone(m), pivots: make([]int, m.Rows)}
	norm := lapack64.Lange(lapack.MaxColumnSum, m, make([]float64, m.Cols))
	if norm-norm != 0 {
		return nil, errors.New("the system overflows: scale the kernel down, or take another `C`")
	}
	f.condition = math.Inf(1)
	if !lapack64.Getrf(f.lu, f.pivots) {
		return f, errSingular
	}
	f.condition = 1 / lapack64.Gecon(lapack.MaxColumnSum, f.lu, norm, make([]float64, 4*m.Rows), make([]int, m.Rows))
	if !(f.condition < singularCondition) {
		return f, errSingular
	}
	return f, nil
}

// factorRidge factors M² + λI. Cost: 4/3·N³ flops and a copy.
func factorRidge(m blas64.General, ridge float64) (*factored, error) {
	f := &factored{m: m, ridge: ridge}
	square := blas64.Symmetric{N: m.Rows, Stride: m.Rows, Uplo: blas.Upper, Data: make([]float64, m.Rows*m.Rows)}
	blas64.Syrk(blas.NoTrans, 1, m, 0, square)
	for i := range m.Rows {
		square.Data[i*m.Rows+i] += ridge
	}
	norm := lapack64.Lansy(lapack.MaxColumnSum, square, make([]float64, m.Rows))
	if norm-norm != 0 {
		return nil, errors.New("the squared system overflows: scale the kernel down, or take another `C`")
	}
	chol, ok := lapack64.Potrf(square)
	f.condition = math.Inf(1)
	if ok {
		f.condition = 1 / lapack64.Pocon(square, norm, make([]float64, 3*m.Rows), make([]int, m.Rows))
	}
	if !(f.condition < singularCondition) {
		return f, fmt.Errorf("the ridge system M² + λI has the condition number %.1e: λ = %v is too small for it", f.condition, ridge)
	}
	f.chol = chol
	return f, nil
}

// solve returns x for a right side r, and for a ridge system (M² + λI)⁻¹·r besides, with
// one step of iterative refinement.
func (f *factored) solve(r blas64.General) (x, u blas64.General) {
	right := r
	if f.ridge > 0 {
		right = dense.Mul(blas.NoTrans, f.m, blas.NoTrans, r)
		u = dense.Clone(r)
		f.apply(u)
	}
	x = dense.Clone(right)
	f.apply(x)
	left := dense.Clone(right) // what x leaves
	f.subtract(x, left)
	f.apply(left)
	for i := range x.Rows {
		dense.Axpy(1, dense.Row(left, i), dense.Row(x, i))
	}
	return x, u
}

// subtract takes the matrix times x away from left.
func (f *factored) subtract(x, left blas64.General) {
	if f.ridge == 0 {
		dense.Gemm(blas.NoTrans, blas.NoTrans, -1, f.m, x, 1, left)
		return
	}
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, f.m, dense.Mul(blas.NoTrans, f.m, blas.NoTrans, x), 1, left)
	for i := range x.Rows {
		dense.Axpy(-f.ridge, dense.Row(x, i), dense.Row(left, i))
	}
}

// residuals returns ‖right − matrix·x‖/‖right‖ of each column, of the system solved.
func (f *factored) residuals(x, r blas64.General) []float64 {
	right := r
	if f.ridge > 0 {
		right = dense.Mul(blas.NoTrans, f.m, blas.NoTrans, r)
	}
	left := dense.Clone(right)
	f.subtract(x, left)
	ratios, all := columnNorms(left), columnNorms(right)
	for c, v := range ratios {
		if v != 0 {
			ratios[c] = v / all[c]
		}
	}
	return ratios
}

// columnNorms returns the lengths of the columns.
func columnNorms(m blas64.General) []float64 {
	v := make([]float64, m.Cols)
	for c := range v {
		v[c] = dense.Norm(dense.MulVector(blas.NoTrans, dense.Columns(m, c, 1), []float64{1}))
	}
	return v
}

// apply solves with the factors in place.
func (f *factored) apply(x blas64.General) {
	if f.ridge > 0 {
		lapack64.Potrs(f.chol, x)
		return
	}
	lapack64.Getrs(blas.NoTrans, f.lu, x, f.pivots)
}

// invert replaces the factors by the inverse. Cost: 4/3·N³ flops.
func (f *factored) invert() error {
	if f.ridge > 0 {
		lapack64.Potri(f.chol)
		n := f.chol.N
		f.inverse = blas64.General{Rows: n, Cols: n, Stride: f.chol.Stride, Data: f.chol.Data}
		for i := range n {
			for j := range i {
				f.inverse.Data[i*f.inverse.Stride+j] = f.inverse.Data[j*f.inverse.Stride+i]
			}
		}
		return nil
	}
	n := f.lu.Rows
	work := make([]float64, 64*n)
	if !lapack64.Getri(f.lu, f.pivots, work, len(work)) {
		return errSingular
	}
	f.inverse = f.lu
	return nil
}

// leftOut returns what the system without some of its rows and columns says of them: row i
// of M times the solution of the rest, for each i of out, given the solution x, u of the
// whole. With Z the inverse of the whole, z the solution and r the right side,
//
//	M_FC·x_C = r_F − (Z_FF)⁻¹·z_F
//
// since Z_FF is the inverse of the Schur complement of the rest (for LS-SVMs: Cawley
// 2006, "Leave-one-out cross-validation based model selection criteria for weighted
// LS-SVMs"). The ridge system of the rest is a part of that of the whole too, as
//
//	[√λI   M  ]   [u']   [r]
//	[M   −√λI ] · [x ] = [0]      with the inverse itself times (M² + λI)⁻¹
//
// Cost: O(|out|³), and 2·N·|out|² for a ridge system.
func (f *factored) leftOut(out []int, r, x, u blas64.General) (blas64.General, error) {
	n := len(out)
	block, right := f.blockOf(out), stream.NewMatrix(n, r.Cols)
	if f.ridge > 0 {
		right = stream.NewMatrix(2*n, r.Cols)
	}
	root := math.Sqrt(f.ridge)
	for i, row := range out {
		if f.ridge == 0 {
			copy(dense.Row(right, i), dense.Row(x, row))
			continue
		}
		dense.Axpy(root, dense.Row(u, row), dense.Row(right, i))
		copy(dense.Row(right, n+i), dense.Row(x, row))
	}
	part, err := factorPlain(block)
	if err != nil {
		return right, fmt.Errorf("the system without a fold: %w (condition number %.1e)", err, part.reported())
	}
	z, _ := part.solve(right)
	said := stream.NewMatrix(n, r.Cols)
	for i, row := range out {
		for c, v := range dense.Row(r, row) {
			dense.Row(said, i)[c] = v - dense.Row(z, i)[c]
		}
	}
	return said, nil
}

// reported returns the condition number, NaN if there is none.
func (f *factored) reported() float64 {
	if f == nil {
		return math.NaN()
	}
	return f.condition
}

// blockOf returns Z_FF.
func (f *factored) blockOf(out []int) blas64.General {
	n := len(out)
	if f.ridge == 0 {
		block := stream.NewMatrix(n, n)
		for i, row := range out {
			for j, col := range out {
				block.Data[i*n+j] = f.inverse.Data[row*f.inverse.Stride+col]
			}
		}
		return block
	}
	rows, back := stream.NewMatrix(n, f.m.Cols), stream.NewMatrix(n, f.m.Cols)
	for i, row := range out {
		copy(dense.Row(rows, i), dense.Row(f.m, row))
		copy(dense.Row(back, i), dense.Row(f.inverse, row))
	}
	both := dense.Mul(blas.NoTrans, rows, blas.Trans, back) // M·(M²+λI)⁻¹
	root := math.Sqrt(f.ridge)
	block := stream.NewMatrix(2*n, 2*n)
	for i := range n {
		for j, col := range out {
			v := root * f.inverse.Data[out[i]*f.inverse.Stride+col]
			block.Data[i*2*n+j], block.Data[(n+i)*2*n+n+j] = v, -v
			w := both.Data[i*both.Stride+j]
			block.Data[i*2*n+n+j], block.Data[(n+i)*2*n+j] = w, w
		}
	}
	return block
}
