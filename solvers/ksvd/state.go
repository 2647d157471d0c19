package ksvd

import (
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// header is what a saved model says about itself in words and numbers; the rest is
// in arrays. It marshals to JSON.
type header struct {
	Method        string      `json:"method"` // "ksvd"
	Solver        string      `json:"solver"` // exact, ssrsvd or nystrom
	Kernel        string      `json:"kernel"`
	Seed          uint64      `json:"seed"`
	Rows          int64       `json:"rows"`
	Columns       int64       `json:"columns"`
	Rank          int         `json:"rank"`
	Centred       bool        `json:"centred"`
	Sums          string      `json:"sums"`
	Compatibility string      `json:"compatibility"`
	Left          *sideHeader `json:"left"`
	Right         *sideHeader `json:"right"`
}

// sideHeader describes a [Side].
type sideHeader struct {
	Sparse    bool    `json:"sparse,omitempty"` // landmarks are sparse
	Dimension int     `json:"dimension"`        // length of a landmark
	GrandMean float64 `json:"grand_mean,omitempty"`
	All       bool    `json:"all,omitempty"` // sums of new rows are over all rows
	Mapped    bool    `json:"mapped,omitempty"`
}

// Name is what the header of a saved model of this package calls it.
const Name = "ksvd"

// Save returns the model with a header. Arrays of the left side begin with u_, those
// of the right with v_; see [Side] for what they mean: landmarks (or, if sparse,
// landmarks_start, landmarks_index and landmarks_value, compressed rows whose values
// are absent if all are 1), landmark_rows, projection, weights, log_sums, means,
// all_log_sums, all (likewise) and map. values are the singular values.
func (m *Model) Save() (*model.Archive, error) {
	a, err := model.NewArchive(header{Method: Name, Solver: m.Method, Kernel: m.Kernel.String(), Seed: m.Seed, Rows: m.Rows, Columns: m.Cols, Rank: m.Rank(),
		Centred: m.Centred, Sums: m.Sums.String(), Compatibility: m.Compatibility.String(), Left: m.Left.header(), Right: m.Right.header()})
	if err != nil {
		return nil, err
	}
	a.PutVector("values", m.Values)
	a.PutPart("u_", m.Left.save())
	a.PutPart("v_", m.Right.save())
	return a, nil
}

func (s *Side) header() *sideHeader {
	return &sideHeader{Sparse: s.Landmarks.Sparse != nil, Dimension: s.Landmarks.rows().Dimension(), GrandMean: s.GrandMean,
		All: s.All != nil, Mapped: s.Map.Rows > 0}
}

func (s *Side) save() *model.Archive {
	a := &model.Archive{}
	s.Landmarks.save(a, "landmarks")
	a.PutInts("landmark_rows", s.Rows)
	a.PutMatrix("projection", s.Projection)
	a.PutVector("weights", s.Weights)
	for _, v := range []struct {
		name   string
		values []float64
	}{{"log_sums", s.LogSums}, {"means", s.Means}, {"all_log_sums", s.AllLogSums}} {
		if v.values != nil {
			a.PutVector(v.name, v.values)
		}
	}
	if s.All != nil {
		s.All.save(a, "all")
	}
	if s.Map.Rows > 0 {
		a.PutMatrix("map", s.Map)
	}
	return a
}

func (l Landmarks) save(a *model.Archive, name string) {
	if l.Sparse == nil {
		a.PutMatrix(name, l.Dense)
		return
	}
	m := l.Sparse
	index := make([]int64, len(m.Index))
	for p, j := range m.Index {
		index[p] = int64(j)
	}
	a.PutInts(name+"_start", m.Start)
	a.PutInts(name+"_index", index)
	if m.Value != nil {
		a.PutVector(name+"_value", m.Value)
	}
}

// Load returns the model that Save gave. A kernel of one's own needs its profile. Every
// shape is checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	if h.Rank < 0 || h.Rows < 0 || h.Columns < 0 || h.Left == nil || h.Right == nil {
		a.Fail("header: rank %d, %d×%d, left side %v, right side %v", h.Rank, h.Rows, h.Columns, h.Left, h.Right)
		return nil, a.Err()
	}
	k := a.Kernel(h.Kernel, profiles...)
	sums, err := ParseSums(h.Sums)
	a.Check(err)
	compat, err := ParseCompatibility(h.Compatibility)
	a.Check(err)
	m := &Model{Method: h.Solver, Kernel: k, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Centred: h.Centred, Sums: sums, Compatibility: compat}
	m.Values = a.Descending("values", h.Rank)
	if a.Err() != nil {
		return nil, a.Err()
	}
	_, normalised := k.Normaliser()
	m.Left = sideFrom(a.Part("u_", nil), h.Left, h, h.Columns, false)
	m.Right = sideFrom(a.Part("v_", nil), h.Right, h, h.Rows, normalised)
	m.Left.left = true
	if h.Left.Dimension != h.Right.Dimension || h.Left.Sparse != h.Right.Sparse {
		a.Fail("the two sides have landmarks of %d and %d numbers, sparse %v and %v", h.Left.Dimension, h.Right.Dimension, h.Left.Sparse, h.Right.Sparse)
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
	if _, err := m.tiles(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

// sideFrom takes one side. total is the number of rows of the source of its landmarks.
func sideFrom(a *model.Archive, s *sideHeader, h header, total int64, logSums bool) *Side {
	side := &Side{GrandMean: s.GrandMean}
	if math.IsNaN(s.GrandMean) || math.IsInf(s.GrandMean, 0) {
		a.Fail("the grand mean is %v", s.GrandMean)
	}
	side.Landmarks = landmarksFrom(a, "landmarks", s.Sparse, s.Dimension)
	p := side.Landmarks.rows().Count()
	side.Rows = a.RowNumbers("landmark_rows", p, total)
	side.Projection = a.Matrix("projection", p, h.Rank)
	side.Weights = a.Vector("weights", p)
	if logSums {
		side.LogSums = a.Vector("log_sums", p)
	}
	if h.Centred {
		side.Means = a.Vector("means", p)
	}
	if s.All {
		all := landmarksFrom(a, "all", s.Sparse, s.Dimension)
		side.All = &all
		if int64(all.rows().Count()) != total {
			a.Fail("array all has %d rows, expected %d", all.rows().Count(), total)
		}
		if logSums {
			side.AllLogSums = a.Vector("all_log_sums", int(total))
		}
	}
	if s.Mapped {
		if side.Map = a.Matrix("map", -1, s.Dimension); side.Map.Rows == 0 {
			a.Fail("array map has no rows")
		}
	}
	return side
}

func landmarksFrom(a *model.Archive, name string, sparse bool, dimension int) Landmarks {
	if !sparse {
		return Landmarks{Dense: a.Matrix(name, -1, dimension)}
	}
	start, index := a.Ints(name+"_start", -1), a.Ints(name+"_index", -1)
	var value []float64
	if a.Has(name + "_value") {
		value = a.Vector(name+"_value", len(index))
	}
	empty := Landmarks{Sparse: &stream.CSR{Cols: max(0, dimension), Start: []int64{0}}}
	if a.Err() != nil {
		return empty
	}
	m, err := compressedRows(start, index, value, dimension)
	if err != nil {
		a.Fail("array %s: %w", name, err)
		return empty
	}
	return Landmarks{Sparse: m}
}

// compressedRows returns a sparse matrix of arrays that may be damaged.
func compressedRows(start, index []int64, value []float64, cols int) (*stream.CSR, error) {
	if len(start) == 0 || start[0] != 0 || start[len(start)-1] != int64(len(index)) || !slices.IsSorted(start) || cols < 0 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("the starts of the rows do not ascend from 0 to %d", len(index))
	}
	m := &stream.CSR{Rows: len(start) - 1, Cols: cols, Start: start, Index: make([]int32, len(index)), Value: value}
	for i := range m.Rows {
		last := int64(-1)
		for p := start[i]; p < start[i+1]; p++ {
			if index[p] <= last || index[p] >= int64(cols) {
				return nil, fmt.Errorf("the columns of row %d do not ascend strictly below %d", i, cols)
			}
			last = index[p]
			m.Index[p] = int32(last)
		}
	}
	return m, nil
}
