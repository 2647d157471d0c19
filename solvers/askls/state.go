package askls

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// Name is what the header of a saved model of this package calls it.
const Name = "askls"

// header is a saved model: see [model.NewArchive].
type header struct {
	Method     string         `json:"method"` // "askls"
	Classes    int            `json:"classes" min:"1"`
	Samples    int64          `json:"samples" min:"1"`
	C          float64        `json:"C"`
	Ridge      float64        `json:"ridge"`
	Engine     string         `json:"engine"`
	Merge      string         `json:"merge"`
	Seed       uint64         `json:"seed"`
	SourceBias []float64      `json:"-" array:"source_bias,classes"`
	TargetBias []float64      `json:"-" array:"target_bias,classes"`
	Stack      blas64.General `json:"-" array:"stack,classes,3,if=stacked"`
	Edges      *Edges         `json:"-" array:",if=nodes"`
	Functions  *model.Archive `json:"functions,omitempty" array:""` // for kernels of rows
	Nodes      int64          `json:"nodes,omitempty"`              // of an explicit matrix, trained on or not
}

// Sizes reports whether the functions are stacked.
func (h header) Sizes(a *model.Archive) map[string]int64 {
	if (h.Functions == nil) == (h.Nodes == 0) || h.Nodes > math.MaxInt32 || !(h.C > 0) {
		a.Fail("header: %d nodes, functions %v, C %v", h.Nodes, h.Functions != nil, h.C)
	}
	stacked := int64(0)
	if h.Merge == MergeStack.String() {
		stacked = 1
	}
	return map[string]int64{"stacked": stacked}
}

// Save returns the model as an archive with the arrays source_bias and target_bias (k),
// stack (k×3) if functions are stacked; and for a kernel of rows the arrays of
// [ksvd.Model.Save], whose u_projection and v_projection (p×k) are the coefficients of
// f_s and f_t, or for an explicit matrix train (n), source_duals and target_duals (n×k).
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: Name, Classes: m.Classes, Samples: m.Samples, C: m.C, Ridge: m.Ridge, Engine: m.Algorithm.String(), Merge: m.Merge.String(),
		Seed: m.Seed, SourceBias: m.Biases[0], TargetBias: m.Biases[1], Stack: m.Stack, Edges: m.Edges}
	if m.Edges != nil {
		h.Nodes = m.Edges.Total
		return model.NewArchive(h)
	}
	functions, err := m.Functions.Save()
	if err != nil {
		return nil, err
	}
	h.Functions = functions
	return model.NewArchive(h)
}

// Load returns the model that Save gave; a kernel of one's own needs its profile. Every
// shape is checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Classes: h.Classes, Samples: h.Samples, C: h.C, Ridge: h.Ridge, Seed: h.Seed,
		Algorithm: family.Word(a, h.Engine, ParseAlgorithm), Merge: family.Word(a, h.Merge, ParseMerge),
		Biases: [2][]float64{h.SourceBias, h.TargetBias}, Stack: h.Stack, Edges: h.Edges}
	if m.Edges != nil {
		m.Edges.Total = h.Nodes
		return m, a.Err()
	}
	functions, err := ksvd.Load(h.Functions, profiles...)
	a.Check(err)
	if err == nil && functions.Rank() != h.Classes {
		a.Fail("functions for %d classes, expected %d", functions.Rank(), h.Classes)
	}
	m.Functions = functions
	return m, a.Err()
}
