package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
)

func (c *operatorTask) planned(r *planResult, _ *show.Text) { r.Kernel = c.kernel.String() }

// operatorValues are the values of a model as reports have them.
type operatorValues struct {
	Imag       []show.Number `json:"values_imag,omitempty"` // beside values, where eigenvalues are complex
	Timescales []show.Number `json:"timescales,omitempty"`  // −lag/ln|λ| in rows; null from |λ| = 1 on
}

func valuesOf(m *rkhs.Model) (v operatorValues) {
	if m.Imag != nil {
		v.Imag = show.Numbers(m.Imag)
	}
	if m.Task != rkhs.Eigen || m.Lag == 0 {
		return v
	}
	for _, t := range m.Timescales(float64(m.Lag)) {
		if t < 0 {
			t = math.Inf(1)
		}
		v.Timescales = append(v.Timescales, show.Number(t))
	}
	return v
}

// inspectOperator returns what inspect tells besides what it tells of all models.
func inspectOperator(m model.Model) any { return valuesOf(m.(*rkhs.Model)) }

// operatorResult is what fit prints as JSON of operator.
type operatorResult struct {
	*fitResult
	operatorValues
	Kind         string        `json:"kind"`
	Task         string        `json:"task"`
	Engine       string        `json:"engine"`
	Ridge        *show.Number  `json:"ridge,omitempty"`
	Centred      bool          `json:"centred"`
	Lag          int64         `json:"lag,omitempty"`
	Trajectories int           `json:"trajectories,omitempty"`
	Residuals    []show.Number `json:"residuals"`           // of each value, over the largest value
	Explained    []show.Number `json:"explained,omitempty"` // of the trace of the covariance
	Features     []int         `json:"features"`            // of x, and of y if it has its own
	Left         []show.Number `json:"trace_left"`
	clusterFigures
}

func (c *operatorTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &operatorResult{fitResult: base, operatorValues: valuesOf(f.Model), Kind: string(c.kind), Task: f.Task.String(), Engine: f.Engine.String(),
		Centred: f.Centered, Lag: f.Lag, Residuals: show.Numbers(f.Residuals), Features: []int{f.Features[0]},
		Left: []show.Number{show.Number(f.TraceResiduals[0])}, clusterFigures: countClusters(c.labels, c.clusters)}
	if f.Lag > 0 {
		r.Trajectories = max(1, len(c.lengths))
	}
	if t := f.Operator.Traits(); t.Inverts {
		r.Ridge = show.Optional(t.Ridge)
	}
	if f.Features[1] > 0 && f.Left.Space != f.Right.Space {
		r.Features, r.Left = f.Features[:], show.Numbers(f.TraceResiduals[:])
	}
	if _, ok := f.Operator.(rkhs.Covariance); ok && f.Trace > 0 {
		for _, v := range f.Values {
			r.Explained = append(r.Explained, show.Number(v/f.Trace))
		}
	}
	r.text(t)
	return r
}

// text adds lines about what other families do not have.
func (r *operatorResult) text(t *show.Text) {
	t.Add("kernel", "%s", r.Kernel)
	if r.Ridge != nil {
		t.Add("ridge", "%g", float64(*r.Ridge))
	}
	features := fmt.Sprintf("%d features of x", r.Features[0])
	if len(r.Features) > 1 {
		features += fmt.Sprintf(" and %d of y", r.Features[1])
	}
	t.Add("engine", "%s%s, %s", r.Engine, map[bool]string{true: ", centred"}[r.Centred], features)
	if r.Lag > 0 {
		t.Add("lag", "%d rows, in %s", r.Lag, countedOf(r.Trajectories, "trajectory", "trajectories"))
	}
	t.Add(r.valueName(), "%s", r.valueWords())
	if len(r.Timescales) > 0 {
		t.Add("implied timescales", "%s rows", show.Values(show.Floats(r.Timescales)))
	}
	if len(r.Explained) > 0 {
		t.Add("explained", "%s of the trace, %.4g in all", show.Values(show.Floats(r.Explained)), floats.Sum(show.Floats(r.Explained)))
	}
	r.clusterFigures.text(t)
}

// valueName returns what values are called.
func (r *operatorResult) valueName() string {
	switch {
	case r.Task == rkhs.Eigen.String():
		return "eigenvalues"
	case r.Kind == rkhs.CCA{}.String():
		return "canonical correlations"
	}
	return "singular values"
}

// valueWords returns the first values in words.
func (r *operatorResult) valueWords() string {
	if r.Imag == nil {
		return show.Values(show.Floats(r.Values))
	}
	return show.ComplexValues(show.Floats(r.Values), show.Floats(r.Imag))
}

// countedOf returns a number of things in words.
func countedOf(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return show.Count(int64(n)) + " " + several
}
