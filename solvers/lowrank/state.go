package lowrank

import (
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
)

// header is the header of a saved model. It marshals to JSON.
type header struct {
	Method    string      `json:"method"`
	Kernel    string      `json:"kernel,omitempty"`
	Map       string      `json:"map,omitempty"` // explicit matrix: the element-wise function
	Seed      uint64      `json:"seed"`
	Rows      int64       `json:"rows"`
	Columns   int64       `json:"columns"`
	Rank      int         `json:"rank"`
	Shift     float64     `json:"shift"`
	Precision string      `json:"precision,omitempty"` // "float32" of models that are refused
	Left      *sideHeader `json:"left,omitempty"`
	Right     *sideHeader `json:"right,omitempty"` // absent for a symmetric model
}

// sideHeader describes an [Embedding].
type sideHeader struct {
	Sketch     *sketchHeader  `json:"sketch,omitempty"`
	Features   *featureHeader `json:"features,omitempty"`
	RangeShift float64        `json:"range_shift,omitempty"`
	Unit       float64        `json:"unit,omitempty"`
	Refined    bool           `json:"refined,omitempty"`
}

// sketchHeader names a sparse-sign sketch.
type sketchHeader struct {
	Rows    int64  `json:"rows"`
	Columns int    `json:"columns"`
	NNZ     int    `json:"nnz"`
	Seed    uint64 `json:"seed"`
	Purpose string `json:"purpose"`
}

// Save returns the model as an archive with a header. With u(x) the embedding of a
// row x, k(x, u_landmarks) a row of kernel entries and Ĉ the matrix with
// u_sketch_value[k] in row k, column u_sketch_column[k] (the identity if there
// is none), u(x) = k(x, u_landmarks)·Ĉ·u_projection·u_refinement, and likewise
// for v. Of a model of random features the
// row of kernel entries and Ĉ are replaced by (cos P, sin P)/√m with
// P = (x − u_centre)·u_frequenciesᵀ, m columns. Of an explicit matrix there are projection, refinement and, as a matrix, v.
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: m.Method, Kernel: m.Kernel.String(), Seed: m.Seed, Rows: m.Rows, Columns: m.Cols,
		Rank: len(m.Values), Shift: m.Shift}
	if m.Explicit != nil {
		h.Kernel, h.Map = "", m.Explicit.Map.String()
	} else {
		h.Left = m.Left.header()
	}
	if m.Right != nil {
		h.Right = m.Right.header()
	}
	a, err := model.NewArchive(h)
	if err != nil {
		return nil, err
	}
	a.PutVector("values", m.Values)
	switch {
	case m.Explicit != nil:
		m.putExplicit(a)
	case m.Right != nil:
		m.Left.put(a, "u_")
		m.Right.put(a, "v_")
	default:
		m.Left.put(a, "u_")
	}
	return a, nil
}

func (m *Model) putExplicit(a *model.Archive) {
	a.PutMatrix("projection", m.Left.Projection)
	a.PutMatrix("v", m.Explicit.V)
	if m.Refined() {
		a.PutMatrix("refinement", m.Left.Refinement)
	}
}

func (e *Embedding) header() *sideHeader {
	h := &sideHeader{RangeShift: e.RangeShift, Unit: e.Unit, Refined: e.Refinement.Rows > 0}
	if e.features != nil {
		h.Features = e.features.(*fourierMap).header()
	}
	if s := e.Signs; s != nil {
		h.Sketch = &sketchHeader{s.Rows, s.Cols, s.NNZ, s.Seed, s.Purpose}
	}
	return h
}

func (e *Embedding) put(a *model.Archive, prefix string) {
	if e.features != nil {
		e.features.(*fourierMap).put(a, prefix)
	} else {
		a.PutMatrix(prefix+"landmarks", e.Landmarks)
		a.PutInts(prefix+"landmark_rows", e.Rows)
	}
	a.PutMatrix(prefix+"projection", e.Projection)
	if e.Refinement.Rows > 0 {
		a.PutMatrix(prefix+"refinement", e.Refinement)
	}
	if e.Signs != nil {
		column, value := signArrays(e.Signs)
		a.PutInts(prefix+"sketch_column", column)
		a.PutVector(prefix+"sketch_value", value)
	}
}

func signArrays(s *sketch.SparseSign) (column []int64, value []float64) {
	for k := range s.Positions() {
		column = append(column, int64(s.Col(k)))
		value = append(value, s.Value(k))
	}
	return column, value
}

// Load returns the model that Save gave. Every shape is checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open("lowrank", &h) {
		return nil, a.Err()
	}
	m := &Model{Method: h.Method, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Shift: h.Shift}
	if h.Precision == "float32" {
		a.Fail("header: precision float32 is of an older version, and entries in float64 give other factors: fit the model again")
	}
	if h.Map != "" {
		m.loadExplicit(a, &h)
		return m, a.Err()
	}
	m.Kernel = a.Kernel(h.Kernel, profiles...)
	if h.Rank < 0 || h.Left == nil || h.Rows < 1 || h.Columns < 1 || h.Right == nil && h.Rows != h.Columns {
		a.Fail("header: rank %d, %d×%d, left side %v, right side %v", h.Rank, h.Rows, h.Columns, h.Left, h.Right)
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
	a.Check(m.Kernel.CheckPlain())
	m.Values = a.Descending("values", h.Rank)
	m.Left = loadEmbedding(a, "u_", h.Left, h.Rank, h.Columns)
	if h.Right != nil {
		m.Right = loadEmbedding(a, "v_", h.Right, h.Rank, h.Rows)
		if m.Right.Landmarks.Cols != m.Left.Landmarks.Cols {
			a.Fail("the two sides have %d and %d columns", m.Left.Landmarks.Cols, m.Right.Landmarks.Cols)
		}
	}
	return m, a.Err()
}

// loadExplicit fills in a model of an explicit matrix.
func (m *Model) loadExplicit(a *model.Archive, h *header) {
	f, err := kernelgen.ParseMap(h.Map)
	a.Check(err)
	if h.Rows < 1 || h.Columns < 1 || h.Columns > mostFeatures || h.Rank < 0 {
		a.Fail("header: rank %d of a %d×%d matrix", h.Rank, h.Rows, h.Columns)
		return
	}
	n := int(h.Columns)
	m.Values = a.Descending("values", h.Rank)
	m.Left = &Embedding{Landmarks: noLandmarks(n), features: mapFeatures{f, n}, Projection: a.Matrix("projection", n, h.Rank)}
	m.Explicit = &Explicit{Map: f, V: a.Matrix("v", n, h.Rank)}
	if a.Has("refinement") {
		m.Left.Refinement = a.Matrix("refinement", h.Rank, h.Rank)
	}
}

// loadEmbedding takes a side of so many columns. rows is how many the source of its
// landmarks has, which is that of the other side.
func loadEmbedding(a *model.Archive, prefix string, h *sideHeader, rank int, rows int64) *Embedding {
	e := &Embedding{RangeShift: h.RangeShift, Unit: h.Unit}
	if u := e.unit(); !(u > 0) {
		a.Fail("unit %v", u)
	}
	if h.Features != nil {
		e.loadFeatures(a, prefix, h)
	} else {
		e.loadLandmarks(a, prefix, h, rows)
	}
	if a.Err() != nil {
		return e
	}
	e.Projection = a.Matrix(prefix+"projection", e.width(), rank)
	if h.Refined {
		e.Refinement = a.Matrix(prefix+"refinement", rank, rank)
	}
	return e
}

func (e *Embedding) loadLandmarks(a *model.Archive, prefix string, h *sideHeader, rows int64) {
	e.Landmarks = a.Matrix(prefix+"landmarks", -1, -1)
	e.Rows = a.RowNumbers(prefix+"landmark_rows", e.Landmarks.Rows, rows)
	if h.Sketch != nil {
		e.Signs = loadSigns(a, prefix, h.Sketch, e.Rows)
	}
}

// loadSigns draws the sketch again and compares it with what was saved.
func loadSigns(a *model.Archive, prefix string, h *sketchHeader, rows []int64) *sketch.SparseSign {
	column, value := a.Ints(prefix+"sketch_column", len(rows)), a.Vector(prefix+"sketch_value", len(rows))
	if a.Err() != nil {
		return nil
	}
	if h.Columns < 1 || h.NNZ < 1 || int64(h.Columns)*int64(h.NNZ) != int64(len(rows)) {
		a.Fail("a sketch of %d columns with %d nonzeros does not have %d landmarks", h.Columns, h.NNZ, len(rows))
		return nil
	}
	s, err := sketch.NewSparseSign(h.Rows, h.Columns, h.NNZ, h.Seed, h.Purpose)
	if err != nil {
		a.Check(err)
		return nil
	}
	c, v := signArrays(s)
	if !slices.Equal(c, column) || !slices.Equal(v, value) || !slices.Equal(s.Positions(), rows) {
		a.Fail("the saved sketch is not the one that its seed gives: the model was made by another version")
	}
	return s
}
