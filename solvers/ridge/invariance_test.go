package ridge

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// near reports whether numbers agree to a tolerance relative to the second.
func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

// TestOffsetsAndUnits: neither a constant added to targets nor their unit changes the kernel, the penalty or R².
// Errors, predictions, intervals and deviations scale with the unit. Out-of-fold errors are those of dense refits.
func TestOffsetsAndUnits(t *testing.T) {
	t.Parallel()
	const n = 200
	x, y := wavy(n)
	for i, v := range y.Data {
		y.Data[i] = math.Round(v*0x1p20) / 0x1p20 // so that sums with offsets are exact
	}
	s := Solver{Landmarks: 50, Std: true, Kernels: []kernelgen.Kernel{kernelgen.RBF(0.3), kernelgen.Laplace(5)}, Seed: 3}
	kinds := []model.Output{model.Value, model.Lower, model.Upper, model.Deviation}
	fresh := normals(20, 3, 9)
	fit := func(offset, unit float64) (*Fit, blas64.General) {
		t.Helper()
		moved := matrix.Clone(y)
		for i, v := range moved.Data {
			moved.Data[i] = (v + offset) * unit
		}
		f, err := s.Fit(t.Context(), stream.Engine{}, targets(t, x, moved), kernelgen.RBF(30))
		if err != nil {
			t.Fatalf("offset %g, unit %g: %v", offset, unit, err)
		}
		a, err := f.Save()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(a)
		if err != nil {
			t.Fatal(err)
		}
		out, err := model.TransformMatrix(t.Context(), stream.Engine{}, m, fresh, model.Request{Outputs: kinds, Level: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		return f, out
	}
	plain, want := fit(0, 1)
	folds, err := s.folding(50)
	if err != nil {
		t.Fatal(err)
	}
	z := features(plain.Kernel, plain.Landmarks, x)
	dense5 := outOfFoldRMSE(t, z, y, plain.Lambda, folds, func(i int) uint64 { return uint64(i) })
	for _, c := range []struct{ offset, unit float64 }{
		{1e5, 1}, {1e7, 1}, {1e9, 1}, {-1700000000, 1}, {0, 0x1p600}, {0, 1e200}, {0, 1e-200}, {1e9, 1e200}, {1e9, 1e-200},
	} {
		f, got := fit(c.offset, c.unit)
		best := f.Chosen()
		name := fmt.Sprintf("offset %g, unit %g", c.offset, c.unit)
		if f.Kernel.String() != plain.Kernel.String() || !near(f.Lambda, plain.Lambda, 1e-9) {
			t.Fatalf("%s: %s at penalty %v, without %s at %v", name, f.Kernel, f.Lambda, plain.Kernel, plain.Lambda)
		}
		lost := 4e-16 * c.offset * c.unit // rounding error of predictions
		for j := range 2 {
			if !near(f.R2[j], plain.R2[j], 1e-7) || !near(best.RMSE[j]/c.unit, dense5[j], 1e-6) {
				t.Errorf("%s: R² %v, RMSE %v; want %v and, by refits, %v", name, f.R2[j], best.RMSE[j], plain.R2[j], dense5[j]*c.unit)
			}
			if !near(f.Kernels[0].RMSE[j]/c.unit, plain.Kernels[0].RMSE[j], 1e-6) {
				t.Errorf("%s: RMSE %v of the first kernel, not %v", name, f.Kernels[0].RMSE[j], plain.Kernels[0].RMSE[j]*c.unit)
			}
			for i := range got.Rows {
				v, w := matrix.Row(got, i), matrix.Row(want, i)
				for kind := range kinds {
					at, value := 2*kind+j, w[2*kind+j]*c.unit
					if kind < 3 {
						value += c.offset * c.unit
					}
					if math.Abs(v[at]-value) > 1e-6*100*c.unit+math.Abs(lost) || v[at] == 0 {
						t.Fatalf("%s: %v of target %d is %v, not %v", name, kinds[kind], j, v[at], value)
					}
				}
			}
		}
	}
}

// outOfFoldRMSE returns the root mean squared error of refits without each fold.
func outOfFoldRMSE(t *testing.T, z *mat.Dense, y blas64.General, lambda float64, folds folding,
	group func(i int) uint64) []float64 {
	t.Helper()
	sums, rows := make([]float64, y.Cols), 0.0
	for part := range folds.tested {
		var guess mat.Dense
		guess.Mul(z, refit(t, z, y, lambda, func(i int) bool { return folds.part(group(i)) != part }))
		for i := range y.Rows {
			if folds.part(group(i)) != part {
				continue
			}
			rows++
			for j := range sums {
				e := matrix.Row(y, i)[j] - guess.At(i, j)
				sums[j] += e * e
			}
		}
	}
	for j := range sums {
		sums[j] = math.Sqrt(sums[j] / rows)
	}
	return sums
}

// TestConstantTargets: a target that is constant in all rows with a weight is refused with its value. A target that
// differs in one row, or by rounding, is fitted.
func TestConstantTargets(t *testing.T) {
	t.Parallel()
	const n = 60
	x := normals(n, 2, 1)
	column := func(at func(i int) float64) blas64.General {
		y := matrix.New(n, 1)
		for i := range n {
			y.Data[i] = at(i)
		}
		return y
	}
	absent := make([]float64, n)
	for i := range absent {
		absent[i] = float64(min(i, 1)) * 0.3
	}
	for _, v := range []float64{0, 0.1, -1e9, 1e-200, 1e200} {
		for _, w := range [][]float64{nil, absent} {
			y := column(func(i int) float64 { return v })
			if w != nil {
				y.Data[0] = math.NaN() // has weight 0
			}
			_, err := Solver{}.Fit(t.Context(), stream.Engine{}, weighted(t, targets(t, x, y), w), kernelgen.RBF(1))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("is %v in all rows", v)) {
				t.Errorf("target %v: %v", v, err)
			}
		}
		y := column(func(i int) float64 { return v })
		y.Data[7] = v*(1+1e-12) + 1e-250
		if _, err := (Solver{}).Fit(t.Context(), stream.Engine{}, targets(t, x, y), kernelgen.RBF(1)); err != nil {
			t.Errorf("target %v but in one row: %v", v, err)
		}
	}
	steps := column(func(i int) float64 { return 1e16 + 2*math.Round(math.Tanh(4*matrix.Row(x, i)[0])) })
	f, err := Solver{}.Fit(t.Context(), stream.Engine{}, targets(t, x, steps), kernelgen.RBF(1))
	if err != nil || !(f.R2[0] > 0.5 && f.R2[0] <= 1) {
		t.Errorf("steps of rounding at 1e16: %v, %+v", err, f)
	}
}

// TestAbsentRows: rows of weight 0 change no bit of the model, and their targets and labels are not validated.
func TestAbsentRows(t *testing.T) {
	t.Parallel()
	const n, all = 400, 1000
	x, y := wavy(n)
	marks, labels := rings(n)
	place := func(i int) int { return i*2 + min(i/100, 2) }
	spread := func(m blas64.General, fill float64) blas64.General {
		out := matrix.New(all, m.Cols)
		for i := range out.Data {
			out.Data[i] = fill
		}
		for i := range m.Rows {
			copy(matrix.Row(out, place(i)), matrix.Row(m, i))
		}
		return out
	}
	weights, sparse, other := make([]float64, n), make([]float64, all), make([]int, all)
	for i := range n {
		weights[i] = 0.5 + float64(i%3)
		sparse[place(i)], other[place(i)] = weights[i], labels[i]
	}
	for i, w := range sparse {
		if w == 0 {
			other[i] = 7 + i%2
		}
	}
	groups, sparseGroups := make([]int, n), make([]int, all)
	for i := range groups {
		groups[i] = i % 4
		sparseGroups[place(i)] = groups[i]
	}
	for _, s := range []Solver{{Landmarks: 60, Seed: 3}, {Landmarks: all, Folds: 3}, {Landmarks: 60, Folds: 1}} {
		for name, pair := range map[string][2]*Data{
			"targets": {weighted(t, targets(t, x, y), weights),
				weighted(t, targets(t, spread(x, 50), spread(y, math.NaN())), sparse)},
			"groups": {grouped(t, weighted(t, targets(t, x, y), weights), groups),
				grouped(t, weighted(t, targets(t, spread(x, 50), spread(y, math.NaN())), sparse), sparseGroups)},
			"classes": {weighted(t, classed(t, marks, labels), weights),
				weighted(t, classed(t, spread(marks, 50), other), sparse)},
		} {
			var of [2]*Fit
			for i, d := range pair {
				s := s
				if d.Classes != nil {
					var err error
					if d.Classes, err = d.FindClasses(t.Context(), stream.Engine{}, "label"); err != nil {
						t.Fatal(err)
					}
					s.Balanced, s.ScoreRows = true, AllRows
				}
				var err error
				if of[i], err = s.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5)); err != nil {
					t.Fatal(name, err)
				}
			}
			a, b := of[0], of[1]
			same := fmt.Sprint(a.Scored, a.Folds, len(a.Notes), a.Path, a.R2) == fmt.Sprint(b.Scored, b.Folds, len(b.Notes), b.Path, b.R2)
			if !same || bytesOf(t, a.Model) != bytesOf(t, b.Model) {
				t.Errorf("%s, %d landmarks: %d rows, errors %v without absent rows; %d rows, %v with them", name, s.Landmarks,
					a.Scored, a.Chosen(), b.Scored, b.Chosen())
			}
			if a.Scores != nil && (!near(b.Scores.LogLoss, a.Scores.LogLoss, 1e-12) || !near(b.Scores.MacroF1, a.Scores.MacroF1, 1e-12) ||
				b.Scores.StandardError != a.Scores.StandardError) {
				t.Errorf("%d landmarks: scores %+v without absent rows, %+v with them", s.Landmarks, a.Scores, b.Scores)
			}
		}
	}
}

// TestWeightsAreCopies: with all rows as landmarks, a row of weight k equals k copies: in predictions, errors, R²,
// temperature and scores. Groups keep the copies in one fold.
func TestWeightsAreCopies(t *testing.T) {
	t.Parallel()
	const n = 150
	x, y := wavy(n)
	marks, labels := rings(n)
	for i := 0; i < n; i += 6 {
		labels[i] = (labels[i] + 1) % 3
	}
	var copies, label, copiedGroups []int
	weights, groups := make([]float64, n), make([]int, n)
	for i := range n {
		weights[i], groups[i] = float64(1+i%3), i/2
		for range 1 + i%3 {
			copies, label, copiedGroups = append(copies, i), append(label, labels[i]), append(copiedGroups, groups[i])
		}
	}
	fit := func(d *Data, s Solver) *Fit {
		t.Helper()
		f, err := s.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	s := Solver{Penalties: []float64{0.1, 1}}
	a := fit(grouped(t, weighted(t, targets(t, x, y), weights), groups), s)
	b := fit(grouped(t, targets(t, dense.PickRows(x, copies), dense.PickRows(y, copies)), copiedGroups), s)
	one, other := predict(t, a.Model, x), predict(t, b.Model, x)
	for i, v := range one.Data {
		if math.Abs(v-other.Data[i]) > 1e-6 {
			t.Fatalf("prediction %v of weights, %v of copies", v, other.Data[i])
		}
	}
	for j := range 2 {
		if !near(a.R2[j], b.R2[j], 1e-7) || !near(a.Chosen().RMSE[j], b.Chosen().RMSE[j], 1e-7) {
			t.Errorf("target %d: R² %v, RMSE %v of weights; %v, %v of copies", j, a.R2[j], a.Chosen().RMSE[j], b.R2[j], b.Chosen().RMSE[j])
		}
	}
	s.Balanced = true
	a = fit(grouped(t, weighted(t, classed(t, marks, labels), weights), groups), s)
	b = fit(grouped(t, classed(t, dense.PickRows(marks, copies), label), copiedGroups), s)
	if !near(a.Scores.Accuracy, b.Scores.Accuracy, 1e-9) || !near(a.Scores.MacroF1, b.Scores.MacroF1, 1e-9) ||
		!near(a.Scores.LogLoss, b.Scores.LogLoss, 1e-5) || !near(a.Temperature, b.Temperature, 1e-4) {
		t.Errorf("scores %+v at temperature %v of weights, %+v at %v of copies", a.Scores, a.Temperature, b.Scores, b.Temperature)
	}
}

// TestLandmarksByWeight: rows become landmarks as often as their copies would: nearly twice as often for twice the
// weight, if few are drawn.
func TestLandmarksByWeight(t *testing.T) {
	t.Parallel()
	const n = 400
	weights, heavy := make([]float64, n), 0.0
	for i := range weights {
		weights[i] = float64(1 + i%2)
	}
	for seed := range uint64(200) {
		f := &fit{Solver: Solver{Seed: seed}, landmarks: 10}
		places, err := f.byWeight(weights)
		if err != nil || len(places) != 10 {
			t.Fatal(places, err)
		}
		for _, i := range places {
			heavy += float64(i%2) / 2000
		}
	}
	if math.Abs(heavy-2./3) > 0.04 {
		t.Errorf("%.3f of the landmarks are of the half of the rows with two thirds of the weight", heavy)
	}
}

// TestFeaturesFarFromZero: with an inner-product kernel, a constant added to all columns changes no error.
func TestFeaturesFarFromZero(t *testing.T) {
	t.Parallel()
	const n = 300
	x, y := wavy(n)
	for i := range n {
		r, v := matrix.Row(x, i), matrix.Row(y, i)
		v[0], v[1] = r[0]+0.5*r[2]+0.05*math.Sin(50*r[1]), r[1]
	}
	errorAt := func(offset float64) *Fit {
		t.Helper()
		moved := matrix.Clone(x)
		for i, v := range moved.Data {
			moved.Data[i] = math.Round(v*0x1p20)/0x1p20 + offset
		}
		f, err := Solver{Landmarks: 20, Penalties: []float64{1}}.Fit(t.Context(), stream.Engine{}, targets(t, moved, y), kernelgen.Linear())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := errorAt(0)
	for _, offset := range []float64{1e3, 1e5, 1e6} {
		f := errorAt(offset)
		if got, want := f.Path[0].RMSE[0], want.Path[0].RMSE[0]; !near(got, want, 2e-3) {
			t.Errorf("columns around %g: RMSE %v, around 0 %v", offset, got, want)
		}
	}
	const said = "hardly tells the rows apart"
	if notes := strings.Join(errorAt(1e7).Notes, "\n"); !strings.Contains(notes, said) {
		t.Errorf("columns around 1e7: notes %q", notes)
	}
	if notes := strings.Join(errorAt(1e3).Notes, "\n"); strings.Contains(notes, said) {
		t.Errorf("columns around 1e3: notes %q", notes)
	}
}

// TestMoreRowsThanPool: if there are more rows than the pool holds, rows of weight 0, even whole blocks, are neither
// landmarks nor counted. Threads and blocks change no bit.
func TestMoreRowsThanPool(t *testing.T) {
	t.Parallel()
	const n, absent = ErrorSample + 2000, 9000
	x, y := normals(n, 1, 1), normals(n, 1, 2)
	weights, groups := make([]float64, n), make([]int, n)
	for i := range n {
		x.Data[i] += float64(min(i/absent, 1)) * 100 // other rows have weight 0
		y.Data[i] = 0.1*y.Data[i] + math.Sin(x.Data[i]) + 1e9
		weights[i], groups[i] = float64(min(i/absent, 1)*(1+i%2)), i%3
	}
	d := grouped(t, weighted(t, targets(t, x, y), weights), groups)
	var first *Fit
	for _, e := range []stream.Engine{{Threads: 1}, {Threads: 2, BlockRows: 512}} {
		f, err := Solver{Landmarks: 15, Penalties: []float64{0.1}}.Fit(t.Context(), e, d, kernelgen.RBF(0.5))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = f
			for i, v := range f.Landmarks.Data {
				if v < 50 {
					t.Errorf("landmark %d is absent: %v", i, v)
				}
			}
			if f.Rows != n-absent || f.Folds != 3 || f.Scored < 11_000 || f.Scored > 12_500 || !near(f.Path[0].RMSE[0], 0.1, 0.1) {
				t.Errorf("%d rows, %d folds, RMSE %v of %d rows", f.Rows, f.Folds, f.Path[0].RMSE[0], f.Scored)
			}
		} else if bytesOf(t, f.Model) != bytesOf(t, first.Model) {
			t.Errorf("%+v: other bits", e)
		}
	}
}
