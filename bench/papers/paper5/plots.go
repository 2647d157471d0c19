package paper5

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
)

const panelWidth, panelHeight = 10 * vg.Centimeter, 6 * vg.Centimeter

// drawPanels draws plots in rows of two.
func drawPanels(path string, panels []*plot.Plot) error {
	rows := (len(panels) + 1) / 2
	picture := vgsvg.New(2*panelWidth, vg.Length(rows)*panelHeight)
	c := draw.New(picture)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	tiles := draw.Tiles{Rows: rows, Cols: 2, PadX: vg.Centimeter / 2, PadY: vg.Centimeter / 2}
	for i, p := range panels {
		p.Draw(tiles.At(c, i%2, i/2))
	}
	return report.WriteSVG(path, picture)
}

// heatPanel shows column j of values on the grid of the double gyre, on [0, 2]×[0, 1]: blue
// below 0, red above.
func heatPanel(title string, values blas64.General, j, columns, rows int) *plot.Plot {
	img := image.NewRGBA(image.Rect(0, 0, columns, rows))
	largest := dense.MaxAbs(dense.Columns(values, j, 1))
	for i := range values.Rows {
		img.Set(i/rows, rows-1-i%rows, diverging(dense.Row(values, i)[j]/largest))
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "x1", "x2"
	p.Add(plotter.NewImage(img, 0, 0, 2, 1))
	return p
}

// diverging returns a colour for a number from −1 to 1: blue, white, red.
func diverging(v float64) color.Color {
	pale := uint8(255 * (1 - math.Min(1, math.Abs(v))))
	if v < 0 {
		return color.RGBA{pale, pale, 255, 255}
	}
	return color.RGBA{255, pale, pale, 255}
}

// scatter shows rows of two columns in the colours of groups.
func scatter(title string, x blas64.General, groups []int) *plot.Plot {
	colours := []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xf0, 0xe4, 0x42, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x80, 0x80, 0x80, 0xff}, {0x60, 0x20, 0x80, 0xff}}
	points := make([]plotter.XYs, len(colours))
	for i, g := range groups {
		points[g%len(colours)] = append(points[g%len(colours)], plotter.XY{X: dense.Row(x, i)[0], Y: dense.Row(x, i)[1]})
	}
	p := plot.New()
	p.Title.Text = title
	for g, xy := range points {
		if len(xy) > 0 {
			p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: colours[g], Radius: 0.8, Shape: draw.CircleGlyph{}}})
		}
	}
	return p
}
