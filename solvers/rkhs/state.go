package rkhs

import (
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// Name identifies models of this package in saved headers.
const Name = "operator"

// header is the file of a model: see [model.NewArchive].
type header struct {
	Method      string         `json:"method"` // "operator"
	Task        string         `json:"task"`   // svd or eigen
	Kind        string         `json:"kind"`   // of the operator
	Ridge       float64        `json:"ridge,omitempty"`
	Own         bool           `json:"own,omitempty"`       // a custom operator
	Symmetric   bool           `json:"symmetric,omitempty"` // of a custom operator: it is self-adjoint
	Engine      string         `json:"engine"`
	Formulation string         `json:"formulation"` // "qr"; other versions had others
	Centred     bool           `json:"centred"`
	Inverse     bool           `json:"inverse,omitempty"`
	Complex     bool           `json:"complex,omitempty"`
	Seed        uint64         `json:"seed"`
	Pairs       int64          `json:"pairs"`
	RowsY       int64          `json:"rows_y,omitempty"`
	Lag         int64          `json:"lag,omitempty"`
	Rank        int            `json:"rank"`
	Values      []float64      `json:"-" array:"values,rank"`
	Imag        []float64      `json:"-" array:"values_imag,rank,if=complex"`
	Left        *model.Archive `json:"left" min:"1" array:"left_features_"`     // features of the left functions
	Right       *model.Archive `json:"right,omitempty" array:"right_features_"` // absent if the same as the left ones
	U           *Functions     `json:"-" array:"left,columns=functions"`
	V           *Functions     `json:"-" array:"right,columns=functions"`
	CanonicalU  *Functions     `json:"-" array:"canonical_left,columns=functions,optional"`
	CanonicalV  *Functions     `json:"-" array:"canonical_right,columns=functions,optional"`
}

// Sizes returns the numbers of columns of functions.
func (h header) Sizes(*model.Archive) map[string]int64 {
	if h.Complex {
		return map[string]int64{"functions": 2 * int64(h.Rank)}
	}
	return map[string]int64{"functions": int64(h.Rank)}
}

// Save returns the model as an archive with these arrays. values, and values_imag for complex eigenvalues. The features
// of the left functions, saved as a lowrank.Model with the prefix left_features_, and of the right ones with
// right_features_ unless they are the same. The coefficients left and right, features × rank; complex ones have twice
// as many columns, imaginary parts last. For CCA, canonical_left and canonical_right. With centred features, offsets
// under the same names with _offsets. The value of a function at a row is u·√left_features_values·left − left_offsets.
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: Name, Task: m.Task.String(), Kind: m.Operator.String(), Ridge: m.Operator.Traits().Ridge, Engine: m.Algorithm.String(),
		Formulation: "qr", Centred: m.Centered, Inverse: m.Inverse, Complex: m.Imag != nil,
		Seed: m.Seed, Pairs: m.Pairs, RowsY: m.RowsY, Lag: m.Lag, Rank: m.Rank(), Values: m.Values, Imag: m.Imag,
		U: m.Left, V: m.Right, CanonicalU: m.CanonicalLeft, CanonicalV: m.CanonicalRight}
	if h.Own = !slices.Contains(OperatorNames(), h.Kind); h.Own {
		h.Symmetric = m.Operator.Traits().Symmetric
	}
	var err error
	if h.Left, err = m.Left.Space.Save(); err != nil {
		return nil, err
	}
	if m.Right.Space != m.Left.Space {
		if h.Right, err = m.Right.Space.Save(); err != nil {
			return nil, err
		}
	}
	return model.NewArchive(h)
}

// Load returns a saved model. Custom kernels need their profiles. It checks the shape of every array.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open("rkhs", &h) {
		return nil, a.Err()
	}
	m := &Model{Centered: h.Centred, Inverse: h.Inverse, Seed: h.Seed, Pairs: h.Pairs, RowsY: h.RowsY, Lag: h.Lag,
		Values: h.Values, Imag: h.Imag,
		Task: family.Word(a, h.Task, ParseTask), Algorithm: family.Word(a, h.Engine, ParseAlgorithm), Operator: h.operator(a),
		Left: h.U, Right: h.V, CanonicalLeft: h.CanonicalU, CanonicalRight: h.CanonicalV}
	if h.Complex && m.Task != Eigen {
		a.Fail("task %s has no complex values", m.Task)
	}
	left := loadSpace(h.Left, profiles)
	right := left
	if h.Right != nil {
		right = loadSpace(h.Right, profiles)
	}
	if a.Err() == nil {
		h.bind(a, left, h.U, h.CanonicalU)
		h.bind(a, right, h.V, h.CanonicalV)
	}
	return m, a.Err()
}

// operator returns the operator named in the header.
func (h header) operator(a *model.Archive) Operator {
	if h.Own {
		return savedOperator{h.Kind, h.Ridge, h.Symmetric}
	}
	return family.Word(a, h.Kind, func(kind string) (Operator, error) { return ParseOperator(kind, h.Ridge) })
}

// bind sets the features of functions.
func (h header) bind(a *model.Archive, space *lowrank.Model, functions ...*Functions) {
	for _, f := range functions {
		if f == nil {
			continue
		}
		f.Space, f.Complex = space, h.Complex
		if rows := f.Coefficients.Rows; rows != space.Left.Rank() {
			a.Fail("coefficients of %d features, expected %d", rows, space.Left.Rank())
		}
	}
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
