package paper2

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
)

// The size of a panel, and of the legend at their right.
const (
	panelWidth  = 13 * vg.Centimeter
	panelHeight = 10 * vg.Centimeter
	legendWidth = 5 * vg.Centimeter
	margin      = vg.Centimeter / 2
)

// drawPanels draws plots side by side, and a legend of what the styles mean.
func drawPanels(path string, panels []*plot.Plot, names []string) error {
	width := vg.Length(len(panels)) * panelWidth
	image := vgsvg.New(width+legendWidth, panelHeight)
	c := draw.New(image)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	for i, p := range panels {
		left := vg.Length(i) * panelWidth
		p.Draw(draw.Crop(c, left+margin, left+panelWidth-width-legendWidth-margin, margin, -margin))
	}
	legend := plot.NewLegend()
	legend.TextStyle.Font = fontOf(11)
	legend.Top, legend.Left, legend.Padding = true, true, vg.Millimeter
	for i, name := range names {
		_, points := styleOf(i)
		legend.Add(name, &plotter.Scatter{GlyphStyle: points})
	}
	legend.Draw(draw.Crop(c, width, -margin, 0, -2*margin))
	return report.WriteSVG(path, image)
}

func fontOf(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// newPlot returns an empty plot.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 2 * vg.Millimeter
	p.Title.TextStyle.Font, p.X.Label.TextStyle.Font, p.Y.Label.TextStyle.Font = fontOf(13), fontOf(11), fontOf(11)
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = fontOf(10), fontOf(10)
	p.Add(plotter.NewGrid())
	return p
}

// logAxis makes an axis logarithmic, with ticks at the given numbers.
func logAxis(a *plot.Axis, ticks ...float64) {
	a.Scale = plot.LogScale{}
	var marks plot.ConstantTicks
	for _, v := range ticks {
		marks = append(marks, plot.Tick{Value: v, Label: report.Figure(v)})
		a.Min, a.Max = min(a.Min, v), max(a.Max, v)
	}
	a.Tick.Marker = marks
}

// addLine adds a line in style number i. Points that are not known are left out.
func addLine(p *plot.Plot, i int, xy plotter.XYs) {
	xy = slices.DeleteFunc(xy, func(v plotter.XY) bool { return math.IsNaN(v.Y) })
	if len(xy) == 0 {
		return
	}
	line, points := styleOf(i)
	p.Add(&plotter.Line{XYs: xy, LineStyle: line}, &plotter.Scatter{XYs: xy, GlyphStyle: points})
}

// addClasses adds the first two columns of u as points, in the style of their class:
// all in one if the classes are not known. Distances from 0 are drawn by their roots,
// since singular vectors of graphs have most of their weight on few nodes.
func addClasses(p *plot.Plot, u blas64.General, labels []int, classes int) {
	points := make([]plotter.XYs, max(1, classes))
	for i := range u.Rows {
		class := 0
		if labels != nil {
			class = labels[i]
		}
		r := dense.Row(u, i)
		points[class] = append(points[class], plotter.XY{X: signedRoot(r[0]), Y: signedRoot(r[1])})
	}
	p.X.Label.Text, p.Y.Label.Text = "±√|first|", "±√|second|"
	for class, xy := range points {
		_, style := styleOf(class)
		style.Radius = 1.3
		p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: style})
	}
}

func signedRoot(v float64) float64 { return math.Copysign(math.Sqrt(math.Abs(v)), v) }

// The colours are far apart for readers who see few; shapes tell more lines than
// there are colours.
var (
	colours = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x70, 0x70, 0x70, 0xff}}
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}}
)

// styleOf returns style number i.
func styleOf(i int) (draw.LineStyle, draw.GlyphStyle) {
	c := colours[i%len(colours)]
	return draw.LineStyle{Color: c, Width: 1.4}, draw.GlyphStyle{Color: c, Radius: 2.6, Shape: shapes[i/len(colours)%len(shapes)]}
}
