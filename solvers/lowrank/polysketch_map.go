package lowrank

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
)

// tensorKind names the maps of PolySketch in a saved model.
const tensorKind = "tensor sketch"

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
	degrees   []DegreeHeader
	sketches  []*sketch.TensorSketch // of each degree, nil where it is exact
}

// draw draws the sketches.
func (m *tensorMap) draw() error {
	m.sketches = make([]*sketch.TensorSketch, len(m.degrees))
	for i, d := range m.degrees {
		if d.Exact {
			continue
		}
		var err error
		if m.sketches[i], err = sketch.NewTensorSketch(m.width(), d.Columns, d.Degree, m.seed, fmt.Sprintf("degree %d", d.Degree)); err != nil {
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
		sum += d.Columns
	}
	return sum
}

// Applier goes row by row.
func (m *tensorMap) Applier() func(dst, x blas64.General) {
	row := make([]float64, m.width())
	sketchers := make([]*sketch.TensorSketcher, len(m.degrees))
	for i, s := range m.sketches {
		if s != nil {
			sketchers[i] = s.Sketcher()
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
func (m *tensorMap) row(dst, x []float64, damping float64, sketchers []*sketch.TensorSketcher) {
	if damping == 0 {
		clear(dst)
		return
	}
	for i, d := range m.degrees {
		part := dst[:d.Columns]
		switch {
		case sketchers[i] != nil:
			sketchers[i].Apply(part, x)
		case d.Degree == 0:
			part[0] = 1
		default:
			copy(part, x)
		}
		for j := range part {
			part[j] *= damping * d.Weight
		}
		dst = dst[d.Columns:]
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

// hashes returns the hashes and signs of all sketches, one after another.
func (m *tensorMap) hashes() (hash []int64, sign []float64) {
	for _, s := range m.sketches {
		if s == nil {
			continue
		}
		for t := range s.Degree {
			for _, h := range s.Hash(t) {
				hash = append(hash, int64(h))
			}
			sign = append(sign, s.Sign(t)...)
		}
	}
	return hash, sign
}

func (m *tensorMap) put(a *model.Archive, prefix string) {
	hash, sign := m.hashes()
	a.PutInts(prefix+"hash", hash)
	a.PutVector(prefix+"sign", sign)
	if m.centre != nil {
		a.PutVector(prefix+"centre", m.centre)
	}
}

func (m *tensorMap) header() *FeatureHeader {
	return &FeatureHeader{Kind: tensorKind, Columns: m.Columns(), Dimension: m.dimension, Centred: m.centre != nil,
		Seed: m.seed, Scale: m.scale, Constant: m.constant, Damped: m.damped, Degrees: m.degrees}
}

// loadTensor draws the sketches again and compares them with what was saved.
func loadTensor(a *model.Archive, prefix string, h *FeatureHeader) FeatureMap {
	m := &tensorMap{dimension: h.Dimension, centre: loadCentre(a, prefix, h), scale: h.Scale, constant: h.Constant, damped: h.Damped,
		seed: h.Seed, degrees: h.Degrees}
	numbers := m.checkDegrees(a, h)
	if a.Err() != nil {
		return nil
	}
	hash, sign := a.Ints(prefix+"hash", numbers), a.Vector(prefix+"sign", numbers) // so that drawing takes no more memory
	if a.Err() != nil {
		return nil
	}
	if err := m.draw(); err != nil {
		a.Check(err)
		return nil
	}
	if ours, signs := m.hashes(); !slices.Equal(ours, hash) || !slices.Equal(signs, sign) {
		a.Fail("the saved hashes are not those that their seed gives: the model was made by another version")
	}
	return m
}

// checkDegrees checks what the header says of degrees and counts their hashes.
func (m *tensorMap) checkDegrees(a *model.Archive, h *FeatureHeader) (numbers int) {
	left := h.Columns
	for _, d := range h.Degrees {
		exact := 0 // columns of features that are exact
		switch {
		case d.Degree == 0:
			exact = 1
		case d.Degree == 1:
			exact = m.width()
		}
		if d.Degree < 0 || d.Degree > mostDegree || d.Columns < 1 || d.Columns > left || !(d.Weight >= 0) ||
			d.Exact && d.Columns != exact || !d.Exact && d.Degree == 0 {
			a.Fail("features of degree %d: %+v do not fit %d columns", d.Degree, d, h.Columns)
			return 0
		}
		left -= d.Columns
		if !d.Exact {
			numbers += d.Degree * m.width()
		}
	}
	if left != 0 || !(h.Scale >= 0) || !(h.Constant >= 0) {
		a.Fail("features: %d columns without a degree, scale %v, constant %v", left, h.Scale, h.Constant)
	}
	return numbers
}
