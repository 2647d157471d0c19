package krylov

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
)

// Symmetric is a symmetric matrix A that is accessed only by products.
type Symmetric interface {
	// Multiply sets aq = A·q.
	Multiply(ctx context.Context, q, aq blas64.General) error
}

// SymmetricMatrix is a symmetric matrix in memory.
type SymmetricMatrix struct{ blas64.General }

// Multiply implements [Symmetric].
func (m SymmetricMatrix) Multiply(_ context.Context, q, aq blas64.General) error {
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, m.General, q, 0, aq)
	return nil
}

// Gram is the matrix B·Bᵀ for a B in memory.
type Gram struct{ blas64.General }

// Multiply implements [Symmetric].
func (m Gram) Multiply(_ context.Context, q, aq blas64.General) error {
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, m.General, dense.Mul(blas.Trans, m.General, blas.NoTrans, q), 0, aq)
	return nil
}

// Choice selects the order of eigenpairs.
type Choice uint8

const (
	// Positive orders by θ and drops values ≤ 0 or at rounding level.
	Positive Choice = iota
	// Magnitude orders by |θ| and drops values at rounding level.
	Magnitude
	// Algebraic orders by θ, whatever the sign.
	Algebraic
)

// Space is a block Krylov space of a symmetric matrix A.
type Space struct {
	Q      *Basis // with the product A·Q
	Choice Choice

	op     Symmetric
	width  int       // of added blocks
	keep   int       // number of vectors kept at a restart
	values []float64 // θ, the eigenvalues of QᵀAQ, descending
	inner  blas64.General
	passes int
}

// NewSpace returns the space spanned by the columns of a block, which it overwrites. It has
// capacity for the given number of blocks. With at least as many blocks as passes it never
// restarts.
func NewSpace(op Symmetric, start blas64.General, blocks int) (*Space, error) {
	n, width := start.Rows, start.Cols
	s := &Space{Q: NewBasis(n, n, min(n, blocks*width)), op: op, width: width, keep: blocks / 2 * width}
	_, err := s.Q.Add(start, width, Tolerance)
	return s, err
}

// Run iterates and returns the leading pairs.
func (s *Space) Run(ctx context.Context, it Iteration) (*Pairs, error) {
	return run[*Pairs](ctx, s, it)
}

// multiply computes the missing products of A with columns of Q.
func (s *Space) multiply(ctx context.Context) (err error) {
	q, aq := s.Q.unmultiplied()
	if err := s.op.Multiply(ctx, q, aq); err != nil {
		return err
	}
	if err := checkFinite("A·Q", aq); err != nil {
		return err
	}
	s.Q.productCols = s.Q.cols
	s.passes++
	return s.decompose()
}

// decompose computes the eigenpairs of QᵀAQ.
func (s *Space) decompose() (err error) {
	small := dense.SymmetricPart(dense.Mul(blas.Trans, s.Q.Vectors(), blas.NoTrans, s.Q.Product()))
	if err := checkFinite("the projected matrix", small); err != nil {
		return err
	}
	if s.values, s.inner, err = symeig.Decompose(small); err != nil {
		return fmt.Errorf("the projected matrix: %w", err)
	}
	dense.FixSigns(blas64.General{}, s.inner)
	return nil
}

// Pairs are approximate eigenpairs of A.
type Pairs struct {
	Values    []float64      // descending
	Rest      []float64      // the other Ritz values
	Norm      float64        // the largest |θ|
	U, AU     blas64.General // Ritz vectors, and A times them
	Residuals []float64      // ‖Au − θu‖ relative to Norm
	Passes    int            // multiplications so far
}

func (p *Pairs) known() (values, residuals []float64, norm float64) {
	return p.Values, p.Residuals, p.Norm
}

// Ritz returns the leading pairs, at most most.
func (s *Space) Ritz(most int) *Pairs {
	order := s.order()
	norm := s.norm()
	k := 0
	for k < min(most, len(order)) && (s.Choice == Algebraic || s.size(order[k]) > Tolerance*norm) {
		k++
	}
	p := &Pairs{Norm: norm, Passes: s.passes}
	for _, j := range order[k:] {
		p.Rest = append(p.Rest, s.values[j])
	}
	chosen := order[:k]
	slices.Sort(chosen)
	for _, j := range chosen {
		p.Values = append(p.Values, s.values[j])
	}
	f := dense.PickColumns(s.inner, chosen)
	p.U, p.AU = dense.Mul(blas.NoTrans, s.Q.Vectors(), blas.NoTrans, f), dense.Mul(blas.NoTrans, s.Q.Product(), blas.NoTrans, f)
	p.Residuals = Residuals(p.AU, p.U, p.Values, norm)
	return p
}

// order returns the indices of the Ritz values in the order of Choice.
func (s *Space) order() []int {
	order := make([]int, len(s.values))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.size(b), s.size(a)) })
	return order
}

// size returns the sort key of a Ritz value.
func (s *Space) size(j int) float64 {
	if s.Choice == Magnitude {
		return math.Abs(s.values[j])
	}
	return s.values[j]
}

// norm returns the largest |θ|, an estimate of ‖A‖.
func (s *Space) norm() float64 {
	if len(s.values) == 0 {
		return 0
	}
	return math.Max(math.Abs(s.values[0]), math.Abs(s.values[len(s.values)-1]))
}

// extend adds A times the newest block of Q to Q, after a restart if Q is full, and reports whether
// it has grown.
func (s *Space) extend() (bool, error) {
	if s.Q.full(s.width) {
		order := s.order()
		s.Q.restart(dense.PickColumns(s.inner, order[:min(s.keep, len(order))]))
	}
	return s.Q.Add(s.Q.newestProduct(), s.width, Tolerance*s.norm())
}
