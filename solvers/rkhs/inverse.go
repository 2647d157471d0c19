package rkhs

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/minres"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// inverse solves (G+ε)·x = b for the Gram matrix of rows in memory: MINRES,
// preconditioned by the leading eigenpairs of a pivoted Cholesky factorisation, G ≈ UΛUᵀ,
//
//	(G+ε)⁻¹ ≈ U·((λ_p+ε)/(Λ+ε) − I)·Uᵀ + I
//
// (Frangella, Tropp and Udell 2023, "Randomized Nyström preconditioning").
type inverse struct {
	*gramTiles
	ridge   float64
	vectors blas64.General // U, n×p
	values  []float64      // Λ
	worst   float64        // residual of all solves
}

// The preconditioner, and how well systems are solved.
const (
	preconditionRank = 512
	solveTolerance   = 1e-14
	solveIterations  = 2000
	solveHopeless    = 1e-4
)

// newInverse makes the preconditioner.
func newInverse(ctx context.Context, g *gramTiles, ridge float64, seed uint64) (*inverse, error) {
	src := stream.FromMatrix("rows", g.rows)
	f, err := lowrank.RPCholesky{Rank: min((g.rows.Rows+3)/4, preconditionRank), Seed: seed}.Fit(ctx, g.engine, model.Sources{Left: src}, g.kernel)
	if err != nil {
		return nil, err
	}
	features, err := (&Functions{Space: f.Model, Coefficients: identityOf(f.Left.Rank())}).At(ctx, g.engine, g.rows)
	if err != nil {
		return nil, err
	}
	g.entries += f.KernelEntries + int64(g.rows.Rows)*int64(f.Left.Entries())
	dense.ScaleRows(features, g.roots)
	g.centre(features)
	d, err := dense.NewSVD(features)
	if err != nil {
		return nil, err
	}
	in := &inverse{gramTiles: g, ridge: ridge, vectors: d.U, values: make([]float64, len(d.S))}
	for i, s := range d.S {
		in.values[i] = s * s
	}
	return in, nil
}

// identityOf returns the n×n matrix.
func identityOf(n int) blas64.General {
	m := stream.NewMatrix(n, n)
	for i := range n {
		m.Data[i*m.Stride+i] = 1
	}
	return m
}

// solve returns (G+ε+shift)⁻¹·b.
func (in *inverse) solve(ctx context.Context, b blas64.General, shift float64) (blas64.General, error) {
	ridge := in.ridge + shift
	last := in.values[len(in.values)-1] + ridge
	weights := make([]float64, len(in.values))
	for i, v := range in.values {
		weights[i] = last/(v+ridge) - 1
	}
	s, err := minres.Solver{
		Multiply: func(ctx context.Context, x, ax blas64.General) error {
			v, err := in.multiply(ctx, x)
			if err == nil {
				copyInto(ax, v)
				dense.Add(ridge, x, ax)
			}
			return err
		},
		Precondition: func(x, px blas64.General) {
			c := transposedTimes(in.vectors, x)
			dense.ScaleRows(c, weights)
			copyInto(px, x)
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, in.vectors, c, 1, px)
		},
		Tolerance: solveTolerance, Iterations: solveIterations,
	}.Solve(ctx, b)
	if err != nil {
		return blas64.General{}, err
	}
	if !(s.Residual <= solveHopeless) {
		return s.X, fmt.Errorf("systems of the Gram matrix of all rows with `ridge` %g cannot be solved: after %d iterations the residual is %.1e; raise `ridge`, or take `engine landmark`", in.ridge, s.Iterations, s.Residual)
	}
	in.worst = math.Max(in.worst, s.Residual)
	return s.X, nil
}

func copyInto(dst, src blas64.General) {
	for i := range src.Rows {
		copy(dense.Row(dst, i), dense.Row(src, i))
	}
}

// root returns (G+ε)^(1/2)·b for G with eigenvalues up to largest, as (G+ε)^(−1/2) by
// quadrature of its Cauchy integral, times (G+ε)·b.
func (in *inverse) root(ctx context.Context, b elements, largest float64) (blas64.General, error) {
	right := dense.Clone(b.v)
	dense.Add(in.ridge, b.a, right)
	out := stream.NewMatrix(right.Rows, right.Cols)
	shifts, weights := rootRule(in.ridge, largest+in.ridge)
	for i, shift := range shifts {
		x, err := in.solve(ctx, right, shift)
		if err != nil {
			return out, err
		}
		dense.Add(weights[i], x, out)
	}
	return out, nil
}

// rootRule returns nodes t and weights w with Σ w_i/(λ+t_i) = λ^(−1/2) to rounding for λ from
// low to high (Hale, Higham and Trefethen 2008, "Computing A^α, log(A), and related matrix
// functions by contour integrals", method 3; Pleiss et al. 2020, "Fast matrix square roots
// with applications to Gaussian processes and Bayesian optimization").
func rootRule(low, high float64) (nodes, weights []float64) {
	kappa := high / low
	count := int(math.Ceil(16 * math.Ln10 * (math.Log(kappa) + 3) / (2 * math.Pi * math.Pi)))
	m := 1 - 1/kappa // the parameter of the elliptic functions
	quarter := ellipticK(m)
	for i := range count {
		sn, cn, dn := jacobi((float64(i)+0.5)/float64(count)*quarter, m)
		nodes = append(nodes, low*(sn/cn)*(sn/cn))
		weights = append(weights, 2*math.Sqrt(low)*quarter/(math.Pi*float64(count))*dn/(cn*cn))
	}
	return nodes, weights
}

// ellipticK returns the complete elliptic integral of the first kind of parameter m < 1, by the
// arithmetic-geometric mean.
func ellipticK(m float64) float64 {
	a, b := 1.0, math.Sqrt(1-m)
	for range 40 {
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	return math.Pi / (2 * a)
}

// jacobi returns the Jacobi elliptic functions of parameter m < 1, by descending Landen
// transformations (Abramowitz and Stegun, 16.4).
func jacobi(u, m float64) (sn, cn, dn float64) {
	const steps = 12
	var a, c [steps + 1]float64
	a[0], c[0] = 1, math.Sqrt(m)
	b := math.Sqrt(1 - m)
	for i := range steps {
		a[i+1], c[i+1], b = (a[i]+b)/2, (a[i]-b)/2, math.Sqrt(a[i]*b)
	}
	phi, before := float64(int(1)<<steps)*a[steps]*u, 0.0
	for i := steps; i > 0; i-- {
		before = phi
		phi = (phi + math.Asin(c[i]/a[i]*math.Sin(phi))) / 2
	}
	sn, cn = math.Sin(phi), math.Cos(phi)
	if d := math.Cos(before - phi); math.Abs(d) > 0.1 {
		return sn, cn, cn / d
	}
	return sn, cn, math.Sqrt(1 - m*sn*sn)
}
