package rkhs

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// Method is what the header of a saved model of this package calls it.
const Method = "rkhs"

// Header is what a saved model says about itself in words and numbers; the rest is in
// arrays. It marshals to JSON.
type Header struct {
	Method      string          `json:"method"` // "rkhs"
	Task        string          `json:"task"`   // svd or eigen
	Operator    string          `json:"operator"`
	Epsilon     float64         `json:"epsilon,omitempty"`
	Engine      string          `json:"engine"`
	Formulation string          `json:"formulation"` // "qr"; others have been
	Random      bool            `json:"random_features,omitempty"`
	Centred     bool            `json:"centred"`
	Inverse     bool            `json:"inverse,omitempty"`
	Complex     bool            `json:"complex,omitempty"`
	Seed        uint64          `json:"seed"`
	Pairs       int64           `json:"pairs"`
	Lag         int64           `json:"lag,omitempty"`
	Rank        int             `json:"rank"`
	Left        *lowrank.Header `json:"left"`            // features of the left functions
	Right       *lowrank.Header `json:"right,omitempty"` // absent if they are those of the left
}

// Save gives the model as a header and arrays: values and, of complex eigenvalues,
// values_imag; the features of the left functions as lowrank.Model saves them, their names
// behind left_features_, and of the right behind right_features_ unless they are the same; coefficients
// left and right, features × rank, or twice as many columns if complex, the imaginary
// parts last; canonical_left and canonical_right of CCA; and with centred features the
// same names with _offsets. A function of a row is u·√left_features_values·left − left_offsets.
func (m *Model) Save() (Header, []lowrank.Array) {
	epsilon, _ := m.Operator.Regularisation()
	h := Header{Method: Method, Task: m.Task.String(), Operator: m.Operator.String(), Epsilon: epsilon, Engine: m.Engine.String(),
		Formulation: "qr", Random: m.Random, Centred: m.Centred, Inverse: m.Inverse, Complex: m.Imag != nil,
		Seed: m.Seed, Pairs: m.Pairs, Lag: m.Lag, Rank: m.Rank()}
	arrays := []lowrank.Array{{Name: "values", Rows: m.Rank(), Floats: m.Values}}
	if m.Imag != nil {
		arrays = append(arrays, lowrank.Array{Name: "values_imag", Rows: m.Rank(), Floats: m.Imag})
	}
	space, more := saveSpace("left_features_", m.Left.Space)
	h.Left, arrays = space, append(arrays, more...)
	if m.Right.Space != m.Left.Space {
		space, more = saveSpace("right_features_", m.Right.Space)
		h.Right, arrays = space, append(arrays, more...)
	}
	for _, f := range m.named() {
		if *f.at != nil {
			arrays = append(arrays, (*f.at).save(f.name)...)
		}
	}
	return h, arrays
}

// namedFunctions are a place for functions.
type namedFunctions struct {
	name  string
	right bool
	at    **Functions
}

// named are all functions of the model.
func (m *Model) named() []namedFunctions {
	return []namedFunctions{{"left", false, &m.Left}, {"right", true, &m.Right},
		{"canonical_left", false, &m.CanonicalLeft}, {"canonical_right", true, &m.CanonicalRight}}
}

func saveSpace(prefix string, m *lowrank.Model) (*lowrank.Header, []lowrank.Array) {
	file, err := m.Save()
	if err != nil {
		panic("rkhs: " + err.Error()) // a fit gives finite numbers
	}
	h := &lowrank.Header{}
	file.ReadHeader(h)
	whole := &model.Archive{}
	whole.PutPart(prefix, file)
	return h, whole.Arrays
}

func (f *Functions) save(name string) []lowrank.Array {
	c := dense.Clone(f.Coefficients)
	arrays := []lowrank.Array{{Name: name, Rows: c.Rows, Cols: c.Cols, Floats: c.Data}}
	if f.Offsets != nil {
		arrays = append(arrays, lowrank.Array{Name: name + "_offsets", Rows: len(f.Offsets), Floats: f.Offsets})
	}
	return arrays
}

// Load rebuilds a model from what Save gave. Every shape is checked.
func Load(h Header, arrays []lowrank.Array, profiles ...kernelgen.Profile) (*Model, error) {
	if h.Method != Method || h.Rank < 0 || h.Pairs < 0 || h.Lag < 0 || h.Left == nil {
		return nil, fmt.Errorf("model header: method %q, rank %d, %d pairs, lag %d, left side %v", h.Method, h.Rank, h.Pairs, h.Lag, h.Left)
	}
	m := &Model{Random: h.Random, Centred: h.Centred, Inverse: h.Inverse, Seed: h.Seed, Pairs: h.Pairs, Lag: h.Lag}
	var err error
	if m.Operator, err = ParseOperator(h.Operator, h.Epsilon); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if m.Task, err = ParseTask(h.Task); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if m.Engine, err = ParseEngine(h.Engine); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if h.Complex && m.Task != Eigen {
		return nil, fmt.Errorf("model: task %s has no complex values", m.Task)
	}
	l := loader{arrays: make(map[string]lowrank.Array), header: h}
	for _, a := range arrays {
		l.arrays[a.Name] = a
		l.finite(a.Name, a.Floats)
	}
	m.Values = l.vector("values", h.Rank)
	if h.Complex {
		m.Imag = l.vector("values_imag", h.Rank)
	}
	l.functions(m, arrays, profiles)
	if l.err != nil {
		return nil, l.err
	}
	return m, nil
}

// loader takes arrays by name and remembers the first thing that is wrong.
type loader struct {
	arrays map[string]lowrank.Array
	header Header
	err    error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("model: "+format, args...)
	}
}

// space takes features.
func (l *loader) space(prefix string, h *lowrank.Header, arrays []lowrank.Array, profiles []kernelgen.Profile) *lowrank.Model {
	var own []lowrank.Array
	for _, a := range arrays {
		if name, found := strings.CutPrefix(a.Name, prefix); found {
			a.Name = name
			own = append(own, a)
		}
	}
	text, err := json.Marshal(h)
	if err != nil {
		l.fail("%w", err)
		return nil
	}
	m, err := lowrank.Load(&model.Archive{Header: text, Arrays: own}, profiles...)
	switch {
	case err != nil:
		l.fail("%s: %w", prefix, err)
	case !m.Symmetric() || m.Shift != 0:
		l.fail("%s features come from a symmetric model without a shift", prefix)
	}
	return m
}

// functions takes all functions and their features.
func (l *loader) functions(m *Model, arrays []lowrank.Array, profiles []kernelgen.Profile) {
	left := l.space("left_features_", l.header.Left, arrays, profiles)
	right := left
	if l.header.Right != nil {
		right = l.space("right_features_", l.header.Right, arrays, profiles)
	}
	if l.err != nil {
		return
	}
	for _, f := range m.named() {
		if _, found := l.arrays[f.name]; !found && strings.HasPrefix(f.name, "canonical") {
			continue
		}
		space := left
		if f.right {
			space = right
		}
		*f.at = l.take(f.name, space)
	}
}

func (l *loader) take(name string, space *lowrank.Model) *Functions {
	cols := l.header.Rank
	if l.header.Complex {
		cols *= 2
	}
	a, rows := l.arrays[name], space.Left.Rank()
	if a.Rows != rows || a.Cols != cols || len(a.Floats) != rows*cols {
		l.fail("array %s is %d×%d with %d numbers, expected %d×%d", name, a.Rows, a.Cols, len(a.Floats), rows, cols)
		return nil
	}
	f := &Functions{Space: space, Complex: l.header.Complex,
		Coefficients: blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: a.Floats}}
	if l.header.Centred {
		f.Offsets = l.vector(name+"_offsets", cols)
	}
	return f
}

// vector takes a vector of n finite numbers.
func (l *loader) vector(name string, n int) []float64 {
	a := l.arrays[name]
	if a.Cols != 0 || len(a.Floats) != n {
		l.fail("array %s is not a vector of %d numbers", name, n)
	}
	return a.Floats
}

func (l *loader) finite(name string, values []float64) {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			l.fail("number %d of array %s is %v", i, name, v)
			return
		}
	}
}
