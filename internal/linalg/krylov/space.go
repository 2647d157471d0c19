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

// Symmetric is a symmetric matrix A that is known by what it does.
type Symmetric interface {
	// Multiply puts A·q into aq.
	Multiply(ctx context.Context, q, aq blas64.General) error
}

// SymmetricMatrix is a symmetric matrix in memory.
type SymmetricMatrix struct{ blas64.General }

// Multiply implements [Symmetric].
func (m SymmetricMatrix) Multiply(_ context.Context, q, aq blas64.General) error {
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, m.General, q, 0, aq)
	return nil
}

// Gram is A = B·Bᵀ for a matrix B in memory.
type Gram struct{ blas64.General }

// Multiply implements [Symmetric].
func (m Gram) Multiply(_ context.Context, q, aq blas64.General) error {
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, m.General, dense.Mul(blas.Trans, m.General, blas.NoTrans, q), 0, aq)
	return nil
}

// Choice says which eigenpairs are the largest.
type Choice uint8

const (
	// Positive are those of the largest θ, as far as these are above 0 by more than rounding.
	Positive Choice = iota
	// Magnitude are those of the largest |θ|, as far as these are more than rounding.
	Magnitude
	// Algebraic are those of the largest θ, whatever their sign.
	Algebraic
)

// Space is a block Krylov space of a symmetric matrix A.
type Space struct {
	Q      *Basis // and A·Q
	Choice Choice

	op     Symmetric
	width  int       // of the blocks that are added
	keep   int       // vectors that a restart keeps
	values []float64 // θ, the eigenvalues of QᵀAQ, descending
	inner  blas64.General
	passes int
}

// NewSpace returns the space that begins with the columns of a block, which it
// overwrites. It holds as many blocks as that; with no fewer than passes it never
// begins again.
func NewSpace(op Symmetric, start blas64.General, blocks int) (*Space, error) {
	n, width := start.Rows, start.Cols
	s := &Space{Q: NewBasis(n, n, min(n, blocks*width)), op: op, width: width, keep: blocks / 2 * width}
	_, err := s.Q.Add(start, width, Tolerance)
	return s, err
}

// Run finds the leading pairs.
func (s *Space) Run(ctx context.Context, it Iteration) (*Pairs, error) {
	return run[*Pairs](ctx, s, it)
}

// multiply makes A times the columns of Q that it is not known for.
func (s *Space) multiply(ctx context.Context) (err error) {
	q, aq := s.Q.unknown()
	if err := s.op.Multiply(ctx, q, aq); err != nil {
		return err
	}
	if err := checkFinite("A·Q", aq); err != nil {
		return err
	}
	s.Q.known = s.Q.cols
	s.passes++
	return s.decompose()
}

// decompose finds the eigenpairs of QᵀAQ.
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

// Pairs are what is known of the eigenpairs of A from a space.
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

// Ritz returns at most so many pairs, the largest.
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

// order returns the Ritz values by their size, the largest first.
func (s *Space) order() []int {
	order := make([]int, len(s.values))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.size(b), s.size(a)) })
	return order
}

// size returns what the largest pairs are the largest in.
func (s *Space) size(j int) float64 {
	if s.Choice == Magnitude {
		return math.Abs(s.values[j])
	}
	return s.values[j]
}

// norm returns that of A, or nearly.
func (s *Space) norm() float64 {
	if len(s.values) == 0 {
		return 0
	}
	return math.Max(math.Abs(s.values[0]), math.Abs(s.values[len(s.values)-1]))
}

// extend adds A times the newest block of Q to Q, after a restart if there is no room,
// and reports whether it has grown.
func (s *Space) extend() (bool, error) {
	if s.Q.full(s.width) {
		order := s.order()
		s.Q.restart(dense.PickColumns(s.inner, order[:min(s.keep, len(order))]))
	}
	return s.Q.Add(s.Q.newestProduct(), s.width, Tolerance*s.norm())
}
