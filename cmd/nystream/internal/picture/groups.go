package picture

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mostLegend is how many groups a legend has room for.
const mostLegend = 20

// AddGroups adds the first two columns of xw as points in the colours of their groups.
// Where there is one column, the group is the height.
func AddGroups(p *plot.Plot, xw blas64.General, group []int, names []string) {
	n := max(1, len(names))
	points := make([]plotter.XYs, n)
	for i := range xw.Rows {
		r := xw.Data[i*xw.Stride : i*xw.Stride+xw.Cols]
		xy := plotter.XY{X: r[0], Y: float64(group[i])}
		if len(r) > 1 {
			xy.Y = r[1]
		}
		points[group[i]] = append(points[group[i]], xy)
	}
	p.Legend.Top, p.Legend.Padding = true, vg.Millimeter
	for k, xy := range points {
		style := draw.GlyphStyle{Color: groupColour(k, n), Radius: 1.8, Shape: groupShapes[k%len(groupShapes)]}
		dots := &plotter.Scatter{XYs: xy, GlyphStyle: style}
		if len(xy) > 0 {
			p.Add(dots)
		}
		if len(names) > 0 && len(names) <= mostLegend {
			p.Legend.Add(clipped(names[k], 24), dots)
		}
	}
	if p.X.Max > p.X.Min {
		p.X.Max += 0.18 * (p.X.Max - p.X.Min) // for the legend
	}
}

var groupShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}}

// groupColours are far apart for readers who see few (Okabe and Ito 2008).
var groupColours = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x60, 0x60, 0x60, 0xff}}

func groupColour(k, n int) color.Color {
	if n <= len(groupColours) {
		return groupColours[k]
	}
	return ColourAt(float64(k) / float64(n-1))
}

// clipped returns a text of at most so many letters.
func clipped(s string, most int) string {
	letters := []rune(strings.Join(slices.Collect(strings.FieldsSeq(s)), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most-1]) + "…"
}
