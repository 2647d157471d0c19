// Package pixels reads pictures as rows of colours, and writes them.
package pixels

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // a format of Open
	_ "image/png"  // a format of Open
	"io/fs"
	"os"
)

// MostPixels is how many pixels a picture may have: a damaged or hostile file may claim
// more than there is memory for.
const MostPixels = 100_000_000

// File is a picture that has not been decoded.
type File struct {
	Path          string
	Format        string // png or jpeg
	Width, Height int
	deep          bool // 16 bits a channel
	info          fs.FileInfo
}

// Open reads what a file says of its picture, and refuses one with more than [MostPixels].
// All that is wrong with the file itself is the fault of the data.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	config, format, err := image.DecodeConfig(f)
	switch {
	case errors.Is(err, image.ErrFormat), err == nil && format != "png" && format != "jpeg":
		return nil, fmt.Errorf("%s: neither a PNG nor a JPEG picture", path)
	case err != nil:
		return nil, fmt.Errorf("%s: a damaged picture: %w", path, err)
	case config.Width < 1 || config.Height < 1:
		return nil, fmt.Errorf("%s: a picture of %d × %d pixels", path, config.Width, config.Height)
	case int64(config.Width)*int64(config.Height) > MostPixels:
		return nil, fmt.Errorf("%s: a picture of %d × %d pixels; at most %d million are read: make it smaller first", path, config.Width, config.Height, MostPixels/1_000_000)
	}
	return &File{Path: path, Format: format, Width: config.Width, Height: config.Height, deep: isDeep(config.ColorModel), info: info}, nil
}

func isDeep(m color.Model) bool {
	return m == color.RGBA64Model || m == color.NRGBA64Model || m == color.Gray16Model
}

// Pixels returns their number.
func (f *File) Pixels() int64 { return int64(f.Width) * int64(f.Height) }

// Bytes returns what it takes to decode the picture, at most: the pixels, and of a JPEG
// picture that comes in scans of growing detail their coefficients.
func (f *File) Bytes() int64 {
	switch {
	case f.Format == "jpeg":
		return 20 * f.Pixels()
	case f.deep:
		return 16 * f.Pixels()
	}
	return 8 * f.Pixels()
}

// PaintedBytes returns what a [Canvas] for the picture takes, and its file.
func (f *File) PaintedBytes() int64 {
	if f.deep {
		return 16 * f.Pixels()
	}
	return 8 * f.Pixels()
}

// Picture is a decoded picture.
type Picture struct {
	*File
	bounds image.Rectangle
	at     func(x, y int) color.NRGBA64
}

// Decode reads the pixels.
func (f *File) Decode() (*Picture, error) {
	r, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	img, _, err := image.Decode(r)
	if now, failed := os.Stat(f.Path); failed != nil || !os.SameFile(now, f.info) || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return nil, fmt.Errorf("%s: the file was changed after it was opened; start again", f.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: a damaged picture: %w", f.Path, err)
	}
	p := &Picture{File: f, bounds: img.Bounds(), at: colours(img)}
	if p.bounds.Dx() != f.Width || p.bounds.Dy() != f.Height {
		return nil, fmt.Errorf("%s: the picture has %d × %d pixels now; it had %d × %d", f.Path, p.bounds.Dx(), p.bounds.Dy(), f.Width, f.Height)
	}
	return p, nil
}

// colours returns a function that gives the colour at a place, not multiplied by its
// opacity. Colours of pictures that are kept in this way come out as they are, however
// transparent.
func colours(img image.Image) func(x, y int) color.NRGBA64 {
	switch m := img.(type) {
	case *image.NRGBA:
		return func(x, y int) color.NRGBA64 { return widened(m.NRGBAAt(x, y)) }
	case *image.NRGBA64:
		return m.NRGBA64At
	case *image.Paletted:
		palette := make([]color.NRGBA64, len(m.Palette))
		for i, c := range m.Palette {
			palette[i] = straight(c)
		}
		return func(x, y int) color.NRGBA64 { return palette[m.ColorIndexAt(x, y)] }
	case image.RGBA64Image:
		return func(x, y int) color.NRGBA64 {
			c := m.RGBA64At(x, y)
			if c.A == 0xffff {
				return color.NRGBA64(c)
			}
			return straight(c)
		}
	}
	return func(x, y int) color.NRGBA64 { return straight(img.At(x, y)) }
}

// straight returns a colour not multiplied by its opacity.
func straight(c color.Color) color.NRGBA64 {
	if c, ok := c.(color.NRGBA); ok {
		return widened(c)
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

func widened(c color.NRGBA) color.NRGBA64 {
	return color.NRGBA64{R: 0x101 * uint16(c.R), G: 0x101 * uint16(c.G), B: 0x101 * uint16(c.B), A: 0x101 * uint16(c.A)}
}

// pixel returns the colour of a pixel, counted from left to right and from top to bottom.
func (p *Picture) pixel(number int64) color.NRGBA64 {
	return p.at(p.bounds.Min.X+int(number%int64(p.Width)), p.bounds.Min.Y+int(number/int64(p.Width)))
}

// Opacities returns how opaque pixels are, from 0 to 1; nil if all of them are wholly.
func (p *Picture) Opacities(numbers []int64) []float64 {
	all := make([]float64, len(numbers))
	opaque := true
	for i, n := range numbers {
		a := p.pixel(n).A
		all[i] = float64(a) / 0xffff
		opaque = opaque && a == 0xffff
	}
	if opaque {
		return nil
	}
	return all
}
