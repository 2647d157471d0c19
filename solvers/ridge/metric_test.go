package ridge

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// firstMatters returns rows of four columns whose target depends on one direction: the first column, or if turned a sum
// of two.
func firstMatters(t *testing.T, n int, turned bool) *Data {
	t.Helper()
	x, y := normals(n, 4, 1), normals(n, 1, 2)
	for i := range n {
		r := matrix.Row(x, i)
		v := r[0]
		if turned {
			v = (r[0] + r[1]) / math.Sqrt2
		}
		y.Data[i] = math.Sin(3*v) + 0.05*y.Data[i]
	}
	return targets(t, x, y)
}

// TestGradients compares gradients of a model with finite differences of its predictions.
func TestGradients(t *testing.T) {
	t.Parallel()
	x, y := wavy(60)
	for _, text := range []string{"rbf(gamma=0.4)", "laplace(gamma=0.5)", "matern12(length=1)", "matern52(length=1)",
		"rq(length=2)", "0.5*cauchy(length=1) + rbf(gamma=1)*imq(length=2)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d := targets(t, x, y)
		f, err := Solver{Landmarks: 30, Penalties: []float64{0.1}}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		fresh, got := normals(10, 3, 7), matrix.New(2, 3)
		const step = 1e-5
		for i := range fresh.Rows {
			row := matrix.Row(fresh, i)
			newSlopes(f.Kernel, f.Landmarks).gradient(got, row, f.Coefficients)
			for j := range row {
				both := matrix.New(2, 3)
				copy(matrix.Row(both, 0), row)
				copy(matrix.Row(both, 1), row)
				both.Data[j] += step
				both.Data[3+j] -= step
				values := predict(t, f.Model, both, model.Value)
				for c := range 2 {
					want := (matrix.Row(values, 0)[c] - matrix.Row(values, 1)[c]) / (2 * step)
					if v := matrix.Row(got, c)[j]; !(math.Abs(v-want) <= 1e-5*(1+math.Abs(want))) {
						t.Errorf("%s: slope of target %d by column %d is %v, not %v", text, c, j, v, want)
					}
				}
			}
		}
	}
}

// TestMetric: a metric finds the relevant direction and lowers the error. The saved model contains it: its predictions
// for raw rows equal those of a model of mapped rows.
func TestMetric(t *testing.T) {
	t.Parallel()
	for form, turned := range map[Metric]bool{DiagonalMetric: false, FullMetric: true} {
		d, k := firstMatters(t, 600, turned), kernelgen.RBF(0.5)
		plain, err := Solver{Landmarks: 100}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Solver{Landmarks: 100, Metric: form, Std: true}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		l, rmse, without := f.MetricSearch, f.Chosen().RMSE[0], plain.Chosen().RMSE[0]
		if l.Round == 0 || l.Errors[l.Round] > l.Errors[0]/2 || rmse > without/2 {
			t.Fatalf("%v: errors %v, round %d; RMSE %v, without %v", form, l.Errors, l.Round, rmse, without)
		}
		first, want := l.Importance[0], 1.0
		if turned {
			want = 0.5
		}
		if math.Abs(first-want) > 0.05 || math.Abs(dense.Sum(l.Importance)-1) > 1e-12 {
			t.Errorf("%v: importance %v", form, l.Importance)
		}
		archive, err := f.Save()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(archive)
		if err != nil {
			t.Fatal(err)
		}
		x := normals(300, 4, 5)
		kinds := []model.Output{model.Value, model.Deviation}
		got := predict(t, m, x, kinds...)
		on := *f.Model
		on.Metric = blas64.General{}
		y := mappedCopy(f.Metric, x)
		for i, v := range predict(t, &on, y, kinds...).Data {
			if got.Data[i] != v {
				t.Fatalf("%v: number %d is %v of raw rows, and %v of mapped ones", form, i, got.Data[i], v)
			}
		}
		for i := range x.Rows { // independently of the number of rows in a call
			one := rowMap(f.Metric)(matrix.Rows(x, i, 1))
			for j, v := range matrix.Row(one, 0) {
				if v != matrix.Row(y, i)[j] {
					t.Fatalf("%v: row %d alone is mapped to %v, not %v", form, i, matrix.Row(one, 0), matrix.Row(y, i))
				}
			}
		}
	}
}

// TestMetricOfUnits: neither a constant added to the target nor its unit changes the result of the search.
func TestMetricOfUnits(t *testing.T) {
	t.Parallel()
	s, d := Solver{Landmarks: 60, Metric: DiagonalMetric}, firstMatters(t, 300, false)
	want, err := s.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	batch := &stream.Batch{X: matrix.New(300, 4), Kept: d.Rows.Info().NewKept()}
	if err := stream.Gather(t.Context(), d.Rows, matrix.Numbers(300), batch); err != nil {
		t.Fatal(err)
	}
	for _, unit := range []float64{1e-200, 1, 1e200} {
		y := matrix.New(300, 1)
		for i, v := range batch.Kept[0].Floats {
			y.Data[i] = (v + 1e6) * unit
		}
		f, err := s.Fit(t.Context(), stream.Engine{}, targets(t, normals(300, 4, 1), y), kernelgen.RBF(0.5))
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range want.MetricSearch.Errors {
			if f.MetricSearch.Round != want.MetricSearch.Round || !near(f.MetricSearch.Errors[i], e, 1e-5) {
				t.Fatalf("unit %g: errors %v, round %d; want %v, %d", unit, f.MetricSearch.Errors, f.MetricSearch.Round,
					want.MetricSearch.Errors, want.MetricSearch.Round)
			}
		}
		if !near(f.MetricSearch.Importance[0], want.MetricSearch.Importance[0], 1e-5) || !near(f.R2[0], want.R2[0], 1e-5) {
			t.Errorf("unit %g: importance %v, R² %v; want %v, %v", unit, f.MetricSearch.Importance, f.R2, want.MetricSearch.Importance, want.R2)
		}
	}
}

// TestNoMetricWithoutGain: no metric is chosen if all directions matter equally, or if targets are noise.
func TestNoMetricWithoutGain(t *testing.T) {
	t.Parallel()
	labels := make([]int, 400)
	for i := range labels {
		labels[i] = i % 2
	}
	d := classed(t, normals(400, 3, 1), labels)
	plain, err := Solver{Landmarks: 50}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Solver{Landmarks: 50, Metric: DiagonalMetric}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if f.MetricSearch.Round != 0 {
		t.Fatalf("errors %v, round %d", f.MetricSearch.Errors, f.MetricSearch.Round)
	}
	if f.Metric.Rows != 0 || len(f.Notes) != len(plain.Notes)+1 || f.Lambda != plain.Lambda {
		t.Errorf("notes %q, and %q without a metric", f.Notes, plain.Notes)
	}
}

// TestMetricErrors: errors for kernels without gradients, samples without weights and damaged models.
func TestMetricErrors(t *testing.T) {
	t.Parallel()
	d := firstMatters(t, 100, false)
	for _, k := range []kernelgen.Kernel{kernelgen.Linear(), kernelgen.Sum(kernelgen.RBF(1), kernelgen.Laplace(1))} {
		s := Solver{Metric: FullMetric, Kernels: []kernelgen.Kernel{k}}
		_, err := s.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(1))
		_, planned := s.Plan(stream.Engine{}, d.Size(), kernelgen.RBF(1))
		for _, err := range []error{err, planned} {
			if err == nil || !strings.Contains(err.Error(), "take rbf, laplace") {
				t.Errorf("%s: %v", k, err)
			}
		}
	}
	x := normals(50, 4, 1)
	x.Data[4*30+2] = math.NaN()
	bad := &mappedSource{stream.FromMatrix("x", x), normals(4, 4, 2)}
	for _, read := range []func() error{
		func() error { _, err := stream.ReadAll(t.Context(), bad); return err },
		func() error { _, err := stream.GatherRows(t.Context(), bad, []int64{3, 30}); return err },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "x2") || !strings.Contains(err.Error(), "30") {
			t.Errorf("%v", err)
		}
	}
}
