package krylov

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// Operator is a matrix A that is accessed only by products.
type Operator interface {
	// Multiply sets aq = A·q and atp = Aᵀ·p.
	Multiply(ctx context.Context, q, aq, p, atp blas64.General) error
}

// Matrix is a matrix in memory as an operator.
type Matrix struct{ blas64.General }

// Multiply implements [Operator].
func (m Matrix) Multiply(_ context.Context, q, aq, p, atp blas64.General) error {
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, m.General, q, 0, aq)
	dense.Gemm(blas.Trans, blas.NoTrans, 1, m.General, p, 0, atp)
	return nil
}

// Pair is a pair of block Krylov spaces of a matrix A: P of left and Q of right
// vectors.
type Pair struct {
	P, Q *Basis // with the products Aᵀ·P and A·Q

	op     Operator
	width  int        // of added blocks
	keep   int        // number of vectors kept at a restart
	small  *dense.SVD // SVD of Pᵀ·A·Q
	passes int
}

// NewPair returns the spaces spanned by the columns of two blocks, which it overwrites. Each has
// capacity for the given number of blocks. With at least as many blocks as passes they never
// restart.
func NewPair(op Operator, left, right blas64.General, blocks int) (*Pair, error) {
	n, m, width := left.Rows, right.Rows, max(left.Cols, right.Cols)
	s := &Pair{op: op, width: width, keep: blocks / 2 * width,
		P: NewBasis(n, m, min(n, blocks*width)), Q: NewBasis(m, n, min(m, blocks*width))}
	_, errP := s.P.Add(left, width, Tolerance)
	_, errQ := s.Q.Add(right, width, Tolerance)
	return s, cmp.Or(errP, errQ)
}

// Run iterates and returns the leading triplets.
func (s *Pair) Run(ctx context.Context, it Iteration) (*Triplets, error) {
	return run[*Triplets](ctx, s, it)
}

// multiply computes the missing products of A with columns of Q, and of Aᵀ with columns of P.
func (s *Pair) multiply(ctx context.Context) error {
	q, aq := s.Q.unmultiplied()
	p, atp := s.P.unmultiplied()
	if err := s.op.Multiply(ctx, q, aq, p, atp); err != nil {
		return err
	}
	if err := cmp.Or(checkFinite("A·Q", aq), checkFinite("Aᵀ·P", atp)); err != nil {
		return err
	}
	s.P.productCols, s.Q.productCols = s.P.cols, s.Q.cols
	s.passes++
	var err error
	s.small, err = newSVD("the projected matrix", dense.Mul(blas.Trans, s.P.Vectors(), blas.NoTrans, s.Q.Product()))
	return err
}

// Triplets are approximate singular triplets of A.
type Triplets struct {
	Values      []float64      // descending, without those at rounding level
	Norm        float64        // the largest value
	U, V        blas64.General // Ritz vectors
	AV, ATU     blas64.General // A·V and Aᵀ·U
	Left, Right []float64      // ‖Av − σu‖ and ‖Aᵀu − σv‖ relative to Norm
	Passes      int            // multiplications so far
}

// Residuals returns the larger ones of each triplet.
func (r *Triplets) Residuals() []float64 {
	out := make([]float64, len(r.Values))
	for j := range out {
		out[j] = math.Max(r.Left[j], r.Right[j])
	}
	return out
}

func (r *Triplets) known() (values, residuals []float64, norm float64) {
	return r.Values, r.Residuals(), r.Norm
}

// Ritz returns the largest triplets, at most most.
func (s *Pair) Ritz(most int) *Triplets {
	k := min(most, dense.Rank(s.small.S, Tolerance))
	f, g := matrix.Columns(s.small.U, 0, k), matrix.Columns(s.small.V, 0, k)
	r := &Triplets{Values: s.small.S[:k], Norm: s.norm(), Passes: s.passes,
		U: dense.Mul(blas.NoTrans, s.P.Vectors(), blas.NoTrans, f), V: dense.Mul(blas.NoTrans, s.Q.Vectors(), blas.NoTrans, g),
		AV: dense.Mul(blas.NoTrans, s.Q.Product(), blas.NoTrans, g), ATU: dense.Mul(blas.NoTrans, s.P.Product(), blas.NoTrans, f)}
	r.Left, r.Right = Residuals(r.AV, r.U, r.Values, r.Norm), Residuals(r.ATU, r.V, r.Values, r.Norm)
	return r
}

// norm returns the largest singular value of the projected matrix, an estimate of ‖A‖.
func (s *Pair) norm() float64 {
	if len(s.small.S) == 0 {
		return 0
	}
	return s.small.S[0]
}

// extend adds A times the newest block of Q to P, and Aᵀ times the newest block of P to Q, after a
// restart if either is full. It reports whether either has grown.
func (s *Pair) extend() (bool, error) {
	if s.P.full(s.width) || s.Q.full(s.width) {
		keep := min(s.keep, dense.Rank(s.small.S, Tolerance))
		s.P.restart(matrix.Columns(s.small.U, 0, keep))
		s.Q.restart(matrix.Columns(s.small.V, 0, keep))
	}
	least := Tolerance * s.norm()
	aq, atp := s.Q.newestProduct(), s.P.newestProduct()
	p, errP := s.P.Add(aq, s.width, least)
	q, errQ := s.Q.Add(atp, s.width, least)
	return p || q, cmp.Or(errP, errQ)
}
