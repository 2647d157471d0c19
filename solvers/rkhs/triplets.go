package rkhs

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// triplets are singular values and singular functions in orthonormal bases: all of
// them that are not rounding.
type triplets struct {
	u, v   blas64.General
	values []float64
}

// rankTolerance is the part of the first value at or below which values are rounding;
// those of the auxiliary problem are squares.
const (
	rankTolerance    = 1e-12
	squaredTolerance = 1e-14
	// roundingTolerance is the part of the product of the norms of its factors at or
	// below which a value of a product is rounding.
	roundingTolerance = 1e-15
)

// errZeroOperator says that there is nothing to decompose.
func errZeroOperator(op Operator) error {
	return fmt.Errorf("operator %s is zero to rounding: x and y do not depend on each other to these kernels", op)
}

// newTriplets decomposes S in orthonormal bases (paper, Corollary 3.5).
func newTriplets(op Operator, p *problem) (*triplets, error) {
	d, err := dense.NewSVD(p.s)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w; raise epsilon or scale the columns (--scale standard)", op, err)
	}
	r := dense.Rank(d.S, rankTolerance)
	for r > 0 && d.S[r-1] <= roundingTolerance*p.size {
		r--
	}
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	return &triplets{dense.Columns(d.U, 0, r), dense.Columns(d.V, 0, r), d.S[:r]}, nil
}

// auxiliaryTriplets solves BᵀG_ΨB·G_Φ·w = σ²w (paper, Proposition 3.13). With G_Φ = XXᵀ
// its eigenvalues are those of the symmetric matrix Xᵀ·BᵀG_ΨB·X, whose eigenvectors are
// the v of norm 1, wᵀG_Φw = 1, in the basis of X; and u = S·v/σ, made orthogonal where σ
// is close to another (Remark 3.14).
func auxiliaryTriplets(op Operator, b, gramLeft, s, right blas64.General) (*triplets, error) {
	bx := mul(b, right)
	squares, v, err := symeig.Decompose(dense.SymmetricPart(dense.Mul(blas.Trans, bx, blas.NoTrans, mul(gramLeft, bx))))
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	r := min(dense.Rank(squares, squaredTolerance), s.Rows)
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	t := &triplets{v: dense.Clone(dense.Columns(v, 0, r)), values: make([]float64, r)}
	over := make([]float64, r)
	for i := range over {
		t.values[i] = math.Sqrt(squares[i])
		over[i] = 1 / t.values[i]
	}
	t.u = mul(s, t.v)
	dense.ScaleColumns(t.u, over)
	if t.u, err = orthonormal(t.u); err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	dense.FixSigns(t.u, t.v)
	return t, nil
}

// orthonormal are columns that are so nearly, made so to rounding, each by those before
// it: the Q of a QR decomposition.
func orthonormal(m blas64.General) (blas64.General, error) {
	q, _, err := sketch.CholeskyQR(m)
	return q, err
}

// blockTriplets solves the block problem (paper, Theorem 3.17) in bases where it is
// symmetric,
//
//	[0  S; Sᵀ  0]·(u; v) = σ·(u; v)
//
// whose positive eigenvalues are the singular values.
func blockTriplets(op Operator, s blas64.General) (*triplets, error) {
	q, p := s.Rows, s.Cols
	block := stream.NewMatrix(q+p, q+p)
	for i := range q {
		copy(dense.Row(block, i)[q:], dense.Row(s, i))
		for j, v := range dense.Row(s, i) {
			block.Data[(q+j)*block.Stride+i] = v
		}
	}
	values, vectors, err := symeig.Decompose(block)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	r := min(dense.Rank(values, rankTolerance), p, q)
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	t := &triplets{values: values[:r]}
	half := dense.Columns(vectors, 0, r)
	for _, part := range []struct {
		to          *blas64.General
		first, rows int
	}{{&t.u, 0, q}, {&t.v, q, p}} {
		m := dense.Clone(stream.RowSlice(half, part.first, part.rows))
		for i := range m.Data {
			m.Data[i] *= math.Sqrt2
		}
		if *part.to, err = orthonormal(m); err != nil {
			return nil, fmt.Errorf("operator %s: %w", op, err)
		}
	}
	dense.FixSigns(t.u, t.v)
	return t, nil
}

// residuals are the larger of ‖Sv−σu‖ and ‖S*u−σv‖ for the first r triplets, relative to
// the first σ.
func (t *triplets) residuals(s blas64.General, r int) []float64 {
	forth, back := mul(s, t.v), dense.Mul(blas.Trans, s, blas.NoTrans, t.u)
	out := make([]float64, r)
	for j := range out {
		off := math.Max(columnDistance(forth, t.u, t.values[j], j), columnDistance(back, t.v, t.values[j], j))
		out[j] = off / t.values[0]
	}
	return out
}

// columnDistance is ‖a_j − σ·b_j‖.
func columnDistance(a, b blas64.General, sigma float64, j int) float64 {
	d := make([]float64, a.Rows)
	for i := range d {
		d[i] = a.Data[i*a.Stride+j] - sigma*b.Data[i*b.Stride+j]
	}
	return dense.Norm(d)
}
