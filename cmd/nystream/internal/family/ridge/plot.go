package ridge

import (
	"context"
	"math"

	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns the path of penalties: the out-of-fold error of each that was tried with the kernel
// chosen, of the first target.
func (c *task) charts(_ context.Context, _ model.Model, _ *model.Report) ([]chart.Chart, error) {
	f := c.fitting
	p := &chart.Points{Title: "Errors of the penalties tried", X: "log10 of the penalty",
		Y:      "share of rows misclassified",
		Groups: &chart.Groups{Names: []string{"tried", "chosen"}}}
	if f.Classes == 0 {
		p.Y = "RMSE of " + f.Names[0]
	}
	for i, tried := range f.Path {
		e := c.errorOf(tried)
		if math.IsNaN(e) {
			continue // too small for the arithmetic
		}
		group := 0
		if i == f.Best {
			group = 1
		}
		p.At = append(p.At, plotter.XY{X: math.Log10(tried.Lambda), Y: e})
		p.Groups.Of = append(p.Groups.Of, group)
	}
	return []chart.Chart{p}, nil
}
