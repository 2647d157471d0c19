package lowrank

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
)

// header is the file of a model: see [model.NewArchive].
type header struct {
	Method    string         `json:"method"`
	Kernel    string         `json:"kernel,omitempty"`
	Map       string         `json:"map,omitempty"` // explicit matrix: the element-wise function
	Seed      uint64         `json:"seed"`
	Rows      int64          `json:"rows" min:"1"`
	Columns   int64          `json:"columns" min:"1"`
	Rank      int            `json:"rank"`
	Shift     float64        `json:"shift"`
	Trace     float64        `json:"trace,omitempty"`     // of pca
	Precision string         `json:"precision,omitempty"` // "float32" of models that are refused
	Values    []float64      `json:"-" array:"values,rank,descending"`
	Left      *sideHeader    `json:"left,omitempty" array:"u_,total=columns"`
	Right     *sideHeader    `json:"right,omitempty" array:"v_,total=rows"` // absent for a symmetric model
	Sums      *sumsHeader    `json:"sums,omitempty" array:"sums_"`          // of a normalised kernel
	Clusters  *Clusters      `json:"clusters,omitempty" array:"clusters_"`
	Novelty   *Novelty       `json:"novelty,omitempty" array:"novelty_"`
	Explicit  explicitArrays `json:"-" array:",if=map"`
}

// explicitArrays has the arrays of a model of an explicit matrix.
type explicitArrays struct {
	Projection blas64.General `array:"projection,columns,rank"`
	V          blas64.General `array:"v,columns,rank"`
	Refinement blas64.General `array:"refinement,rank,rank,optional"`
}

// sideHeader describes an [Embedding].
type sideHeader struct {
	Sketch     *sketchHeader  `json:"sketch,omitempty"`
	Features   *featureHeader `json:"features,omitempty" array:""`
	RangeShift float64        `json:"range_shift,omitempty"`
	Unit       float64        `json:"unit,omitempty"`
	Refined    bool           `json:"refined,omitempty"`
	Moved      bool           `json:"moved,omitempty"`      // the embedding has an origin
	Transposed bool           `json:"transposed,omitempty"` // the kernel is k(landmarks, x)
	Landmarks  blas64.General `json:"-" array:"landmarks,p,d,if=!features"`
	Numbers    []int64        `json:"-" array:"landmark_rows,p,below=total,if=!features"`
	Origin     []float64      `json:"-" array:"origin,d,if=moved"`
	Projection blas64.General `json:"-" array:"projection,width,rank"`
	Refinement blas64.General `json:"-" array:"refinement,rank,rank,if=refined"`
	Centre     *Center        `json:"centre,omitempty" array:"centre_"`
	Column     []int64        `json:"-" array:"sketch_column,p,if=sketch"`
	Value      []float64      `json:"-" array:"sketch_value,p,if=sketch"`
}

// sketchHeader identifies a sparse-sign sketch.
type sketchHeader struct {
	Rows    int64  `json:"rows"`
	Columns int    `json:"columns"`
	NNZ     int    `json:"nnz"`
	Seed    uint64 `json:"seed"`
	Purpose string `json:"purpose"`
}

// Save returns the model as an archive. Let u(x) be the embedding of a row x, k(x, u_landmarks) a row of kernel
// entries, and Ĉ the matrix with u_sketch_value[k] in row k, column u_sketch_column[k]; without these it is the
// identity. Then u(x) = k(x, u_landmarks)·Ĉ·u_projection·u_refinement, and likewise for v, where a transposed side uses
// k(v_landmarks, x)ᵀ. Row sums of a normalised kernel are over the m rows of sums_rows, each of which represents of/m
// rows. Random features replace the row of kernel entries and Ĉ by (cos P, sin P)/√m, where P = (x −
// u_centre)·u_frequenciesᵀ has m columns. An explicit matrix has projection, refinement and the matrix v.
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: m.Method, Kernel: m.Kernel.String(), Seed: m.Seed, Rows: m.Rows, Columns: m.Cols,
		Rank: len(m.Values), Shift: m.Shift, Trace: m.Trace, Values: m.Values, Sums: m.Sums.header(), Clusters: m.Clusters, Novelty: m.Novelty}
	if m.Explicit != nil {
		h.Kernel, h.Map = "", m.Explicit.Map.String()
		h.Explicit = explicitArrays{m.Left.Projection, m.Explicit.V, m.Left.Refinement}
	} else {
		h.Left = m.Left.header()
	}
	if m.Right != nil {
		h.Right = m.Right.header()
	}
	return model.NewArchive(h)
}

func (e *Embedding) header() *sideHeader {
	h := &sideHeader{RangeShift: e.RangeShift, Unit: e.Unit, Refined: e.Refinement.Rows > 0, Moved: e.Origin != nil, Transposed: e.Transposed,
		Landmarks: e.Landmarks, Origin: e.Origin, Numbers: e.Rows, Projection: e.Projection, Refinement: e.Refinement, Centre: e.Center}
	if f, is := e.features.(*fourierMap); is {
		h.Features = &featureHeader{Kind: fourierKind, Columns: f.columns(), Dimension: f.frequencies.Cols,
			Centred: f.centre != nil, Frequencies: f.frequencies, Centre: f.centre}
	}
	if s := e.Signs; s != nil {
		h.Sketch = &sketchHeader{s.Rows, s.Cols, s.NNZ, s.Seed, s.Purpose}
		h.Column, h.Value = signArrays(s)
	}
	return h
}

func signArrays(s *sketch.SparseSign) (column []int64, value []float64) {
	for k := range s.Positions() {
		column = append(column, int64(s.Col(k)))
		value = append(value, s.Value(k))
	}
	return column, value
}

// Load returns a saved model. It checks the shape of every array.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open("lowrank", &h) {
		return nil, a.Err()
	}
	m := &Model{Method: h.Method, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Shift: h.Shift, Trace: h.Trace,
		Values: h.Values, Clusters: h.Clusters, Novelty: h.Novelty}
	if x := h.Explicit; h.Map != "" {
		f := family.Word(a, h.Map, kernelgen.ParseElementMap)
		n := int(h.Columns)
		m.Left = &Embedding{Landmarks: noLandmarks(n), features: mapFeatures{f, n},
			Projection: x.Projection, Refinement: x.Refinement}
		m.Explicit = &Explicit{Map: f, V: x.V}
		return m, a.Err()
	}
	if m.Kernel = a.Kernel(h.Kernel, profiles...); a.Err() != nil {
		return nil, a.Err()
	}
	m.Left = h.Left.embedding(a)
	m.Sums = h.Sums.sums(a, m)
	if _, err := newTiles(m.Kernel, m.Sums); m.Sums == nil && a.Err() == nil {
		a.Check(m.Kernel.CheckPlain())
	} else {
		a.Check(err)
	}
	if h.Right != nil {
		m.Right = h.Right.embedding(a)
		if m.Right.Landmarks.Cols != m.Left.Landmarks.Cols {
			a.Fail("the two sides have %d and %d columns", m.Left.Landmarks.Cols, m.Right.Landmarks.Cols)
		}
	}
	if m.Left.Transposed || (m.Right != nil && m.Right.Transposed) == m.Kernel.Symmetric() {
		a.Fail("header: kernel %s, and sides that are transposed: left %v, right %v", m.Kernel, m.Left.Transposed, m.Right != nil && m.Right.Transposed)
	}
	return m, a.Err()
}

// Sizes fails for headers that no fit produces.
func (h header) Sizes(a *model.Archive) map[string]int64 {
	switch {
	case h.Precision == "float32":
		a.Fail("header: precision float32 is of an older version, and entries in float64 give other factors: fit the model again")
	case h.Map == "" && (h.Left == nil || h.Right == nil && h.Rows != h.Columns):
		a.Fail("header: %d×%d, left side %v, right side %v", h.Rows, h.Columns, h.Left != nil, h.Right != nil)
	case (h.Clusters != nil || h.Novelty != nil) && (h.Left == nil || h.Right != nil):
		a.Fail("header: clusters and novelty are of models of one source")
	case h.Map != "" && h.Columns > mostFeatures:
		a.Fail("header: a matrix of %d columns", h.Columns)
	}
	return nil
}

// Sizes returns the width of the projection if it is not the number of landmarks.
func (h sideHeader) Sizes(a *model.Archive) map[string]int64 {
	if h.Unit < 0 {
		a.Fail("header: unit %v", h.Unit)
	}
	switch {
	case h.Centre != nil && (h.Sketch != nil || h.Features != nil):
		a.Fail("header: a centre goes with no sketch and no features")
	case h.Features != nil && (h.Sketch != nil || h.RangeShift != 0 || h.Moved):
		a.Fail("header: features go with no sketch, no shift of the range and no origin")
	case h.Features != nil:
		return map[string]int64{"width": int64(h.Features.Columns)}
	case h.Sketch != nil:
		return map[string]int64{"width": int64(h.Sketch.Columns)}
	case h.RangeShift != 0:
		a.Fail("header: a shift of the range without a sketch")
	}
	return nil
}

// embedding returns the saved side.
func (h *sideHeader) embedding(a *model.Archive) *Embedding {
	e := &Embedding{RangeShift: h.RangeShift, Unit: h.Unit, Transposed: h.Transposed, Origin: h.Origin, Landmarks: h.Landmarks, Rows: h.Numbers,
		Projection: h.Projection, Refinement: h.Refinement, Center: h.Centre}
	switch f := h.Features; {
	case f != nil:
		e.Landmarks, e.features = noLandmarks(f.Dimension), newFourierMap(f.Frequencies, f.Centre)
	case h.Sketch != nil:
		e.Signs = h.signs(a)
	case e.Projection.Rows != e.Landmarks.Rows:
		a.Fail("array projection has %d rows for %d landmarks", e.Projection.Rows, e.Landmarks.Rows)
	}
	return e
}

// signs redraws the sketch and compares it with the saved one.
func (side *sideHeader) signs(a *model.Archive) *sketch.SparseSign {
	h, rows := side.Sketch, side.Numbers
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
	if !slices.Equal(c, side.Column) || !slices.Equal(v, side.Value) || !slices.Equal(s.Positions(), rows) {
		a.Fail("the saved sketch is not the one that its seed gives: the model was made by another version")
	}
	return s
}
