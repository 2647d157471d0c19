package ridge

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
)

// drawnTargets limits the targets with charts of their predictions.
const drawnTargets = 3

// charts draws out-of-fold predictions against true values, and the errors of the penalties.
func (c *task) charts(_ context.Context, _ model.Model, _ *model.Report) (list []chart.Chart, err error) {
	f := c.fitting
	if f.Classes > 0 {
		list = append(list, confusion(f.OutOfFold, c.classes))
	}
	for j := range min(len(f.R2), drawnTargets) {
		list = append(list, predictedAgainstActual(f, j), residuals(f, j))
	}
	return append(list, c.penalties()), nil
}

// confusion counts the rows of each class by their out-of-fold class.
func confusion(left *ridge.OutOfFold, names []string) chart.Chart {
	counts := make([][]int64, len(names))
	for k := range counts {
		counts[k] = make([]int64, len(names))
	}
	for i, truth := range left.Class {
		counts[truth][left.Chosen[i]]++
	}
	title := fmt.Sprintf("Confusion of %s rows, out of fold", report.Count(int64(len(left.Class))))
	return chart.ConfusionGrid(title, "class", "predicted class", counts, names)
}

// predictedAgainstActual draws the predictions of target j against its values.
func predictedAgainstActual(f *ridge.Fit, j int) chart.Chart {
	truth, predicted := matrix.Column(f.OutOfFold.Truth, j), matrix.Column(f.OutOfFold.Predicted, j)
	p := &chart.Points{Title: fmt.Sprintf("%s, out of fold: R² %.4f", f.Names[j], f.R2[j]), X: "actual", Y: "predicted",
		At: chart.XYs(truth, predicted)}
	if len(truth) > 0 {
		low, high := min(floats.Min(truth), floats.Min(predicted)), max(floats.Max(truth), floats.Max(predicted))
		p.Lines = []plotter.XYs{{{X: low, Y: low}, {X: high, Y: high}}}
	}
	return p
}

// residuals draws the residuals of target j against its predictions. Those outside of their intervals have another
// colour.
func residuals(f *ridge.Fit, j int) chart.Chart {
	left := f.OutOfFold
	truth, predicted, halfWidth := matrix.Column(left.Truth, j), matrix.Column(left.Predicted, j), matrix.Column(left.HalfWidth, j)
	residual, outside := make([]float64, len(truth)), 0
	groups := &chart.Groups{Index: make([]int, len(truth)), Names: []string{"inside", "outside"}}
	for i := range residual {
		residual[i] = truth[i] - predicted[i]
		if math.Abs(residual[i]) > halfWidth[i] {
			groups.Index[i] = 1
			outside++
		}
	}
	p := &chart.Points{Title: "Residuals of " + f.Names[j], X: "predicted", Y: "actual − predicted", At: chart.XYs(predicted, residual)}
	if len(truth) > 0 {
		p.Lines = []plotter.XYs{{{X: floats.Min(predicted)}, {X: floats.Max(predicted)}}}
	}
	if f.Intervals != nil {
		p.Title += fmt.Sprintf("; %.1f %% outside the 90 %% intervals", 100*float64(outside)/float64(max(1, len(truth))))
		p.Groups = groups
	}
	return p
}

// penalties draws the out-of-fold error of each penalty tried with the chosen kernel.
func (c *task) penalties() chart.Chart {
	f := c.fitting
	p := &chart.Points{Title: "Errors of the penalties tried", X: "penalty", LogX: true,
		Y:      "share of rows misclassified",
		Groups: &chart.Groups{Names: []string{"tried", "chosen"}}}
	if f.Classes == 0 {
		p.Y = "RMSE of " + f.Names[0]
	}
	for i, tried := range f.Path {
		e := c.errorOf(tried)
		if math.IsNaN(e) {
			continue // too small for the precision
		}
		group := 0
		if i == f.Best {
			group = 1
		}
		p.At = append(p.At, plotter.XY{X: tried.Lambda, Y: e})
		p.Groups.Index = append(p.Groups.Index, group)
	}
	return p
}
