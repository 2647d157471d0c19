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
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestExplicitLinear: with a linear kernel, Explicit is the matrix Yᵀ·B·X, minus weighted means if centred, for any B
// and for one source.
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
			shifted := func(m blas64.General) *mat.Dense {
				out := mat.NewDense(n, m.Cols, nil)
				for j := range m.Cols {
					mean := 0.0
					for i := range n {
						mean += w[i] * matrix.Row(m, i)[j]
					}
					for i := range n {
						v := matrix.Row(m, i)[j]
						if centred {
							v -= mean
						}
						out.Set(i, j, v)
					}
				}
				return out
			}
			for _, alone := range []bool{false, true} {
				left := shifted(y)
				if alone {
					left = shifted(x)
				}
				want := new(mat.Dense)
				want.Product(left.T(), mat.NewDense(n, n, b.Data), shifted(x))
				for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLandmark} {
					f := mustFit(t, Solver{Operator: Explicit{stream.FromMatrix("B", b), alone}, Rank: 10, Center: centred, Algorithm: engine}, data, kernelgen.Linear())
					checkSVD(t, f, want)
				}
			}
		}
	}
}

// TestExplicitEmbedding: the conditional mean embedding by its matrix B equals the built-in one.
func TestExplicitEmbedding(t *testing.T) {
	const n, ridge = 80, 1e-2
	x, _, d := dependent(t, n, 2, 2)
	b := power(gram(gaussianOf(0.3), x, x), n*ridge, -1)
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

// transposed is a custom operator: C_XY.
type transposed struct{ ridge float64 }

func (transposed) String() string { return "transposed" }
func (o transposed) Traits() Traits {
	return Traits{Range: SideX, Domain: SideY, Inverts: true, Ridge: o.ridge}
}
func (transposed) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	return Matrix{General: dense.Mul(blas.Trans, f.X, blas.NoTrans, f.Y)}, nil
}

// TestCustomOperator: a custom operator is fitted like a built-in one, and a saved model keeps its name.
func TestCustomOperator(t *testing.T) {
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
	apart, err := Unpaired(stream.FromMatrix("x", normal(30, 2, "x")), stream.FromMatrix("y", normal(20, 2, "y")))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []Operator{CrossCovariance{}, Koopman{0.1}, CCA{0.1}, Explicit{B: stream.FromMatrix("B", normal(30, 20, "B"))}} {
		if _, err := (Solver{Operator: op, Rank: 1}).Fit(t.Context(), stream.Engine{}, apart, kernelgen.RBF(1)); err == nil || !strings.Contains(err.Error(), "30") {
			t.Errorf("%s of rows that are not in pairs: %v", op, err)
		}
	}
	ofX := Solver{Operator: Explicit{stream.FromMatrix("B", normal(30, 30, "B")), true}, Rank: 2}
	f, want := mustFit(t, ofX, apart, kernelgen.RBF(1)), mustFit(t, ofX, d, kernelgen.RBF(1))
	if f.Values[0] != want.Values[0] || f.RowsY != 0 {
		t.Errorf("an operator of x alone is %v beside other rows y, and %v", f.Values, want.Values)
	}
	if _, err := apart.Weighted(make([]float64, 30)); err == nil || !strings.Contains(err.Error(), "weights are of pairs") {
		t.Errorf("weights of rows that are not in pairs: %v", err)
	}
	bad := normal(30, 30, "B")
	bad.Data[30*7+3] = math.NaN()
	var value *stream.DataError
	if err := fit(Explicit{B: stream.FromMatrix("B", bad)}); !errors.As(err, &value) || value.Row != 7 || value.Path != "B" {
		t.Errorf("NaN in B: %v", err)
	}
}

// TestExplicitIdentity: B = I/n is the cross-covariance, or the covariance of one source, for any scale of B.
func TestExplicitIdentity(t *testing.T) {
	const n = 150
	_, _, d := dependent(t, n, 2, 2)
	alone, err := Single(d.x)
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{1, 1e-150, -1e150} {
		b := matrix.New(n, n)
		for i := range n {
			matrix.Row(b, i)[i] = scale / n
		}
		for _, c := range []struct {
			data *Data
			want Operator
		}{{d, CrossCovariance{}}, {alone, Covariance{}}} {
			want := mustFit(t, Solver{Operator: c.want, Rank: 4}, c.data, kernelgen.RBF(0.3))
			f := mustFit(t, Solver{Operator: Explicit{stream.FromMatrix("B", b), c.data == alone}, Rank: 4}, c.data, kernelgen.RBF(0.3))
			for i, v := range f.Values {
				if math.Abs(v/math.Abs(scale)-want.Values[i]) > 1e-10*want.Values[0] {
					t.Errorf("B = %g·I/n: value %d is %v, and of %s %v", scale, i, v, c.want, want.Values[i])
				}
			}
		}
	}
}

// TestExplicitRectangular: with different numbers of x and y the values are those of the paper's block problem of n+m
// rows (Theorem 3.17).
func TestExplicitRectangular(t *testing.T) {
	for _, size := range [][2]int{{40, 25}, {25, 40}, {30, 1}, {1, 30}} {
		n, m := size[0], size[1] // of y and x
		x, y, b := normal(m, 2, "x"), normal(n, 3, "y"), normal(n, m, "B")
		d, err := Unpaired(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
		if err != nil {
			t.Fatal(err)
		}
		for _, centred := range []bool{false, true} {
			if centred && min(n, m) == 1 {
				continue // nothing remains
			}
			gx, gy := gram(gaussianOf(0.3), x, x), gram(gaussianOf(0.2), y, y)
			if centred {
				gx, gy = doublyCentred(gx), doublyCentred(gy)
			}
			rank := min(n, m, 6)
			ky := kernelgen.RBF(0.2)
			s := Solver{Operator: Explicit{B: stream.FromMatrix("B", b)}, Rank: rank, KernelY: &ky, Center: centred}
			f := mustFit(t, s, d, kernelgen.RBF(0.3))
			_, values := literal(mat.NewDense(n, m, b.Data), gx, gy, rank)
			for i, want := range values {
				if math.Abs(f.Values[i]-want) > 1e-9*f.Values[0] {
					t.Errorf("%d×%d, centred %t: value %d is %v, want %v", n, m, centred, i, f.Values[i], want)
				}
			}
			if got := f.Describe(); got.Rows != int64(n) || got.Cols != int64(m) {
				t.Errorf("described as %d × %d, is %d × %d", got.Rows, got.Cols, n, m)
			}
			loaded, err := Load(saved(t, f.Model))
			if err != nil {
				t.Fatal(err)
			}
			if loaded.RowsY != f.RowsY || loaded.RowsY != int64(n) {
				t.Errorf("%d rows y came back, not %d", loaded.RowsY, n)
			}
		}
	}
}

// TestExplicitRectangularEigen: eigenvalues of a rectangular B between functions of one space are those of B·ΦᵀΨ
// (paper, Proposition 3.8).
func TestExplicitRectangularEigen(t *testing.T) {
	const n, m = 30, 20
	x, y, b := normal(m, 2, "x"), normal(n, 2, "y"), normal(n, m, "B")
	d, err := Unpaired(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
	if err != nil {
		t.Fatal(err)
	}
	product := new(mat.Dense)
	product.Mul(mat.NewDense(n, m, b.Data), gram(gaussianOf(0.1), x, y))
	var eigen mat.Eigen
	if !eigen.Factorize(product, mat.EigenNone) {
		t.Fatal("no eigenvalues")
	}
	all := eigen.Values(nil)
	f := mustFit(t, Solver{Operator: Explicit{B: stream.FromMatrix("B", b)}, Task: Eigen, Rank: 3}, d, kernelgen.RBF(0.1))
	for i, got := range f.Eigenvalues() {
		near := math.Inf(1)
		for _, want := range all {
			near = min(near, math.Hypot(real(got-want), imag(got-want)))
		}
		if near > 1e-8*math.Abs(f.Values[0]) {
			t.Errorf("eigenvalue %d, %v, is %g from those of B·ΦᵀΨ", i, got, near)
		}
	}
}

// doublyCentred returns H·g·H with H = I − 11ᵀ/n.
func doublyCentred(g *mat.Dense) *mat.Dense {
	n, _ := g.Dims()
	h := mat.NewDense(n, n, nil)
	h.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 1 - 1/float64(n)
		}
		return -1 / float64(n)
	}, h)
	out := new(mat.Dense)
	out.Product(h, g, h)
	return out
}
