package picture

import (
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// TestOneScale measures a circle on the canvas that it is drawn on, beside points far off on either side.
func TestOneScale(t *testing.T) {
	for _, far := range []plotter.XY{{}, {X: 1e4}, {Y: -30}} {
		for _, size := range [][2]vg.Length{{14, 10}, {10, 14}} {
			p := NewPlot("title", "x", "y")
			p.Add(UnitCircle(), Dots(plotter.XYs{far}, nil, 3))
			width, height := size[0]*vg.Centimeter, size[1]*vg.Centimeter
			OneScale(p, width, height)
			_, c := New(width, height)
			area := p.DataCanvas(c)
			x, y := p.Transforms(&area)
			across, up := float64(x(1)-x(-1)), float64(y(1)-y(-1))
			if math.Abs(across/up-1) > 0.005 {
				t.Errorf("with a point at %v, on %v: the unit circle is %.3f wide and %.3f high", far, size, across, up)
			}
			if a, b := x(far.X), y(far.Y); a < area.Min.X || a > area.Max.X || b < area.Min.Y || b > area.Max.Y {
				t.Errorf("the point at %v is not on the picture", far)
			}
		}
	}
}
