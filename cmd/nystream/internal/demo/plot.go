package demo

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
)

// drawSpectrum draws the values of the model, and its shift.
func drawSpectrum(path string, f *fitted) error {
	p := picture.NewPlot("The spectrum: after the first, values come in pairs, a cosine and a sine", "column of U", "value")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powersOfTen{}
	p.X.Tick.Marker = everyTen(len(f.Values))
	values := make(plotter.XYs, len(f.Values))
	for i, v := range f.Values {
		values[i] = plotter.XY{X: float64(i), Y: float64(v)}
	}
	dots := &plotter.Scatter{XYs: values, GlyphStyleFunc: func(i int) draw.GlyphStyle { return dot(pairColour(i), 3) }}
	dots.GlyphStyle = dot(pairColour(0), 3)
	p.Add(plotter.NewGrid(), dots)
	p.Legend.Top, p.Legend.Padding, p.Legend.YOffs = true, vg.Millimeter, -3*vg.Millimeter
	p.Legend.Add("values of the model", dots)
	if shift := float64(f.Shift); shift > 0 {
		line := &plotter.Line{XYs: plotter.XYs{{X: 0, Y: shift}, {X: float64(len(values) - 1), Y: shift}}, LineStyle: shiftStyle}
		p.Add(line)
		p.Legend.Add(fmt.Sprintf("shift, %.3g", shift), line)
		p.Y.Min = min(p.Y.Min, shift) / 1.5
	}
	return picture.Draw(path, p, 20*vg.Centimeter, 12*vg.Centimeter)
}

var shiftStyle = draw.LineStyle{Color: color.RGBA{0xc0, 0x39, 0x2b, 0xff}, Width: 1.5, Dashes: []vg.Length{6, 4}}

// pairColour alternates from pair to pair; the first value stands alone.
func pairColour(i int) color.Color {
	return picture.ColourAt(0.2 + 0.5*float64((i+1)/2%2))
}

func dot(c color.Color, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
}

// everyTen returns ticks at multiples of ten below n.
func everyTen(n int) (ticks plot.ConstantTicks) {
	for i := 0; i < n; i += 10 {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: strconv.Itoa(i)})
	}
	return ticks
}

// powersOfTen are the ticks of a logarithmic axis, the powers themselves with a
// label.
type powersOfTen struct{}

// Ticks returns the ticks from low to high.
func (powersOfTen) Ticks(low, high float64) (ticks []plot.Tick) {
	for power := int(math.Floor(math.Log10(low))); math.Pow10(power) <= high; power++ {
		for digit := 1.0; digit < 10; digit++ {
			tick := plot.Tick{Value: digit * math.Pow10(power)}
			if digit == 1 {
				tick.Label = humanize.Commaf(tick.Value)
			}
			if tick.Value >= low && tick.Value <= high {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

// drawPoints draws the new rows twice: by two of their columns, and by two
// columns of their embedding.
func drawPoints(path string, p points) error {
	raw := picture.NewPlot("What goes in: two of the 20 columns", "x0", "x1")
	found := picture.NewPlot("What the model found: two columns of U", "u1", "u2")
	bar := picture.NewPlot("", "", "true place along the knot, degrees")
	scatter(raw, p, p.raw)
	scatter(found, p, p.embedded)
	bar.Add(picture.ColourBar{Top: 360})
	bar.HideX()
	bar.Y.Tick.Marker = quarterTurns
	image, c := picture.New(30*vg.Centimeter, 14.5*vg.Centimeter)
	for _, at := range []struct {
		plot                     *plot.Plot
		left, right, bottom, top vg.Length
	}{{raw, 0, 13.2, 0, 0}, {found, 13.6, 26.8, 0, 0}, {bar, 27.2, 29.2, 1.2, 1}} {
		at.plot.Draw(draw.Crop(c, picture.Margin+at.left*vg.Centimeter, (at.right-30)*vg.Centimeter+picture.Margin, picture.Margin+at.bottom*vg.Centimeter, -picture.Margin-at.top*vg.Centimeter))
	}
	return picture.Write(path, image)
}

var quarterTurns = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 90, Label: "90"}, {Value: 180, Label: "180"},
	{Value: 270, Label: "270"}, {Value: 360, Label: "360"}}

// scatter adds the first two columns of x, coloured by phase, on axes of one
// scale.
func scatter(to *plot.Plot, p points, x blas64.General) {
	xys := make(plotter.XYs, x.Rows)
	for i := range xys {
		v := x.Data[i*x.Stride:]
		xys[i] = plotter.XY{X: v[0], Y: v[1]}
	}
	to.Add(plotter.NewGrid(), &plotter.Scatter{XYs: xys, GlyphStyleFunc: func(i int) draw.GlyphStyle {
		return dot(picture.ColourAt(p.phase(i)/360), 1.2)
	}})
	picture.OneScale(to, 13.2*vg.Centimeter, 14.5*vg.Centimeter-2*picture.Margin)
}
