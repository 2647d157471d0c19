package ism

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/lowrank"
)

func (m *Model) save() (Header, []lowrank.Array) {
	h := Header{Method: Method, Kernel: m.Kernel.String(), Paradigm: m.Paradigm.String(), Engine: m.Engine.String(), Seed: m.Seed,
		Rows: m.Rows, Dim: m.Dim(), Columns: m.Columns}
	w := lowrank.Array{Name: "w", Rows: m.W.Rows, Cols: m.W.Cols, Floats: make([]float64, 0, m.W.Rows*m.W.Cols)}
	for i := range m.W.Rows {
		w.Floats = append(w.Floats, dense.Row(m.W, i)...)
	}
	return h, []lowrank.Array{w, {Name: "values", Rows: len(m.Values), Floats: m.Values}}
}

func load(h Header, arrays []lowrank.Array, profiles []Profile) (*Model, error) {
	if h.Method != Method {
		return nil, fmt.Errorf("model header: method %q, expected %q", h.Method, Method)
	}
	k, err := Parse(h.Kernel, profiles...)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	paradigm, err := ParseParadigm(h.Paradigm)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	engine, err := ParseEngine(h.Engine)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	d := len(h.Columns)
	if !k.Resolved() || engine == EngineAuto || h.Rows < 1 || h.Dim < 1 || h.Dim > d {
		return nil, fmt.Errorf("model header: kernel %v, engine %v, %d rows, %d dimensions of %d columns", k, engine, h.Rows, h.Dim, d)
	}
	w, err := floats(arrays, "w", d, h.Dim)
	if err != nil {
		return nil, err
	}
	values, err := floats(arrays, "values", h.Dim, 0)
	if err != nil {
		return nil, err
	}
	m := &Model{Kernel: k, Paradigm: paradigm, Engine: engine, Seed: h.Seed, Rows: h.Rows, Columns: h.Columns, Values: values,
		W: blas64.General{Rows: d, Cols: h.Dim, Stride: h.Dim, Data: w}}
	if off := orthonormality(m.W); off > 1e-8 {
		return nil, fmt.Errorf("model: the columns of array w are not orthonormal, by %.1e", off)
	}
	return m, nil
}

// floats finds an array of finite numbers by name; cols is 0 for a vector.
func floats(arrays []lowrank.Array, name string, rows, cols int) ([]float64, error) {
	for _, a := range arrays {
		if a.Name != name {
			continue
		}
		if a.Rows != rows || a.Cols != cols || len(a.Floats) != rows*max(1, cols) {
			return nil, fmt.Errorf("model: array %s is %d×%d with %d numbers, expected %d×%d", name, a.Rows, a.Cols, len(a.Floats), rows, cols)
		}
		for i, v := range a.Floats {
			if v-v != 0 {
				return nil, fmt.Errorf("model: number %d of array %s is %v", i, name, v)
			}
		}
		return a.Floats, nil
	}
	return nil, fmt.Errorf("model: array %s is missing", name)
}

// orthonormality is max|WᵀW − I|.
func orthonormality(w blas64.General) float64 {
	g := dense.Mul(trans, w, noTrans, w)
	for i := range g.Rows {
		g.Data[i*g.Stride+i]--
	}
	return dense.MaxAbs(g)
}
