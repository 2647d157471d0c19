package chart

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nystream/nystream/internal/matrix"
)

// Points is a chart of points in a plane.
type Points struct {
	Title, X, Y string
	At          plotter.XYs
	Groups      *Groups       // colours of groups, or nil
	Shades      *Shades       // colours of numbers, or nil
	Lines       []plotter.XYs // thin grey lines under the points
	OneScale    bool          // for both axes
	LogX        bool          // the X axis is logarithmic; all X are positive
	TickEach    bool          // a logarithmic X axis has a tick at each point
}

// Groups assigns points to named groups.
type Groups struct {
	Index []int // index of the group of each point, -1 for none
	Names []string
}

// Shades assigns a number to each point.
type Shades struct {
	Name   string
	Values []float64
}

// Heading returns the title.
func (s *Points) Heading() string { return s.Title }

func (s *Points) panel() *panel {
	p := newPanel(s.Title, s.X, s.Y)
	p.oneScale = s.OneScale
	for _, line := range s.Lines {
		p.Add(&plotter.Line{XYs: line, LineStyle: draw.LineStyle{Color: color.Gray{0x90}, Width: 1}})
	}
	radius := dotRadius(len(s.At))
	switch {
	case s.Groups != nil && len(s.Groups.Names) > 0:
		s.addGroups(p, radius)
	case s.Shades != nil:
		s.addShades(p, radius)
	default:
		p.Add(&plotter.Scatter{XYs: s.At, GlyphStyle: dot(groupColours[0], radius)})
	}
	if s.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 3}
		if s.TickEach {
			p.X.Tick.Marker = ticksAt(s.At)
		}
		p.X.Min, p.X.Max = p.X.Min/logRoom, p.X.Max*logRoom
		p.Y.Min, p.Y.Max = widened(p.Y.Min, p.Y.Max)
		return p
	}
	p.widen()
	return p
}

// ticksAt returns a tick for the X of each point.
func ticksAt(points plotter.XYs) (ticks plot.ConstantTicks) {
	for _, p := range points {
		ticks = append(ticks, plot.Tick{Value: p.X, Label: strconv.FormatFloat(p.X, 'g', -1, 64)})
	}
	return ticks
}

// logRoom is the factor by which a logarithmic axis is extended at either end.
const logRoom = 1.6

// dotRadius returns the radius of each of n dots.
func dotRadius(n int) vg.Length {
	return vg.Length(max(1.2, min(3, 3.4-0.6*math.Log10(max(1, float64(n))/10))))
}

func dot(c color.Color, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
}

var groupShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}

// addGroups adds the points of each group. Up to ten groups have distinct colours and a legend, more of them a colour
// map and a bar.
func (s *Points) addGroups(p *panel, radius vg.Length) {
	names := s.Groups.Names
	n, few := len(names), len(names) <= len(groupColours)
	members := make([]plotter.XYs, n+1)
	for i, at := range s.At {
		k := s.Groups.Index[i]
		if k < 0 {
			k = n
		}
		members[k] = append(members[k], at)
	}
	if len(members[n]) > 0 { // under the others
		p.Add(&plotter.Scatter{XYs: members[n], GlyphStyle: dot(ungrouped, radius)})
	}
	for k, xys := range members[:n] {
		style := dot(groupColour(k, n), radius)
		if few {
			style.Shape = groupShapes[k%len(groupShapes)]
		}
		dots := &plotter.Scatter{XYs: xys, GlyphStyle: style}
		if len(xys) > 0 {
			p.Add(dots)
		}
		if few {
			inLegend := style
			inLegend.Radius = 3
			p.groups.Add(shortened(p.groups.TextStyle, names[k], 3.5*vg.Centimeter), &plotter.Scatter{GlyphStyle: inLegend})
		}
	}
	if !few {
		p.addBar(&bar{low: 0, high: float64(n), colour: mapOf(viridis), steps: names})
	}
}

// minSpan is the smallest range of a colour map, relative to the largest magnitude, so that nearly constant values
// share one colour.
const minSpan = 0.05

func (s *Points) addShades(p *panel, radius vg.Length) {
	v := s.Shades
	b := &bar{name: v.Name, colour: mapOf(viridis)}
	b.low, b.high = rangeOf(v.Values)
	least := minSpan * max(math.Abs(b.low), math.Abs(b.high))
	if middle := (b.low + b.high) / 2; b.high-b.low < least {
		b.low, b.high = middle-least/2, middle+least/2
	}
	p.Add(&plotter.Scatter{XYs: s.At, GlyphStyle: dot(ungrouped, radius), GlyphStyleFunc: func(i int) draw.GlyphStyle {
		part := (v.Values[i] - b.low) / (b.high - b.low)
		if !matrix.IsFinite(part) {
			return dot(ungrouped, radius)
		}
		return dot(b.colour(part), radius)
	}})
	p.addBar(b)
}

// rangeOf returns the smallest and the largest finite number; 0 and 1 if there is none.
func rangeOf(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if matrix.IsFinite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

// UnitCircle returns the circle |z| = 1.
func UnitCircle() plotter.XYs {
	const steps = 180
	points := make(plotter.XYs, steps+1)
	for i := range points {
		y, x := math.Sincos(2 * math.Pi * float64(i) / steps)
		points[i] = plotter.XY{X: x, Y: y}
	}
	return points
}

var _ plot.Plotter = (*bar)(nil)
