package paper3

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

var background = context.Background()

// blobs returns rows of three classes that differ in two of d columns.
func blobs(n, d int) (blas64.General, []int) {
	x, labels := randomColumns(n, d, 5), make([]int, n)
	for i := range n {
		labels[i] = i % 3
		x.Data[i*d] += 4 * float64(labels[i])
		x.Data[i*d+1] += 4 * float64(labels[i]%2)
	}
	dense.CentreColumns(x)
	return x, labels
}

func smallObjective(t *testing.T, terms ...term) *objective {
	t.Helper()
	x, labels := blobs(60, 6)
	o, err := newObjective(x, classGamma(labels, 3), terms...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestObjective holds J against its definition, and ∇J against differences of J.
func TestObjective(t *testing.T) {
	for name, terms := range map[string][]term{
		"gaussian":   {gaussianTerm(2.5)},
		"polynomial": {polynomialTerm(3, 1)},
		"sum":        {gaussianTerm(2), {0.01, false, polynomialTerm(2, 1).f}},
	} {
		o := smallObjective(t, terms...)
		w, err := orthonormalBeside(stream.NewMatrix(6, 0), randomColumns(6, 2, 1))
		if err != nil {
			t.Fatal(err)
		}
		w = dense.Clone(w)
		value, g := o.gradient(w)
		if plain := naive(o, w); math.Abs(value-plain) > 1e-10*math.Abs(plain) || math.Abs(o.value(w)-plain) > 1e-10*math.Abs(plain) {
			t.Errorf("%s: J is %v and %v, by its definition %v", name, value, o.value(w), plain)
		}
		for at := range w.Data {
			const h = 1e-5
			up, down := dense.Clone(w), dense.Clone(w)
			up.Data[at] += h
			down.Data[at] -= h
			want := (o.value(up) - o.value(down)) / (2 * h)
			if math.Abs(g.Data[at]-want) > 1e-6*dense.Frobenius(g) {
				t.Errorf("%s: entry %d of the gradient is %v, by differences %v", name, at, g.Data[at], want)
			}
		}
	}
}

// naive returns J row by row and column by column.
func naive(o *objective, w blas64.General) float64 {
	sum := 0.0
	for i := range o.x.Rows {
		for j := range o.x.Rows {
			dot, distance := 0.0, 0.0
			for k := range w.Cols {
				a, b := 0.0, 0.0
				for c := range o.x.Cols {
					a += dense.Row(o.x, i)[c] * dense.Row(w, c)[k]
					b += dense.Row(o.x, j)[c] * dense.Row(w, c)[k]
				}
				dot += a * b
				distance += (a - b) * (a - b)
			}
			for _, t := range o.terms {
				beta := dot
				if t.distance {
					beta = distance
				}
				f, _ := t.f(beta)
				sum += dense.Row(o.gamma, i)[j] * t.weight * f
			}
		}
	}
	return sum
}

// TestBaselinesLinear: with the linear kernel J is the sum of the q largest eigenvalues
// of XᵀΓX, which all baselines have to find.
func TestBaselinesLinear(t *testing.T) {
	linear := term{1, false, func(beta float64) (float64, float64) { return beta, 1 }}
	o := smallObjective(t, linear)
	phi := dense.Mul(blas.Trans, o.x, blas.NoTrans, dense.Mul(blas.NoTrans, o.gamma, blas.NoTrans, o.x))
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(phi.Rows, phi.Data), false) {
		t.Fatal("no eigenvalues")
	}
	values := e.Values(nil)
	slices.Reverse(values)
	best := values[0] + values[1]
	for name, solve := range baselines {
		r, err := solve(background, o, 2, ascent{1e-7, 2000}, 3)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.value-best) > 1e-8*best || !r.settled {
			t.Errorf("%s reaches %v after %d steps, the best is %v", name, r.value, r.rounds, best)
		}
		if g := dense.Mul(blas.Trans, r.w, blas.NoTrans, r.w); math.Abs(g.Data[0]-1)+math.Abs(g.Data[1])+math.Abs(g.Data[3]-1) > 1e-12 {
			t.Errorf("%s: WᵀW is %v", name, g.Data)
		}
	}
}

// TestBaselinesClimb: a step never lowers J, and there is little left to climb in the
// end, for one column the same from two starts.
func TestBaselinesClimb(t *testing.T) {
	o := smallObjective(t, gaussianTerm(2.5))
	last := math.Inf(-1)
	for _, rounds := range []int{0, 1, 2, 5, 20} {
		r, err := stiefel(background, o, 2, ascent{1e-9, rounds}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.value < last {
			t.Errorf("%v after %d steps, %v before", r.value, rounds, last)
		}
		last = r.value
	}
	a, err := stiefel(background, o, 1, usualAscent, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := dimensionGrowth(background, o, 1, usualAscent, 9)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.value-b.value) > 1e-3*a.value {
		t.Errorf("one column reaches %v and %v", a.value, b.value)
	}
}

// TestSVM holds the solution against the system that defines it, and the classifier
// against rows that it has not seen.
func TestSVM(t *testing.T) {
	x, labels := blobs(90, 4)
	s := svmSetting{sigma: 2, gamma: 7}
	m, err := fitSVM(x, labels, 3, s)
	if err != nil {
		t.Fatal(err)
	}
	k := between(m.kernel, x, x)
	if got, want := k.Data[1], math.Exp(-squaredDistance(dense.Row(x, 0), dense.Row(x, 1))/(2*s.sigma*s.sigma)); math.Abs(got-want) > 1e-12 {
		t.Errorf("the kernel is %v, not %v", got, want)
	}
	fitted := dense.Mul(blas.NoTrans, k, blas.NoTrans, m.alpha)
	for c := range 3 {
		sum := 0.0
		for i := range x.Rows {
			want := -1.0
			if labels[i] == c {
				want = 1
			}
			a := dense.Row(m.alpha, i)[c]
			sum += a
			if v := dense.Row(fitted, i)[c] + a/s.gamma + m.bias[c]; math.Abs(v-want) > 1e-10 {
				t.Fatalf("row %d, class %d: %v is not %v", i, c, v, want)
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("the multipliers of class %d add up to %v", c, sum)
		}
	}
	chosen, err := chooseSVM(background, stream.RowSlice(x, 0, 60), labels[:60], 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = fitSVM(stream.RowSlice(x, 0, 60), labels[:60], 3, chosen); err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range m.predict(stream.RowSlice(x, 60, 30)) {
		if c == labels[60+i] {
			right++
		}
	}
	if right < 27 {
		t.Errorf("%d of 30 rows right", right)
	}
}

func squaredDistance(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}
