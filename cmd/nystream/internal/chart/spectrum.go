package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nystream/nystream/internal/matrix"
)

// Spectrum is a chart of ordered values, with levels for comparison.
type Spectrum struct {
	Title, X, Y string
	Values      []float64 // negative ones are drawn by magnitude
	Levels      []Level
}

// Level is a horizontal line in a spectrum, such as the error below which values are meaningless.
type Level struct {
	Name  string
	Value float64
}

// Heading returns the title.
func (s *Spectrum) Heading() string { return s.Title }

// minLogRatio is the ratio of the largest to the smallest value from which the axis is logarithmic. Values below
// minLogFraction of the largest are rounding noise, and are not drawn on such an axis.
const (
	minLogRatio    = 50
	minLogFraction = 1e-18
)

var levelColours = []color.RGBA{{0xc0, 0x39, 0x2b, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x60, 0x60, 0x60, 0xff}}

// panel draws the values against their index. Levels are lines in the colours of levelColours, named below the plot.
func (s *Spectrum) panel() *panel {
	p := newPanel(s.Title, s.X, s.Y)
	positive, negative := plotter.XYs{}, plotter.XYs{}
	least, largest := math.Inf(1), 0.0
	for _, v := range s.Values {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range s.Values {
		m := math.Abs(v)
		if m > minLogFraction*largest {
			least = min(least, m)
		}
		if xy := (plotter.XY{X: float64(i), Y: m}); v < 0 {
			negative = append(negative, xy)
		} else {
			positive = append(positive, xy)
		}
	}
	var levels []Level
	for _, l := range s.Levels {
		if l.Value > minLogFraction*largest && matrix.IsFinite(l.Value) {
			levels, least = append(levels, l), min(least, l.Value)
		}
	}
	log := largest > minLogRatio*least
	for _, part := range []struct {
		points plotter.XYs
		colour color.Color
		name   string
	}{{positive, groupColours[0], "positive"}, {negative, groupColours[1], "negative, by magnitude"}} {
		if log {
			part.points = pointsAbove(part.points, minLogFraction*largest)
		}
		if len(part.points) == 0 {
			continue
		}
		dots := &plotter.Scatter{XYs: part.points, GlyphStyle: dot(part.colour, vg.Length(max(1.2, min(3, 300/float64(len(s.Values))))))}
		p.Add(dots)
		if len(negative) > 0 {
			p.lines.Add(part.name, dots)
		}
	}
	for i, l := range levels {
		line := &plotter.Line{XYs: plotter.XYs{{X: 0, Y: l.Value}, {X: float64(max(1, len(s.Values)-1)), Y: l.Value}},
			LineStyle: draw.LineStyle{Color: levelColours[i%len(levelColours)], Width: 1.4, Dashes: []vg.Length{6, 3}}}
		p.Add(line)
		p.lines.Add(l.Name, line)
	}
	p.X.Min, p.X.Max = widened(0, float64(len(s.Values)-1))
	if log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 5}
		p.Y.Min, p.Y.Max = least/1.6, 1.6*max(largest, p.Y.Max)
	} else {
		p.Y.Min = 0
		_, p.Y.Max = widened(0, p.Y.Max)
	}
	return p
}

// pointsAbove returns the points above a bound.
func pointsAbove(points plotter.XYs, bound float64) (kept plotter.XYs) {
	for _, p := range points {
		if p.Y > bound {
			kept = append(kept, p)
		}
	}
	return kept
}
