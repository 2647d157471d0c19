package datasets

import (
	"fmt"
	"image"
	_ "image/jpeg" // the photographs of paper 1
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Picture is an image as the rows of a data set: each colour once.
type Picture struct {
	Bounds  image.Rectangle
	Colours blas64.General // a row for each colour: red, green and blue from 0 to 1
	Index   []int          // of each pixel, from left to right and top to bottom
}

// Photograph returns one of the photographs of paper 1, §IV-A: autumn, ocean_day,
// ocean_sunset or woods.
func Photograph(name string) (*Picture, error) {
	path := filepath.Join(Dir(), name+".jpg")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return newPicture(img), nil
}

// Sample returns the colours of n pixels, drawn without replacement.
func (p *Picture) Sample(n int, seed uint64) (blas64.General, error) {
	s, err := sketch.NewSample(int64(len(p.Index)), n, seed, "pixels")
	if err != nil {
		return blas64.General{}, err
	}
	some := stream.NewMatrix(n, 3)
	for i, pixel := range s.Positions() {
		copy(some.Data[3*i:3*i+3], p.Colours.Data[3*p.Index[pixel]:])
	}
	return some, nil
}

func newPicture(img image.Image) *Picture {
	p := &Picture{Bounds: img.Bounds()}
	known := map[[3]uint32]int{}
	var colours [][3]uint32
	for y := p.Bounds.Min.Y; y < p.Bounds.Max.Y; y++ {
		for x := p.Bounds.Min.X; x < p.Bounds.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			c := [3]uint32{r, g, b}
			number, ok := known[c]
			if !ok {
				number = len(colours)
				known[c] = number
				colours = append(colours, c)
			}
			p.Index = append(p.Index, number)
		}
	}
	p.Colours = stream.NewMatrix(len(colours), 3)
	for i, c := range colours {
		for j, v := range c {
			p.Colours.Data[3*i+j] = float64(v) / 0xffff
		}
	}
	return p
}
