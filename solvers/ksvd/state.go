package ksvd

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
)

// header is the file of a model: see [model.NewArchive].
type header struct {
	Method        string      `json:"method"` // "ksvd"
	Solver        string      `json:"solver"` // exact, ssrsvd or nystrom
	Kernel        string      `json:"kernel"`
	Seed          uint64      `json:"seed"`
	Rows          int64       `json:"rows"`
	Columns       int64       `json:"columns"`
	Rank          int         `json:"rank"`
	Centred       bool        `json:"centred"`
	Moved         bool        `json:"moved,omitempty"` // the model has an origin
	Origin        []float64   `json:"-" array:"origin,d,if=moved"`
	Sums          string      `json:"sums"`
	Compatibility string      `json:"compatibility"`
	Values        []float64   `json:"-" array:"values,rank,descending"`
	Left          *sideHeader `json:"left" min:"1" array:"u_,total=columns"`
	Right         *sideHeader `json:"right" min:"1" array:"v_,total=rows"`
}

// sideHeader describes a [Factor].
type sideHeader struct {
	Sparse    bool    `json:"sparse,omitempty"` // landmarks are sparse
	Dimension int     `json:"dimension"`        // length of a landmark
	GrandMean float64 `json:"grand_mean,omitempty"`
	All       bool    `json:"all,omitempty"` // sums for new rows are over all rows
	Mapped    bool    `json:"mapped,omitempty"`
	Side      *Factor `json:"-" array:""`
}

// Name identifies models of this package in saved headers.
const Name = "ksvd"

// Save returns the model as an archive. Arrays of the left side have the prefix u_, those of the right side v_:
// landmarks, landmark_rows, projection, weights, log_sums, means, all_log_sums, all and map, as in [Factor]. Sparse
// landmarks are compressed rows, landmarks_start, landmarks_index and landmarks_value, without values if all are 1; all
// likewise. values has the singular values.
func (m *Model) Save() (*model.Archive, error) {
	return model.NewArchive(header{Method: Name, Solver: m.Method, Kernel: m.Kernel.String(),
		Seed: m.Seed, Rows: m.Rows, Columns: m.Cols, Rank: m.Rank(),
		Centred: m.Centered, Moved: m.Origin != nil, Origin: m.Origin, Sums: m.Sums.String(), Compatibility: m.Compatibility.String(), Values: m.Values,
		Left: m.Left.header(), Right: m.Right.header()})
}

func (s *Factor) header() *sideHeader {
	return &sideHeader{Sparse: s.Landmarks.Sparse != nil, Dimension: s.Landmarks.rows().Dimension(), GrandMean: s.GrandMean,
		All: s.All != nil, Mapped: s.Map.Rows > 0, Side: s}
}

// Load returns a saved model. Custom kernels need their profiles. It checks the shape of every array.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Method: h.Solver, Kernel: a.Kernel(h.Kernel, profiles...), Seed: h.Seed,
		Rows: h.Rows, Cols: h.Columns, Centered: h.Centred, Origin: h.Origin,
		Sums:          family.Word(a, h.Sums, ParseSums),
		Compatibility: family.Word(a, h.Compatibility, ParseCompatibility), Values: h.Values}
	if h.Left.Dimension != h.Right.Dimension || h.Left.Sparse != h.Right.Sparse {
		a.Fail("the two sides have landmarks of %d and %d numbers, sparse %v and %v", h.Left.Dimension, h.Right.Dimension, h.Left.Sparse, h.Right.Sparse)
	}
	if h.Moved && (len(h.Origin) != h.Left.Dimension || h.Left.Sparse) {
		a.Fail("array origin has %d numbers for landmarks of %d, sparse %v", len(h.Origin), h.Left.Dimension, h.Left.Sparse)
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
	m.Left, m.Right = h.Left.side(a, false), h.Right.side(a, m.normalised())
	m.Left.left = true
	if a.Err() == nil {
		_, err := m.tiles()
		a.Check(err)
	}
	return m, a.Err()
}

func (m *Model) normalised() bool {
	_, normalised := m.Kernel.Normaliser()
	return normalised
}

// side returns the saved side. summed is set if the kernel is normalised.
func (h *sideHeader) side(a *model.Archive, summed bool) *Factor {
	s := h.Side
	s.GrandMean = h.GrandMean
	if (s.LogSums != nil) != summed || (s.AllLogSums != nil) != (summed && h.All) {
		a.Fail("arrays log_sums and all_log_sums are not those of a side with sums of rows %v, over all rows %v",
			summed, h.All)
	}
	if h.Mapped && s.Map.Rows == 0 {
		a.Fail("array map has no rows")
	}
	return s
}
