package logistic

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// noisy draws rows with d features, positive by chance with the log-odds of true
// weights 1, −2, 3, … and a bias of ½.
func noisy(n, d int, seed uint64) (blas64.General, []bool) {
	x, positive := stream.NewMatrix(n, d), make([]bool, n)
	random := sketch.NewRandom(seed, "logistic test")
	for i := range n {
		draws := random.At(uint64(i))
		odds := 0.5
		for j, w := range dense.Row(x, i) {
			w = draws.Normal()
			dense.Row(x, i)[j] = w
			odds += w * float64(j+1) * math.Pow(-1, float64(j))
		}
		positive[i] = draws.Float64() < sigmoid(odds)
	}
	return x, positive
}

// gradientOf returns that of the objective as the package comment has it, by itself.
func gradientOf(m *Model, x blas64.General, positive []bool, penalty float64) (worst float64) {
	g := make([]float64, x.Cols+1)
	for i := range x.Rows {
		y := -1.0
		if positive[i] {
			y = 1
		}
		t := m.Bias
		for j, v := range dense.Row(x, i) {
			t += m.Weights[j] * v
		}
		slope := -y / (1 + math.Exp(y*t))
		for j, v := range dense.Row(x, i) {
			g[j] += slope * v
		}
		g[x.Cols] += slope
	}
	for j, w := range m.Weights {
		g[j] += penalty * w
	}
	for _, v := range g {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// TestGradient: at the fit the gradient is 0, for any penalty and scale of columns.
func TestGradient(t *testing.T) {
	x, positive := noisy(400, 4, 1)
	for _, penalty := range []float64{0, 1e-3, 1, 100} {
		for _, scale := range []float64{1e-6, 1, 1e6} {
			y := dense.Clone(x)
			for i := range y.Rows {
				dense.Row(y, i)[2] *= scale
			}
			m, err := Solver{Penalty: penalty}.Fit(y, positive)
			if err != nil {
				t.Fatal(err)
			}
			if g := gradientOf(m, y, positive, penalty); g > 1e-9*max(1, scale) || m.Gradient > 1e-9*max(1, scale) {
				t.Errorf("penalty %v, scale %v: gradient %v, said to be %v", penalty, scale, g, m.Gradient)
			}
		}
	}
}

// TestTwoByTwo: one feature that is 0 or 1 has a solution in closed form: the log-odds
// of the counts.
func TestTwoByTwo(t *testing.T) {
	x, positive := stream.NewMatrix(20, 1), make([]bool, 20)
	for i := range 20 {
		if i >= 8 {
			x.Data[i] = 1
		}
		positive[i] = i < 3 || i >= 8 && i < 17 // 3 of 8, and 9 of 12
	}
	m, err := Solver{}.Fit(x, positive)
	if err != nil {
		t.Fatal(err)
	}
	bias, weight := math.Log(3.0/5), math.Log(9.0/3)-math.Log(3.0/5)
	if math.Abs(m.Bias-bias) > 1e-10 || math.Abs(m.Weights[0]-weight) > 1e-10 {
		t.Errorf("bias %v and weight %v, want %v and %v", m.Bias, m.Weights[0], bias, weight)
	}
	if p := sigmoid(logOdds(m, []float64{1})); math.Abs(p-0.75) > 1e-10 {
		t.Errorf("probability %v, want 0.75", p)
	}
}

// TestOnePoint: two rows at −1 and 1 with penalty λ: λw = 2/(1+exp(w)), bias 0.
func TestOnePoint(t *testing.T) {
	x := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{-1, 1}}
	for _, penalty := range []float64{1e-8, 1e-3, 1, 10} {
		m, err := Solver{Penalty: penalty}.Fit(x, []bool{false, true})
		if err != nil {
			t.Fatal(err)
		}
		w := m.Weights[0]
		if r := penalty*w - 2/(1+math.Exp(w)); math.Abs(r) > 1e-9*penalty*w || math.Abs(m.Bias) > 1e-9 {
			t.Errorf("penalty %v: weight %v leaves %v, bias %v", penalty, w, r, m.Bias)
		}
	}
}

// TestSeparable: without a penalty a statement, with one a fit; also where classes
// touch, and where a single row decides.
func TestSeparable(t *testing.T) {
	for name, data := range map[string]struct {
		x        []float64
		positive []bool
	}{
		"apart":    {[]float64{-2, -1, 1, 2}, []bool{false, false, true, true}},
		"touching": {[]float64{-2, 0, 0, 2}, []bool{false, false, true, true}},
		"tiny":     {[]float64{-2e-9, -1e-9, 1e-9, 2e-9}, []bool{false, false, true, true}},
		"two":      {[]float64{0, 1}, []bool{true, false}},
	} {
		x := blas64.General{Rows: len(data.x), Cols: 1, Stride: 1, Data: data.x}
		if _, err := (Solver{}).Fit(x, data.positive); !errors.Is(err, ErrSeparable) {
			t.Errorf("%s: %v", name, err)
		}
		m, err := Solver{Penalty: 0.1}.Fit(x, data.positive)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if g := gradientOf(m, x, data.positive, 0.1); g > 1e-9 {
			t.Errorf("%s: gradient %v", name, g)
		}
	}
}

// TestSmoothed: classes that are separable have weights; those have the gradient 0 at the
// smoothed labels, and any scale of the features gives the same log-odds.
func TestSmoothed(t *testing.T) {
	x := blas64.General{Rows: 6, Cols: 1, Stride: 1, Data: []float64{-3, -2, -1, 1, 2, 4}}
	positive := []bool{false, false, false, false, true, true}
	var odds []float64
	for _, scale := range []float64{1e-9, 1, 1e9} {
		y := dense.Clone(x)
		dense.ScaleColumns(y, []float64{scale})
		m, err := Solver{Smoothed: true}.Fit(y, positive)
		if err != nil {
			t.Fatal(err)
		}
		slope, bias := 0.0, 0.0
		for i, v := range x.Data {
			label := 1.0 / (4 + 2)
			if positive[i] {
				label = 3.0 / (2 + 2)
			}
			left := sigmoid(logOdds(m, dense.Row(y, i))) - label
			slope, bias = slope+left*v, bias+left
		}
		if !(math.Abs(slope)+math.Abs(bias) < 1e-9) {
			t.Errorf("scale %v: gradient %v and %v", scale, slope, bias)
		}
		now := make([]float64, y.Rows)
		for i := range now {
			now[i] = logOdds(m, dense.Row(y, i))
			if odds != nil && math.Abs(now[i]-odds[i]) > 1e-8 {
				t.Errorf("scale %v: log-odds %v, want %v", scale, now[i], odds[i])
			}
		}
		odds = now
	}
}

// TestDependent: a constant column and a copy of a column change no probability.
func TestDependent(t *testing.T) {
	x, positive := noisy(200, 2, 3)
	more := stream.NewMatrix(200, 4)
	for i := range x.Rows {
		r := dense.Row(x, i)
		copy(dense.Row(more, i), []float64{r[0], r[1], 7, r[0]})
	}
	a, err := Solver{}.Fit(x, positive)
	b, err2 := Solver{}.Fit(more, positive)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for i := range x.Rows {
		v := logOdds(a, dense.Row(x, i))
		if w := logOdds(b, dense.Row(more, i)); math.Abs(v-w) > 1e-8*(1+math.Abs(v)) {
			t.Fatalf("row %d: log-odds %v and %v", i, v, w)
		}
	}
}

// TestFar: points far on the wrong side do not throw Newton's method off.
func TestFar(t *testing.T) {
	x, positive := noisy(300, 1, 4)
	x.Data[0], positive[0] = 1e4, false
	x.Data[1], positive[1] = -1e4, true
	m, err := Solver{}.Fit(x, positive)
	if err != nil {
		t.Fatal(err)
	}
	if g := gradientOf(m, x, positive, 0); g > 1e-6 {
		t.Errorf("gradient %v", g)
	}
}

func TestRefuses(t *testing.T) {
	x, positive := noisy(5, 1, 5)
	bad := dense.Clone(x)
	bad.Data[3] = math.NaN()
	for name, err := range map[string]error{
		"penalty":    second(Solver{Penalty: -1}.Fit(x, positive)),
		"NaN":        second(Solver{Penalty: math.NaN()}.Fit(x, positive)),
		"iterations": second(Solver{Iterations: -1}.Fit(x, positive)),
		"feature":    second(Solver{}.Fit(bad, positive)),
		"no rows":    second(Solver{}.Fit(stream.NewMatrix(0, 1), nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (Solver{Penalty: 1}).Fit(x, make([]bool, 5)); !errors.Is(err, ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
}

func second(_ *Model, err error) error { return err }

// logOdds returns wᵀx + b for a row of features.
func logOdds(m *Model, x []float64) float64 { return m.Bias + dense.Dot(m.Weights, x) }
