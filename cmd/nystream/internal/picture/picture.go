// Package picture is the style of the pictures that the command draws.
package picture

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nystream/nystream/blockstore"
)

// Margin is the white space around pictures.
const Margin = vg.Centimeter / 2

// NewPlot returns an empty plot with a title and the names of its axes.
func NewPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 3 * vg.Millimeter
	for _, style := range []struct {
		font *font.Font
		size vg.Length
	}{{&p.Title.TextStyle.Font, 14}, {&p.X.Label.TextStyle.Font, 12}, {&p.Y.Label.TextStyle.Font, 12},
		{&p.X.Tick.Label.Font, 10}, {&p.Y.Tick.Label.Font, 10}, {&p.Legend.TextStyle.Font, 11}} {
		*style.font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: style.size}
	}
	return p
}

// New returns an SVG image, white all over.
func New(width, height vg.Length) (*vgsvg.Canvas, draw.Canvas) {
	image := vgsvg.New(width, height)
	c := draw.New(image)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	return image, c
}

// Draw draws a plot with a margin, and writes it to an SVG file.
func Draw(path string, p *plot.Plot, width, height vg.Length) error {
	image, c := New(width, height)
	p.Draw(draw.Crop(c, Margin, -Margin, Margin, -Margin))
	return Write(path, image)
}

// Write writes an SVG file. A reader without the font takes another one without
// serifs.
func Write(path string, image *vgsvg.Canvas) error {
	var svg strings.Builder
	if _, err := image.WriteTo(&svg); err != nil {
		return err
	}
	const family = "font-family:Liberation Sans"
	return blockstore.WriteFile(path, []byte(strings.ReplaceAll(svg.String(), family, family+",Arial,Helvetica,sans-serif")))
}
