package baselines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/bench/papers/lab"
)

// degree is the features of one degree: weight times a TensorSketch of the row, or 1 for
// degree 0.
type degree struct {
	power   int
	columns int
	weight  float64
}

// tensorMap is TensorSketches of several degrees of the row x̂ = scale·(x − centre), each
// times its weight, side by side, and all times exp(−‖x̂‖²/2).
type tensorMap struct {
	centre   []float64
	scale    float64
	degrees  []degree
	sketches []*tensorSketch // of each degree from 1 on
}

// draw draws the sketches.
func (m *tensorMap) draw(seed uint64) {
	for _, d := range m.degrees[1:] {
		purpose := fmt.Sprintf("degree %d", d.power)
		m.sketches = append(m.sketches, newTensorSketch(len(m.centre), d.columns, d.power, seed, purpose))
	}
}

func (m *tensorMap) Dimension() int { return len(m.centre) }

func (m *tensorMap) Columns() int {
	sum := 0
	for _, d := range m.degrees {
		sum += d.columns
	}
	return sum
}

// Applier goes row by row. A row that is damped to nothing has no features: its powers may
// be out of range.
func (m *tensorMap) Applier() func(dst, x blas64.General) {
	row := make([]float64, len(m.centre))
	sketchers := make([]*tensorSketcher, len(m.sketches))
	for i, s := range m.sketches {
		sketchers[i] = s.sketcher()
	}
	return func(dst, x blas64.General) {
		for i := range x.Rows {
			to := lab.Row(dst, i)
			m.scaled(row, lab.Row(x, i))
			damping := math.Exp(-floats.Dot(row, row) / 2)
			if damping == 0 {
				clear(to)
				continue
			}
			to[0] = damping * m.degrees[0].weight
			to = to[1:]
			for j, d := range m.degrees[1:] {
				sketchers[j].apply(to[:d.columns], row)
				floats.Scale(damping*d.weight, to[:d.columns])
				to = to[d.columns:]
			}
		}
	}
}

// scaled puts x̂ into dst.
func (m *tensorMap) scaled(dst, x []float64) {
	for j, c := range m.centre {
		dst[j] = m.scale * (x[j] - c)
	}
}

// squares returns the ‖x̂‖² of rows.
func (m *tensorMap) squares(x blas64.General) []float64 {
	out, row := make([]float64, x.Rows), make([]float64, len(m.centre))
	for i := range out {
		m.scaled(row, lab.Row(x, i))
		out[i] = min(floats.Dot(row, row), math.MaxFloat64)
	}
	return out
}
