package askls

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// Name is what the header of a saved model of this package calls it.
const Name = "askls"

// header is what a saved model says about itself in words and numbers; the rest is in
// arrays.
type header struct {
	Method    string          `json:"method"` // "askls"
	Classes   int             `json:"classes"`
	Samples   int64           `json:"samples"`
	C         float64         `json:"gamma"`
	Ridge     float64         `json:"ridge"`
	Engine    string          `json:"engine"`
	Merge     string          `json:"merge"`
	Symmetry  string          `json:"symmetry"` // "none"; other versions made kernels symmetric
	Seed      uint64          `json:"seed"`
	Functions json.RawMessage `json:"functions,omitempty"` // for kernels of rows
	Nodes     int64           `json:"nodes,omitempty"`     // of an explicit matrix, with those that were not trained on
}

// symmetries are what a header may say of the kernel.
var symmetries = []string{"none", "mean", "source-gram", "target-gram"}

// Save returns the model as an archive with the arrays source_bias and target_bias (k),
// stack (k×3) if functions are stacked; and for a kernel of rows the arrays of
// [ksvd.Model.Save], whose u_projection and v_projection (p×k) are the coefficients of
// f_s and f_t, or for an explicit matrix train (n), source_duals and target_duals (n×k).
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: Name, Classes: m.Classes, Samples: m.Samples, C: m.C, Ridge: m.Ridge, Engine: m.Engine.String(), Merge: m.Merge.String(),
		Symmetry: symmetries[0], Seed: m.Seed}
	functions := &model.Archive{}
	if m.Edges != nil {
		h.Nodes = m.Edges.Total
	} else {
		var err error
		if functions, err = m.Functions.Save(); err != nil {
			return nil, err
		}
		h.Functions = functions.Header
	}
	a, err := model.NewArchive(h)
	if err != nil {
		return nil, err
	}
	a.PutVector("source_bias", m.Biases[0])
	a.PutVector("target_bias", m.Biases[1])
	if m.Merge == MergeStack {
		a.PutMatrix("stack", m.Stack)
	}
	if g := m.Edges; g != nil {
		a.PutInts("train", g.Nodes)
		a.PutMatrix("source_duals", g.Source)
		a.PutMatrix("target_duals", g.Target)
	}
	a.PutPart("", functions)
	return a, nil
}

// Load returns the model that Save gave; a kernel of one's own needs its profile. Every
// shape is checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	ok := a.Open(Name, &h)
	if !ok || h.Classes < 1 || h.Samples < 1 || (h.Functions == nil) == (h.Nodes == 0) || !slices.Contains(symmetries, h.Symmetry) {
		a.Fail("header: method %q, %d classes, %d samples, %d nodes, functions %v, symmetry %q", h.Method, h.Classes, h.Samples, h.Nodes, h.Functions != nil, h.Symmetry)
		return nil, a.Err()
	}
	m := &Model{Classes: h.Classes, Samples: h.Samples, C: h.C, Ridge: h.Ridge, Seed: h.Seed}
	a.Check(m.words(h))
	m.Biases = [2][]float64{a.Vector("source_bias", h.Classes), a.Vector("target_bias", h.Classes)}
	if m.Merge == MergeStack {
		m.Stack = a.Matrix("stack", h.Classes, 3)
	}
	if h.Functions == nil {
		m.Edges = loadEdges(a, h)
		return m, a.Err()
	}
	functions, err := ksvd.Load(a.Part("", h.Functions), profiles...)
	a.Check(err)
	if err == nil && functions.Rank() != h.Classes {
		a.Fail("functions for %d classes, expected %d", functions.Rank(), h.Classes)
	}
	m.Functions = functions
	return m, a.Err()
}

// words reads the words of the header.
func (m *Model) words(h header) (err error) {
	if m.Engine, err = ParseEngine(h.Engine); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if m.Merge, err = ParseMerge(h.Merge); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return nil
}

// loadEdges returns the functions for an explicit matrix.
func loadEdges(a *model.Archive, h header) *Edges {
	g := &Edges{Total: h.Nodes, Nodes: a.Ints("train", int(h.Samples))}
	if h.Nodes > math.MaxInt32 {
		a.Fail("%d nodes", h.Nodes)
	}
	for i, node := range g.Nodes {
		if node < 0 || node >= h.Nodes || i > 0 && node <= g.Nodes[i-1] {
			a.Fail("array train does not ascend from 0 to below %d", h.Nodes)
			break
		}
	}
	g.Source, g.Target = a.Matrix("source_duals", len(g.Nodes), h.Classes), a.Matrix("target_duals", len(g.Nodes), h.Classes)
	return g
}
