package rkhs

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// The moments are those that were asked for, also where rows are dependent; and a sample that has
// them is not changed.
func TestWithMoments(t *testing.T) {
	a := normal(40, 6, "a")
	for i := range a.Rows {
		a.Data[6*i+5] = a.Data[6*i] // a direction without rows
	}
	r := func(m blas64.General) blas64.General {
		q := sketch.NewQR(m.Cols)
		if err := q.Add(m); err != nil {
			t.Fatal(err)
		}
		return q.R()
	}
	b := normal(90, 6, "b")
	for i := range b.Rows {
		b.Data[6*i+1] += 2 * b.Data[6*i]
		b.Data[6*i+5] = b.Data[6*i]
	}
	for _, c := range []struct {
		name string
		of   blas64.General
		far  float64
	}{{"others", b, math.Inf(1)}, {"its own", a, 1e-12}} {
		got, err := withMoments(a, r(c.of))
		if err != nil {
			t.Fatal(err)
		}
		off := transposedTimes(got, got)
		dense.Add(-1, transposedTimes(c.of, c.of), off)
		if worst := dense.MaxAbs(off); worst > 1e-10 {
			t.Errorf("%s: moments are %g off", c.name, worst)
		}
		dense.Add(-1, a, got)
		if worst := dense.MaxAbs(got); worst > c.far {
			t.Errorf("%s: rows are moved by %g", c.name, worst)
		}
	}
}

// Of all pairs, a sample with matched features is the sample, and what it says is the error; the
// same whether the features are centred or not, of one space or of two.
func TestMatchedOfAll(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	_, _, d := dependent(t, 60, 2, 2)
	k := kernelgen.Laplace(0.7)
	for _, s := range []Solver{
		{Operator: Covariance{}, Task: Eigen}, {Operator: CrossCovariance{}}, {Operator: CrossCovariance{}, Centre: true},
		{Operator: MeanEmbedding{1e-2}, Centre: true}, {Operator: Koopman{1e-2}, Task: Eigen}, {Operator: Koopman{1e-2}, Task: Eigen, Centre: true},
		{Operator: PerronFrobenius{Ridge: 1e-2}}, {Operator: CCA{1e-2}}, {Operator: CCA{1e-2}, Centre: true},
	} {
		s.Rank, s.Engine, s.Landmarks = 3, EngineLandmark, 20
		f := mustFit(t, s, d, k)
		s.Engine, s.Landmarks = EngineExact, 0
		exact := mustFit(t, s, d, k)
		off, err := apart(t.Context(), stream.Engine{}, d, exact.Model, f.Model, s.Rank)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{off.values, off.functions} {
			if got := f.Errors[i]; math.Abs(got.Value-want) > 1e-4*want || strings.Contains(got.From, "may be") {
				t.Errorf("operator %s, centred %v: %s are %.6g off, estimated %.6g from %s", s.Operator, s.Centre, got.Of, want, got.Value, got.From)
			}
		}
	}
}

// An estimate that has settled is followed, and one that has not is doubted.
func TestFollowed(t *testing.T) {
	for _, c := range []struct {
		before, now, value float64
		doubt              string
	}{{1.1, 1, 1 / 1.21, ""}, {0.9, 1, 1, ""}, {2, 1, 1, "too high"}, {0.5, 1, 1, "too low"}, {0, 1e-8, 1e-8, ""}} {
		value, doubt := followed(c.before, c.now, 1, 2)
		if math.Abs(value-c.value) > 1e-12 || !strings.Contains(doubt, c.doubt) || (c.doubt == "") != (doubt == "") {
			t.Errorf("from %g to %g: %g, %q", c.before, c.now, value, doubt)
		}
	}
}
