package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
		&Points{Title: "A circle", X: "real part", Y: "imaginary part", At: at[:9], UnitCircle: true, Shades: &Shades{Name: "degrees", Values: shades[:9], Period: 360}},
		&Points{Title: "One point", X: "x", Y: "y", At: at[:1]},
		&Points{Title: "None", X: "x", Y: "y"},
		&Grid{Title: strings.Repeat("A long title that goes on ", 8), X: strings.Repeat("and on ", 60), Y: "true", Rows: names(6, "row "), Columns: names(5, "a column of that length "), Values: cells, Of: "weight", Signed: true, Format: "%.2f"},
	}
}

// label is a text of a picture and the rectangle that it takes.
type label struct {
	text                     string
	left, top, right, bottom float64
}

// labelsOf returns the texts of a picture, which has to be well-formed, and its size.
func labelsOf(t *testing.T, svg []byte) (labels []label, width, height float64) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	number := func(e xml.StartElement, name string) float64 {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				v, err := strconv.ParseFloat(strings.TrimSuffix(a.Value, "pt"), 64)
				if err != nil {
					t.Errorf("%s of %s is %q", name, e.Name.Local, a.Value)
				}
				return v
			}
		}
		t.Errorf("no %s of %s", name, e.Name.Local)
		return 0
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return labels, width, height
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		switch {
		case ok && e.Name.Local == "svg":
			width, height = number(e, "width"), number(e, "height")
		case ok && e.Name.Local == "text":
			var text string
			turned := false
			for _, a := range e.Attr {
				turned = turned || a.Name.Local == "transform"
			}
			x, y, size, length := number(e, "x"), number(e, "y"), number(e, "font-size"), number(e, "textLength")
			if err := d.DecodeElement(&text, &e); err != nil {
				t.Fatal(err)
			}
			l := label{text, x, y - 0.7*size, x + length, y}
			if turned { // by a quarter to the left
				l = label{text, x - 0.7*size, y - length, x, y}
			}
			labels = append(labels, l)
		}
	}
}

// TestNothingCollides checks that the texts of every kind of panel lie in the picture and
// on no other, whatever the font of the reader, which has to keep to the length stated.
func TestNothingCollides(t *testing.T) {
	check := func(name string, svg []byte) {
		labels, width, height := labelsOf(t, svg)
		if len(labels) == 0 {
			t.Errorf("%s: no text", name)
		}
		for i, a := range labels {
			if a.left < 0 || a.top < 0 || a.right > width || a.bottom > height {
				t.Errorf("%s: %q at %.0f,%.0f to %.0f,%.0f is not in the picture of %.0f × %.0f", name, a.text, a.left, a.top, a.right, a.bottom, width, height)
			}
			for _, b := range labels[:i] {
				if min(a.right, b.right) > max(a.left, b.left) && min(a.bottom, b.bottom) > max(a.top, b.top) {
					t.Errorf("%s: %q at %.0f,%.0f lies on %q at %.0f,%.0f", name, a.text, a.left, a.top, b.text, b.left, b.top)
				}
			}
		}
	}
	for _, c := range charts() {
		svg, err := Panel(c)
		if err != nil {
			t.Fatal(err)
		}
		check(c.Heading(), []byte(svg))
	}
	sheet := &Sheet{Title: strings.Repeat("the title of a sheet ", 12), Subtitle: "below it", Charts: charts()}
	svg, err := sheet.Encode("x.svg")
	if err != nil {
		t.Fatal(err)
	}
	check("sheet", svg)
	if _, err := sheet.Encode("x.gif"); err == nil {
		t.Error("a GIF was made")
	}
}

var dotPlace = regexp.MustCompile(`M([-\d.]+),([-\d.]+)h0`)

// TestAllPointsAreDrawn counts the points, and looks whether any lies outside.
func TestAllPointsAreDrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 1000} {
		at := make(plotter.XYs, n)
		for i := range at {
			at[i] = plotter.XY{X: math.Exp(3 * random.NormFloat64()), Y: random.NormFloat64()}
		}
		for _, alike := range []bool{false, true} {
			svg, err := Panel(&Points{X: "x", Y: "y", At: at, OneScale: alike})
			if err != nil {
				t.Fatal(err)
			}
			places := dotPlace.FindAllStringSubmatch(svg, -1)
			if len(places) != n {
				t.Errorf("%d dots for %d points", len(places), n)
			}
			for _, p := range places {
				x, _ := strconv.ParseFloat(p[1], 64)
				y, _ := strconv.ParseFloat(p[2], 64)
				if x < 1 || y < 1 || x > float64(panelWidth)-1 || y > float64(panelHeight)-1 {
					t.Errorf("a point at %v, %v", x, y)
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
			p := (&Points{Title: "title", X: "x", Y: "y", At: plotter.XYs{far}, UnitCircle: true}).panel()
			c := draw.New(newSVG(size[0]*vg.Centimeter, size[1]*vg.Centimeter))
			p.scaleAlike(c)
			area := p.DataCanvas(c)
			x, y := p.Transforms(&area)
			across, up := float64(x(1)-x(-1)), float64(y(1)-y(-1))
			if math.Abs(across/up-1) > 0.005 {
				t.Errorf("with a point at %v, on %v: the unit circle is %.3f wide and %.3f high", far, size, across, up)
			}
		}
	}
}

// TestCanvas draws on the canvas itself, turned and moved, what charts leave out.
func TestCanvas(t *testing.T) {
	s := newSVG(100, 50)
	s.SetColor(color.RGBA{0xff, 0, 0, 0xff})
	s.Push()
	s.Translate(vg.Point{X: 10, Y: 20})
	s.Rotate(math.Pi / 2)
	s.Scale(2, 2)
	var half vg.Path
	half.Arc(vg.Point{X: 5}, 3, 0, math.Pi)
	half.Close()
	s.Fill(half)
	s.SetLineDash([]vg.Length{2, 1}, 1)
	s.Stroke(vg.Path{{Type: vg.MoveComp}, {Type: vg.CurveComp, Pos: vg.Point{X: 1}, Control: []vg.Point{{X: 2, Y: 3}}}})
	s.Pop()
	s.DrawImage(vg.Rectangle{Max: vg.Point{X: 10, Y: 10}}, image.NewGray(image.Rect(0, 0, 1, 1)))
	var out strings.Builder
	if _, err := s.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<path d="M10,14A6,6 0 0 0 4,20A6,6 0 0 0 10,26Z" fill="#ff0000"/>`, // from (5+3, 0), turned to (0, 8), doubled, moved and seen from above
		`d="M10,30Q4,26 10,28" fill="none" stroke="#ff0000"`, `stroke-dasharray="2 1" stroke-dashoffset="1"`,
		`<image x="0" y="40" width="10" height="10" href="data:image/png;base64,`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}
