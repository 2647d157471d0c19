package baselines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// degree is the features of one degree: weight times 1 for degree 0, the row itself if
// they are exact, or a TensorSketch of the row.
type degree struct {
	power   int
	columns int
	weight  float64
	exact   bool
}

// tensorMap is TensorSketches of several degrees of the row
// x̂ = (scale·(x − centre), constant), each times its weight, side by side, and
// if damped all times exp(−‖x̂‖²/2).
type tensorMap struct {
	dimension int       // of x
	centre    []float64 // nil for 0
	scale     float64
	constant  float64 // no number is appended if it is 0
	damped    bool
	seed      uint64
	degrees   []degree
	sketches  []*tensorSketch // of each degree, nil where it is exact
}

// draw draws the sketches.
func (m *tensorMap) draw() error {
	m.sketches = make([]*tensorSketch, len(m.degrees))
	for i, d := range m.degrees {
		if d.exact {
			continue
		}
		var err error
		if m.sketches[i], err = newTensorSketch(m.width(), d.columns, d.power, m.seed, fmt.Sprintf("degree %d", d.power)); err != nil {
			return err
		}
	}
	return nil
}

// width returns the length of x̂.
func (m *tensorMap) width() int {
	if m.constant != 0 {
		return m.dimension + 1
	}
	return m.dimension
}

func (m *tensorMap) Dimension() int { return m.dimension }

func (m *tensorMap) Columns() int {
	sum := 0
	for _, d := range m.degrees {
		sum += d.columns
	}
	return sum
}

// Applier goes row by row.
func (m *tensorMap) Applier() func(dst, x blas64.General) {
	row := make([]float64, m.width())
	sketchers := make([]*tensorSketcher, len(m.degrees))
	for i, s := range m.sketches {
		if s != nil {
			sketchers[i] = s.sketcher()
		}
	}
	return func(dst, x blas64.General) {
		for i := range x.Rows {
			m.scaled(row, dense.Row(x, i))
			damping := 1.0
			if m.damped {
				damping = math.Exp(-squareOf(row) / 2)
			}
			m.row(dense.Row(dst, i), row, damping, sketchers)
		}
	}
}

// row puts the features of x̂ into dst. A row that is damped to nothing has none:
// its powers may be out of range.
func (m *tensorMap) row(dst, x []float64, damping float64, sketchers []*tensorSketcher) {
	if damping == 0 {
		clear(dst)
		return
	}
	for i, d := range m.degrees {
		part := dst[:d.columns]
		switch {
		case sketchers[i] != nil:
			sketchers[i].apply(part, x)
		case d.power == 0:
			part[0] = 1
		default:
			copy(part, x)
		}
		for j := range part {
			part[j] *= damping * d.weight
		}
		dst = dst[d.columns:]
	}
}

// scaled puts x̂ into dst.
func (m *tensorMap) scaled(dst, x []float64) {
	for j, v := range x {
		if m.centre != nil {
			v -= m.centre[j]
		}
		dst[j] = m.scale * v
	}
	if m.constant != 0 {
		dst[len(x)] = m.constant
	}
}

func squareOf(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

// squares returns the ‖x̂‖² of rows.
func (m *tensorMap) squares(x blas64.General) []float64 {
	out, row := make([]float64, x.Rows), make([]float64, m.width())
	for i := range out {
		m.scaled(row, dense.Row(x, i))
		out[i] = min(squareOf(row), math.MaxFloat64)
	}
	return out
}
