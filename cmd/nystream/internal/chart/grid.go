package chart

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Grid is a matrix with named rows and columns. The first row is at the top.
type Grid struct {
	Title, X, Y   string
	Rows, Columns []string
	Values        [][]float64
	Quantity      string // the quantity shown
	Signed        bool   // values have a sign, and 0 is white
	Format        string // of values in cells, such as %.2f
}

// Heading returns the title.
func (g *Grid) Heading() string { return g.Title }

func (g *Grid) panel() *panel {
	p := newPanel(g.Title, g.X, g.Y)
	largest := math.SmallestNonzeroFloat64
	for _, row := range g.Values {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	cells := &cells{grid: g, bar: &bar{name: g.Quantity, high: largest, colour: mapOf(sequential)}}
	if g.Signed {
		cells.bar.low, cells.bar.colour = -largest, mapOf(diverging)
	}
	p.Add(cells)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(len(g.Columns)), 0, float64(len(g.Rows))
	p.X.Padding, p.Y.Padding, p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0, 0, 0
	p.X.Tick.LineStyle.Width, p.Y.Tick.LineStyle.Width = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = cellTicks(g.Columns, false), cellTicks(g.Rows, true)
	widest := vg.Length(0)
	for _, t := range p.X.Tick.Marker.Ticks(0, 1) {
		widest = max(widest, p.X.Tick.Label.Width(t.Label))
	}
	if widest*vg.Length(len(g.Columns)) > 10*vg.Centimeter {
		p.X.Padding = vg.Millimeter
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/2, text.XRight, text.YCenter
	}
	p.addBar(cells.bar)
	return p
}

// cellTicks returns ticks at the centers of cells.
func cellTicks(names []string, fromTop bool) (ticks plot.ConstantTicks) {
	style := textStyle(9.5)
	for i, name := range names {
		at := float64(i) + 0.5
		if fromTop {
			at = float64(len(names)) - at
		}
		ticks = append(ticks, plot.Tick{Value: at, Label: shortened(style, name, 3*vg.Centimeter)})
	}
	return ticks
}

// cells is the plotter of a grid.
type cells struct {
	grid *Grid
	bar  *bar
}

// Plot fills the cells, and writes their values if there is room.
func (s *cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := textStyle(9)
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	for i, row := range s.grid.Values {
		bottom := float64(len(s.grid.Rows) - 1 - i)
		for j, v := range row {
			fill := s.bar.colour((v - s.bar.low) / (s.bar.high - s.bar.low))
			low, high := vg.Point{X: x(float64(j)), Y: y(bottom)}, vg.Point{X: x(float64(j + 1)), Y: y(bottom + 1)}
			c.FillPolygon(fill, []vg.Point{low, {X: high.X, Y: low.Y}, high, {X: low.X, Y: high.Y}})
			label := fmt.Sprintf(s.grid.Format, v)
			if style.Width(label) > 0.9*(high.X-low.X) || style.Height(label) > 0.9*(high.Y-low.Y) {
				continue
			}
			style.Color = color.Black
			if r, g, b, _ := fill.RGBA(); 0.2126*float64(r)+0.7152*float64(g)+0.0722*float64(b) < 0.5*0xffff {
				style.Color = color.White
			}
			c.FillText(style, vg.Point{X: (low.X + high.X) / 2, Y: (low.Y + high.Y) / 2}, label)
		}
	}
}
