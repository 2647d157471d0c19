package askls

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// TestPrimal: with explicit features φ_s and φ_t, whose products are the kernel matrix, the
// machine is a stationary point of the primal problem (5): of the Lagrangian
//
//	ωᵀν + γ/2·Σe² + γ/2·Σh² + Σα_i(1 − e_i − y_i(ωᵀφ_s + b₁)) + Σβ_i(1 − h_i − y_i(νᵀφ_t + b₂))
func TestPrimal(t *testing.T) {
	const gamma, d = 0.7, 4
	left, labels := clouds(40, d, 2, 1.5, 1)
	right := randomMatrix(40, d, 2)
	products := dense.Mul(blas.NoTrans, left, blas.Trans, right)
	k, err := sparse.NewCSR(40, 40, func(yield func(sparse.Entry) bool) {
		for i, v := range products.Data {
			if !yield(sparse.Entry{Row: int32(i / 40), Col: int32(i % 40), Value: v}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := Graph("products", k, nil, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative} {
		fit, err := Solver{C: gamma, Algorithm: engine, ResidualTol: 1e-13}.Fit(ctx, stream.Engine{}, data, kernelgen.Kernel{})
		if err != nil {
			t.Fatal(err)
		}
		b, a := fit.Edges.Source, fit.Edges.Target // yβ and yα
		functions := functionsOf(t, fit.Model, stream.Engine{}, sparse.NewRows("products", k, nil))
		const class = 1
		y := make([]float64, 40)
		for i, l := range labels {
			y[i] = float64(2*l - 1)
		}
		// ∂/∂ν: ω = Σβ_i·y_i·φ_t(x_i);   ∂/∂ω: ν = Σα_i·y_i·φ_s(x_i)
		omega, nu := make([]float64, d), make([]float64, d)
		sumA, sumB, worst := 0.0, 0.0, 0.0
		for i := range y {
			matrix.Axpy(b.Data[2*i+class], matrix.Row(right, i), omega)
			matrix.Axpy(a.Data[2*i+class], matrix.Row(left, i), nu)
			sumA += a.Data[2*i+class]
			sumB += b.Data[2*i+class]
		}
		for i := range y {
			fs := dense.Dot(omega, matrix.Row(left, i)) + fit.Biases[0][class]
			ft := dense.Dot(nu, matrix.Row(right, i)) + fit.Biases[1][class]
			e, h := 1-y[i]*fs, 1-y[i]*ft // by the constraints
			for _, v := range []float64{
				gamma*e - y[i]*a.Data[2*i+class], // ∂/∂e
				gamma*h - y[i]*b.Data[2*i+class], // ∂/∂h
				fs - functions.Data[4*i+class], ft - functions.Data[4*i+2+class],
			} {
				worst = max(worst, math.Abs(v))
			}
		}
		// ∂/∂b₁ and ∂/∂b₂
		if worst = max(worst, math.Abs(sumA), math.Abs(sumB)); worst > 1e-10 {
			t.Errorf("%v: the conditions of a stationary point are off by %v", engine, worst)
		}
	}
}

// leastSquares returns the decisions of an LS-SVM with the linear kernel, by the normal equations of its primal
// problem: min ½‖w‖² + γ/2·Σe² with y = xᵀw + b + e.
func leastSquares(t *testing.T, x, fresh, targets blas64.General, gamma float64) blas64.General {
	t.Helper()
	columns := func(rows blas64.General) *mat.Dense {
		m := mat.NewDense(rows.Rows, rows.Cols+1, nil)
		for i := range rows.Rows {
			m.SetRow(i, append([]float64{1}, matrix.Row(rows, i)...))
		}
		return m
	}
	a, y := columns(x), mat.NewDense(targets.Rows, targets.Cols, targets.Data)
	var square, right, w, decisions mat.Dense
	square.Mul(a.T(), a)
	for j := 1; j <= x.Cols; j++ {
		square.Set(j, j, square.At(j, j)+1/gamma)
	}
	right.Mul(a.T(), y)
	if err := w.Solve(&square, &right); err != nil {
		t.Fatal(err)
	}
	decisions.Mul(columns(fresh), &w)
	return decisions.RawMatrix()
}

// TestSymmetric: a symmetric kernel gives α = β and the LS-SVM.
func TestSymmetric(t *testing.T) {
	const gamma = 0.4
	x, labels := clouds(50, 3, 3, 2, 1)
	fresh, _ := clouds(20, 3, 3, 2, 4)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	decisions := leastSquares(t, x, fresh, oneAgainstRest(labels, 3), gamma)
	for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
		for _, merge := range []Merge{MergeAverage, MergeSource, MergeTarget} {
			fit, err := Solver{C: gamma, Algorithm: engine, Merge: merge, Rank: 3, Landmarks: 50, ResidualTol: 1e-13}.Fit(ctx, stream.Engine{}, data, kernelgen.Linear())
			if err != nil {
				t.Fatal(engine, err)
			}
			got, err := fit.Decisions(ctx, stream.Engine{}, source(fresh))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, name(engine, " ", merge), got, decisions, 1e-10)
			if engine != AlgorithmLowRank {
				expect(t, name(engine, " α and β"), fit.Functions.Left.Projection, fit.Functions.Right.Projection, 1e-11)
			}
		}
	}
}

// TestRidge compares the ridge system with its normal equations, with M formed from K and the borders.
func TestRidge(t *testing.T) {
	x, labels := clouds(30, 2, 2, 2, 1)
	data, err := Samples(source(x), labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, ridge := range []float64{1e-6, 1, 1e4} {
		fit, err := Solver{C: 2, Ridge: ridge, Algorithm: AlgorithmDense}.Fit(ctx, stream.Engine{}, data, kernelgen.StudentT())
		if err != nil {
			t.Fatal(err)
		}
		m := bordered(formed("t()", x, x, x), onesVector(30), onesVector(30), 2)
		solution := matrix.New(62, 2)
		parts := partsOf(solution)
		copy(parts.b1, fit.Biases[0])
		copy(parts.b2, fit.Biases[1])
		copyInto(parts.a, fit.Functions.Right.Projection)
		copyInto(parts.b, fit.Functions.Left.Projection)
		// (M² + λI)x = M·r is equivalent to M(r − Mx) = λx.
		left := rightSide(oneAgainstRest(labels, 2))
		dense.Gemm(blas.NoTrans, blas.NoTrans, -1, m, solution, 1, left)
		along := dense.Mul(blas.NoTrans, m, blas.NoTrans, left)
		for i := range along.Rows {
			matrix.Axpy(-ridge, matrix.Row(solution, i), matrix.Row(along, i))
		}
		expect(t, name("ridge ", ridge), along, matrix.New(62, 2), 1e-11)
	}
}

// TestSpectrum: on vectors of sum 0, M has the eigenvalues 1/γ ± σ with the singular values σ of the centred K. It is
// singular for γ = 1/σ, which the engines detect; for half of that it is not.
func TestSpectrum(t *testing.T) {
	x, labels := clouds(40, 3, 2, 1, 1)
	k := formed("sne(gamma=2)", x, x, x)
	centred := matrix.Clone(k)
	dense.CenterColumns(centred)
	centred = matrix.Transpose(centred)
	dense.CenterColumns(centred)
	d, err := dense.NewSVD(centred)
	if err != nil {
		t.Fatal(err)
	}
	data, err := Samples(source(x), labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
		for share, singular := range map[float64]bool{1: true, 0.5: false} {
			fit, err := Solver{C: share / d.S[0], Algorithm: engine, Rank: 40, Landmarks: 40}.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
			if err != nil {
				t.Fatal(engine, share, err)
			}
			noticed := fit.Ridge == 1
			if engine == AlgorithmIterative {
				noticed = fit.NotConverged
			}
			if noticed != singular || (len(fit.Notes)+len(fit.Warnings) > 0) != singular || (fit.Condition > 1e6) != singular {
				t.Errorf("%v: γ·σ₁ = %v: ridge %v, condition %v, notes %v, warnings %v", engine, share, fit.Ridge, fit.Condition, fit.Notes, fit.Warnings)
			}
		}
	}
}
