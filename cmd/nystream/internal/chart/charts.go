package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// PlotColumns is the largest number of embedding columns drawn, two in a panel.
const PlotColumns = 4

// AddSpectrum adds a chart of the values, if there are any, with the levels of the estimated errors. Values below the
// error in the spectral norm are meaningless.
func AddSpectrum(list []Chart, d *model.Description, r *model.Report) []Chart {
	if len(d.Values) == 0 {
		return list
	}
	s := &Spectrum{Title: "Spectrum", X: "number", Y: "value", Values: d.Values}
	largest, frobenius := floats.Norm(d.Values, math.Inf(1)), floats.Norm(d.Values, 2)
	for _, e := range r.Estimates {
		norms := map[model.Quantity]float64{model.MatrixSpectral: largest, model.MatrixFrobenius: frobenius}
		of, drawn := norms[e.Quantity]
		if drawn && !math.IsNaN(e.Value) {
			name := fmt.Sprintf("%s %.2g, estimated", report.ErrorName(e.Quantity.String()), e.Value)
			s.Levels = append(s.Levels, Level{Name: name, Value: e.Value * of})
		}
	}
	const far = 1e-3 // residuals below this fraction of the smallest value are not drawn
	if len(r.Residuals) > 0 && len(s.Levels) == 0 && r.Residual()*largest > far*math.Abs(d.Values[len(d.Values)-1]) {
		s.Levels = append(s.Levels, Level{Name: fmt.Sprintf("largest residual, %.1e of the largest value", r.Residual()), Value: r.Residual() * largest})
	}
	return append(list, s)
}

// LandmarkError returns the name of the errors by the number of landmarks: of regressions the RMSE out of fold, or that
// of the codes of classes, divided by that of the mean.
func LandmarkError(r *model.Report) string {
	if len(r.Estimates) > 0 {
		return report.ErrorName(model.MatrixFrobenius.String())
	}
	return "relative RMSE"
}

// AddLandmarks adds a chart of the errors by the number of landmarks, if there are any, with the predicted next one.
func AddLandmarks(list []Chart, r *model.Report) []Chart {
	if len(r.ByLandmarks) < 2 {
		return list
	}
	p := &Points{Title: "Error by the number of landmarks", X: "landmarks", Y: LandmarkError(r), LogX: true, TickEach: true,
		Groups: &Groups{Names: []string{"estimated"}}}
	add := func(of model.LandmarkError) {
		p.At = append(p.At, plotter.XY{X: float64(of.Landmarks), Y: of.Error})
		p.Groups.Index = append(p.Groups.Index, len(p.Groups.Names)-1)
	}
	for _, of := range r.ByLandmarks {
		add(of)
	}
	if next, known := r.NextError(); known {
		p.Groups.Names = append(p.Groups.Names, "predicted")
		add(next)
	}
	p.Lines = []plotter.XYs{p.At}
	return append(list, p)
}

// Embedding has coordinates of rows, with the names of the first columns, which are drawn.
type Embedding struct {
	Names []string
	U     blas64.General
}

// Panels returns charts of two columns each, coloured by groups or shades. of and shown name the rows and the sample in
// a title.
func (e *Embedding) Panels(of, shown string, groups *Groups, shades *Shades) (list []Chart) {
	for k := 0; k < len(e.Names) && (k == 0 || k+1 < len(e.Names)); k += 2 {
		p := &Points{X: e.Names[k], Groups: groups, Shades: shades}
		if k+1 < len(e.Names) {
			p.Y, p.At = e.Names[k+1], XYs(matrix.Column(e.U, k), matrix.Column(e.U, k+1))
			p.Title = fmt.Sprintf("%s in columns %s and %s%s", of, p.X, p.Y, shown)
		} else {
			p.Y, p.At = Heights(matrix.Column(e.U, k), groups)
			p.Title = fmt.Sprintf("%s in column %s%s", of, p.X, shown)
		}
		list = append(list, p)
	}
	return list
}

// XYs returns the points with coordinates x and y.
func XYs(x, y []float64) plotter.XYs {
	points := make(plotter.XYs, len(x))
	for i := range points {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return points
}

// Heights returns points with one coordinate. Their height is the group, or the position if there are no groups.
func Heights(x []float64, groups *Groups) (name string, at plotter.XYs) {
	y, name := make([]float64, len(x)), "row shown"
	for i := range y {
		y[i] = float64(i)
		if groups != nil {
			y[i], name = float64(groups.Index[i]), "group"
		}
	}
	return name, XYs(x, y)
}
