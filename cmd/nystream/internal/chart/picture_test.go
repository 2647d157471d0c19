package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// charts returns one of each kind, with names that are long and strange.
func charts() []Chart {
	random := rand.New(rand.NewPCG(1, 2))
	at, of, shades := make(plotter.XYs, 400), make([]int, 400), make([]float64, 400)
	for i := range at {
		at[i] = plotter.XY{X: random.NormFloat64(), Y: 1e-9 * random.NormFloat64()}
		of[i], shades[i] = i%4-1, float64(i)
	}
	names := func(n int, of string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(of, i))
		}
		return list
	}
	many := make([]int, len(at))
	for i := range many {
		many[i] = i % 37
	}
	cells := make([][]float64, 6)
	for i := range cells {
		cells[i] = []float64{random.NormFloat64(), 0, -1, 1, 0.5}
	}
	return []Chart{
		&Spectrum{Title: "Values", X: "column of U", Y: "value", Values: []float64{1000, 10, 1, -0.5, 1e-3, 0}, Levels: []Level{{"the error in the spectral norm, about 0.01 of ‖A‖", 10}}},
		&Spectrum{Title: "One", X: "column", Y: "value", Values: []float64{3}},
		&Spectrum{Title: "None", X: "column", Y: "value"},
		&Points{Title: "Groups", X: "u0", Y: "u1", At: at, Groups: &Groups{of, []string{"<a & b>", "b", "a class with a name that is far longer than anybody would like"}}},
		&Points{Title: "Many groups", X: "u0", Y: "u1", At: at, Groups: &Groups{many, names(37, "class number ")}},
		&Points{Title: "Shades", X: "u0", Y: "u1", At: at, Shades: &Shades{Name: "years", Values: shades}},
		&Points{Title: "A circle", X: "real part", Y: "imaginary part", At: at[:9], Lines: []plotter.XYs{UnitCircle()}, OneScale: true, Shades: &Shades{Name: "degrees", Values: shades[:9]}},
		&Points{Title: "One point", X: "x", Y: "y", At: at[:1]},
		&Points{Title: "None", X: "x", Y: "y"},
		&Grid{Title: strings.Repeat("A long title that goes on ", 8), X: strings.Repeat("and on ", 60), Y: "true", Rows: names(6, "row "), Columns: names(5, "a column of that length "), Values: cells, Quantity: "weight", Signed: true, Format: "%.2f"},
	}
}

// label is a text of a picture and the rectangle that it takes, y upwards.
type label struct {
	text                     string
	left, bottom, right, top vg.Length
}

// labelsOf returns the texts that fill draws, and the centres of circles.
func labelsOf(t *testing.T, width, height vg.Length, fill func(draw.Canvas)) (labels []label, dots []vg.Point) {
	t.Helper()
	var c recorder.Canvas
	fill(draw.NewCanvas(&c, width, height))
	at, turned := []vg.Point{{}}, []bool{false} // the origin, and whether a quarter turn is in effect
	for _, action := range c.Actions {
		k := len(at) - 1
		place := func(p vg.Point) vg.Point {
			if turned[k] {
				p = vg.Point{X: -p.Y, Y: p.X}
			}
			return at[k].Add(p)
		}
		switch a := action.(type) {
		case *recorder.Push:
			at, turned = append(at, at[k]), append(turned, turned[k])
		case *recorder.Pop:
			at, turned = at[:k], turned[:k]
		case *recorder.Translate:
			at[k] = place(a.Point)
		case *recorder.Rotate:
			if turned[k] || math.Abs(a.Angle-math.Pi/2) > 1e-9 {
				t.Fatalf("a turn by %v", a.Angle)
			}
			turned[k] = true
		case *recorder.Fill:
			for _, part := range a.Path {
				if part.Type == vg.ArcComp {
					dots = append(dots, place(part.Pos))
				}
			}
		case *recorder.FillString:
			style := textStyle(a.Size)
			length, rise := style.Width(a.String), 0.7*a.Size
			if strings.TrimSpace(a.String) == "" {
				continue
			}
			p := place(a.Point)
			l := label{a.String, p.X, p.Y, p.X + length, p.Y + rise}
			if turned[k] {
				l = label{a.String, p.X - rise, p.Y, p.X, p.Y + length}
			}
			labels = append(labels, l)
		}
	}
	return labels, dots
}

// TestNothingCollides checks that the texts of every kind of panel lie in the picture and on no other.
func TestNothingCollides(t *testing.T) {
	check := func(name string, width, height vg.Length, fill func(draw.Canvas)) {
		labels, _ := labelsOf(t, width, height, fill)
		if len(labels) == 0 {
			t.Errorf("%s: no text", name)
		}
		for i, a := range labels {
			if a.left < 0 || a.bottom < 0 || a.right > width || a.top > height {
				t.Errorf("%s: %q at %.0f,%.0f to %.0f,%.0f is not in the picture of %.0f × %.0f",
					name, a.text, a.left, a.bottom, a.right, a.top, width, height)
			}
			for _, b := range labels[:i] {
				if min(a.right, b.right) > max(a.left, b.left) && min(a.top, b.top) > max(a.bottom, b.bottom) {
					t.Errorf("%s: %q at %.0f,%.0f lies on %q at %.0f,%.0f", name, a.text, a.left, a.bottom, b.text, b.left, b.bottom)
				}
			}
		}
	}
	for _, c := range charts() {
		check(c.Heading(), panelWidth, panelHeight, func(canvas draw.Canvas) { drawPanel(c, canvas) })
		if svg, err := Panel(c); err != nil || !strings.HasPrefix(svg, "<svg") || strings.Contains(svg, "NaN") {
			t.Errorf("%s: %v", c.Heading(), err)
		}
	}
	sheet := &Sheet{Title: strings.Repeat("the title of a sheet ", 12), Subtitle: "below it", Charts: charts()}
	width, height, fill := sheet.layOut()
	check("sheet", width, height, fill)
	if _, err := sheet.Encode("x.gif"); err == nil {
		t.Error("a GIF was made")
	}
}

// TestAllPointsAreDrawn counts the points, and looks whether any lies outside.
func TestAllPointsAreDrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 1000} {
		at := make(plotter.XYs, n)
		for i := range at {
			at[i] = plotter.XY{X: math.Exp(3 * random.NormFloat64()), Y: random.NormFloat64()}
		}
		for _, alike := range []bool{false, true} {
			c := &Points{X: "x", Y: "y", At: at, OneScale: alike}
			_, dots := labelsOf(t, panelWidth, panelHeight, func(canvas draw.Canvas) { drawPanel(c, canvas) })
			if len(dots) != n {
				t.Errorf("%d dots for %d points", len(dots), n)
			}
			for _, p := range dots {
				if p.X < 1 || p.Y < 1 || p.X > panelWidth-1 || p.Y > panelHeight-1 {
					t.Errorf("a point at %v", p)
				}
			}
		}
	}
}

// TestPNG draws the same as PNG: as large, and neither all white nor all black.
func TestPNG(t *testing.T) {
	data, err := (&Sheet{Title: "title", Charts: charts()[:4]}).Encode("x.PNG")
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	if want := 2 * float64(panelWidth) / 72 * dotsPerInch; math.Abs(float64(size.X)-want) > 2 {
		t.Errorf("%v wide, want %v", size.X, want)
	}
	white, blue := 0, 0
	for y := range size.Y {
		for x := range size.X {
			switch pixel := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA); {
			case pixel == color.RGBA{0xff, 0xff, 0xff, 0xff}:
				white++
			case pixel == groupColours[0]:
				blue++
			}
		}
	}
	if all := size.X * size.Y; white < all/2 || white == all || blue == 0 {
		t.Errorf("%d of %d pixels are white and %d blue", white, all, blue)
	}
}

// TestScaleAlike measures a circle on the canvas that it is drawn on, beside points far
// off on either side.
func TestScaleAlike(t *testing.T) {
	for _, far := range []plotter.XY{{}, {X: 1e4}, {Y: -30}} {
		for _, size := range [][2]vg.Length{{14, 10}, {10, 14}} {
			p := (&Points{Title: "title", X: "x", Y: "y", At: plotter.XYs{far}, Lines: []plotter.XYs{UnitCircle()}, OneScale: true}).panel()
			c := draw.NewCanvas(new(recorder.Canvas), size[0]*vg.Centimeter, size[1]*vg.Centimeter)
			p.equalizeScales(c)
			area := p.DataCanvas(c)
			x, y := p.Transforms(&area)
			across, up := float64(x(1)-x(-1)), float64(y(1)-y(-1))
			if math.Abs(across/up-1) > 0.005 {
				t.Errorf("with a point at %v, on %v: the unit circle is %.3f wide and %.3f high", far, size, across, up)
			}
		}
	}
}
