package ridge

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestDeviations compares standard deviations with those of a Gaussian process with an unknown mean, by dense algebra.
// All rows are landmarks, and weights divide the noise variance.
func TestDeviations(t *testing.T) {
	t.Parallel()
	const n, lambda = 120, 0.2
	x, y := wavy(n)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	for _, w := range [][]float64{nil, weights} {
		for _, k := range []kernelgen.Kernel{kernelgen.RBF(0.4), kernelgen.Laplace(0.5)} {
			d := weighted(t, targets(t, x, y), w)
			f, err := Solver{Landmarks: n, Penalties: []float64{lambda}, Seed: 1, Std: true}.Fit(t.Context(),
				stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(err)
			}
			a, copies := kernelMatrix(k, x, x), float64(n)
			if w != nil {
				copies = dense.Sum(w)
			}
			for i := range n {
				noise := lambda
				if w != nil {
					noise /= w[i]
				}
				a.Set(i, i, a.At(i, i)+noise)
			}
			ones, targets := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, y.Data)
			for i := range n {
				ones.Set(i, 0, 1)
			}
			var inverse, inverseOnes, inverseTargets, square mat.Dense
			if err := inverse.Inverse(a); err != nil {
				t.Fatal(err)
			}
			inverseOnes.Mul(&inverse, ones)
			all := mat.Sum(&inverseOnes)
			inverseTargets.Mul(&inverse, targets)
			square.Mul(targets.T(), &inverseTargets)
			fresh := normals(30, 3, 9)
			var solved mat.Dense
			cross := kernelMatrix(k, fresh, x)
			solved.Mul(cross, &inverse)
			got := predict(t, f.Model, fresh, model.Value, model.Deviation)
			plain := predict(t, f.Model, fresh, model.Value)
			for i := range fresh.Rows {
				row := cross.RawRowView(i)
				away := 1 - mat.Dot(mat.NewVecDense(n, row), inverseOnes.ColView(0))
				variance := 1 + (1-mat.Dot(mat.NewVecDense(n, row), solved.RowView(i))+away*away/all)/lambda
				for j := range 2 {
					mean := mat.Dot(targets.ColView(j), inverseOnes.ColView(0)) / all
					noise := lambda * (square.At(j, j) - mean*mean*all) / copies
					want := math.Sqrt(noise * variance)
					if s := matrix.Row(got, i)[2+j]; math.Abs(s-want) > 1e-6*want {
						t.Fatalf("%s, weights %v: deviation of target %d of row %d is %v, not %v", k, w != nil, j, i, s, want)
					}
					if matrix.Row(got, i)[j] != matrix.Row(plain, i)[j] {
						t.Fatal("values differ where deviations are asked for")
					}
				}
			}
		}
	}
}

// noisy returns rows and two targets. The noise of the first is skewed and grows with the first column.
func noisy(n int, seed uint64) (x, y blas64.General) {
	x, y = normals(n, 2, seed), normals(n, 2, seed+1)
	for i := range n {
		r, v := matrix.Row(x, i), matrix.Row(y, i)
		v[0] = math.Sin(r[0]) + math.Exp(r[0]/2)*(v[0]*v[0]-1)
		v[1] += 3 * r[1]
	}
	return x, y
}

// TestIntervals: intervals cover new rows as often as their level, in each third of the noise. They contain the values
// and widen with the level.
func TestIntervals(t *testing.T) {
	t.Parallel()
	const n = 3000
	x, y := noisy(2*n, 11)
	d := targets(t, matrix.Rows(x, 0, n), matrix.Rows(y, 0, n))
	f, err := Solver{Landmarks: 60, Seed: 3}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.2))
	if err != nil {
		t.Fatal(err)
	}
	if f.Scored != n || f.Intervals.Residuals != n {
		t.Errorf("%d and %d residuals of %d rows", f.Scored, f.Intervals.Residuals, n)
	}
	fresh := matrix.Rows(x, n, n)
	var last blas64.General
	for _, level := range []float64{0.5, 0.9, 0.95} {
		r := model.Request{Outputs: []model.Output{model.Upper, model.Value, model.Lower}, Level: level}
		out, err := model.TransformMatrix(t.Context(), stream.Engine{BlockRows: 100}, f.Model, fresh, r)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 2 {
			var inside, rows [3]float64
			for i := range n {
				v, truth, third := matrix.Row(out, i), matrix.Row(y, n+i)[j], 0
				if first := matrix.Row(fresh, i)[0]; first > 0.43 {
					third = 2
				} else if first > -0.43 {
					third = 1
				}
				upper, value, lower := v[j], v[2+j], v[4+j]
				if !(lower < value && value < upper) || last.Rows > 0 &&
					upper-lower <= matrix.Row(last, i)[j]-matrix.Row(last, i)[4+j] {
					t.Fatalf("interval of level %v is %v to %v around %v", level, lower, upper, value)
				}
				rows[third]++
				if lower <= truth && truth <= upper {
					inside[third]++
				}
			}
			for third := range inside {
				if share := inside[third] / rows[third]; math.Abs(share-level) > 0.05 {
					t.Errorf("level %v, target %d, third %d of the noise: %.3f covered", level, j, third, share)
				}
			}
		}
		last = out
	}
	for _, level := range []float64{0, 1, -1, math.NaN(), 0.999} {
		r := model.Request{Outputs: []model.Output{model.Lower}, Level: level}
		if _, err := model.TransformMatrix(t.Context(), stream.Engine{}, f.Model, fresh, r); err == nil ||
			!strings.Contains(err.Error(), "`Request.Level") {
			t.Errorf("level %v: %v", level, err)
		}
	}
}

// TestPlainIntervals: the quantiles of a few residuals are residuals, and those of an exact fit are 0.
func TestPlainIntervals(t *testing.T) {
	t.Parallel()
	q := weightedQuantiles([]float64{3, 1, 2, 4}, []float64{1, 1, 1, 1}) // residual number (n + 1)·p
	for p, want := range map[int]float64{20: 1, 40: 1, 41: 2, 100: 3, 159: 4, 199: 4} {
		if q[p-1] != want {
			t.Errorf("quantile %d/200 is %v, want %v", p, q[p-1], want)
		}
	}
	if q := weightedQuantiles([]float64{1, 2}, []float64{0, 5}); q[0] != 2 {
		t.Errorf("a residual without a weight is the quantile %v", q[0])
	}
	x := normals(90, 1, 3)
	for _, groups := range [][]int{nil, make([]int, 90)} {
		for i := range groups {
			groups[i] = i % 2
		}
		f, err := Solver{Landmarks: 20, Seed: 4}.Fit(t.Context(), stream.Engine{},
			grouped(t, targets(t, x, x), groups), kernelgen.Linear())
		if err != nil {
			t.Fatal(err)
		}
		r := model.Request{Outputs: []model.Output{model.Lower, model.Upper}, Level: 0.9}
		out, err := model.TransformMatrix(t.Context(), stream.Engine{}, f.Model, x, r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range out.Rows {
			if v := matrix.Row(out, i); !(v[1]-v[0] >= 0 && v[1]-v[0] < 1e-3) {
				t.Fatalf("the interval of a target without noise is %v", v)
			}
		}
	}
}

// TestScores compares scores with those of explicit refits without each fold, and searches for a better temperature.
func TestScores(t *testing.T) {
	t.Parallel()
	const n = 300
	x, labels := rings(n)
	for i := 0; i < n; i += 10 {
		labels[i] = (labels[i] + 1) % 3
	}
	k := kernelgen.RBF(0.5)
	f, err := Solver{Landmarks: 40, Folds: 3, Seed: 1}.Fit(t.Context(), stream.Engine{}, classed(t, x, labels), k)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := Solver{Folds: 3, Seed: 1}.folding(40)
	if err != nil {
		t.Fatal(err)
	}
	codes, decisions := matrix.New(n, 3), matrix.New(n, 3)
	for i := range n {
		copy(matrix.Row(codes, i), []float64{-1, -1, -1})
		matrix.Row(codes, i)[labels[i]] = 1
	}
	z := features(k, f.Landmarks, x)
	for part := range 3 {
		var out mat.Dense
		out.Mul(z, refit(t, z, codes, f.Lambda, func(i int) bool { return folds.part(uint64(i)) != part }))
		for i := range n {
			if folds.part(uint64(i)) == part {
				copy(matrix.Row(decisions, i), out.RawRowView(i))
			}
		}
	}
	chosen := make([]int, n)
	family.Largest(chosen, decisions)
	tally := metrics.NewTally(labels, chosen)
	accuracy, _ := tally.Accuracy()
	f1, _ := tally.MacroF1()
	s := f.Scores
	d := classed(t, x, labels)
	passed, err := Solver{Landmarks: 40, Folds: 3, Seed: 1, ScoreRows: AllRows}.Fit(t.Context(),
		stream.Engine{BlockRows: 64}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	if p := passed.Scores; p.Accuracy != s.Accuracy || p.MacroF1 != s.MacroF1 ||
		math.Abs(p.LogLoss-s.LogLoss) > 1e-12 || passed.Scored != n || passed.SourcePasses != 2 {
		t.Errorf("scores of a pass over all rows: %+v of %d, of a sample that has all: %+v", p, passed.Scored, s)
	}
	if math.Abs(1-f.Chosen().Misclassified-accuracy) > 1e-12 || math.Abs(s.MacroF1-f1) > 1e-12 || f.Scored != n ||
		math.Abs(s.Accuracy-accuracy) > 0.01 {
		t.Errorf("accuracy %v, macro F1 %v of %d rows, by refits %v and %v", s.Accuracy, s.MacroF1, f.Scored, accuracy, f1)
	}
	if want := metrics.ShareError(1-s.Accuracy, n); math.Abs(s.StandardError-want) > 1e-12 {
		t.Errorf("standard error %v, want %v", s.StandardError, want)
	}
	loss := func(temperature float64) (sum float64) { // smoothed
		for i, l := range labels {
			d, all := matrix.Row(decisions, i), 0.0
			for _, v := range d {
				all += math.Exp(v / temperature)
			}
			target := d[l]*(1-1.0/(n+1)) + dense.Sum(d)/3/(n+1)
			sum += math.Log(all) - target/temperature
		}
		return sum
	}
	if at := loss(f.Temperature); at > loss(f.Temperature*1.01) || at > loss(f.Temperature/1.01) || s.LogLoss > at/n {
		t.Errorf("temperature %v has the log loss %v, and others less", f.Temperature, s.LogLoss)
	}
	out := predict(t, f.Model, x, model.Probability, model.Class)
	for i := range out.Rows {
		p := matrix.Row(out, i)
		if math.Abs(dense.Sum(p[:3])-1) > 1e-12 || floats.MaxIdx(p[:3]) != int(p[3]) {
			t.Fatalf("probabilities %v of class %v", p[:3], p[3])
		}
	}
}

// TestBalanced: balancing classes equals weighting rows by the class weights, and scores ignore these weights.
func TestBalanced(t *testing.T) {
	t.Parallel()
	x, labels := rings(300)
	weights := make([]float64, 300)
	for i := range labels {
		if i%10 > 0 {
			labels[i] = 0
		}
		weights[i] = float64(1 + i%2)
	}
	counts := make([]float64, 3)
	for i, l := range labels {
		counts[l] += weights[i]
	}
	all := dense.Sum(weights)
	d := weighted(t, classed(t, x, labels), weights)
	f, err := Solver{Landmarks: 300, Balanced: true}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range labels {
		weights[i] *= all / (3 * counts[l])
	}
	same, err := Solver{Landmarks: 300}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(f.Coefficients, f.Temperature) != fmt.Sprint(same.Coefficients, same.Temperature) {
		t.Error("weights of classes give another model than the same weights of rows")
	}
	if f.Scores.Accuracy == same.Scores.Accuracy || f.Scores.MacroF1 == same.Scores.MacroF1 {
		t.Errorf("accuracy %v and %v with weights of classes, macro F1 %v and %v: scores have the weights of rows alone", f.Scores.Accuracy,
			same.Scores.Accuracy, f.Scores.MacroF1, same.Scores.MacroF1)
	}
}

// TestKinds: the error for a missing output says why the model lacks it.
func TestKinds(t *testing.T) {
	t.Parallel()
	targets, classes := &Model{Names: []string{"a"}}, &Model{Classes: 2}
	for want, c := range map[string]struct {
		m    *Model
		kind model.Output
	}{
		"fit with `Std`":       {targets, model.Deviation},
		"knows no intervals":   {targets, model.Upper},
		"chooses no classes":   {targets, model.Probability},
		"chooses classes":      {classes, model.Lower},
		"no probabilities":     {classes, model.Probability},
		"ask for classes, dec": {classes, model.Deviation},
	} {
		if _, err := c.m.Outputs(model.Left, c.kind); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
