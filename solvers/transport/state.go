package transport

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// header is the file of a model: see [model.NewArchive].
type header struct {
	Method  string         `json:"method"` // "transport"
	Engine  string         `json:"engine"`
	Map     string         `json:"map"` // "kernel"; other versions had others
	Kernel  string         `json:"kernel"`
	Epsilon float64        `json:"epsilon"`
	Relax   float64        `json:"relax,omitempty"`
	Seed    uint64         `json:"seed"`
	Rows    int64          `json:"rows" min:"1"`
	Columns int64          `json:"columns" min:"1"`
	Left    []string       `json:"left" min:"1"` // names of the columns that left rows are mapped to
	Right   []string       `json:"right"`        // the same for right rows
	Factors *model.Archive `json:"factors,omitempty" array:"factors_"`
	U       *Mapping       `json:"-" array:"left_,d=left"`
	V       *Mapping       `json:"-" array:"right_,d=left"`
}

// Sizes reports which arrays the maps have.
func (h header) Sizes(a *model.Archive) map[string]int64 {
	if h.Map != "kernel" || len(h.Right) != len(h.Left) || !(h.Epsilon > 0 && h.Relax >= 0) {
		a.Fail("header: map %s to %q and %q, epsilon %v, relax %v", h.Map, h.Left, h.Right, h.Epsilon, h.Relax)
	}
	s := map[string]int64{"points": 1, "d+1": int64(len(h.Left)) + 1}
	if h.Factors != nil {
		s["points"], s["coefficients"], s["near"] = 0, 1, 1
	}
	return s
}

// Save returns the model as an archive. The map of each side has arrays with the prefix left_ or right_: near and
// moves, and those of its engine. For the exact engine these are points, the rows of the other side, and logs, the
// logarithms of their scalings. For the low-rank engine they are coefficients, centre, low, high, corrections and
// correction_values, see [Mapping]; its factors are saved as a lowrank.Model with the prefix factors_.
func (m *Model) Save() (*model.Archive, error) {
	h := header{Method: Name, Engine: m.Algorithm.String(), Map: "kernel", Kernel: m.Kernel.String(), Epsilon: m.Epsilon, Relax: m.MarginalPenalty,
		Seed: m.Seed, Rows: m.Rows, Columns: m.Cols, Left: m.Left.Names, Right: m.Right.Names, U: m.Left, V: m.Right}
	if m.Factors != nil {
		factors, err := m.Factors.Save()
		if err != nil {
			return nil, err
		}
		h.Factors = factors
	}
	return model.NewArchive(h)
}

// Load returns a saved model. Custom kernels need their profiles. It checks the shape of every array.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Algorithm: family.Word(a, h.Engine, ParseAlgorithm), Kernel: a.Kernel(h.Kernel, profiles...), Epsilon: h.Epsilon, MarginalPenalty: h.Relax,
		Seed: h.Seed, Rows: h.Rows, Cols: h.Columns, Left: h.U, Right: h.V}
	m.Left.Names, m.Right.Names = h.Left, h.Right
	if h.Factors != nil {
		factors, err := lowrank.Load(h.Factors, profiles...)
		a.Check(err)
		m.Factors = factors
	}
	for _, to := range []*Mapping{m.Left, m.Right} {
		switch {
		case a.Err() != nil:
		case to.Points.Rows < 1 && to.SampledRows.Rows < 1:
			a.Fail("array points or near has no rows")
		case m.Factors == nil:
		case m.Factors.Dimension(model.Left) != len(h.Left) || to.Coefficients.Rows != len(m.Factors.Values):
			a.Fail("factors of rank %d of rows with %d columns, expected %d and %d",
				len(m.Factors.Values), m.Factors.Dimension(model.Left), to.Coefficients.Rows, len(h.Left))
		}
	}
	return m, a.Err()
}
