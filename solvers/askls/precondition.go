package askls

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// preconditioner is a positive definite function h of an approximation M̂ of M: |M̂|⁻¹ for the plain system and (M̂² +
// λI)⁻¹ for the ridge system. If the approximation is exact, MINRES takes two steps.
type preconditioner struct {
	core
	source, target blas64.General // Q_s and Q_t, n×(r+1): orthonormal, beginning with 1/√n
}

// newPreconditioner makes the preconditioner of K ≈ U·diag(values)·Vᵀ. Without values it acts on the borders alone.
func newPreconditioner(u, v blas64.General, values []float64, gamma float64) (*preconditioner, error) {
	p := &preconditioner{core: core{gamma: gamma}}
	var r, t blas64.General
	p.source, r = orthonormal(u)
	p.target, t = orthonormal(v)
	scaled := matrix.Clone(r)
	dense.ScaleColumns(scaled, append([]float64{0}, values...))
	return p, p.decompose(bordered(dense.Mul(blas.NoTrans, scaled, blas.Trans, t), firstColumn(r), firstColumn(t), gamma))
}

// orthonormal returns the thin QR decomposition of [1 u], by Householder reflections. If rows are fewer than columns, Q
// is square.
func orthonormal(u blas64.General) (q, r blas64.General) {
	a := matrix.New(u.Rows, 1+u.Cols)
	for i := range u.Rows {
		row := matrix.Row(a, i)
		row[0] = 1
		copy(row[1:], matrix.Row(u, i))
	}
	reflectors := householder.QR(a)
	k := len(reflectors.Tau)
	r = matrix.New(k, a.Cols)
	for i := range k {
		copy(matrix.Row(r, i)[i:], matrix.Row(a, i)[i:])
	}
	return reflectors.Thin(), r
}

// apply stores h(M̂)·x in px.
func (p *preconditioner) apply(h func(float64) float64, x, px blas64.General) {
	from, to := partsOf(x), partsOf(px)
	g := matrix.New(2+p.source.Cols+p.target.Cols, x.Cols)
	inS, inT := matrix.Rows(g, 2, p.source.Cols), matrix.Rows(g, 2+p.source.Cols, p.target.Cols)
	copy(matrix.Row(g, 0), from.b1)
	copy(matrix.Row(g, 1), from.b2)
	dense.Gemm(blas.Trans, blas.NoTrans, 1, p.source, from.a, 0, inS)
	dense.Gemm(blas.Trans, blas.NoTrans, 1, p.target, from.b, 0, inT)
	made := p.solveBy(h, g)
	rest := h(1 / p.gamma)
	copy(to.b1, matrix.Row(made, 0))
	copy(to.b2, matrix.Row(made, 1))
	for _, side := range []struct{ q, from, to, in, out blas64.General }{
		{p.source, from.a, to.a, inS, matrix.Rows(made, 2, p.source.Cols)},
		{p.target, from.b, to.b, inT, matrix.Rows(made, 2+p.source.Cols, p.target.Cols)},
	} {
		for i := range side.out.Rows { // the change within the subspace
			matrix.Axpy(-rest, matrix.Row(side.in, i), matrix.Row(side.out, i))
		}
		for i := range side.from.Rows {
			for c, v := range matrix.Row(side.from, i) {
				matrix.Row(side.to, i)[c] = rest * v
			}
		}
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, side.q, side.out, 1, side.to)
	}
}

// definite returns h for a system. It bounds eigenvalues away from 0, where the approximation is unreliable.
func definite(gamma, ridge float64) func(float64) float64 {
	if ridge > 0 {
		return func(v float64) float64 { return 1 / (v*v + ridge) }
	}
	least := 1e-3 / gamma
	return func(v float64) float64 { return 1 / max(math.Abs(v), least) }
}

// preconditioner returns the preconditioner of the low-rank approximation, or of the borders alone for an explicit
// matrix.
func (f *fit) preconditioner(ctx context.Context, s *solution) (*preconditioner, error) {
	n := f.targets.Rows
	if f.data.explicit() || f.Rank >= n {
		return newPreconditioner(matrix.New(n, 0), matrix.New(n, 0), nil, f.C)
	}
	k, err := f.nystrom().Fit(ctx, f.engine, f.data.sides, f.kernel)
	if err != nil {
		return nil, fmt.Errorf("the preconditioner: %w", err)
	}
	embedder, rows, err := k.Fitted(model.Both)
	if err != nil {
		return nil, err
	}
	both, err := stream.MapRows(ctx, f.engine, "transform", rows, 2*k.Rank(), embedder)
	if err != nil {
		return nil, err
	}
	s.report.KernelEntries += k.KernelEntries + passEntries(k)
	s.report.SourcePasses += k.SourcePasses + 1 // for the factors
	s.rank = k.Rank()
	return newPreconditioner(matrix.Columns(both, 0, k.Rank()), matrix.Columns(both, k.Rank(), k.Rank()), k.Values, f.C)
}
