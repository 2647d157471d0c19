package operator

import (
	"context"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
)

// plottedFunctions is the number of functions in a chart.
const plottedFunctions = 3

// charts returns the values, right functions over the first two columns of rows of X, and
// the rows in the first right functions, coloured by set.
func (c *task) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	s, err := fit.Sample(ctx, c.job, model.Left)
	if err != nil {
		return nil, err
	}
	values, err := c.fitting.Right.At(ctx, c.job.App.Engine(), s.Rows)
	if err != nil {
		return nil, err
	}
	list := addValues(c, nil, m, r)
	for k := range min(plottedFunctions, c.fitting.Rank()) {
		if isConjugate(c, k) { // equivalent to the previous one
			continue
		}
		list = append(list, functionChart(c, s, values, k))
	}
	names, err := c.fitting.Outputs(model.Right, model.Coordinates)
	if err != nil {
		return nil, err
	}
	e := &chart.Embedding{Names: names[:min(2, len(names))], U: values}
	return append(list, e.Panels("Rows", s.Words(), chart.GroupsOf(s.Numbers, c.labels, rows.Numbered("set ", c.clusters)), nil)...), nil
}

// isConjugate reports whether eigenvalue k is the conjugate of the previous one.
func isConjugate(c *task, k int) bool { return c.fitting.Imag != nil && c.fitting.Imag[k] < 0 }

// addValues adds the values in order, or complex eigenvalues in the plane with the unit circle.
func addValues(c *task, list []chart.Chart, d model.Model, r *model.Report) []chart.Chart {
	m := c.fitting.Model
	if m.Task == rkhs.SVD || m.Operator.Traits().Symmetric {
		return chart.AddSpectrum(list, d.Describe(), r)
	}
	p := &chart.Points{Title: "Eigenvalues of " + string(c.kind) + ", and the unit circle", X: "real part", Y: "imaginary part", Lines: []plotter.XYs{chart.UnitCircle()}, OneScale: true}
	for _, v := range m.Eigenvalues() {
		p.At = append(p.At, plotter.XY{X: real(v), Y: imag(v)})
	}
	return append(list, p)
}

// functionChart shows right function k at rows of X, by its real part if it is complex.
func functionChart(c *task, s *fit.Sampled, values blas64.General, k int) chart.Chart {
	name := "right" + strconv.Itoa(k)
	shades := &chart.Shades{Name: name, Values: matrix.Column(values, k)}
	if m := c.fitting.Model; m.Imag != nil && m.Imag[k] != 0 {
		shades.Name = "real part of " + name
	}
	p := &chart.Points{Title: fmt.Sprintf("%s, value %s%s", name, eigenvalueWord(c, k), s.Words()), X: s.Columns[0]}
	if s.Rows.Cols == 1 {
		p.Y, p.At = shades.Name, chart.XYs(matrix.Column(s.Rows, 0), shades.Values)
		return p
	}
	p.Y, p.At, p.Shades = s.Columns[1], chart.XYs(matrix.Column(s.Rows, 0), matrix.Column(s.Rows, 1)), shades
	return p
}

// eigenvalueWord returns a value in words.
func eigenvalueWord(c *task, k int) string {
	v := c.fitting.Eigenvalues()[k]
	return report.ComplexValues([]float64{real(v)}, []float64{imag(v)})
}
