package rkhs

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// Name is what the header of a saved model of this package calls it.
const Name = "operator"

// Names are what the headers of saved models have called it, the first as it is now.
var Names = []string{Name, "rkhs"}

// header is what a saved model says about itself in words and numbers; the rest is in
// arrays.
type header struct {
	Method      string          `json:"method"` // "operator"
	Task        string          `json:"task"`   // svd or eigen
	Kind        string          `json:"kind"`   // of the operator
	Ridge       float64         `json:"ridge,omitempty"`
	Own         bool            `json:"own,omitempty"`       // the operator is none of the words of this package
	Symmetric   bool            `json:"symmetric,omitempty"` // of one's own: it is self-adjoint
	Engine      string          `json:"engine"`
	Formulation string          `json:"formulation"` // "qr"; other versions had others
	Random      bool            `json:"random_features,omitempty"`
	Centred     bool            `json:"centred"`
	Inverse     bool            `json:"inverse,omitempty"`
	Complex     bool            `json:"complex,omitempty"`
	Seed        uint64          `json:"seed"`
	Pairs       int64           `json:"pairs"`
	Lag         int64           `json:"lag,omitempty"`
	Rank        int             `json:"rank"`
	Left        json.RawMessage `json:"left"`            // features of the left functions
	Right       json.RawMessage `json:"right,omitempty"` // absent if they are those of the left
	oldWords
}

// oldWords are what the first version wrote, whose method was "rkhs".
type oldWords struct {
	Operator string  `json:"operator,omitempty"` // the kind: kcca for cca
	Epsilon  float64 `json:"epsilon,omitempty"`  // the ridge
}

// renew puts the words of the first version into their places.
func (h *header) renew() {
	if h.Method != "rkhs" || h.Kind != "" {
		return
	}
	if h.Kind, h.Ridge = h.Operator, h.Epsilon; h.Kind == "kcca" {
		h.Kind = "cca"
	}
}

// The prefixes of the arrays of features.
const (
	leftFeatures  = "left_features_"
	rightFeatures = "right_features_"
)

// Save returns the model as an archive with the arrays values and, of complex
// eigenvalues, values_imag; the features of the left functions as lowrank.Model saves
// them, their names behind left_features_, and of the right behind right_features_ unless
// they are the same; coefficients left and right, features × rank, or twice as many
// columns if complex, the imaginary parts last; canonical_left and canonical_right of
// CCA; and with centred features the same names with _offsets. A function of a row is
// u·√left_features_values·left − left_offsets.
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: Name, Task: m.Task.String(), Kind: m.Operator.String(), Ridge: m.Operator.Traits().Ridge, Engine: m.Engine.String(),
		Formulation: "qr", Random: m.Random, Centred: m.Centred, Inverse: m.Inverse, Complex: m.Imag != nil,
		Seed: m.Seed, Pairs: m.Pairs, Lag: m.Lag, Rank: m.Rank()}
	if h.Own = !slices.Contains(OperatorNames(), h.Kind); h.Own {
		h.Symmetric = m.Operator.Traits().Symmetric
	}
	left, err := m.Left.Space.Save()
	if err != nil {
		return nil, err
	}
	right := &model.Archive{}
	if m.Right.Space != m.Left.Space {
		if right, err = m.Right.Space.Save(); err != nil {
			return nil, err
		}
	}
	h.Left, h.Right = left.Header, right.Header
	a, err := model.NewArchive(h)
	if err != nil {
		return nil, err
	}
	a.PutVector("values", m.Values)
	if m.Imag != nil {
		a.PutVector("values_imag", m.Imag)
	}
	a.PutPart(leftFeatures, left)
	a.PutPart(rightFeatures, right)
	for _, f := range m.named() {
		if *f.at == nil {
			continue
		}
		a.PutMatrix(f.name, (*f.at).Coefficients)
		if (*f.at).Offsets != nil {
			a.PutVector(f.name+"_offsets", (*f.at).Offsets)
		}
	}
	return a, nil
}

// namedFunctions are a place for functions.
type namedFunctions struct {
	name  string
	right bool
	at    **Functions
}

// named returns all functions of the model.
func (m *Model) named() []namedFunctions {
	return []namedFunctions{{"left", false, &m.Left}, {"right", true, &m.Right},
		{"canonical_left", false, &m.CanonicalLeft}, {"canonical_right", true, &m.CanonicalRight}}
}

// Load returns the model that Save gave; a kernel of one's own needs its profile. Every
// shape is checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	ok := a.Open("rkhs", &h)
	h.renew()
	if !ok || h.Rank < 0 || h.Pairs < 0 || h.Lag < 0 || h.Left == nil {
		a.Fail("header: method %q, rank %d, %d pairs, lag %d, left side %s", h.Method, h.Rank, h.Pairs, h.Lag, h.Left)
		return nil, a.Err()
	}
	m := &Model{Random: h.Random, Centred: h.Centred, Inverse: h.Inverse, Seed: h.Seed, Pairs: h.Pairs, Lag: h.Lag}
	a.Check(m.words(h))
	if h.Complex && m.Task != Eigen {
		a.Fail("task %s has no complex values", m.Task)
	}
	m.Values = a.Vector("values", h.Rank)
	if h.Complex {
		m.Imag = a.Vector("values_imag", h.Rank)
	}
	left := loadSpace(a.Part(leftFeatures, h.Left), profiles)
	right := left
	if h.Right != nil {
		right = loadSpace(a.Part(rightFeatures, h.Right), profiles)
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
	for _, f := range m.named() {
		if strings.HasPrefix(f.name, "canonical") && !a.Has(f.name) {
			continue
		}
		space := left
		if f.right {
			space = right
		}
		*f.at = loadFunctions(a, h, f.name, space)
	}
	return m, a.Err()
}

// words reads the words of the header.
func (m *Model) words(h header) (err error) {
	if h.Own {
		m.Operator = remembered{h.Kind, h.Ridge, h.Symmetric}
	} else if m.Operator, err = ParseOperator(h.Kind, h.Ridge); err != nil {
		return err
	}
	if m.Task, err = ParseTask(h.Task); err != nil {
		return err
	}
	m.Engine, err = ParseEngine(h.Engine)
	return err
}

// loadSpace returns features.
func loadSpace(a *model.Archive, profiles []kernelgen.Profile) *lowrank.Model {
	m, err := lowrank.Load(a, profiles...)
	a.Check(err)
	if err == nil && (!m.Symmetric() || m.Shift != 0) {
		a.Fail("features come from a symmetric model without a shift")
	}
	return m
}

// loadFunctions returns functions with features of a space.
func loadFunctions(a *model.Archive, h header, name string, space *lowrank.Model) *Functions {
	cols := h.Rank
	if h.Complex {
		cols *= 2
	}
	f := &Functions{Space: space, Complex: h.Complex, Coefficients: a.Matrix(name, space.Left.Rank(), cols)}
	if h.Centred {
		f.Offsets = a.Vector(name+"_offsets", cols)
	}
	return f
}
