package pixels

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Canvas is a picture in the making, of the size, the depth and the opacity of another one.
type Canvas struct {
	of    *Picture
	image draw.Image
}

// Canvas returns one for new colours of the pixels.
func (p *Picture) Canvas() *Canvas {
	size := image.Rect(0, 0, p.Width, p.Height)
	if p.deep {
		return &Canvas{p, image.NewNRGBA64(size)}
	}
	return &Canvas{p, image.NewNRGBA(size)}
}

// Paint gives pixels from the first one on the colours in the rows, red, green and blue from
// 0 to 1; what is beyond is cut off, and what is no number is black.
func (c *Canvas) Paint(first int64, colours blas64.General) {
	for i := range colours.Rows {
		number, row := first+int64(i), colours.Data[i*colours.Stride:]
		x, y, alpha := int(number%int64(c.of.Width)), int(number/int64(c.of.Width)), c.of.pixel(number).A
		switch m := c.image.(type) {
		case *image.NRGBA:
			m.SetNRGBA(x, y, color.NRGBA{R: uint8(level(row[0], 0xff)), G: uint8(level(row[1], 0xff)), B: uint8(level(row[2], 0xff)), A: uint8(alpha >> 8)})
		case *image.NRGBA64:
			m.SetNRGBA64(x, y, color.NRGBA64{R: level(row[0], 0xffff), G: level(row[1], 0xffff), B: level(row[2], 0xffff), A: alpha})
		}
	}
}

// level returns the nearest of the whole numbers from 0 to top.
func level(v, top float64) uint16 {
	if !(v > 0) {
		return 0
	}
	return uint16(math.Round(top * min(1, v)))
}

// PNG returns the file of the picture.
func (c *Canvas) PNG() ([]byte, error) {
	var file bytes.Buffer
	if err := png.Encode(&file, c.image); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}
