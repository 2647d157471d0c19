package paper1

import (
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// TestCharts: each figure has a curve through the means of each method, and draws one of its points.
func TestCharts(t *testing.T) {
	m, grown := someResults(), someResults()
	grown.problem = uniformProblem(4177)
	for i := range grown.results {
		grown.results[i].seconds = 0.5
	}
	all := charts([]*matrix{m, grown})
	if len(all) != 2 || all["figure3-abalone"] == nil || all["figure4"] == nil {
		t.Fatalf("charts %v", all)
	}
	for name, want := range map[string]curve{
		"figure3-abalone": {"ssrSVD", []float64{25}, []float64{0.15}},
		"figure4":         {"ssrSVD", []float64{4177}, []float64{0.5}},
	} {
		c := all[name].curves[0]
		if len(all[name].curves) != 3 || c.name != want.name || c.x[0] != want.x[0] || math.Abs(c.y[0]-want.y[0]) > 1e-15 {
			t.Errorf("%s: %+v", name, all[name].curves)
		}
		img, hues := all[name].image(), map[color.Color]int{}
		for i := range img.Bounds().Dx() * img.Bounds().Dy() {
			hues[img.At(i%chartWidth, i/chartWidth)]++
		}
		if hues[palette[0]] < 20 {
			t.Errorf("%s: %d pixels of the first curve", name, hues[palette[0]])
		}
	}
}

// TestTransfer: a plan that maps every colour to one gives a picture of that colour, and a plan of zeros changes
// nothing.
func TestTransfer(t *testing.T) {
	p := somePlan(t, 40, 30)
	for j := range 30 {
		copy(p.y.Data[3*j:], []float64{0.25, 0.5, 0.75})
	}
	by, err := p.moves(p)
	if err != nil {
		t.Fatal(err)
	}
	colours := blas64.General{Rows: 40, Cols: 3, Stride: 3, Data: p.x.Data}
	to := moved(colours, p.x, by)
	for i := range 40 {
		for c, want := range []float64{0.25, 0.5, 0.75} {
			if math.Abs(to.Data[3*i+c]-want) > 1e-12 {
				t.Fatalf("colour %d becomes %v", i, to.Data[3*i:][:3])
			}
		}
	}
	for i := range by.Data {
		by.Data[i] = math.NaN()
	}
	to = moved(colours, p.x, by)
	for i, v := range colours.Data {
		if to.Data[i] != v {
			t.Fatalf("colour %d moves by NaN", i/3)
		}
	}
	img, white := image.NewRGBA(image.Rect(0, 0, 4, 4)), stream.NewMatrix(4, 3)
	for i := range white.Data {
		white.Data[i] = 1.5 // beyond 1
	}
	if paint(img, 1, 2, white, 2); img.RGBAAt(2, 3) != (color.RGBA{255, 255, 255, 255}) || img.RGBAAt(0, 0).A != 0 {
		t.Errorf("painted %v", img.Pix)
	}
}
