package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Lines are series of numbers in their order, such as what an iteration came by.
type Lines struct {
	Title, X, Y string
	Series      []Series
}

// Series is a line; the first number is that of step 1.
type Series struct {
	Name   string
	Values []float64
}

// Heading returns the title.
func (l *Lines) Heading() string { return l.Title }

func (l *Lines) panel() *panel {
	p := newPanel(l.Title, l.X, l.Y)
	least, largest, log := math.Inf(1), math.Inf(-1), true
	for _, s := range l.Series {
		for _, v := range s.Values {
			least, largest, log = min(least, v), max(largest, v), log && v > 0
		}
	}
	log = log && largest > logarithmic*least
	for k, s := range l.Series {
		var points plotter.XYs
		for i, v := range s.Values {
			if v-v == 0 {
				points = append(points, plotter.XY{X: float64(i + 1), Y: v})
			}
		}
		var colour color.Color = groupColour(k, len(l.Series))
		line := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: colour, Width: 1.5}}
		dots := &plotter.Scatter{XYs: points, GlyphStyle: dot(colour, 1.8)}
		p.Add(line, dots)
		if len(l.Series) > 1 {
			p.lines.Add(s.Name, line)
		}
	}
	p.X.Tick.Marker = roundNumbers{whole: true}
	p.widen()
	if log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powersOfTen{}
		p.Y.Min, p.Y.Max = least/1.6, largest*1.6
	}
	return p
}
