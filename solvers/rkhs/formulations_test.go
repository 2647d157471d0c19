package rkhs

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// formulation selects the matrix problem to solve. The package uses the first. The others have n or 2n rows and the
// explicit B, and share only the features with it.
type formulation string

const (
	// qr is the kernel QR decomposition (paper, Corollaries 3.5 and 3.6): the matrix of S in orthonormal bases of the
	// features, from the factors alone, without squaring.
	qr formulation = "qr"
	// auxiliary is the auxiliary problem: BᵀG_ΨB·G_Φ·w = σ²·w (Proposition 3.13), or B·ΦᵀΥ·w = λ·w (Proposition 3.8).
	// The first is symmetric with G_Φ = XXᵀ. It yields σ², so it resolves singular values down to 1e-7 of the first.
	auxiliary formulation = "auxiliary"
	// block is the problem of twice the size (Theorem 3.17), made symmetric in the same way. It yields singular values
	// only.
	block formulation = "block"
)

// fitBy fits with the exact engine and the given formulation.
func fitBy(t *testing.T, form formulation, s Solver, d *Data, k kernelgen.Kernel) *Fit {
	t.Helper()
	s.Algorithm = AlgorithmExact
	f := mustFit(t, s, d, k)
	if form == qr {
		return f
	}
	if err := decomposeBy(t, form, s.with(k), d, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// decomposeBy replaces the decomposition of a fit within the span of its features.
func decomposeBy(t *testing.T, form formulation, s resolvedSolver, d *Data, fit *Fit) error {
	t.Helper()
	e := stream.Engine{Threads: 2}
	s, _, err := s.settings(e, d.Size())
	if err != nil {
		return err
	}
	sp, err := s.newSpaces(t.Context(), e, d)
	if err != nil {
		return err
	}
	m, err := s.sums(t.Context(), e, d, sp)
	if err != nil {
		return err
	}
	f, means := factorsOf(m, sp, s.Center, s.Cutoff)
	c := &decomposition{resolvedSolver: s, spaces: sp, means: means, fit: fit}
	all, err := c.allPairs(t.Context(), e, d)
	if err != nil {
		return err
	}
	b, err := all.represent(c.Operator)
	if err != nil {
		return err
	}
	sides := c.Operator.Traits()
	left, right := all.features[sides.Range], all.features[sides.Domain]
	matrix := inBases(b.General, left, right)
	if s.Task == Eigen {
		pairs, err := auxiliaryPairs(c.Operator, b.General, all.cross(sides.Domain, sides.Range), left, right)
		if err != nil {
			return err
		}
		fit.Spectrum, fit.Values, fit.Imag = nil, nil, nil
		c.eigen(pairs, matrix)
		return nil
	}
	var found *triplets
	if form == auxiliary {
		found, err = auxiliaryTriplets(c.Operator, b.General, all.gram(sides.Range), matrix, right)
	} else {
		found, err = blockTriplets(c.Operator, matrix)
	}
	if err != nil {
		return err
	}
	return c.svd(found, matrix, f)
}

// squaredTolerance is the cutoff for eigenvalues of the auxiliary problem, which are squares, relative to the first.
const squaredTolerance = 1e-14

// auxiliaryTriplets solves BᵀG_ΨB·G_Φ·w = σ²w (paper, Proposition 3.13). With G_Φ = XXᵀ its eigenvalues are those of
// the symmetric matrix Xᵀ·BᵀG_ΨB·X. Its eigenvectors are v with norm 1, wᵀG_Φw = 1, in the basis of X. u is S·v/σ,
// orthogonalised where values of σ are close (Remark 3.14).
func auxiliaryTriplets(op Operator, b, gramLeft, s, right blas64.General) (*triplets, error) {
	bx := multiply(b, right)
	squares, v, err := symeig.Decompose(dense.SymmetricPart(dense.Mul(blas.Trans, bx, blas.NoTrans,
		multiply(gramLeft, bx))))
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	r := min(dense.Rank(squares, squaredTolerance), s.Rows)
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	t := &triplets{v: matrix.Clone(matrix.Columns(v, 0, r)), values: make([]float64, r)}
	over := make([]float64, r)
	for i := range over {
		t.values[i] = math.Sqrt(squares[i])
		over[i] = 1 / t.values[i]
	}
	t.u = multiply(s, t.v)
	dense.ScaleColumns(t.u, over)
	if t.u, err = orthonormal(t.u); err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	dense.FixSigns(t.u, t.v)
	return t, nil
}

// orthonormal returns Q of a QR decomposition of nearly orthonormal columns.
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
	block := matrix.New(q+p, q+p)
	for i := range q {
		copy(matrix.Row(block, i)[q:], matrix.Row(s, i))
		for j, v := range matrix.Row(s, i) {
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
	half := matrix.Columns(vectors, 0, r)
	for _, part := range []struct {
		to          *blas64.General
		first, rows int
	}{{&t.u, 0, q}, {&t.v, q, p}} {
		m := matrix.Clone(matrix.Rows(half, part.first, part.rows))
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

// auxiliaryPairs solves B·ΦᵀΥ·w = λ·w for S = Υ·B·Φᵀ (paper, Proposition 3.8): Υw are
// eigenfunctions of S, and Φ·Bᵀw' those of S*, for w' of the transposed matrix (Remark
// 3.9). cross is ΦᵀΥ; left and right are Υᵀ and Φᵀ in the bases.
func auxiliaryPairs(op Operator, b, cross, left, right blas64.General) (*eigenpairs, error) {
	p, err := generalPairs(op, multiply(b, cross))
	if err != nil {
		return nil, err
	}
	p.right = transposedTimes(left, p.right)
	p.left = transposedTimes(multiply(b, right), p.left)
	p.normalise()
	return p, nil
}
