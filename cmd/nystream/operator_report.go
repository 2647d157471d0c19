package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
)

// putValues adds the values of a model that not all models have.
func putValues(r *show.Report, m *rkhs.Model) {
	r.PutSome("values_imag", m.Imag)
	r.PutSome("timescales", timescales(m))
}

// timescales returns −lag/ln|λ| in rows, infinite from |λ| = 1 on; nil for singular values.
func timescales(m *rkhs.Model) (list []float64) {
	if m.Task != rkhs.Eigen || m.Lag == 0 {
		return nil
	}
	for _, t := range m.Timescales(float64(m.Lag)) {
		if t < 0 {
			t = math.Inf(1)
		}
		list = append(list, t)
	}
	return list
}

// inspectOperator adds what inspect tells besides what it tells of all models.
func inspectOperator(m model.Model, r *show.Report) { putValues(r, m.(*rkhs.Model)) }

func (c *operatorTask) fitted(d *model.Description, r *show.Report) {
	f := c.fitting
	putValues(r, f.Model)
	r.Put("kind", string(c.kind))
	r.Put("task", f.Task.String())
	r.Add("kernel", "%s", d.Kernel)
	if t := f.Operator.Traits(); t.Inverts {
		r.Put("ridge", t.Ridge)
		r.Add("ridge", "%g", t.Ridge)
	}
	sides, features := 1, fmt.Sprintf("%d features of x", f.Features[0])
	if f.Features[1] > 0 && f.Left.Space != f.Right.Space {
		sides, features = 2, fmt.Sprintf("%s and %d of y", features, f.Features[1])
	}
	r.Put("engine", f.Engine.String())
	r.Put("centred", f.Centered)
	r.Put("features", f.Features[:sides])         // of x, and of y if it has its own
	r.Put("trace_left", f.TraceResiduals[:sides]) // of the kernels by the features
	r.Add("engine", "%s%s, %s", f.Engine, map[bool]string{true: ", centred"}[f.Centered], features)
	if n := max(1, len(c.lengths)); f.Lag > 0 {
		r.Put("lag", f.Lag)
		r.Put("trajectories", n)
		r.Add("lag", "%d rows, in %s", f.Lag, countedOf(n, "trajectory", "trajectories"))
	}
	values := show.Values(d.Values)
	if f.Imag != nil {
		values = show.ComplexValues(d.Values, f.Imag)
	}
	r.Add(c.valueName(), "%s", values)
	if list := timescales(f.Model); len(list) > 0 {
		r.Add("implied timescales", "%s rows", show.Values(list))
	}
	r.Put("residuals", f.Residuals) // of each value, over the largest value
	if _, ok := f.Operator.(rkhs.Covariance); ok && f.Trace > 0 {
		shares := slices.Clone(f.Values)
		floats.Scale(1/f.Trace, shares)
		r.Put("explained", shares) // of the trace of the covariance
		r.Add("explained", "%s of the trace, %.4g in all", show.Values(shares), floats.Sum(shares))
	}
	putClusters(r, c.labels, c.clusters)
}

// valueName returns what values are called.
func (c *operatorTask) valueName() string {
	switch {
	case c.fitting.Task == rkhs.Eigen:
		return "eigenvalues"
	case string(c.kind) == rkhs.CCA{}.String():
		return "canonical correlations"
	}
	return "singular values"
}

// countedOf returns a number of things in words.
func countedOf(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return show.Count(int64(n)) + " " + several
}
