package paper1

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"gonum.org/v1/gonum/stat"
)

// curve is a line of a chart. It skips points without a positive finite value.
type curve struct {
	name string
	x, y []float64
}

// chart is a picture of curves on logarithmic axes.
type chart struct {
	title  string
	curves []curve
}

// The layout of a chart, in pixels.
const (
	chartWidth, chartHeight = 900, 560
	chartLeft, chartRight   = 70, 330 // margins; the names are on the right
	chartTop, chartBottom   = 40, 40
	lineHeight              = 16
)

var palette = []color.RGBA{{31, 119, 180, 255}, {255, 127, 14, 255}, {44, 160, 44, 255}, {214, 39, 40, 255}, {148, 103, 189, 255},
	{140, 86, 75, 255}, {227, 119, 194, 255}, {127, 127, 127, 255}, {188, 189, 34, 255}, {23, 190, 207, 255}}

// charts returns the paper's Figures 2 and 3, errors by rank for each matrix, and Figure 4, seconds by the number of
// uniform rows.
func charts(all []*matrix) map[string]*chart {
	made := map[string]*chart{}
	add := func(file, title string, m *matrix, x func(c int) float64, y func(result) float64) {
		if made[file] == nil {
			made[file] = &chart{title: title}
		}
		for _, method := range methods() {
			if m.has(method.name) {
				made[file].add(m, method.name, x, y)
			}
		}
	}
	for _, m := range all {
		if m.data == uniform {
			rows := func(int) float64 { return float64(m.rows) }
			add("figure4", "Figure 4: seconds of a fit by the number of rows", m, rows, func(r result) float64 { return r.seconds })
			continue
		}
		figure := "figure2"
		if m.word == "csrbf" {
			figure = "figure3"
		}
		rank := func(c int) float64 { return float64(c) }
		add(figure+"-"+m.data, fmt.Sprintf("Figure %s, %s: relative spectral error by the rank", figure[6:], m), m, rank,
			func(r result) float64 { return r.spectral })
	}
	return made
}

// add adds the mean results of a method to the curve with its name, which it creates if necessary.
func (c *chart) add(m *matrix, method string, x func(c int) float64, y func(result) float64) {
	i := slices.IndexFunc(c.curves, func(one curve) bool { return one.name == method })
	if i < 0 {
		i = len(c.curves)
		c.curves = append(c.curves, curve{name: method})
	}
	for _, rank := range m.ranks() {
		var values []float64
		for _, r := range m.of(rank, method) {
			values = append(values, y(r))
		}
		if mean := stat.Mean(values, nil); mean > 0 && !math.IsInf(mean, 0) {
			c.curves[i].x, c.curves[i].y = append(c.curves[i].x, x(rank)), append(c.curves[i].y, mean)
		}
	}
}

// image draws the chart, with lines at 1, 2 and 5 of each power of ten.
func (c *chart) image() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, chartWidth, chartHeight))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	var xs, ys []float64
	for _, one := range c.curves {
		xs, ys = append(xs, one.x...), append(ys, one.y...)
	}
	write(img, chartLeft, lineHeight, color.Black, c.title)
	if len(xs) == 0 {
		return img
	}
	across := axis(xs, chartLeft, chartWidth-chartRight)
	up := axis(ys, chartHeight-chartBottom, chartTop)
	grey := color.RGBA{210, 210, 210, 255}
	for power := -12; power <= 12; power++ {
		for _, times := range []float64{1, 2, 5} {
			v := times * math.Pow10(power)
			if y := up(v); y <= chartHeight-chartBottom && y >= chartTop {
				segment(img, chartLeft, y, chartWidth-chartRight, y, grey)
				write(img, 4, y+4, color.Black, fmt.Sprintf("%g", v))
			}
		}
	}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(xs))) {
		segment(img, across(v), chartHeight-chartBottom, across(v), chartHeight-chartBottom+4, color.Black)
		write(img, across(v)-10, chartHeight-chartBottom+lineHeight+4, color.Black, fmt.Sprintf("%g", v))
	}
	segment(img, chartLeft, chartHeight-chartBottom, chartWidth-chartRight, chartHeight-chartBottom, color.Black)
	for i, one := range c.curves {
		hue := palette[i%len(palette)]
		for j, v := range one.x {
			x, y := across(v), up(one.y[j])
			draw.Draw(img, image.Rect(x-3, y-3, x+4, y+4), image.NewUniform(hue), image.Point{}, draw.Src)
			if j > 0 {
				segment(img, across(one.x[j-1]), up(one.y[j-1]), x, y, hue)
			}
		}
		if n := len(one.y); n > 0 {
			write(img, chartWidth-chartRight+15, chartTop+lineHeight*(i+1), hue, fmt.Sprintf("%s: %.3g ... %.3g", one.name, one.y[0], one.y[n-1]))
		}
	}
	return img
}

// axis returns the logarithmic scale that maps values to the pixels between from and to.
func axis(values []float64, from, to int) func(v float64) int {
	low, high := math.Log(slices.Min(values)), math.Log(slices.Max(values))
	if high-low < 0.1 {
		low, high = low-0.5, high+0.5
	}
	return func(v float64) int {
		return from + int(math.Round(float64(to-from)*(math.Log(v)-low)/(high-low)))
	}
}

// segment draws a line one pixel wide.
func segment(img *image.RGBA, x0, y0, x1, y1 int, hue color.Color) {
	steps := max(1, max(x1-x0, x0-x1), max(y1-y0, y0-y1))
	for i := range steps + 1 {
		img.Set(x0+(x1-x0)*i/steps, y0+(y1-y0)*i/steps, hue)
	}
}

// write writes a line of ASCII text, starting at a point of its base line.
func write(img *image.RGBA, x, y int, hue color.Color, text string) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(hue), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(text)
}
