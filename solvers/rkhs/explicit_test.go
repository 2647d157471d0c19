package rkhs

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Explicit of a linear kernel is the matrix Yᵀ·W·B·W·X with W = diag(√w), less means
// where it is centred; for any B, weights, and one source.
func TestExplicitLinear(t *testing.T) {
	const n = 60
	x, y, d := dependent(t, n, 4, 3)
	b := normal(n, n, "B")
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(1+i%5) / 180
	}
	weighted, err := d.Weighted(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, centred := range []bool{false, true} {
		for _, data := range []*Data{d, weighted} {
			w := equalWeights(n)
			if data.weights != nil {
				w = weights
			}
			rooted := func(m blas64.General) *mat.Dense {
				out := mat.NewDense(n, m.Cols, nil)
				for j := range m.Cols {
					mean := 0.0
					for i := range n {
						mean += w[i] * dense.Row(m, i)[j]
					}
					for i := range n {
						v := dense.Row(m, i)[j]
						if centred {
							v -= mean
						}
						out.Set(i, j, math.Sqrt(w[i])*v)
					}
				}
				return out
			}
			for _, alone := range []bool{false, true} {
				left := rooted(y)
				if alone {
					left = rooted(x)
				}
				want := new(mat.Dense)
				want.Product(left.T(), mat.NewDense(n, n, b.Data), rooted(x))
				for _, engine := range []Engine{EngineExact, EngineLandmark} {
					f := mustFit(t, Solver{Operator: Explicit{stream.FromMatrix("B", b), alone}, Rank: 10, Center: centred, Engine: engine}, data, kernelgen.Linear())
					checkSVD(t, f, want)
				}
			}
		}
	}
}

// The conditional mean embedding by its matrix B is the one by its word.
func TestExplicitEmbedding(t *testing.T) {
	const n, ridge = 80, 1e-2
	x, _, d := dependent(t, n, 2, 2)
	b := power(gram(gaussianOf(0.3), x, x), n*ridge, -1)
	b.Scale(n, b)
	s := Solver{Operator: MeanEmbedding{ridge}, Rank: 5}
	want := mustFit(t, s, d, kernelgen.RBF(0.3))
	s.Operator = Explicit{B: stream.FromMatrix("B", b.RawMatrix())}
	f := mustFit(t, s, d, kernelgen.RBF(0.3))
	for i, v := range f.Values {
		if math.Abs(v-want.Values[i]) > 1e-9*want.Values[0] {
			t.Errorf("value %d is %v, not %v", i, v, want.Values[i])
		}
	}
	if off := distance(t, f.Right, want.Right, normal(9, 2, "new")); off > 1e-7 {
		t.Errorf("functions differ by %g", off)
	}
}

// transposed is an operator of one's own: C_XY.
type transposed struct{ ridge float64 }

func (transposed) String() string { return "transposed" }
func (o transposed) Traits() Traits {
	return Traits{Range: OfX, Domain: OfY, Inverts: true, Ridge: o.ridge}
}
func (transposed) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	return Matrix{General: dense.Mul(blas.Trans, f.X, blas.NoTrans, f.Y)}, nil
}

// An operator of one's own is fitted like those of the package, and a saved model
// remembers its word.
func TestOwnOperator(t *testing.T) {
	_, _, d := dependent(t, 100, 2, 2)
	f := mustFit(t, Solver{Operator: transposed{0.5}, Rank: 3}, d, kernelgen.RBF(0.3))
	want := mustFit(t, Solver{Operator: CrossCovariance{}, Rank: 3}, d, kernelgen.RBF(0.3))
	for i, v := range f.Values {
		if math.Abs(v-want.Values[i]) > 1e-12 {
			t.Errorf("value %d is %v, not %v", i, v, want.Values[i])
		}
	}
	rows := normal(9, 2, "new")
	if off := distance(t, f.Left, want.Right, rows); off > 1e-9 {
		t.Errorf("functions differ by %g", off)
	}
	m, err := Load(saved(t, f.Model))
	if err != nil {
		t.Fatal(err)
	}
	ridge := m.Operator.Traits().Ridge
	if m.Operator.String() != "transposed" || ridge != 0.5 || distance(t, m.Left, f.Left, rows) != 0 {
		t.Errorf("operator %s with ridge %v came back", m.Operator, ridge)
	}
	_, err = Solver{Operator: m.Operator, Rank: 1}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(1))
	if err == nil || !strings.Contains(err.Error(), "saved model") {
		t.Errorf("a remembered operator was fitted: %v", err)
	}
}

func TestExplicitErrors(t *testing.T) {
	_, _, d := dependent(t, 30, 2, 2)
	fit := func(op Explicit) error {
		_, err := Solver{Operator: op, Rank: 1}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(1))
		return err
	}
	if err := fit(Explicit{}); err == nil || !strings.Contains(err.Error(), "needs the matrix") {
		t.Errorf("no matrix: %v", err)
	}
	if err := fit(Explicit{B: stream.FromMatrix("B", normal(30, 29, "B"))}); err == nil || !strings.Contains(err.Error(), "30×29") {
		t.Errorf("not square: %v", err)
	}
	bad := normal(30, 30, "B")
	bad.Data[30*7+3] = math.NaN()
	var value *stream.BadValueError
	if err := fit(Explicit{B: stream.FromMatrix("B", bad)}); !errors.As(err, &value) || value.Row != 7 || value.Source != "B" {
		t.Errorf("NaN in B: %v", err)
	}
}
