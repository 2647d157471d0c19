package lowrank

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
)

// Array is model.Array, until its users have moved to that.
type Array = model.Array

// Header is what a saved model says about itself in words and numbers; the
// rest is in arrays. It marshals to JSON.
type Header struct {
	Method    string      `json:"method"`
	Kernel    string      `json:"kernel,omitempty"`
	Map       string      `json:"map,omitempty"` // explicit matrix: the element-wise function
	Seed      uint64      `json:"seed"`
	Rows      int64       `json:"rows"`
	Columns   int64       `json:"columns"`
	Rank      int         `json:"rank"`
	Shift     float64     `json:"shift"`
	Precision string      `json:"precision,omitempty"` // of the tiles of u and v, "" for float64
	Left      *SideHeader `json:"left,omitempty"`
	Right     *SideHeader `json:"right,omitempty"` // absent for a symmetric model
}

// SideHeader describes an [Embedding].
type SideHeader struct {
	Sketch     *SketchHeader  `json:"sketch,omitempty"`
	Features   *FeatureHeader `json:"features,omitempty"`
	RangeShift float64        `json:"range_shift,omitempty"`
	Unit       float64        `json:"unit,omitempty"`
	Refined    bool           `json:"refined,omitempty"`
}

// SketchHeader names a sparse-sign sketch.
type SketchHeader struct {
	Rows    int64  `json:"rows"`
	Columns int    `json:"columns"`
	NNZ     int    `json:"nnz"`
	Seed    uint64 `json:"seed"`
	Purpose string `json:"purpose"`
}

// Save gives the model as a header and arrays. With u(x) the embedding of a
// row x, k(x, u_landmarks) a row of kernel entries and Ĉ the matrix with
// u_sketch_value[k] in row k, column u_sketch_column[k] (the identity if there
// is none), u(x) = k(x, u_landmarks)·Ĉ·u_projection·u_refinement, and likewise
// for v. Of a model with precision float32 the kernel entries are those of
// [kernelgen.Kernel.FillSingle], centred at the median of the landmarks; entries in
// float64 give the same embedding to about 1e-6. Of a model of random features the
// row of kernel entries and Ĉ are replaced by features, see [FeatureHeader].
func (m *Model) Save() (Header, []Array) {
	h := Header{Method: m.Method, Kernel: m.Kernel.String(), Seed: m.Seed, Rows: m.Rows, Columns: m.Cols,
		Rank: len(m.Values), Shift: m.Shift}
	if m.Precision != Float64 {
		h.Precision = m.Precision.String()
	}
	arrays := []Array{{Name: "values", Rows: len(m.Values), Floats: m.Values}}
	var side []Array
	h.Left, side = m.Left.save("u_")
	arrays = append(arrays, side...)
	if !m.Symmetric() {
		h.Right, side = m.Right.save("v_")
		arrays = append(arrays, side...)
	}
	return h, arrays
}

func (e *Embedding) save(prefix string) (*SideHeader, []Array) {
	h := &SideHeader{RangeShift: e.RangeShift, Unit: e.Unit, Refined: e.Refinement.Rows > 0}
	var arrays []Array
	if e.Features != nil {
		h.Features, arrays = e.Features.save(prefix)
	} else {
		arrays = []Array{
			matrixArray(prefix+"landmarks", e.Landmarks),
			{Name: prefix + "landmark_rows", Rows: len(e.Rows), Ints: e.Rows},
		}
	}
	arrays = append(arrays, matrixArray(prefix+"projection", e.Projection))
	if h.Refined {
		arrays = append(arrays, matrixArray(prefix+"refinement", e.Refinement))
	}
	if s := e.Signs; s != nil {
		h.Sketch = &SketchHeader{s.Rows, s.Cols, s.NNZ, s.Seed, s.Purpose}
		column, value := signArrays(s)
		arrays = append(arrays, Array{Name: prefix + "sketch_column", Rows: len(column), Ints: column},
			Array{Name: prefix + "sketch_value", Rows: len(value), Floats: value})
	}
	return h, arrays
}

func signArrays(s *sketch.SparseSign) (column []int64, value []float64) {
	for k := range s.Positions() {
		column = append(column, int64(s.Col(k)))
		value = append(value, s.Value(k))
	}
	return column, value
}

// matrixArray copies a matrix into an array without padding.
func matrixArray(name string, m blas64.General) Array {
	a := Array{Name: name, Rows: m.Rows, Cols: m.Cols, Floats: make([]float64, 0, m.Rows*m.Cols)}
	for i := range m.Rows {
		a.Floats = append(a.Floats, dense.Row(m, i)...)
	}
	return a
}

// Load rebuilds a model from what Save gave. Every shape is checked.
func Load(h Header, arrays []Array, profiles ...kernelgen.Profile) (*Model, error) {
	k, err := kernelgen.Parse(h.Kernel, profiles...)
	if err != nil {
		return nil, fmt.Errorf("model kernel: %w", err)
	}
	precision, err := parsePrecision(h.Precision)
	if err != nil {
		return nil, err
	}
	if h.Rank < 0 || h.Left == nil {
		return nil, fmt.Errorf("model header: rank %d, left side %v", h.Rank, h.Left)
	}
	l := loader{arrays: arrays}
	m := &Model{Method: h.Method, Kernel: k, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Shift: h.Shift, Precision: precision}
	m.Values = l.vector("values", h.Rank)
	m.Left = l.embedding("u_", h.Left, h.Rank)
	if h.Right != nil {
		m.Right = l.embedding("v_", h.Right, h.Rank)
	}
	if l.err == nil && m.Right != nil && m.Right.Landmarks.Cols != m.Left.Landmarks.Cols {
		l.fail("the two sides have %d and %d columns", m.Left.Landmarks.Cols, m.Right.Landmarks.Cols)
	}
	return m, l.err
}

// loader takes arrays by name and remembers the first thing that is wrong.
type loader struct {
	arrays []Array
	err    error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("model: "+format, args...)
	}
}

func (l *loader) find(name string) Array {
	for _, a := range l.arrays {
		if a.Name == name {
			return a
		}
	}
	l.fail("array %s is missing", name)
	return Array{}
}

// vector takes a vector with n numbers.
func (l *loader) vector(name string, n int) []float64 {
	a := l.find(name)
	if a.Cols != 0 || len(a.Floats) != n {
		l.fail("array %s is not a vector of %d numbers", name, n)
	}
	return a.Floats
}

// ints takes a vector with n integers.
func (l *loader) ints(name string, n int) []int64 {
	a := l.find(name)
	if a.Cols != 0 || len(a.Ints) != n {
		l.fail("array %s is not a vector of %d integers", name, n)
	}
	return a.Ints
}

// matrix takes a matrix; rows or cols below 0 may be anything.
func (l *loader) matrix(name string, rows, cols int) blas64.General {
	a := l.find(name)
	if len(a.Floats) != a.Rows*a.Cols || rows >= 0 && a.Rows != rows || cols >= 0 && a.Cols != cols {
		l.fail("array %s is %d×%d with %d numbers, expected %d×%d (-1: any)", name, a.Rows, a.Cols, len(a.Floats), rows, cols)
		return blas64.General{Stride: 1}
	}
	return blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: max(1, a.Cols), Data: a.Floats}
}

func (l *loader) embedding(prefix string, h *SideHeader, rank int) *Embedding {
	e := &Embedding{RangeShift: h.RangeShift, Unit: h.Unit}
	if u := e.unit(); !(u > 0) || math.IsInf(u, 0) {
		l.fail("unit %v", u)
	}
	if h.Features != nil {
		return l.featureEmbedding(prefix, h, rank)
	}
	e.Landmarks = l.matrix(prefix+"landmarks", -1, -1)
	e.Rows = l.ints(prefix+"landmark_rows", e.Landmarks.Rows)
	if !slices.IsSorted(e.Rows) {
		l.fail("array %slandmark_rows does not ascend", prefix)
	}
	if h.Sketch != nil {
		e.Signs = l.signs(prefix, h.Sketch, e.Rows)
	}
	if l.err != nil {
		return e
	}
	e.Projection = l.matrix(prefix+"projection", e.width(), rank)
	if h.Refined {
		e.Refinement = l.matrix(prefix+"refinement", rank, rank)
	}
	return e
}

// signs draws the sketch again and compares it with what was saved.
func (l *loader) signs(prefix string, h *SketchHeader, rows []int64) *sketch.SparseSign {
	column, value := l.ints(prefix+"sketch_column", len(rows)), l.vector(prefix+"sketch_value", len(rows))
	if l.err != nil {
		return nil
	}
	if h.Columns < 1 || h.NNZ < 1 || int64(h.Columns)*int64(h.NNZ) != int64(len(rows)) {
		l.fail("a sketch of %d columns with %d nonzeros does not have %d landmarks", h.Columns, h.NNZ, len(rows))
		return nil
	}
	s, err := sketch.NewSparseSign(h.Rows, h.Columns, h.NNZ, h.Seed, h.Purpose)
	if err != nil {
		l.fail("%w", err)
		return nil
	}
	c, v := signArrays(s)
	if !slices.Equal(c, column) || !slices.Equal(v, value) || !slices.Equal(s.Positions(), rows) {
		l.fail("the saved sketch is not the one that its seed gives: the model was made by another version")
	}
	return s
}

// Save gives the model as a header and arrays: values, projection (n×r),
// refinement if there is one, and v (n×r).
func (m *MatrixModel) Save() (Header, []Array) {
	h := Header{Method: "ssrsvd", Map: m.Map.String(), Seed: m.Seed, Rows: m.Rows, Columns: m.Cols, Rank: len(m.Values)}
	arrays := []Array{{Name: "values", Rows: len(m.Values), Floats: m.Values},
		matrixArray("projection", m.Projection), matrixArray("v", m.V)}
	if m.Refinement.Rows > 0 {
		arrays = append(arrays, matrixArray("refinement", m.Refinement))
	}
	return h, arrays
}

// LoadMatrix rebuilds a model of an explicit matrix.
func LoadMatrix(h Header, arrays []Array) (*MatrixModel, error) {
	f, err := kernelgen.ParseMap(h.Map)
	if err != nil {
		return nil, fmt.Errorf("model map: %w", err)
	}
	l := loader{arrays: arrays}
	n := int(h.Columns)
	m := &MatrixModel{Map: f, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Values: l.vector("values", h.Rank)}
	m.Projection, m.V = l.matrix("projection", n, h.Rank), l.matrix("v", n, h.Rank)
	if slices.ContainsFunc(arrays, func(a Array) bool { return a.Name == "refinement" }) {
		m.Refinement = l.matrix("refinement", h.Rank, h.Rank)
	}
	return m, l.err
}
