package transport

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// maxDrawnMoves limits the rows drawn with a line to their image.
const maxDrawnMoves = 100

// charts returns rows, mapped rows and targets in the first two columns, with lines from rows to their images.
func (c *task) charts(ctx context.Context, _ model.Model, _ *model.Report) ([]chart.Chart, error) {
	rows, err := fit.Sample(ctx, c.job, model.Left)
	if err != nil {
		return nil, err
	}
	targets := rows
	if c.job.Sides.Prepared.Right != nil {
		if targets, err = fit.Sample(ctx, c.job, model.Right); err != nil {
			return nil, err
		}
	}
	mapped, err := fit.Embed(ctx, c.job, c.fitting.Model, model.Left, rows)
	if err != nil {
		return nil, err
	}
	p := &chart.Points{Title: fmt.Sprintf("Rows, targets, and rows as they are mapped%s", rows.Words()), X: rows.Columns[0],
		Groups: &chart.Groups{Names: []string{"rows", "mapped rows", "targets"}}}
	var x, y []float64
	for k, u := range []blas64.General{rows.Rows, mapped.U, targets.Rows} {
		x = append(x, matrix.Column(u, 0)...)
		y = append(y, matrix.Column(u, min(1, u.Cols-1))...)
		p.Groups.Index = append(p.Groups.Index, slices.Repeat([]int{k}, u.Rows)...)
	}
	if p.Y, p.At = chart.Heights(x, p.Groups); len(rows.Columns) > 1 {
		p.Y, p.At = rows.Columns[1], chart.XYs(x, y)
	}
	for i := range min(rows.Rows.Rows, maxDrawnMoves) { // evenly spaced
		k := i * rows.Rows.Rows / min(rows.Rows.Rows, maxDrawnMoves)
		p.Lines = append(p.Lines, plotter.XYs{p.At[k], p.At[rows.Rows.Rows+k]})
	}
	return []chart.Chart{p}, nil
}
