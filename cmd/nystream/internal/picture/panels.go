package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// DrawPanels draws plots of one size in rows of two, and writes them to an SVG file.
func DrawPanels(path string, plots []*plot.Plot, width, height vg.Length) error {
	rows, columns := (len(plots)+1)/2, min(2, len(plots))
	image, c := New(vg.Length(columns)*width, vg.Length(rows)*height)
	tiles := draw.Tiles{Rows: rows, Cols: columns}
	for i, p := range plots {
		p.Draw(draw.Crop(tiles.At(c, i%2, i/2), Margin, -Margin, Margin, -Margin))
	}
	return Write(path, image)
}

// Dots are points, in the colours of ColourAt for a part of each; nil for one colour.
func Dots(points plotter.XYs, part func(i int) float64, radius vg.Length) *plotter.Scatter {
	style := draw.GlyphStyle{Color: groupColours[0], Radius: radius, Shape: draw.CircleGlyph{}}
	dots := &plotter.Scatter{XYs: points, GlyphStyle: style}
	if part != nil {
		dots.GlyphStyleFunc = func(i int) draw.GlyphStyle {
			s := style
			s.Color = ColourAt(part(i))
			return s
		}
	}
	return dots
}

// UnitCircle is the circle |z| = 1.
func UnitCircle() *plotter.Line {
	const steps = 180
	points := make(plotter.XYs, steps+1)
	for i := range points {
		y, x := math.Sincos(2 * math.Pi * float64(i) / steps)
		points[i] = plotter.XY{X: x, Y: y}
	}
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: color.Gray{0x90}, Width: 1}}
}

// OneScale gives both axes of a plot the same scale, where the horizontal one is so much
// longer.
func OneScale(p *plot.Plot, longer float64) {
	half := 0.54 * max((p.X.Max-p.X.Min)/longer, p.Y.Max-p.Y.Min)
	for axis, half := range map[*plot.Axis]float64{&p.X: half * longer, &p.Y: half} {
		middle := (axis.Min + axis.Max) / 2
		axis.Min, axis.Max = middle-half, middle+half
	}
}
