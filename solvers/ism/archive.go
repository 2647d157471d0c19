package ism

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
)

// Name identifies models of this package in saved headers.
const Name = "ism"

// header is the file of a model: see [model.NewArchive].
type header struct {
	Method   string         `json:"method"` // "ism"
	Kernel   string         `json:"kernel"`
	Paradigm string         `json:"paradigm"`
	Engine   string         `json:"engine"`
	Seed     uint64         `json:"seed"`
	Rows     int64          `json:"rows" min:"1"`
	Dim      int            `json:"dim" min:"1"`
	Columns  []string       `json:"columns"`
	W        blas64.General `json:"-" array:"w,columns,dim"`
	Values   []float64      `json:"-" array:"values,dim,descending"`
	Decision blas64.General `json:"-" array:"decision,dim+1,classes,optional"`
}

// Sizes returns the number of rows of a decision.
func (h header) Sizes(a *model.Archive) map[string]int64 {
	if h.Dim > len(h.Columns) || h.Engine == AlgorithmAuto.String() {
		a.Fail("header: engine %s, %d dimensions of %d columns", h.Engine, h.Dim, len(h.Columns))
	}
	return map[string]int64{"dim+1": int64(h.Dim) + 1}
}

// Save returns the model as an archive with the arrays w (d×q) and values (q). A classifier adds decision
// ((q+1)×classes): decisions are x·w times its first q rows, plus its last row.
func (m *Model) Save() (*model.Archive, error) {
	return model.NewArchive(header{Method: Name, Kernel: m.Kernel.String(), Paradigm: m.Paradigm.String(), Engine: m.Algorithm.String(),
		Seed: m.Seed,
		Rows: m.Rows, Dim: m.Dim(), Columns: m.Columns, W: m.W, Values: m.Values, Decision: m.Decision})
}

// Load returns a saved model. Custom kernels need their profiles. It checks the shape of every array, and that W is
// orthonormal.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Kernel: a.Kernel(h.Kernel, profiles...), Paradigm: family.Word(a, h.Paradigm, ParseParadigm),
		Algorithm: family.Word(a, h.Engine, ParseAlgorithm),
		W:         h.W, Values: h.Values, Columns: h.Columns, Rows: h.Rows, Seed: h.Seed, Decision: h.Decision}
	if off := orthonormality(m.W); !(off <= 1e-8) {
		a.Fail("the columns of array w are not orthonormal, by %.1e", off)
	}
	return m, a.Err()
}

// orthonormality returns max|WᵀW − I|.
func orthonormality(w blas64.General) float64 {
	g := dense.Mul(trans, w, noTrans, w)
	for i := range g.Rows {
		g.Data[i*g.Stride+i]--
	}
	return dense.MaxAbs(g)
}
