package rkhs

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// legendre returns n Gauss–Legendre nodes and weights on [−2, 2].
func legendre(n int) (x, w []float64) {
	x, w = make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(x, w, -2, 2)
	return x, w
}

// hermite returns n Gauss–Hermite nodes and weights for the standard normal distribution.
func hermite(n int) (x, w []float64) {
	x, w = make([]float64, n), make([]float64, n)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	for i := range x {
		x[i] *= math.Sqrt2
		w[i] /= math.Sqrt(math.Pi)
	}
	return x, w
}

// mercer returns the eigenvalues of Example 3.10.
func mercer() []float64 {
	root := math.Sqrt(60841)
	return []float64{(269 + root) / 90, 32. / 9, 8. / 3, 8. / 3, 64. / 45, (269 - root) / 90}
}

// TestExampleMercer: the Mercer features of (1+x·x')² on [−2, 2]² by an exact Gauss rule (Example 3.10).
func TestExampleMercer(t *testing.T) {
	nodes, w := legendre(6)
	x, weights := stream.NewMatrix(36, 2), make([]float64, 36)
	for i := range 36 {
		x.Data[2*i], x.Data[2*i+1] = nodes[i/6], nodes[i%6]
		weights[i] = w[i/6] * w[i%6]
	}
	single, err := Single(stream.FromMatrix("grid", x))
	if err != nil {
		t.Fatal(err)
	}
	d, err := single.Weighted(weights)
	if err != nil {
		t.Fatal(err)
	}
	want := mercer()
	for _, task := range []Task{Eigen, SVD} {
		for _, form := range []formulation{qr, auxiliary} {
			f := fitBy(t, form, Solver{Operator: Covariance{}, Task: task, Rank: 9}, d, kernelgen.Poly(2, 1, 1))
			if f.Imag != nil {
				t.Errorf("%s by %s: complex eigenvalues", task, form)
			}
			for i, v := range want {
				if math.Abs(f.Values[i]-v) > 1e-12*want[0]*10 {
					t.Errorf("%s by %s: value %d is %.15g, want %.15g", task, form, i, f.Values[i], v)
				}
			}
			if form == qr && f.Rank() != 6 {
				t.Errorf("%s: rank %d, want 6", task, f.Rank())
			}
			if f.TraceResiduals[0] > 1e-12 {
				t.Errorf("trace residual %g", f.TraceResiduals[0])
			}
			if form == qr && task == Eigen {
				checkMercer(t, f)
			}
		}
	}
}

// checkMercer compares eigenfunctions with the closed form, up to their norm.
func checkMercer(t *testing.T, f *Fit) {
	t.Helper()
	root := math.Sqrt(60841)
	closed := map[int]func(a, b float64) float64{
		0: func(a, b float64) float64 { return (-179+root)/120 + a*a + b*b },
		1: func(a, b float64) float64 { return a * b },
		4: func(a, b float64) float64 { return a*a - b*b },
		5: func(a, b float64) float64 { return (-179-root)/120 + a*a + b*b },
	}
	rows := normal(20, 2, "points")
	values, err := f.Right.At(t.Context(), stream.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for j, h := range closed {
		var ab, aa, bb float64
		for i := range rows.Rows {
			a, b := h(rows.Data[2*i], rows.Data[2*i+1]), values.Data[i*values.Stride+j]
			ab, aa, bb = ab+a*b, aa+a*a, bb+b*b
		}
		if math.Abs(math.Abs(ab)/math.Sqrt(aa*bb)-1) > 1e-12 {
			t.Errorf("eigenfunction %d is no multiple of the closed form", j)
		}
	}
}

// mixture returns pairs for the density of Example 3.16 by a Gauss rule: n×n nodes for each half.
func mixture(t *testing.T, rho float64, n int) *Data {
	t.Helper()
	nodes, w := hermite(n)
	x, y, weights := stream.NewMatrix(2*n*n, 1), stream.NewMatrix(2*n*n, 1), make([]float64, 2*n*n)
	for i := range x.Rows {
		half, a, b := i/(n*n), i%(n*n)/n, i%n
		mean := 1 - 2*float64(half)
		x.Data[i], y.Data[i] = mean+rho*nodes[a], -mean+rho*nodes[b]
		weights[i] = w[a] * w[b]
	}
	d, err := pairs(t, x, y).Weighted(weights)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// closedMixture returns the two singular values of Example 3.16.
func closedMixture(sigma, rho float64) (first, second float64) {
	v := sigma*sigma + 2*rho*rho
	a := 1 / math.Sqrt(2*math.Pi*v)
	b := a * math.Exp(-2/v)
	return (a + b) / 2, (a - b) / 2
}

// normalised returns the Gaussian kernel with integral 1.
func normalised(sigma float64) kernelgen.Kernel {
	return kernelgen.Scale(1/(sigma*math.Sqrt(2*math.Pi)), kernelgen.RBF(1/(2*sigma*sigma)))
}

// TestExampleMixture compares Example 3.16 with its closed form: exactly two singular values.
func TestExampleMixture(t *testing.T) {
	const sigma, rho = 0.5, 0.4
	d := mixture(t, rho, 24)
	first, second := closedMixture(sigma, rho)
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLandmark} {
		f := mustFit(t, Solver{Operator: CrossCovariance{}, Rank: 4, Algorithm: engine}, d, normalised(sigma))
		if math.Abs(f.Values[0]-first) > 1e-10 || math.Abs(f.Values[1]-second) > 1e-10 {
			t.Errorf("%s: values %v, want %v and %v", engine, f.Values, first, second)
		}
		if f.Rank() > 2 && f.Values[2] > 1e-10 {
			t.Errorf("%s: third value %g", engine, f.Values[2])
		}
		if off := f.TruncationError(2); off > 1e-10 {
			t.Errorf("%s: truncation error of rank 2 is %g", engine, off)
		}
	}
}

// ornsteinUhlenbeck returns pairs of dX = −X dt + √2 dW in equilibrium, a step τ apart, by a Gauss
// rule for state and noise.
func ornsteinUhlenbeck(t *testing.T, tau float64, n int) *Data {
	t.Helper()
	nodes, w := hermite(n)
	decay := math.Exp(-tau)
	x, y, weights := stream.NewMatrix(n*n, 1), stream.NewMatrix(n*n, 1), make([]float64, n*n)
	for i := range x.Rows {
		a, b := i/n, i%n
		x.Data[i] = nodes[a]
		y.Data[i] = decay*nodes[a] + math.Sqrt(1-decay*decay)*nodes[b]
		weights[i] = w[a] * w[b]
	}
	d, err := pairs(t, x, y).Weighted(weights)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOrnsteinUhlenbeckCubic: the Koopman operator of the process has eigenvalues e^(−kτ). A cubic kernel spans an
// invariant space, so the first four are exact, also for the Perron–Frobenius operator and canonical correlations.
func TestOrnsteinUhlenbeckCubic(t *testing.T) {
	const tau = 0.3
	d := ornsteinUhlenbeck(t, tau, 10)
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLandmark} {
		for _, op := range []Operator{Koopman{}, PerronFrobenius{}, PerronFrobenius{Sampled: true}} {
			f := mustFit(t, Solver{Operator: op, Task: Eigen, Rank: 4, Algorithm: engine}, d, kernelgen.Poly(3, 1, 1))
			for k, v := range f.Eigenvalues() {
				if cmplx.Abs(v-complex(math.Exp(-float64(k)*tau), 0)) > 1e-9 {
					t.Errorf("%s, %s: eigenvalue %d is %v, want %v", engine, op, k, v, math.Exp(-float64(k)*tau))
				}
			}
			scales := f.Timescales(tau)
			if math.Abs(scales[1]-1) > 1e-8 || math.Abs(scales[2]-0.5) > 1e-8 {
				t.Errorf("%s, %s: timescales %v", engine, op, scales)
			}
		}
		f := mustFit(t, Solver{Operator: CCA{}, Rank: 4, Algorithm: engine}, d, kernelgen.Poly(3, 1, 1))
		for k, v := range f.Values {
			if math.Abs(v-math.Exp(-float64(k)*tau)) > 1e-9 {
				t.Errorf("%s: correlation %d is %v, want %v", engine, k, v, math.Exp(-float64(k)*tau))
			}
		}
	}
}

// TestOrnsteinUhlenbeckGaussian: with a Gaussian kernel and ε the eigenvalues are close to e^(−kτ), from independent
// pairs and from a path.
func TestOrnsteinUhlenbeckGaussian(t *testing.T) {
	const tau, n = 0.3, 4000
	decay := math.Exp(-tau)
	path := stream.NewMatrix(n, 1)
	noise := normal(n, 1, "noise")
	for i := range n {
		path.Data[i] = noise.Data[i]
		if i > 0 {
			path.Data[i] = decay*path.Data[i-1] + math.Sqrt(1-decay*decay)*noise.Data[i]
		}
	}
	d, err := Lagged(stream.FromMatrix("path", path), 1)
	if err != nil {
		t.Fatal(err)
	}
	f := mustFit(t, Solver{Operator: Koopman{1e-5}, Task: Eigen, Rank: 3, Landmarks: 60}, d, kernelgen.RBF(0.2))
	if f.Algorithm != AlgorithmLandmark {
		t.Errorf("engine %s", f.Algorithm)
	}
	for k, v := range f.Eigenvalues() {
		if want := math.Exp(-float64(k) * tau); cmplx.Abs(v-complex(want, 0)) > 0.04 {
			t.Errorf("eigenvalue %d is %v, want about %v", k, v, want)
		}
	}
	// The first eigenfunction is nearly constant, and the second nearly linear in the state.
	rows := blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: []float64{-1, -0.5, 0, 0.5, 1}}
	v, err := f.Right.Real().At(t.Context(), stream.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 5; i++ {
		if r := v.Data[i*v.Stride] / v.Data[0]; math.Abs(r-1) > 0.05 {
			t.Errorf("first eigenfunction %v", v.Data)
		}
		step := (v.Data[i*v.Stride+1] - v.Data[(i-1)*v.Stride+1]) / (v.Data[4*v.Stride+1] - v.Data[1])
		if math.Abs(step-0.25) > 0.06 {
			t.Errorf("second eigenfunction %v", v.Data)
		}
	}
}
