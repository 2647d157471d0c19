package krylov

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// normal returns an n×m matrix of standard normal numbers.
func normal(n, m int, seed uint64) blas64.General {
	x := matrix.New(n, m)
	sketch.NewRandom(seed, "test").Normals(x)
	return x
}

// orthonormal returns the first k of n random orthonormal vectors, as columns.
func orthonormal(t *testing.T, n, k int, seed uint64) blas64.General {
	t.Helper()
	if k == 0 {
		return matrix.New(n, 0)
	}
	q, _, err := sketch.CholeskyQR(normal(n, k, seed))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// offOrthonormal returns the largest entry of QᵀQ − I.
func offOrthonormal(q blas64.General) float64 {
	g := dense.Mul(blas.Trans, q, blas.NoTrans, q)
	for j := range g.Rows {
		g.Data[j*g.Stride+j]--
	}
	return dense.MaxAbs(g)
}

// within compares values in descending order with those of a dense decomposition. tolerance is relative to norm.
func within(t *testing.T, what string, got, want []float64, norm, tolerance float64) {
	t.Helper()
	for j, v := range got {
		if !(math.Abs(v-want[j]) <= tolerance*norm) {
			t.Errorf("%s: value %d is %v, not %v", what, j, v, want[j])
		}
	}
}

// spectra are eigenvalues by their index from 0.
var spectra = map[string]func(j int) float64{
	"fast":    func(j int) float64 { return math.Exp(-float64(j)) },
	"slow":    func(j int) float64 { return 1 / (1 + float64(j)) },
	"cluster": func(j int) float64 { return math.Pow(0.3, float64(j/6)) },
	"rank 3":  func(j int) float64 { return float64(max(0, 3-j)) },
	"equal":   func(j int) float64 { return 1 },
	"zero":    func(j int) float64 { return 0 },
	"huge":    func(j int) float64 { return 1e140 / (1 + float64(j)) },
	"tiny":    func(j int) float64 { return 1e-140 / (1 + float64(j)) },
}

// Singular triplets converge to known spectra, for tall, wide and small matrices, with and without restarts.
func TestTripletsConverge(t *testing.T) {
	const rank, width = 5, 9
	for name, value := range spectra {
		for _, size := range [][2]int{{120, 70}, {40, 130}, {6, 90}, {1, 1}, {30, 4}} {
			for _, blocks := range []int{4, 100} {
				n, m := size[0], size[1]
				k := min(n, m)
				what := fmt.Sprintf("%s, %d×%d, %d blocks", name, n, m, blocks)
				truth := make([]float64, k)
				for j := range truth {
					truth[j] = value(j)
				}
				scaled := matrix.Clone(orthonormal(t, n, k, 1))
				dense.ScaleColumns(scaled, truth)
				a := dense.Mul(blas.NoTrans, scaled, blas.Trans, orthonormal(t, m, k, 2))
				s, err := NewPair(Matrix{a}, normal(n, min(n, width), 3), normal(m, min(m, width), 4), blocks)
				if err != nil {
					t.Fatal(what, err)
				}
				r, err := s.Run(context.Background(), Iteration{Rank: rank, Passes: 200, Done: Within(1e-10)})
				if err != nil {
					t.Fatal(what, err)
				}
				if want := min(rank, dense.Rank(truth, Tolerance)); len(r.Values) != want {
					t.Errorf("%s: %d triplets, not %d", what, len(r.Values), want)
				}
				within(t, what, r.Values, truth, truth[0], 1e-12)
				if off := math.Max(offOrthonormal(r.U), offOrthonormal(r.V)); off > 1e-12 {
					t.Errorf("%s: off orthonormal by %v", what, off)
				}
				if worst := Largest(r.Residuals()); worst > 1e-10 {
					t.Errorf("%s: residual %v after %d passes", what, worst, r.Passes)
				}
				left := Residuals(dense.Mul(blas.NoTrans, a, blas.NoTrans, r.V), r.U, r.Values, truth[0])
				right := Residuals(dense.Mul(blas.Trans, a, blas.NoTrans, r.U), r.V, r.Values, truth[0])
				if worst := math.Max(Largest(left), Largest(right)); worst > 2e-10 {
					t.Errorf("%s: residual %v in truth", what, worst)
				}
			}
		}
	}
}

// Eigenpairs converge to known spectra with both signs.
func TestEigenpairsConverge(t *testing.T) {
	const rank, width = 5, 9
	for name, value := range spectra {
		for _, n := range []int{1, 7, 90} {
			for _, blocks := range []int{4, 100} {
				for _, choice := range []Choice{Positive, Magnitude, Algebraic} {
					what := fmt.Sprintf("%s, %d, %d blocks, choice %d", name, n, blocks, choice)
					values := make([]float64, n)
					for j := range values {
						values[j] = value(j)
						if j%3 == 1 {
							values[j] = -values[j]
						}
					}
					q := orthonormal(t, n, n, 1)
					scaled := matrix.Clone(q)
					dense.ScaleColumns(scaled, values)
					a := dense.SymmetricPart(dense.Mul(blas.NoTrans, scaled, blas.Trans, q))
					checkSpace(t, what, a, rank, width, blocks, choice)
				}
			}
		}
	}
}

// checkSpace compares the eigenpairs of a with those of a dense decomposition, and their residuals with the reported
// ones.
func checkSpace(t *testing.T, what string, a blas64.General, rank, width, blocks int, choice Choice) {
	t.Helper()
	n := a.Rows
	truth, _, err := symeig.Decompose(a)
	if err != nil {
		t.Fatal(what, err)
	}
	norm := math.Max(math.Abs(truth[0]), math.Abs(truth[n-1]))
	s, err := NewSpace(SymmetricMatrix{a}, normal(n, min(n, width), 3), blocks)
	if err != nil {
		t.Fatal(what, err)
	}
	s.Choice = choice
	p, err := s.Run(context.Background(), Iteration{Rank: rank, Passes: 200, Done: Within(1e-10)})
	if err != nil {
		t.Fatal(what, err)
	}
	want := largestOf(truth, rank, choice, Tolerance*norm)
	if len(p.Values) != len(want) {
		t.Fatalf("%s: %d pairs, not %d: %v", what, len(p.Values), len(want), p.Values)
	}
	if len(p.Values)+len(p.Rest) != s.Q.Cols() {
		t.Errorf("%s: %d values and %d others of %d", what, len(p.Values), len(p.Rest), s.Q.Cols())
	}
	if choice == Magnitude { // of ±θ either may come first
		abs(p.Values)
		abs(want)
	}
	within(t, what, p.Values, want, norm, 1e-12)
	if off := offOrthonormal(p.U); off > 1e-12 {
		t.Errorf("%s: off orthonormal by %v", what, off)
	}
	if worst := Largest(p.Residuals); worst > 1e-10 {
		t.Errorf("%s: residual %v after %d passes", what, worst, p.Passes)
	}
}

// largestOf returns up to most of the largest values in descending order, those above least.
func largestOf(values []float64, most int, choice Choice, least float64) (out []float64) {
	size := func(v float64) float64 {
		if choice == Magnitude {
			return math.Abs(v)
		}
		return v
	}
	i, j := 0, len(values)-1 // the largest are at the ends
	var low []float64
	for len(out)+len(low) < most && i <= j {
		first, last := size(values[i]), size(values[j])
		if choice != Algebraic && max(first, last) <= least {
			break
		}
		if first >= last {
			out = append(out, values[i])
			i++
		} else {
			low = append([]float64{values[j]}, low...)
			j--
		}
	}
	return append(out, low...)
}

// abs replaces values by their magnitudes, in descending order.
func abs(v []float64) {
	for j := range v {
		v[j] = math.Abs(v[j])
	}
	for i := range v { // descending
		for j := i; j > 0 && v[j] > v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
}

// A restarted space keeps its products, and continues with the same results.
func TestRestartKeepsTheSpace(t *testing.T) {
	a := dense.SymmetricPart(normal(200, 200, 1))
	s, err := NewSpace(SymmetricMatrix{a}, normal(200, 6, 2), 4)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Run(context.Background(), Iteration{Rank: 3, Passes: 400, Done: Within(1e-9)})
	if err != nil {
		t.Fatal(err)
	}
	if p.Passes <= 4 {
		t.Fatalf("%d passes: the test is of restarts", p.Passes)
	}
	product := dense.Mul(blas.NoTrans, a, blas.NoTrans, s.Q.Vectors())
	for i := range product.Rows {
		matrix.Axpy(-1, matrix.Row(s.Q.Product(), i), matrix.Row(product, i))
	}
	if off := dense.MaxAbs(product); off > 1e-11 {
		t.Errorf("the products are off by %v", off)
	}
	if Largest(p.Residuals) > 1e-9 {
		t.Errorf("residuals %v after %d passes", p.Residuals, p.Passes)
	}
}

// operatorFunc is an operator given by a function, for products with faults.
type operatorFunc func(q, aq, p, atp blas64.General) error

func (f operatorFunc) Multiply(_ context.Context, q, aq, p, atp blas64.General) error {
	return f(q, aq, p, atp)
}

type symmetricFunc func(q, aq blas64.General) error

func (f symmetricFunc) Multiply(_ context.Context, q, aq blas64.General) error { return f(q, aq) }

// Products that are not finite are an error, and errors of the operator are returned.
func TestBadProducts(t *testing.T) {
	once := Iteration{Rank: 2, Passes: 3, Done: Within(1e-10)}
	for name, bad := range map[string]float64{"NaN": math.NaN(), "infinite": math.Inf(-1)} {
		var found *NotFiniteError
		s, err := NewPair(operatorFunc(func(q, aq, p, atp blas64.General) error {
			atp.Data[3*atp.Stride+1] = bad
			return nil
		}), normal(5, 2, 1), normal(9, 2, 2), 3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Run(context.Background(), once); !errors.As(err, &found) || found.Row != 3 || found.Column != 1 {
			t.Errorf("%s in Aᵀ·P: %v", name, err)
		}
		one, err := NewSpace(symmetricFunc(func(q, aq blas64.General) error {
			aq.Data[4*aq.Stride] = bad
			return nil
		}), normal(9, 2, 2), 3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = one.Run(context.Background(), once); !errors.As(err, &found) || found.Row != 4 || found.Column != 0 {
			t.Errorf("%s in A·Q: %v", name, err)
		}
		if _, err := NewSpace(nil, blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1, bad, 1}}, 3); err == nil {
			t.Errorf("a start with %s was taken", name)
		}
	}
	stop := errors.New("stop")
	s, err := NewPair(operatorFunc(func(q, aq, p, atp blas64.General) error { return stop }), normal(5, 2, 1), normal(9, 2, 2), 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(context.Background(), once); !errors.Is(err, stop) {
		t.Errorf("the operator's error became %v", err)
	}
}

// The basis keeps independent directions only: of wide blocks, blocks that are spanned already, more than fit, and
// directions below rounding.
func TestBasisKeepsIndependentDirections(t *testing.T) {
	b := NewBasis(8, 0, 6)
	if grown, err := b.Add(normal(8, 20, 1), 4, 0); err != nil || !grown || b.Cols() != 4 {
		t.Fatalf("a wide block: %d columns, %v", b.Cols(), err)
	}
	spanned := dense.Mul(blas.NoTrans, b.Vectors(), blas.NoTrans, normal(4, 3, 2))
	if grown, err := b.Add(spanned, 3, 1e-12); err != nil || grown {
		t.Errorf("a block within the space: grown %t, %v", grown, err)
	}
	short := normal(8, 2, 3)
	for i := range short.Rows {
		short.Data[i*2+1] *= 1e-14
	}
	if grown, err := b.Add(short, 3, 1e-12); err != nil || !grown || b.Cols() != 5 {
		t.Errorf("a short direction: %d columns, %v", b.Cols(), err)
	}
	if grown, err := b.Add(normal(8, 3, 4), 3, 0); err != nil || !grown || b.Cols() != 6 {
		t.Errorf("more than room: %d columns, %v", b.Cols(), err)
	}
	if grown, err := b.Add(normal(8, 3, 5), 3, 0); err != nil || grown {
		t.Errorf("no room: grown %t, %v", grown, err)
	}
	if off := offOrthonormal(b.Vectors()); off > 1e-14 {
		t.Errorf("off orthonormal by %v", off)
	}
	if grown, err := NewBasis(5, 0, 3).Add(matrix.New(5, 2), 3, 0); err != nil || grown {
		t.Errorf("a block of zeros: grown %t, %v", grown, err)
	}
}

// After n steps the estimate equals the norm of an n×n matrix, here from a negative eigenvalue. It settles long before.
func TestLanczosEstimatesTheNorm(t *testing.T) {
	for _, n := range []int{1, 9, 400} {
		g := normal(n, n, 2)
		a := dense.Mul(blas.NoTrans, g, blas.Trans, g)
		a.Data[0] -= 9 * float64(n)
		values, _, err := symeig.Decompose(a)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
		l := NewLanczos(n, sketch.NewRandom(1, "test"), 5, 1e-13)
		done, steps := false, 0
		for ; !done && steps < n; steps++ {
			if done, err = l.Step(dense.MulVector(blas.NoTrans, a, l.Vector())); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(l.Norm()-want) > 1e-9*want {
			t.Errorf("n=%d: norm %g after %d steps, want %g", n, l.Norm(), steps, want)
		}
		if n == 400 && (!done || steps > 200) {
			t.Errorf("%d steps, settled %t", steps, done)
		}
	}
	l := NewLanczos(5, sketch.NewRandom(1, "test"), 5, 1e-4)
	if done, err := l.Step(make([]float64, 5)); err != nil || !done || l.Norm() != 0 {
		t.Errorf("the zero matrix: norm %v, settled %t, %v", l.Norm(), done, err)
	}
	l = NewLanczos(2, sketch.NewRandom(1, "test"), 5, 1e-4)
	if _, err := l.Step([]float64{1, math.NaN()}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// The estimate scales exactly with powers of two, even if squares of entries overflow or underflow.
func TestLanczosUnits(t *testing.T) {
	a := dense.Mul(blas.NoTrans, normal(40, 40, 1), blas.Trans, normal(40, 40, 1))
	norm := func(unit float64) float64 {
		l := NewLanczos(40, sketch.NewRandom(1, "test"), 5, 1e-10)
		done := false
		for step := 0; !done && step < 40; step++ {
			w := make([]float64, 40)
			for i := range w {
				w[i] = dense.Dot(matrix.Row(a, i), l.Vector()) * unit
			}
			var err error
			if done, err = l.Step(w); err != nil {
				t.Fatal(err)
			}
		}
		return l.Norm()
	}
	want := norm(1)
	for _, exponent := range []int{200, 510, 700, 1000, -200, -500, -900} {
		if got := norm(math.Ldexp(1, exponent)); math.Abs(math.Ldexp(got, -exponent)/want-1) > 1e-14 {
			t.Errorf("2^%d: %v instead of %v", exponent, math.Ldexp(got, -exponent), want)
		}
	}
}
