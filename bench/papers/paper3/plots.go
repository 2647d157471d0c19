package paper3

import (
	"image"
	"image/color"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
)

const panelSize = 9 * vg.Centimeter

func (o *options) path(name string) string { return filepath.Join(o.out, name) }

// drawPanels draws plots side by side.
func drawPanels(path string, panels []*plot.Plot) error {
	width := vg.Length(len(panels)) * panelSize
	picture := vgsvg.New(width, panelSize)
	c := draw.New(picture)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	const margin = vg.Centimeter / 3
	for i, p := range panels {
		left := vg.Length(i) * panelSize
		p.Draw(draw.Crop(c, left+margin, left+panelSize-width-margin, margin, -margin))
	}
	return report.WriteSVG(path, picture)
}

// scatter shows the first two columns of z in the colours of groups.
func scatter(title string, z blas64.General, groups []int) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "xw0", "xw1"
	points := make([]plotter.XYs, 1+slices.Max(groups))
	for i, g := range groups {
		points[g] = append(points[g], plotter.XY{X: dense.Row(z, i)[0], Y: dense.Row(z, i)[1]})
	}
	for g, xy := range points {
		if len(xy) > 0 {
			p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: groupColour(g, len(points)), Radius: 1.4, Shape: draw.CircleGlyph{}}})
		}
	}
	return p
}

// groupColour goes once around the colours, in two lightnesses.
func groupColour(g, n int) color.Color {
	bases := []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff}}
	if n <= len(bases) {
		return bases[g]
	}
	part := float64(g) / float64(n-1)
	at := part * float64(len(bases)-1)
	i := min(int(at), len(bases)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (at-float64(i))*(float64(b)-float64(a))) }
	a, b := bases[i], bases[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// picturePanel shows an image.
func picturePanel(title string, img image.Image) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.HideAxes()
	b := img.Bounds()
	p.Add(plotter.NewImage(img, 0, 0, float64(b.Dx()), float64(b.Dy())))
	return p
}
