package ridge

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// TestCorrected compares the bootstrap correction with one that copies rows into bags.
func TestCorrected(t *testing.T) {
	t.Parallel()
	const n, configurations, figures = 40, 7, 2
	numbers := normals(configurations, n*(1+figures), 3)
	for name, group := range map[string]func(i int) int{
		"rows":   func(i int) int { return i },
		"groups": func(i int) int { return i * i % 11 },
	} {
		k := responses{weight: make([]float64, n), group: make([]uint64, n)}
		for i := range n {
			k.weight[i], k.group[i] = float64(i%4), uint64(group(i))
		}
		o := &heldOutLosses{}
		for j := range configurations {
			choice, reported := make([]float64, n), make([]float64, n*figures)
			for i, v := range matrix.Row(numbers, j) {
				if i < n {
					choice[i] = k.weight[i] * v * v
				} else {
					reported[i-n] = k.weight[(i-n)/figures] * v * v
				}
			}
			o.choice, o.reported = append(o.choice, choice), append(o.reported, reported)
		}
		var names []uint64 // groups with a weight, in order of their first rows
		members := make(map[uint64][]int)
		for i, g := range k.group {
			if k.weight[i] == 0 {
				continue
			}
			if members[g] == nil {
				names = append(names, g)
			}
			members[g] = append(members[g], i)
		}
		want, used := make([]float64, figures), 0.0
		for b := range resamples {
			draws := sketch.NewRandom(9, "optimism").At(uint64(b))
			var bag []int
			drawn := make(map[uint64]bool)
			for range names {
				g := names[draws.Uint64n(uint64(len(names)))]
				bag, drawn[g] = append(bag, members[g]...), true
			}
			best, least := 0, math.Inf(1)
			for j := range configurations {
				sum := 0.0
				for _, i := range bag {
					sum += o.choice[j][i]
				}
				if sum < least {
					best, least = j, sum
				}
			}
			if len(drawn) == len(names) {
				continue // no row is out of the bag
			}
			used++
			for f := range figures {
				sum, weight := 0.0, 0.0
				for _, g := range names {
					for _, i := range members[g] {
						if !drawn[g] {
							sum += o.reported[best][i*figures+f]
							weight += k.weight[i]
						}
					}
				}
				want[f] += sum / weight
			}
		}
		floats.Scale(1/used, want)
		got := o.corrected(k.weight, k.weight, newClusters(&k), 9)
		if len(got) != figures || !floats.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: %v, by bags %v", name, got, want)
		}
	}
	one := &heldOutLosses{choice: make([][]float64, 1), reported: make([][]float64, 1)}
	if got := one.corrected([]float64{1}, []float64{1}, clusters{of: []int{0}, count: 1}, 1); got != nil {
		t.Errorf("%v: one configuration is no choice", got)
	}
}

// defaultKernels returns the default kernels of the command.
func defaultKernels(t *testing.T) []kernelgen.Kernel {
	t.Helper()
	kernels, err := kernelgen.ParseAll("laplace(gamma=0.25*median|0.5*median) | matern32(length=2*median) | matern52(length=4*median)")
	if err != nil {
		t.Fatal(err)
	}
	return kernels
}

// TestPromiseOfNoise: for classes independent of the rows, the reported error is close to that of guessing, although
// the best of some twenty configurations has a lower one. A warning says that nothing was learnt.
func TestPromiseOfNoise(t *testing.T) {
	t.Parallel()
	const n, fits = 60, 40
	kernels := defaultKernels(t)
	promised, least, warned := 0.0, 0.0, 0
	for seed := range uint64(fits) {
		labels, draws := make([]int, n), sketch.NewRandom(seed, "labels").At(0)
		for i := range labels {
			labels[i] = int(draws.Uint64n(2))
		}
		f, err := Solver{Kernels: kernels[1:], Seed: seed}.Fit(t.Context(), stream.Engine{},
			classed(t, normals(n, 5, seed), labels), kernels[0])
		if err != nil {
			t.Fatal(err)
		}
		if f.Configurations < 16 || f.Configurations > 23 {
			t.Errorf("corrected for %d configurations", f.Configurations)
		}
		promised += (1 - f.Scores.Accuracy) / fits
		lowest := 1.0
		for _, p := range f.Path {
			lowest = min(lowest, p.Misclassified)
		}
		for _, k := range f.Kernels {
			lowest = min(lowest, k.Misclassified)
		}
		least += lowest / fits
		if slices.ContainsFunc(f.Warnings, func(w string) bool { return strings.Contains(w, "for all rows") }) {
			warned++
		}
	}
	if math.Abs(promised-0.5) > 0.04 || least > 0.45 || warned < fits*3/4 {
		t.Errorf("promised %.3f, the least share %.3f, for .5; %d of %d fits warn", promised, least, warned, fits)
	}
}

// TestChoice: the squared error of the codes selects a configuration, not a chance gain in misclassified rows; a
// significantly smaller misclassification rate does.
func TestChoice(t *testing.T) {
	t.Parallel()
	wrong := func(n, first, count int) []float64 {
		w := make([]float64, n)
		for i := range count {
			w[first+i] = 1
		}
		return w
	}
	squares := []float64{math.NaN(), 0.9, 0.5, 0.5, 0.7}
	for _, c := range []struct {
		n, lucky, wrong, want int
	}{
		{60, 5, 7, 3}, {1000, 10, 30, 1}, {1000, 10, 12, 3}, {60, 0, 20, 1},
	} {
		of := [][]float64{wrong(c.n, 0, 0), wrong(c.n, 0, c.lucky), wrong(c.n, 20, c.wrong), wrong(c.n, 20, c.wrong), wrong(c.n, 20, c.wrong+1)}
		each := responses{weight: slices.Repeat([]float64{1}, c.n)}
		for i := range c.n {
			each.group = append(each.group, uint64(i))
		}
		if got := (choice{newClusters(&each), each.weight}).best(squares, of); got != c.want {
			t.Errorf("%d and %d of %d rows wrong: configuration %d is chosen, not %d", c.lucky, c.wrong, c.n, got, c.want)
		}
	}
	if got := (choice{}).best(squares, nil); got != 3 {
		t.Errorf("configuration %d of targets is chosen, not 3", got)
	}
}

// TestStandardErrors compares the standard errors of RMSE and R² with jackknifes over rows and over groups.
func TestStandardErrors(t *testing.T) {
	t.Parallel()
	const n = 300
	x, y := wavy(n)
	groups, weights := make([]int, n), make([]float64, n)
	for i := range n {
		groups[i], weights[i] = i/5, 1e-200*float64(1+i%3)
		matrix.Row(y, i)[0] += 0.3 * float64(groups[i]*groups[i]%7)
	}
	for _, of := range []struct {
		groups  []int
		weights []float64
	}{{nil, nil}, {nil, weights}, {groups, nil}, {groups, weights}} {
		d := weighted(t, grouped(t, targets(t, x, y), of.groups), of.weights)
		s := Solver{Landmarks: 40, Penalties: []float64{0.1}, Folds: 3, Seed: 2}
		if of.weights != nil {
			s.Penalties[0] *= 1e-200
		}
		f, err := s.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.3))
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := s.choose(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.3))
		if err != nil {
			t.Fatal(err)
		}
		held, err := c.holdOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for j := range 2 {
			figures := func(without uint64) (rmse, r2 float64) { // figures without one group
				var total, mean, errors, spread float64
				for _, pass := range []int{0, 1} {
					for i, w := range c.known.weight {
						if c.known.group[i] == without {
							continue
						}
						v := matrix.Row(c.known.outputs, i)[j]
						if pass == 0 {
							total += w
							mean += w * v
							continue
						}
						e := v - matrix.Row(held.predictions, i)[j]
						errors += w * e * e
						spread += w * (v - mean/total) * (v - mean/total)
					}
				}
				return math.Sqrt(errors / total), 1 - errors/spread
			}
			rmse, r2 := figures(math.MaxUint64)
			var squares [2]float64
			done := make(map[uint64]bool)
			for _, g := range c.known.group {
				if done[g] {
					continue
				}
				done[g] = true
				a, b := figures(g)
				squares[0] += (a/rmse - 1) * (a/rmse - 1)
				squares[1] += (b - r2) * (b - r2)
			}
			for at, got := range []float64{f.RMSE[j].StandardError / f.RMSE[j].Value, f.R2Error[j]} {
				if want := math.Sqrt(squares[at]); !(math.Abs(got-want) < 0.1*want) {
					t.Errorf("%d groups, weights %v, target %d: standard error %d is %v, by the jackknife %v",
						len(done), of.weights != nil, j, at, got, want)
				}
			}
			if !(math.Abs(f.R2[j]-r2) < 1e-6) || f.RMSE[j].Value != f.Chosen().RMSE[j] || f.Configurations != 0 {
				t.Errorf("R² %v, by residuals %v; RMSE %v of %v corrected for %d configurations", f.R2[j], r2, f.RMSE[j],
					f.Chosen().RMSE[j], f.Configurations)
			}
		}
	}
}

// TestOneShare: the misclassification rate and the accuracy use the same weights, those of rows without those of
// classes. Above 2,000 rows they are not corrected. The standard error is above 0 even without errors.
func TestOneShare(t *testing.T) {
	t.Parallel()
	const n = 2100
	x, labels := rings(n)
	weights := make([]float64, n)
	for i := range labels {
		if i%3 == 1 || i%10 == 0 {
			labels[i] = 0
		}
		weights[i] = float64(1 + i%2)
	}
	d := weighted(t, classed(t, x, labels), weights)
	f, err := Solver{Landmarks: 20, Balanced: true}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if e := f.Chosen().Misclassified; math.Abs(e+f.Scores.Accuracy-1) > 1e-12 || f.Configurations != 0 || e < 0.01 {
		t.Errorf("%v misclassified, accuracy %v, corrected for %d", e, f.Scores.Accuracy, f.Configurations)
	}
	x, labels = rings(60)
	for i := range labels { // two well separated classes
		labels[i] = i % 2
		matrix.Row(x, i)[0] += float64(20 * labels[i])
	}
	f, err = Solver{}.Fit(t.Context(), stream.Engine{}, classed(t, x, labels), kernelgen.RBF(0.05))
	if err != nil {
		t.Fatal(err)
	}
	if want := metrics.ShareError(0, 60); f.Scores.Accuracy != 1 || math.Abs(f.Scores.StandardError-want) > 1e-12 ||
		len(f.Warnings) > 0 {
		t.Errorf("accuracy %v ± %v, want %v; warnings %q", f.Scores.Accuracy, f.Scores.StandardError, want, f.Warnings)
	}
}
