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

// OneScale gives both axes of a plot the same scale, for a canvas of so much width and height:
// a circle is drawn as a circle. It is called when the plot has all that is on it.
func OneScale(p *plot.Plot, width, height vg.Length) {
	_, canvas := New(width, height)
	middle, half := [2]float64{}, [2]float64{}
	axes := [2]*plot.Axis{&p.X, &p.Y}
	for i, a := range axes {
		middle[i], half[i] = (a.Min+a.Max)/2, 1.08*(a.Max-a.Min)/2
	}
	for range 5 { // what the axes leave of the canvas depends on their labels, and these on the range
		size := p.DataCanvas(canvas).Size()
		lengths := [2]float64{float64(size.X), float64(size.Y)}
		unit := max(half[0]/lengths[0], half[1]/lengths[1])
		for i, a := range axes {
			a.Min, a.Max = middle[i]-unit*lengths[i], middle[i]+unit*lengths[i]
		}
	}
}
