package picture

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// viridis are colours of equal steps in lightness that most colour-blind people
// tell apart (van der Walt and Smith 2015), without the yellow end, which is
// hard to see on white.
var viridis = []color.RGBA{
	{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x2c, 0x72, 0x8e, 0xff},
	{0x21, 0x91, 0x8c, 0xff}, {0x28, 0xae, 0x80, 0xff}, {0x5e, 0xc9, 0x62, 0xff}, {0xad, 0xdc, 0x30, 0xff},
}

// ColourAt returns the colour for part of the way, 0 ≤ part ≤ 1, along viridis.
func ColourAt(part float64) color.RGBA {
	place := part * float64(len(viridis)-1)
	i := min(int(place), len(viridis)-2)
	a, b, t := viridis[i], viridis[i+1], place-float64(i)
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-t) + float64(b)*t + 0.5) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// ColourBar is a plot of the colours from 0 at the bottom to Top.
type ColourBar struct{ Top float64 }

// Plot fills the data area.
func (b ColourBar) Plot(c draw.Canvas, p *plot.Plot) {
	const steps = 90
	_, y := p.Transforms(&c)
	for i := range steps {
		low := y(b.Top * float64(i) / steps) // and up to the top, so that no seam shows
		c.FillPolygon(ColourAt((float64(i)+0.5)/steps), []vg.Point{
			{X: c.Min.X, Y: low}, {X: c.Max.X, Y: low}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
	}
}

// DataRange returns the range of what the colours stand for.
func (b ColourBar) DataRange() (xmin, xmax, ymin, ymax float64) { return 0, 1, 0, b.Top }
