package askls

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// Method is what the header of a saved model of this package calls it.
const Method = "askls"

// Header is what a saved model says about itself in words and numbers; the rest is in
// arrays. It marshals to JSON.
type Header struct {
	Method    string          `json:"method"` // "askls"
	Classes   int             `json:"classes"`
	Samples   int64           `json:"samples"`
	Gamma     float64         `json:"gamma"`
	Ridge     float64         `json:"ridge"`
	Engine    string          `json:"engine"`
	Merge     string          `json:"merge"`
	Symmetry  string          `json:"symmetry"`
	Seed      uint64          `json:"seed"`
	Functions json.RawMessage `json:"functions,omitempty"` // for kernels of rows
	Nodes     int64           `json:"nodes,omitempty"`     // of an explicit matrix, with those that were not trained on
}

// Save gives the model as a header and arrays: source_bias and target_bias (k), stack
// (k×3) if functions are stacked; and for a kernel of rows the arrays of
// [ksvd.Model.Save], whose u_projection and v_projection (p×k) are the coefficients of
// f_s and f_t, or for an explicit matrix train (n), source_duals and target_duals (n×k).
func (m *Model) Save() (Header, []lowrank.Array) {
	h := Header{Method: Method, Classes: m.Classes, Samples: m.Samples, Gamma: m.Gamma, Ridge: m.Ridge, Engine: m.Engine.String(), Merge: m.Merge.String(),
		Symmetry: m.Symmetry.String(), Seed: m.Seed}
	arrays := []lowrank.Array{
		{Name: "source_bias", Rows: m.Classes, Floats: m.Biases[0]},
		{Name: "target_bias", Rows: m.Classes, Floats: m.Biases[1]},
	}
	if m.Merge == MergeStack {
		arrays = append(arrays, matrixArray("stack", m.Stack))
	}
	if m.Edges != nil {
		h.Nodes = m.Edges.Total
		return h, append(arrays, lowrank.Array{Name: "train", Rows: len(m.Edges.Nodes), Ints: m.Edges.Nodes},
			matrixArray("source_duals", m.Edges.Source), matrixArray("target_duals", m.Edges.Target))
	}
	functions, err := m.Functions.Save()
	if err != nil {
		panic(err) // JSON holds all of its header
	}
	h.Functions = functions.Header
	return h, append(arrays, functions.Arrays...)
}

// matrixArray copies a matrix into an array without padding.
func matrixArray(name string, m blas64.General) lowrank.Array {
	return lowrank.Array{Name: name, Rows: m.Rows, Cols: m.Cols, Floats: dense.Clone(m).Data}
}

// Load rebuilds a model from what Save gave; a kernel of one's own needs its profile.
// Every shape is checked.
func Load(h Header, arrays []lowrank.Array, profiles ...kernelgen.Profile) (*Model, error) {
	m := &Model{Classes: h.Classes, Samples: h.Samples, Gamma: h.Gamma, Ridge: h.Ridge, Seed: h.Seed}
	if h.Method != Method || h.Classes < 1 || h.Samples < 1 || (h.Functions == nil) == (h.Nodes == 0) {
		return nil, fmt.Errorf("model header: method %q, %d classes, %d samples, %d nodes, functions %v", h.Method, h.Classes, h.Samples, h.Nodes, h.Functions != nil)
	}
	if err := m.words(h); err != nil {
		return nil, fmt.Errorf("model header: %w", err)
	}
	a := archive{arrays: arrays}
	m.Biases = [2][]float64{a.floats("source_bias", h.Classes, 0).Data, a.floats("target_bias", h.Classes, 0).Data}
	if m.Merge == MergeStack {
		m.Stack = a.floats("stack", h.Classes, 3)
	}
	if h.Functions == nil {
		m.Edges = a.edges(h)
		return m, a.err
	}
	if a.err != nil {
		return nil, a.err
	}
	var err error
	if m.Functions, err = ksvd.Load(&model.Archive{Header: h.Functions, Arrays: arrays}, profiles...); err != nil {
		return nil, err
	}
	if m.Functions.Rank() != h.Classes {
		return nil, fmt.Errorf("model: functions for %d classes, expected %d", m.Functions.Rank(), h.Classes)
	}
	return m, nil
}

// words reads the words of the header.
func (m *Model) words(h Header) (err error) {
	if m.Engine, err = ParseEngine(h.Engine); err != nil {
		return err
	}
	if m.Merge, err = ParseMerge(h.Merge); err != nil {
		return err
	}
	m.Symmetry, err = ParseSymmetry(h.Symmetry)
	return err
}

// archive takes arrays by name and remembers the first thing that is wrong.
type archive struct {
	arrays []lowrank.Array
	err    error
}

func (a *archive) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("model: "+format, args...)
	}
}

func (a *archive) find(name string) lowrank.Array {
	for _, array := range a.arrays {
		if array.Name == name {
			return array
		}
	}
	a.fail("array %s is missing", name)
	return lowrank.Array{}
}

// floats takes a matrix of finite numbers, or with cols 0 a vector.
func (a *archive) floats(name string, rows, cols int) blas64.General {
	array := a.find(name)
	if array.Rows != rows || array.Cols != cols || len(array.Floats) != rows*max(1, cols) {
		a.fail("array %s is %d×%d with %d numbers, expected %d×%d", name, array.Rows, array.Cols, len(array.Floats), rows, cols)
		return blas64.General{Stride: 1}
	}
	for i, v := range array.Floats {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			a.fail("number %d of array %s is %v", i, name, v)
			break
		}
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: array.Floats}
}

// edges takes the functions for an explicit matrix.
func (a *archive) edges(h Header) *Edges {
	train := a.find("train")
	g := &Edges{Total: h.Nodes, Nodes: train.Ints}
	if int64(len(g.Nodes)) != h.Samples || train.Cols != 0 || h.Nodes > math.MaxInt32 {
		a.fail("array train has %d nodes of %d, expected %d", len(g.Nodes), h.Nodes, h.Samples)
		return g
	}
	for i, node := range g.Nodes {
		if node < 0 || node >= h.Nodes || i > 0 && node <= g.Nodes[i-1] {
			a.fail("array train does not ascend from 0 to below %d", h.Nodes)
			return g
		}
	}
	g.Source, g.Target = a.floats("source_duals", len(g.Nodes), h.Classes), a.floats("target_duals", len(g.Nodes), h.Classes)
	return g
}
