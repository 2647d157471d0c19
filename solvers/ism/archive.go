package ism

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
)

// Name is what the header of a saved model of this package calls it.
const Name = "ism"

// header is what a saved model says about itself in words and numbers; the rest is in
// arrays. It marshals to JSON.
type header struct {
	Method   string   `json:"method"` // "ism"
	Kernel   string   `json:"kernel"`
	Paradigm string   `json:"paradigm"`
	Engine   string   `json:"engine"`
	Seed     uint64   `json:"seed"`
	Rows     int64    `json:"rows"`
	Dim      int      `json:"dim"`
	Columns  []string `json:"columns"`
}

// Save returns the model as an archive with the arrays w (d×q) and values (q), and where it
// chooses classes decision ((q+1)×classes): x·w·(its first q rows) + its last row.
func (m *Model) Save() (*model.Archive, error) {
	a, err := model.NewArchive(header{Method: Name, Kernel: m.Kernel.String(), Paradigm: m.Paradigm.String(), Engine: m.Engine.String(), Seed: m.Seed,
		Rows: m.Rows, Dim: m.Dim(), Columns: m.Columns})
	if err != nil {
		return nil, err
	}
	a.PutMatrix("w", m.W)
	a.PutVector("values", m.Values)
	if m.Decision.Rows > 0 {
		a.PutMatrix("decision", m.Decision)
	}
	return a, nil
}

// Load returns the model that was saved; a kernel of one's own needs its profile. Every
// shape is checked, and that W is orthonormal.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Seed: h.Seed, Rows: h.Rows, Columns: h.Columns}
	m.Kernel = a.Kernel(h.Kernel, profiles...)
	var err error
	m.Paradigm, err = ParseParadigm(h.Paradigm)
	a.Check(err)
	m.Engine, err = ParseEngine(h.Engine)
	a.Check(err)
	d := len(h.Columns)
	if m.Engine == EngineAuto || h.Rows < 1 || h.Dim < 1 || h.Dim > d {
		a.Fail("header: engine %v, %d rows, %d dimensions of %d columns", m.Engine, h.Rows, h.Dim, d)
	}
	m.W, m.Values = a.Matrix("w", d, h.Dim), a.Descending("values", h.Dim)
	if a.Has("decision") {
		m.Decision = a.Matrix("decision", h.Dim+1, -1)
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
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
