package paper1

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// The sheet of pictures of a pair: so many in a row, so wide, so far apart.
const (
	sheetColumns = 4
	sheetWidth   = 320
	sheetGap     = 8
)

// transportSheet shows what methods make of a picture.
type transportSheet struct {
	source   *thumbnail
	near     []int // the nearest sampled colour of each pixel of source
	samples  blas64.General
	pictures []*image.RGBA
	names    []string // from left to right, and from top to bottom
}

// thumbnail is a picture of fewer pixels.
type thumbnail struct {
	bounds  image.Rectangle
	colours blas64.General // of the pixels
}

// newThumbnail takes a pixel here and there.
func newThumbnail(p *datasets.Picture) *thumbnail {
	size := p.Bounds.Size()
	t := &thumbnail{bounds: image.Rect(0, 0, sheetWidth, max(1, sheetWidth*size.Y/size.X))}
	numbers := make([]int, 0, t.bounds.Dx()*t.bounds.Dy())
	for y := range t.bounds.Dy() {
		for x := range t.bounds.Dx() {
			numbers = append(numbers, p.Index[y*size.Y/t.bounds.Dy()*size.X+x*size.X/t.bounds.Dx()])
		}
	}
	t.colours = dense.PickRows(p.Colours, numbers)
	return t
}

// painted returns the thumbnail with other colours.
func (t *thumbnail) painted(colours blas64.General) *image.RGBA {
	m := image.NewRGBA(t.bounds)
	for i := range colours.Rows {
		var c [3]uint8
		for k, v := range dense.Row(colours, i) {
			if v > 0 { // not NaN
				c[k] = uint8(math.Round(255 * min(1, v)))
			}
		}
		m.SetRGBA(i%t.bounds.Dx(), i/t.bounds.Dx(), color.RGBA{c[0], c[1], c[2], 255})
	}
	return m
}

func newTransportSheet(source, target *datasets.Picture, samples blas64.General) *transportSheet {
	s := &transportSheet{source: newThumbnail(source), samples: samples}
	s.near = nearest(s.source.colours, samples)
	s.add("source", s.source.painted(s.source.colours))
	to := newThumbnail(target)
	s.add("target", to.painted(to.colours))
	return s
}

// nearest returns the number of the nearest of some colours for each of others.
func nearest(colours, among blas64.General) []int {
	near := make([]int, colours.Rows)
	for i := range near {
		c, least := dense.Row(colours, i), math.Inf(1)
		for j := range among.Rows {
			a := among.Data[j*among.Stride : j*among.Stride+3]
			d := (c[0]-a[0])*(c[0]-a[0]) + (c[1]-a[1])*(c[1]-a[1]) + (c[2]-a[2])*(c[2]-a[2])
			if d < least {
				near[i], least = j, d
			}
		}
	}
	return near
}

// add adds a picture with its name.
func (s *transportSheet) add(name string, m *image.RGBA) {
	s.names, s.pictures = append(s.names, name), append(s.pictures, m)
}

// paint moves each pixel as the nearest sample is moved by a plan (nearest-neighbour
// interpolation, as in the paper).
func (s *transportSheet) paint(name string, mapped blas64.General) {
	colours := stream.NewMatrix(s.source.colours.Rows, 3)
	for i, j := range s.near {
		to := dense.Row(colours, i)
		for k, v := range dense.Row(s.source.colours, i) {
			to[k] = v + mapped.Data[j*mapped.Stride+k] - s.samples.Data[j*s.samples.Stride+k]
		}
	}
	s.add(name, s.source.painted(colours))
}

// write writes a PNG file, and returns a sentence that says what is on it.
func (s *transportSheet) write(dir string, p transportPair) (string, error) {
	height := 0
	for _, m := range s.pictures {
		height = max(height, m.Bounds().Dy())
	}
	rows := (len(s.pictures) + sheetColumns - 1) / sheetColumns
	sheet := image.NewRGBA(image.Rect(0, 0, sheetColumns*(sheetWidth+sheetGap)-sheetGap, rows*(height+sheetGap)-sheetGap))
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	for i, m := range s.pictures {
		corner := image.Pt(i%sheetColumns*(sheetWidth+sheetGap), i/sheetColumns*(height+sheetGap))
		draw.Draw(sheet, m.Bounds().Add(corner), m, image.Point{}, draw.Src)
	}
	name := fmt.Sprintf("%s-%s-%s.png", tableI, p.source, p.target)
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := png.Encode(f, sheet); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, from left to right and from top to bottom, seed 1: %s.", name, strings.Join(s.names, "; ")), f.Close()
}
