package ksvd

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// Header is what a saved model says about itself in words and numbers; the rest is
// in arrays. It marshals to JSON.
type Header struct {
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
	Left          *SideHeader `json:"left"`
	Right         *SideHeader `json:"right"`
}

// SideHeader describes a [Side].
type SideHeader struct {
	Sparse    bool    `json:"sparse,omitempty"` // landmarks are sparse
	Dimension int     `json:"dimension"`        // length of a landmark
	GrandMean float64 `json:"grand_mean,omitempty"`
	All       bool    `json:"all,omitempty"` // sums of new rows are over all rows
	Mapped    bool    `json:"mapped,omitempty"`
}

// Method is what the header of a saved model of this package calls it.
const Method = "ksvd"

// Save gives the model as a header and arrays. Those of the left side begin with u_,
// those of the right with v_; see [Side] for what they mean: landmarks (or, if sparse,
// landmarks_start, landmarks_index and landmarks_value, compressed rows whose values
// are absent if all are 1), landmark_rows, projection, weights, log_sums, means, map,
// and all (likewise) with all_log_sums. values are the singular values.
func (m *Model) Save() (Header, []lowrank.Array) {
	h := Header{Method: Method, Solver: m.Method, Kernel: m.Kernel.String(), Seed: m.Seed, Rows: m.Rows, Columns: m.Cols, Rank: m.Rank(),
		Centred: m.Centred, Sums: m.Sums.String(), Compatibility: m.Compatibility.String(), Left: m.Left.header(), Right: m.Right.header()}
	arrays := []lowrank.Array{vectorArray("values", m.Values)}
	arrays = append(arrays, m.Left.save("u_")...)
	return h, append(arrays, m.Right.save("v_")...)
}

func (s *Side) header() *SideHeader {
	return &SideHeader{Sparse: s.Landmarks.Sparse != nil, Dimension: s.Landmarks.points().dimension(), GrandMean: s.GrandMean,
		All: s.All != nil, Mapped: s.Map.Rows > 0}
}

func (s *Side) save(prefix string) []lowrank.Array {
	arrays := s.Landmarks.save(prefix + "landmarks")
	arrays = append(arrays, lowrank.Array{Name: prefix + "landmark_rows", Rows: len(s.Rows), Ints: s.Rows},
		matrixArray(prefix+"projection", s.Projection), vectorArray(prefix+"weights", s.Weights))
	for _, v := range []struct {
		name   string
		values []float64
	}{{"log_sums", s.LogSums}, {"means", s.Means}, {"all_log_sums", s.AllLogSums}} {
		if v.values != nil {
			arrays = append(arrays, vectorArray(prefix+v.name, v.values))
		}
	}
	if s.All != nil {
		arrays = append(arrays, s.All.save(prefix+"all")...)
	}
	if s.Map.Rows > 0 {
		arrays = append(arrays, matrixArray(prefix+"map", s.Map))
	}
	return arrays
}

func (l Landmarks) save(name string) []lowrank.Array {
	if l.Sparse == nil {
		return []lowrank.Array{matrixArray(name, l.Dense)}
	}
	m := l.Sparse
	index := make([]int64, len(m.Index))
	for p, j := range m.Index {
		index[p] = int64(j)
	}
	arrays := []lowrank.Array{{Name: name + "_start", Rows: len(m.Start), Ints: m.Start}, {Name: name + "_index", Rows: len(index), Ints: index}}
	if m.Value != nil {
		arrays = append(arrays, vectorArray(name+"_value", m.Value))
	}
	return arrays
}

func vectorArray(name string, v []float64) lowrank.Array {
	return lowrank.Array{Name: name, Rows: len(v), Floats: v}
}

// matrixArray copies a matrix into an array without padding.
func matrixArray(name string, m blas64.General) lowrank.Array {
	a := lowrank.Array{Name: name, Rows: m.Rows, Cols: m.Cols, Floats: make([]float64, 0, m.Rows*m.Cols)}
	for i := range m.Rows {
		a.Floats = append(a.Floats, dense.Row(m, i)...)
	}
	return a
}

// Load rebuilds a model from what Save gave. Every shape is checked.
func Load(h Header, arrays []lowrank.Array, profiles ...kernelgen.Profile) (*Model, error) {
	k, err := kernelgen.Parse(h.Kernel, profiles...)
	if err != nil {
		return nil, fmt.Errorf("model kernel: %w", err)
	}
	sums, err := ParseSums(h.Sums)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	compat, err := ParseCompatibility(h.Compatibility)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if h.Method != Method || h.Rank < 0 || h.Rows < 0 || h.Columns < 0 || h.Left == nil || h.Right == nil {
		return nil, fmt.Errorf("model header: method %q, rank %d, %d×%d, left side %v, right side %v", h.Method, h.Rank, h.Rows, h.Columns, h.Left, h.Right)
	}
	l := loader{arrays: arrays}
	m := &Model{Method: h.Solver, Kernel: k, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Centred: h.Centred, Sums: sums, Compatibility: compat}
	m.Values = l.vector("values", h.Rank)
	_, normalised := k.Normaliser()
	m.Left = l.side("u_", h.Left, h, h.Columns, false)
	m.Right = l.side("v_", h.Right, h, h.Rows, normalised)
	m.Left.left = true
	if l.err == nil && (h.Left.Dimension != h.Right.Dimension || h.Left.Sparse != h.Right.Sparse) {
		l.fail("the two sides have landmarks of %d and %d numbers, sparse %v and %v", h.Left.Dimension, h.Right.Dimension, h.Left.Sparse, h.Right.Sparse)
	}
	if l.err != nil {
		return nil, l.err
	}
	if _, err := m.entries(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

// loader takes arrays by name and remembers the first thing that is wrong.
type loader struct {
	arrays []lowrank.Array
	err    error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("model: "+format, args...)
	}
}

func (l *loader) has(name string) bool {
	return slices.ContainsFunc(l.arrays, func(a lowrank.Array) bool { return a.Name == name })
}

func (l *loader) find(name string) lowrank.Array {
	for _, a := range l.arrays {
		if a.Name == name {
			return a
		}
	}
	l.fail("array %s is missing", name)
	return lowrank.Array{}
}

// vector takes a vector with n finite numbers.
func (l *loader) vector(name string, n int) []float64 {
	a := l.find(name)
	if a.Cols != 0 || len(a.Floats) != n {
		l.fail("array %s is not a vector of %d numbers", name, n)
	}
	for i, v := range a.Floats {
		if v-v != 0 {
			l.fail("number %d of array %s is %v", i, name, v)
			break
		}
	}
	return a.Floats
}

// ints takes a vector with n integers; n below 0 may be anything.
func (l *loader) ints(name string, n int) []int64 {
	a := l.find(name)
	if a.Cols != 0 || n >= 0 && len(a.Ints) != n {
		l.fail("array %s is not a vector of %d integers", name, n)
	}
	return a.Ints
}

// matrix takes a matrix of finite numbers; rows or cols below 0 may be anything.
func (l *loader) matrix(name string, rows, cols int) blas64.General {
	a := l.find(name)
	if a.Rows < 0 || a.Cols < 0 || len(a.Floats) != a.Rows*a.Cols || rows >= 0 && a.Rows != rows || cols >= 0 && a.Cols != cols {
		l.fail("array %s is %d×%d with %d numbers, expected %d×%d (-1: any)", name, a.Rows, a.Cols, len(a.Floats), rows, cols)
		return blas64.General{Stride: 1}
	}
	m := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: max(1, a.Cols), Data: a.Floats}
	if i, j, found := dense.NotFinite(m); found {
		l.fail("number (%d, %d) of array %s is %v", i, j, name, m.Data[i*m.Stride+j])
	}
	return m
}

// side takes one side. total is the number of rows of the source of its landmarks.
func (l *loader) side(prefix string, s *SideHeader, h Header, total int64, logSums bool) *Side {
	side := &Side{GrandMean: s.GrandMean}
	if math.IsNaN(s.GrandMean) || math.IsInf(s.GrandMean, 0) {
		l.fail("the grand mean is %v", s.GrandMean)
	}
	side.Landmarks = l.landmarks(prefix+"landmarks", s.Sparse, s.Dimension)
	p := side.Landmarks.points().count()
	side.Rows = l.ints(prefix+"landmark_rows", p)
	if !slices.IsSorted(side.Rows) || p > 0 && l.err == nil && (side.Rows[0] < 0 || side.Rows[p-1] >= total) {
		l.fail("array %slandmark_rows does not ascend from 0 to below %d", prefix, total)
	}
	side.Projection = l.matrix(prefix+"projection", p, h.Rank)
	side.Weights = l.vector(prefix+"weights", p)
	if logSums {
		side.LogSums = l.vector(prefix+"log_sums", p)
	}
	if h.Centred {
		side.Means = l.vector(prefix+"means", p)
	}
	if s.All {
		all := l.landmarks(prefix+"all", s.Sparse, s.Dimension)
		side.All = &all
		if int64(all.points().count()) != total {
			l.fail("array %sall has %d rows, expected %d", prefix, all.points().count(), total)
		}
		if logSums {
			side.AllLogSums = l.vector(prefix+"all_log_sums", int(total))
		}
	}
	if s.Mapped {
		side.Map = l.matrix(prefix+"map", -1, s.Dimension)
		if side.Map.Rows == 0 {
			l.fail("array %smap has no rows", prefix)
		}
	}
	return side
}

func (l *loader) landmarks(name string, sparse bool, dimension int) Landmarks {
	if !sparse {
		return Landmarks{Dense: l.matrix(name, -1, dimension)}
	}
	start, index := l.ints(name+"_start", -1), l.ints(name+"_index", -1)
	var value []float64
	if l.has(name + "_value") {
		value = l.vector(name+"_value", len(index))
	}
	empty := Landmarks{Sparse: &stream.CSR{Cols: max(0, dimension), Start: []int64{0}}}
	if l.err != nil {
		return empty
	}
	m, err := compressedRows(start, index, value, dimension)
	if err != nil {
		l.fail("array %s: %w", name, err)
		return empty
	}
	return Landmarks{Sparse: m}
}

// compressedRows is a sparse matrix of arrays that may be damaged.
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
