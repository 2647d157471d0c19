package logistic

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// noisy draws rows with d features. Labels are random, with log-odds of weights 1, −2, 3, … and a bias of ½.
func noisy(n, d int, seed uint64) (blas64.General, []bool) {
	x, positive := matrix.New(n, d), make([]bool, n)
	random := sketch.NewRandom(seed, "logistic test")
	for i := range n {
		draws := random.At(uint64(i))
		odds := 0.5
		for j, w := range matrix.Row(x, i) {
			w = draws.Normal()
			matrix.Row(x, i)[j] = w
			odds += w * float64(j+1) * math.Pow(-1, float64(j))
		}
		positive[i] = draws.Float64() < sigmoid(odds)
	}
	return x, positive
}

// gradientOf returns the largest magnitude of the gradient of the objective in the package comment.
func gradientOf(m *Model, x blas64.General, positive []bool) (worst float64) {
	g, count := make([]float64, x.Cols+1), 0.0
	for _, p := range positive {
		if p {
			count++
		}
	}
	for i := range x.Rows {
		label := 1 / (float64(x.Rows) - count + 2)
		if positive[i] {
			label = (count + 1) / (count + 2)
		}
		slope := 1/(1+math.Exp(-logOdds(m, matrix.Row(x, i)))) - label
		for j, v := range matrix.Row(x, i) {
			g[j] += slope * v
		}
		g[x.Cols] += slope
	}
	for _, v := range g {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// TestGradient: the gradient at the fit is 0, for any scale of a column.
func TestGradient(t *testing.T) {
	x, positive := noisy(400, 4, 1)
	for _, scale := range []float64{1e-6, 1, 1e6} {
		y := matrix.Clone(x)
		for i := range y.Rows {
			matrix.Row(y, i)[2] *= scale
		}
		m, err := Fit(y, positive)
		if err != nil {
			t.Fatal(err)
		}
		if g := gradientOf(m, y, positive); g > 1e-9*max(1, scale) {
			t.Errorf("scale %v: gradient %v", scale, g)
		}
	}
}

// TestTwoByTwo: one feature with values 0 and 1 has a closed-form solution, the log-odds of the smoothed counts.
func TestTwoByTwo(t *testing.T) {
	x, positive := matrix.New(20, 1), make([]bool, 20)
	for i := range 20 {
		if i >= 8 {
			x.Data[i] = 1
		}
		positive[i] = i < 3 || i >= 8 && i < 17 // 3 of 8 are positive, and 9 of 12
	}
	m, err := Fit(x, positive)
	if err != nil {
		t.Fatal(err)
	}
	// The smoothed labels of the 12 positive rows are 13/14, those of the 8 negative ones 1/10.
	logOdds := func(positive, negative float64) float64 {
		p := (positive*13/14 + negative/10) / (positive + negative)
		return math.Log(p / (1 - p))
	}
	bias, weight := logOdds(3, 5), logOdds(9, 3)-logOdds(3, 5)
	if math.Abs(m.Bias-bias) > 1e-10 || math.Abs(m.Weights[0]-weight) > 1e-10 {
		t.Errorf("bias %v and weight %v, want %v and %v", m.Bias, m.Weights[0], bias, weight)
	}
}

// TestSeparable: separable classes have finite weights, with the same log-odds for any scale of the feature, even if
// the classes touch.
func TestSeparable(t *testing.T) {
	for name, data := range map[string]struct {
		x        []float64
		positive []bool
	}{
		"apart":    {[]float64{-3, -2, -1, 1, 2, 4}, []bool{false, false, false, false, true, true}},
		"touching": {[]float64{-2, 0, 0, 2}, []bool{false, false, true, true}},
		"two":      {[]float64{0, 1}, []bool{true, false}},
	} {
		x := matrix.Of(data.x, len(data.x), 1)
		var odds []float64
		for _, scale := range []float64{1e-9, 1, 1e9} {
			y := matrix.Clone(x)
			dense.ScaleColumns(y, []float64{scale})
			m, err := Fit(y, data.positive)
			if err != nil {
				t.Fatal(name, err)
			}
			if g := gradientOf(m, y, data.positive); g > 1e-9*max(1, scale) {
				t.Errorf("%s, scale %v: gradient %v", name, scale, g)
			}
			now := make([]float64, y.Rows)
			for i := range now {
				now[i] = logOdds(m, matrix.Row(y, i))
				if odds != nil && math.Abs(now[i]-odds[i]) > 1e-8 {
					t.Errorf("%s, scale %v: log-odds %v, want %v", name, scale, now[i], odds[i])
				}
			}
			odds = now
		}
	}
}

// TestDependent: a constant column or a copy of a column changes no probability.
func TestDependent(t *testing.T) {
	x, positive := noisy(200, 2, 3)
	more := matrix.New(200, 4)
	for i := range x.Rows {
		r := matrix.Row(x, i)
		copy(matrix.Row(more, i), []float64{r[0], r[1], 7, r[0]})
	}
	a, err := Fit(x, positive)
	b, err2 := Fit(more, positive)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for i := range x.Rows {
		v := logOdds(a, matrix.Row(x, i))
		if w := logOdds(b, matrix.Row(more, i)); math.Abs(v-w) > 1e-8*(1+math.Abs(v)) {
			t.Fatalf("row %d: log-odds %v and %v", i, v, w)
		}
	}
}

// TestFar: Newton's method converges with points far on the wrong side.
func TestFar(t *testing.T) {
	x, positive := noisy(300, 1, 4)
	x.Data[0], positive[0] = 1e4, false
	x.Data[1], positive[1] = -1e4, true
	m, err := Fit(x, positive)
	if err != nil {
		t.Fatal(err)
	}
	if g := gradientOf(m, x, positive); g > 1e-6 {
		t.Errorf("gradient %v", g)
	}
}

func TestRefuses(t *testing.T) {
	x, positive := noisy(5, 1, 5)
	x.Data[3] = math.NaN()
	if _, err := Fit(x, positive); err == nil {
		t.Error("a feature that is NaN: no error")
	}
	x.Data[3] = 0
	for _, rows := range []int{5, 0} {
		if _, err := Fit(matrix.Rows(x, 0, rows), make([]bool, rows)); !errors.Is(err, ErrOneClass) {
			t.Errorf("%d rows of one class: %v", rows, err)
		}
	}
}

// logOdds returns wᵀx + b for a row of features.
func logOdds(m *Model, x []float64) float64 { return m.Bias + dense.Dot(m.Weights, x) }
