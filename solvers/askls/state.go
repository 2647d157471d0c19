package askls

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// Name identifies models of this package in saved headers.
const Name = "askls"

// header is the file of a model: see [model.NewArchive].
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
	Nodes      int64          `json:"nodes,omitempty"`              // of an explicit matrix, in total
}

// Sizes reports whether functions are stacked.
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

// Save returns the model as an archive with the arrays source_bias and target_bias (k), and stack (k×3) if functions
// are stacked. A kernel of rows adds the arrays of [ksvd.Model.Save], where u_projection and v_projection (p×k) are the
// coefficients of f_s and f_t. An explicit matrix adds train (n), source_duals and target_duals (n×k).
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

// Load returns a saved model. Custom kernels need their profiles. It checks the shape of every array.
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
