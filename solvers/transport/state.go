package transport

import (
	"encoding/json"
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// header is what a saved model says about itself in words and numbers; the rest is in
// arrays.
type header struct {
	Method  string          `json:"method"` // "transport"
	Engine  string          `json:"engine"`
	Map     string          `json:"map"`
	Kernel  string          `json:"kernel"`
	Epsilon float64         `json:"epsilon"`
	Relax   float64         `json:"relax,omitempty"`
	Seed    uint64          `json:"seed"`
	Rows    int64           `json:"rows"`
	Columns int64           `json:"columns"`
	Left    []string        `json:"left"`  // names of the columns that left rows are mapped to
	Right   []string        `json:"right"` // and right rows
	Factors json.RawMessage `json:"factors,omitempty"`
}

// factorArrays is the prefix of the arrays of the factors.
const factorArrays = "factors_"

// Save returns the model as an archive. Its arrays are, for the maps of either side with the
// prefix left_ or right_: of the exact engine points, the rows of the other side, and
// logs, the logarithms of their scalings; of the low-rank engine the factors, as lowrank.Model saves
// them, behind factors_, and coefficients, centre, low, high, corrections and correction_values,
// see [Map]; and near and moves.
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: Name, Engine: m.Engine.String(), Map: m.Mapping().String(), Kernel: m.Kernel.String(), Epsilon: m.Epsilon, Relax: m.MarginalPenalty,
		Seed: m.Seed, Rows: m.Rows, Columns: m.Cols, Left: m.Left.Names, Right: m.Right.Names}
	factors := &model.Archive{}
	if m.Factors != nil {
		var err error
		if factors, err = m.Factors.Save(); err != nil {
			return nil, err
		}
		h.Factors = factors.Header
	}
	a, err := model.NewArchive(h)
	if err != nil {
		return nil, err
	}
	a.PutPart(factorArrays, factors)
	m.Left.put(a, "left_")
	m.Right.put(a, "right_")
	return a, nil
}

// put adds the arrays of a map that it has.
func (to *Map) put(a *model.Archive, prefix string) {
	if to.Points.Rows > 0 {
		a.PutMatrix(prefix+"points", to.Points)
		a.PutVector(prefix+"logs", to.Logs)
	}
	if to.Coefficients.Cols > 0 {
		a.PutMatrix(prefix+"coefficients", to.Coefficients)
		a.PutVector(prefix+"centre", to.Centre)
		a.PutVector(prefix+"low", to.Low)
		a.PutVector(prefix+"high", to.High)
	}
	if to.Corrections.Rows > 0 {
		a.PutMatrix(prefix+"corrections", to.Corrections)
		a.PutMatrix(prefix+"correction_values", to.CorrectionValues)
	}
	if to.Near.Rows > 0 {
		a.PutMatrix(prefix+"near", to.Near)
		a.PutMatrix(prefix+"moves", to.Moves)
	}
}

// Load returns the model that Save gave; a kernel of one's own needs its profile. Every
// shape is checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	ok := a.Open(Name, &h)
	m := &Model{Epsilon: h.Epsilon, MarginalPenalty: h.Relax, Seed: h.Seed, Rows: h.Rows, Cols: h.Columns}
	if !ok || h.Rows < 1 || h.Columns < 1 || len(h.Left) == 0 || len(h.Right) != len(h.Left) ||
		!(h.Epsilon > 0 && h.Epsilon <= math.MaxFloat64 && h.Relax >= 0 && h.Relax <= math.MaxFloat64) {
		a.Fail("header: method %q, %d rows, %d columns, maps to %q and %q, epsilon %v, relax %v", h.Method, h.Rows, h.Columns, h.Left, h.Right, h.Epsilon, h.Relax)
		return nil, a.Err()
	}
	engine, err := ParseEngine(h.Engine)
	a.Check(err)
	mapping, err := ParseMapping(h.Map)
	a.Check(err)
	m.Engine, m.Kernel = engine, a.Kernel(h.Kernel, profiles...)
	if h.Factors != nil && a.Err() == nil {
		m.Factors, err = lowrank.Load(a.Part(factorArrays, h.Factors), profiles...)
		a.Check(err)
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
	m.Left = m.loadMap(a, model.Left, mapping, h.Left)
	m.Right = m.loadMap(a, model.Right, mapping, h.Right)
	return m, a.Err()
}

// loadMap returns the map of a side.
func (m *Model) loadMap(a *model.Archive, side model.Side, mapping Mapping, names []string) *Map {
	to, prefix, d := &Map{Names: names}, side.String()+"_", len(names)
	nearby := mapping == NearestDisplacement
	switch {
	case nearby:
	case m.Factors == nil:
		if to.Points = a.Matrix(prefix+"points", -1, d); to.Points.Rows < 1 {
			a.Fail("%spoints has no rows", prefix)
		}
		to.Logs = a.Vector(prefix+"logs", to.Points.Rows)
	default:
		nearby = true
		m.loadFactors(a, to, prefix)
	}
	if nearby {
		if to.Near = a.Matrix(prefix+"near", -1, d); to.Near.Rows < 1 {
			a.Fail("%snear has no rows", prefix)
		}
		to.Moves = a.Matrix(prefix+"moves", to.Near.Rows, d)
	}
	return to
}

// loadFactors reads what a map by the low-rank kernel has.
func (m *Model) loadFactors(a *model.Archive, to *Map, prefix string) {
	d := to.Dimension()
	if m.Factors.Dimension(model.Left) != d {
		a.Fail("factors of rows with %d columns, not %d", m.Factors.Dimension(model.Left), d)
	}
	to.Coefficients = a.Matrix(prefix+"coefficients", len(m.Factors.Values), d+1)
	to.Centre, to.Low, to.High = a.Vector(prefix+"centre", d), a.Vector(prefix+"low", d), a.Vector(prefix+"high", d)
	if a.Has(prefix + "corrections") {
		to.Corrections = a.Matrix(prefix+"corrections", -1, d)
		to.CorrectionValues = a.Matrix(prefix+"correction_values", to.Corrections.Rows, d+1)
	}
}
