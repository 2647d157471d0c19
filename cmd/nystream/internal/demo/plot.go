package demo

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// drawSpectrum draws the values of the model, and its shift.
func drawSpectrum(path string, f *fitted) error {
	s := &picture.Spectrum{Title: "After the first, values come in pairs, a cosine and a sine", X: "column of U", Y: "value", Values: show.Floats(f.Values)}
	if shift := float64(f.Shift); shift > 0 {
		s.Levels = append(s.Levels, picture.Level{Name: fmt.Sprintf("shift, %.3g", shift), Value: shift})
	}
	return write(path, &picture.Sheet{Title: "The spectrum", Charts: []picture.Chart{s}})
}

// drawPoints draws the new rows twice: by two of their columns, and by two columns of
// their embedding.
func drawPoints(path string, p points) error {
	phases := make([]float64, p.embedded.Rows)
	for i := range phases {
		phases[i] = p.phase(i)
	}
	place := &picture.Shades{Name: "true place along the knot, degrees", Values: phases, Period: 360}
	return write(path, &picture.Sheet{Title: "A knot, and what the model found of it", Charts: []picture.Chart{
		&picture.Points{Title: "What goes in: two of the 20 columns", X: "x0", Y: "x1", At: firstColumns(p.raw), Shades: place, OneScale: true},
		&picture.Points{Title: "What the model found: two columns of U", X: "u1", Y: "u2", At: firstColumns(p.embedded), Shades: place, OneScale: true},
	}})
}

// firstColumns returns the first two columns of x as points.
func firstColumns(x blas64.General) plotter.XYs {
	points := make(plotter.XYs, x.Rows)
	for i := range points {
		v := x.Data[i*x.Stride:]
		points[i] = plotter.XY{X: v[0], Y: v[1]}
	}
	return points
}

func write(path string, s *picture.Sheet) error {
	data, err := s.Encode(path)
	if err != nil {
		return err
	}
	return blockstore.WriteFile(path, data)
}
