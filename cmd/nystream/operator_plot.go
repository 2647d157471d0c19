package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// panelWidth and panelHeight are the size of a panel, in centimetres.
const panelWidth, panelHeight = 14.0, 10.0

// plottedFunctions is how many functions a picture shows; sets take the place of the last.
const plottedFunctions = 3

// picture draws the values, and functions or sets over the first two columns of a sample
// of the rows of X that depends on the seed alone.
func (c *operatorTask) picture(ctx context.Context) (drawing, error) {
	rows, err := c.plottedRows()
	if err != nil {
		return nil, err
	}
	x, err := stream.GatherRows(ctx, c.prepared.left, rows)
	if err != nil {
		return nil, err
	}
	m := c.fitting.Model
	values, err := m.Right.At(ctx, c.engine(), x)
	if err != nil {
		return nil, err
	}
	panels := []*plot.Plot{c.valuePlot()}
	shown := min(plottedFunctions, m.Rank())
	if c.labels != nil {
		shown = min(shown, plottedFunctions-1)
	}
	for j := range shown {
		p, err := c.functionPlot(x, values, j)
		if err != nil {
			return nil, err
		}
		panels = append(panels, p)
	}
	if c.labels != nil {
		panels = append(panels, c.setPlot(x, rows))
	}
	return func() error {
		return picture.DrawPanels(c.plotFile, panels, panelWidth*vg.Centimeter, panelHeight*vg.Centimeter)
	}, nil
}

// valuePlot shows the values in their order, or eigenvalues in the plane with the unit
// circle.
func (c *operatorTask) valuePlot() *plot.Plot {
	m := c.fitting.Model
	if m.Task == rkhs.SVD || m.Operator.Traits().Symmetric {
		p := picture.NewPlot(string(c.kind)+", "+m.Right.Space.Kernel.String(), "number", "value")
		points := make(plotter.XYs, m.Rank())
		for i, v := range m.Values {
			points[i] = plotter.XY{X: float64(i), Y: v}
		}
		p.Add(plotter.NewGrid(), picture.Dots(points, nil, 3))
		p.Y.Min = min(0, p.Y.Min)
		return p
	}
	p := picture.NewPlot("eigenvalues of "+string(c.kind)+", and the unit circle", "real part", "imaginary part")
	points := make(plotter.XYs, m.Rank())
	for i, v := range m.Eigenvalues() {
		points[i] = plotter.XY{X: real(v), Y: imag(v)}
	}
	p.Add(plotter.NewGrid(), picture.UnitCircle(), picture.Dots(points, nil, 3))
	picture.OneScale(p, panelWidth*vg.Centimeter-2*picture.Margin, panelHeight*vg.Centimeter-2*picture.Margin)
	return p
}

// leastSpan is what part of the largest magnitude all the colours stand for at least.
const leastSpan = 0.05

// functionPlot shows right function j at rows of X.
func (c *operatorTask) functionPlot(x, values blas64.General, j int) (*plot.Plot, error) {
	m := c.fitting.Model
	names, err := m.Outputs(model.Right)
	if err != nil {
		return nil, err
	}
	name, row := names[j], make([]float64, m.Rank())
	if m.Imag != nil && m.Imag[j] < 0 {
		name = names[m.Rank()+j]
	}
	v := make([]float64, x.Rows)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range v {
		realFunctions(m, row, values.Data[i*values.Stride:][:values.Cols])
		v[i] = row[j]
		low, high = min(low, v[i]), max(high, v[i])
	}
	title := fmt.Sprintf("%s, value %s, from %.2g (dark) to %.2g", name, c.valueWord(j), low, high)
	if x.Cols == 1 {
		p := picture.NewPlot(title, c.axis(0), name)
		p.Add(plotter.NewGrid(), picture.Dots(firstColumns(x, v), nil, 1.5))
		return p, nil
	}
	p := picture.NewPlot(title, c.axis(0), c.axis(1))
	// A function that hardly changes has one colour.
	middle, span := (low+high)/2, max(high-low, leastSpan*max(math.Abs(low), math.Abs(high)), math.SmallestNonzeroFloat64)
	p.Add(plotter.NewGrid(), picture.Dots(firstColumns(x, nil), func(i int) float64 { return 0.5 + (v[i]-middle)/span }, 1.5))
	return p, nil
}

// valueWord returns a value in words.
func (c *operatorTask) valueWord(j int) string {
	v := c.fitting.Model.Eigenvalues()[j]
	return show.ComplexValues([]float64{real(v)}, []float64{imag(v)})
}

// setPlot shows the sets.
func (c *operatorTask) setPlot(x blas64.General, rows []int64) *plot.Plot {
	p := picture.NewPlot(fmt.Sprintf("%d sets", c.clusters), c.axis(0), c.axis(1))
	p.Add(plotter.NewGrid())
	groups, names := make([]int, len(rows)), make([]string, c.clusters)
	for i, r := range rows {
		groups[i] = c.labels[r]
	}
	for k := range names {
		names[k] = "set " + strconv.Itoa(k)
	}
	picture.AddGroups(p, x, groups, names)
	return p
}

// axis returns the name of a column of X; there may be one only.
func (c *operatorTask) axis(k int) string {
	if columns := c.left.Info().Columns; k < len(columns) {
		return columns[k]
	}
	return "set"
}

// firstColumns returns the first column of rows, against the second or against y.
func firstColumns(x blas64.General, y []float64) plotter.XYs {
	points := make(plotter.XYs, x.Rows)
	for i := range points {
		row := x.Data[i*x.Stride:][:x.Cols]
		if points[i].X = row[0]; y != nil {
			points[i].Y = y[i]
		} else {
			points[i].Y = row[1]
		}
	}
	return points
}
