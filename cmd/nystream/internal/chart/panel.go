package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a plot with its explanations: groups or colours on the right, lines of text below. They have their own
// space, so they never cover the data.
type panel struct {
	*plot.Plot
	title         string
	groups, lines plot.Legend
	bar           *plot.Plot // for colours, or nil
	barWidth      vg.Length
	oneScale      bool // for both axes
}

// newPanel returns an empty panel with a title and the names of its axes.
func newPanel(title, x, y string) *panel {
	p := &panel{Plot: newPlot(x, y), title: title, groups: newLegend(), lines: newLegend()}
	p.Add(grid())
	return p
}

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Label.TextStyle.Font, p.Y.Label.TextStyle.Font = sans(11), sans(11)
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = sans(9.5), sans(9.5)
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{}, ticks{}
	p.X.Label.Padding, p.Y.Label.Padding = vg.Millimeter, vg.Millimeter
	return p
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{0xe0}, color.Gray{0xe0}
	return g
}

func newLegend() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle = textStyle(10)
	l.Top, l.Left, l.Padding, l.ThumbnailWidth = true, true, 0.7*vg.Millimeter, 5*vg.Millimeter
	return l
}

// draw draws the panel on its canvas.
func (p *panel) draw(c draw.Canvas) {
	c = p.drawTitle(c)
	width := c.Max.X - c.Min.X
	if size := p.groups.Rectangle(c).Size(); size.Y > 0 {
		p.groups.Draw(draw.Crop(c, width-size.X, 0, 0, 0))
		c = draw.Crop(c, 0, -size.X-gap, 0, 0)
	}
	if p.bar != nil {
		p.bar.Draw(draw.Crop(c, width-p.barWidth, 0, vg.Centimeter, 0))
		c = draw.Crop(c, 0, -p.barWidth-gap, 0, 0)
	}
	if size := p.lines.Rectangle(c).Size(); size.Y > 0 {
		p.lines.Draw(draw.Crop(c, 1.5*vg.Centimeter, 0, 0, size.Y-(c.Max.Y-c.Min.Y)))
		c = draw.Crop(c, 0, 0, size.Y+gap, 0)
	}
	size := c.Size()
	p.X.Label.Text = shortened(p.X.Label.TextStyle, p.X.Label.Text, 0.85*size.X)
	p.Y.Label.Text = shortened(p.Y.Label.TextStyle, p.Y.Label.Text, 0.8*size.Y)
	if p.oneScale {
		p.equalizeScales(c)
	}
	p.Draw(c)
}

// gap is the space between a plot and its explanations.
const gap = 3 * vg.Millimeter

// drawTitle draws the title at the top of a canvas, smaller and on two lines if it is long. It returns the rest of the
// canvas.
func (p *panel) drawTitle(c draw.Canvas) draw.Canvas {
	width, style := c.Max.X-c.Min.X, textStyle(13)
	for style.Font.Size > 10 && style.Width(p.title) > width {
		style.Font.Size -= 0.5
	}
	lines := wrapped(style, p.title, width)
	h := &header{}
	for _, line := range lines[:min(2, len(lines))] {
		h.lines, h.styles = append(h.lines, line), append(h.styles, style)
	}
	if len(lines) > 2 {
		h.lines[1] = shortened(style, h.lines[1]+" "+lines[2]+" …", width)
	}
	h.draw(c)
	return draw.Crop(c, 0, 0, 0, -h.height()+margin/2)
}

// axisMargin is the fraction of the range of points added at either end of an axis, so that no point is cut.
const axisMargin = 0.04

// widen adds room around the points on both axes.
func (p *panel) widen() {
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Min, a.Max = widened(a.Min, a.Max)
	}
}

func widened(low, high float64) (float64, float64) {
	switch span := high - low; {
	case math.IsInf(low, 0) || math.IsInf(high, 0): // no points
		return 0, 1
	case span > 0:
		return low - axisMargin*span, high + axisMargin*span
	default:
		return low - max(1, math.Abs(low))*axisMargin, high + max(1, math.Abs(high))*axisMargin
	}
}

// equalizeScales gives both axes the same scale, so that circles are circles.
func (p *panel) equalizeScales(c draw.Canvas) {
	middle, half := [2]float64{}, [2]float64{}
	axes := [2]*plot.Axis{&p.X, &p.Y}
	for i, a := range axes {
		middle[i], half[i] = (a.Min+a.Max)/2, (a.Max-a.Min)/2
	}
	for range 5 { // the space for axes depends on their labels, which depend on the range
		size := p.DataCanvas(c).Size()
		lengths := [2]float64{float64(size.X), float64(size.Y)}
		unit := max(half[0]/lengths[0], half[1]/lengths[1])
		for i, a := range axes {
			a.Min, a.Max = middle[i]-unit*lengths[i], middle[i]+unit*lengths[i]
		}
	}
}

// addBar draws a colour bar on the right of the panel.
func (p *panel) addBar(b *bar) {
	p.bar = newPlot("", b.name)
	p.bar.Add(b)
	p.bar.HideX()
	p.bar.Y.Padding = 0
	if len(b.steps) > 0 {
		p.bar.Y.Tick.Marker = stepTicks(b.steps)
	}
	p.bar.Y.Min, p.bar.Y.Max = b.low, b.high
	p.barWidth = 1.2*vg.Centimeter + p.bar.Y.Label.TextStyle.Height("x")
	widest := vg.Length(0)
	for _, t := range p.bar.Y.Tick.Marker.Ticks(b.low, b.high) {
		widest = max(widest, p.bar.Y.Tick.Label.Width(t.Label))
	}
	p.barWidth += widest
}

// bar plots the colours of a range, or of named steps.
type bar struct {
	name      string
	low, high float64
	colour    func(part float64) color.Color
	steps     []string
}

// Plot fills the data area.
func (b *bar) Plot(c draw.Canvas, p *plot.Plot) {
	n := len(b.steps)
	if n == 0 {
		n = 96
	}
	_, y := p.Transforms(&c)
	for i := range n {
		part := (float64(i) + 0.5) / float64(n)
		if len(b.steps) > 1 {
			part = float64(i) / float64(n-1)
		}
		low := y(b.low + (b.high-b.low)*float64(i)/float64(n)) // and up to the top, so that no seam shows
		corners := []vg.Point{{X: c.Min.X, Y: low}, {X: c.Max.X, Y: low}, c.Max, {X: c.Min.X, Y: c.Max.Y}}
		c.FillPolygon(b.colour(part), corners)
	}
}

// stepTicks names the centers of steps of height 1, as far as there is room.
func stepTicks(names []string) (ticks plot.ConstantTicks) {
	const most = 22
	every := (len(names) + most - 1) / most
	style := textStyle(9.5)
	for i := 0; i < len(names); i += every {
		ticks = append(ticks, plot.Tick{Value: float64(i) + 0.5, Label: shortened(style, names[i], 3*vg.Centimeter)})
	}
	return ticks
}
