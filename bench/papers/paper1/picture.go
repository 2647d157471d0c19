package paper1

import (
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // for the photographs of the paper
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// sampleOf returns the colours of n pixels of a photograph, drawn without replacement: red,
// green and blue from 0 to 1.
func sampleOf(photograph string, n int, seed uint64) (some blas64.General, err error) {
	img, err := photographOf(photograph)
	if err != nil {
		return some, err
	}
	bounds := img.Bounds()
	pixels, err := sketch.NewSample(int64(bounds.Dx())*int64(bounds.Dy()), n, seed, "pixels")
	if err != nil {
		return some, fmt.Errorf("%s: %w", photograph, err)
	}
	some = stream.NewMatrix(n, 3)
	for i, pixel := range pixels.Positions() {
		row, column := int(pixel)/bounds.Dx(), int(pixel)%bounds.Dx()
		putColour(some.Data[3*i:], img.At(bounds.Min.X+column, bounds.Min.Y+row))
	}
	return some, nil
}

// photographOf decodes a photograph.
func photographOf(name string) (image.Image, error) {
	path := filepath.Join(datasets.Dir(), name+".jpg")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return img, nil
}

// putColour writes red, green and blue, from 0 to 1.
func putColour(to []float64, c color.Color) {
	r, g, b, _ := c.RGBA()
	for j, v := range []uint32{r, g, b} {
		to[j] = float64(v) / 0xffff
	}
}

// thumbnailWidth is the width of the pictures of Figure 1.
const thumbnailWidth = 160

// thumbnail returns the colours of a smaller picture, each that of one pixel, and its width.
func thumbnail(img image.Image) (colours blas64.General, width int) {
	bounds := img.Bounds()
	step := max(1, bounds.Dx()/thumbnailWidth)
	width = bounds.Dx() / step
	colours = stream.NewMatrix(width*(bounds.Dy()/step), 3)
	for i := range colours.Rows {
		putColour(colours.Data[3*i:], img.At(bounds.Min.X+i%width*step, bounds.Min.Y+i/width*step))
	}
	return colours, width
}

// moved returns colours after the displacement of the nearest of the colours from; the rows of by are the displacements
// (Ferradans et al. 2014). A displacement that is not finite counts as none.
func moved(colours, from, by blas64.General) blas64.General {
	to := stream.NewMatrix(colours.Rows, 3)
	for i := range colours.Rows {
		c, nearest, least := colours.Data[3*i:][:3], 0, math.Inf(1)
		for j := range from.Rows {
			f := from.Data[j*from.Stride:][:3]
			a, b, d := c[0]-f[0], c[1]-f[1], c[2]-f[2]
			if square := a*a + b*b + d*d; square < least {
				nearest, least = j, square
			}
		}
		for j, v := range by.Data[nearest*by.Stride:][:3] {
			to.Data[3*i+j] = c[j]
			if v-v == 0 {
				to.Data[3*i+j] += v
			}
		}
	}
	return to
}

// paint draws a picture of colours at a position of an image.
func paint(img *image.RGBA, x, y int, colours blas64.General, width int) {
	for i := range colours.Rows {
		c := colours.Data[3*i:][:3]
		level := func(v float64) uint8 { return uint8(math.Round(255 * min(1, max(0, v)))) }
		img.SetRGBA(x+i%width, y+i/width, color.RGBA{level(c[0]), level(c[1]), level(c[2]), 255})
	}
}
