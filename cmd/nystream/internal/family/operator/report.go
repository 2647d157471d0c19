package operator

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
)

// putValues adds values that only some models have.
func putValues(r *report.Report, m *rkhs.Model) {
	r.PutSome(keyValuesImag, m.Imag)
	r.PutSome(keyTimescales, timescales(m))
}

// timescales returns −lag/ln|λ| in rows, infinite for |λ| ≥ 1; nil for singular values.
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

// inspectOperator adds the facts specific to this family to inspect.
func inspectOperator(m model.Model, r *report.Report) { putValues(r, m.(*rkhs.Model)) }

// operatorKeys has the JSON keys of fit operator.
var operatorKeys = report.NewGroup("fit operator")

var (
	keyKind         = operatorKeys.Key("kind", "operator (--kind)")
	keyTask         = operatorKeys.Key("task", "decomposition: svd or eigen")
	keyValuesImag   = operatorKeys.Key("values_imag", "imaginary parts of the values")
	keyTimescales   = operatorKeys.Key("timescales", "implied timescale of each eigenvalue in rows, null if infinite")
	keyFeatures     = operatorKeys.Key("features", "number of features of x, and of y if it has its own")
	keyTraceLeft    = operatorKeys.Key("trace_left", "share of the trace of each kernel outside its features")
	keyLag          = operatorKeys.Key("lag", "rows between x and y of a pair")
	keyTrajectories = operatorKeys.Key("trajectories", "number of trajectories")
)

func (c *task) fitted(d *model.Description, r *report.Report) {
	f := c.fitting
	putValues(r, f.Model)
	r.Put(keyKind, string(c.kind))
	r.Put(keyTask, f.Task.String())
	r.Add("kernel", "%s", report.Rounded(d.Kernel))
	if t := f.Operator.Traits(); t.Inverts {
		r.Show(report.KeyRidge, t.Ridge, "ridge", "%g", t.Ridge)
	}
	sides, features := 1, fmt.Sprintf("%d features of x", f.Features[0])
	if f.Features[1] > 0 && f.Left.Space != f.Right.Space {
		sides, features = 2, fmt.Sprintf("%s and %d of y", features, f.Features[1])
	}
	r.Show(report.KeyEngine, f.Algorithm.String(), "engine", "%s%s, %s", f.Algorithm, map[bool]string{true: ", centred"}[f.Centered], features)
	r.Put(report.KeyCentred, f.Centered)
	r.Put(keyFeatures, f.Features[:sides])
	r.Put(keyTraceLeft, f.TraceResiduals[:sides])
	if n := max(1, len(c.lengths)); f.Lag > 0 {
		r.Show(keyLag, f.Lag, "lag", "%d rows, in %s", f.Lag, report.Counted(n, "trajectory", "trajectories"))
		r.Put(keyTrajectories, n)
	}
	values := report.Values(d.Values)
	if f.Imag != nil {
		values = report.ComplexValues(d.Values, f.Imag)
	}
	r.Add(nameOfValues(c), "%s", values)
	if list := timescales(f.Model); len(list) > 0 {
		r.Add("implied timescales", "%s rows", report.Values(list))
	}
	r.Put(report.KeyResiduals, f.Residuals)
	if _, ok := f.Operator.(rkhs.Covariance); ok && f.Trace > 0 {
		shares := slices.Clone(f.Values)
		floats.Scale(1/f.Trace, shares)
		r.Show(report.KeyExplained, shares, "explained", "%s of the trace, %.4g in total", report.Values(shares), floats.Sum(shares))
	}
	report.PutClusters(r, c.labels, c.clusters)
}

// nameOfValues returns the name of the values.
func nameOfValues(c *task) string {
	switch {
	case c.fitting.Task == rkhs.Eigen:
		return "eigenvalues"
	case string(c.kind) == rkhs.CCA{}.String():
		return "canonical correlations"
	}
	return "singular values"
}
