package ism

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

func (m Solver) settings() (Solver, error) {
	for _, f := range []struct {
		value  *int
		preset int
	}{{&m.Iterations, 50}, {&m.Rounds, 20}, {&m.Landmarks, 300}, {&m.Sample, 2000}} {
		if *f.value == 0 {
			*f.value = f.preset
		}
	}
	if m.Tolerance == 0 {
		m.Tolerance = 0.01
	}
	if m.FeatureTolerance == 0 {
		m.FeatureTolerance = 1e-4
	}
	if m.Angle == 0 {
		m.Angle = 0.01
	}
	m.Sample = max(m.Sample, m.Landmarks)
	switch {
	case len(m.Kernel.terms) == 0:
		panic("ism: the zero Kernel cannot be used")
	case m.Dim < 1:
		return m, fmt.Errorf("ism: dimension %d; ask for 1 at least", m.Dim)
	case m.Iterations < 1 || m.Rounds < 1 || m.Landmarks < 1 || m.Sample < 1:
		return m, fmt.Errorf("ism: iterations %d, rounds %d, landmarks %d and sample %d must be at least 1", m.Iterations, m.Rounds, m.Landmarks, m.Sample)
	case !(m.Tolerance > 0) || !(m.Angle > 0) || !(m.FeatureTolerance > 0):
		return m, fmt.Errorf("ism: tolerance %v, angle %v and feature tolerance %v must be positive", m.Tolerance, m.Angle, m.FeatureTolerance)
	case m.Engine > EngineLinear:
		return m, fmt.Errorf("ism: there is no engine %v", m.Engine)
	}
	return m, nil
}

// settings says whether the task can be done, and fills in μ.
func (t Task) settings(k Kernel) (Task, error) {
	if t.Mu == 0 {
		t.Mu = 1
	}
	switch {
	case t.Paradigm > Alternative:
		return t, fmt.Errorf("ism: there is no paradigm %v", t.Paradigm)
	case t.Paradigm == Unsupervised && t.Known != nil:
		return t, errors.New("ism: unsupervised knows no labels; semisupervised does")
	case t.Paradigm != Unsupervised && t.Known == nil:
		return t, fmt.Errorf("ism: %v needs what is known of the rows: labels, targets, scores", t.Paradigm)
	case t.Paradigm != Supervised && t.Clusters < 2:
		return t, fmt.Errorf("ism: %v needs a number of clusters, at least 2; it is %d", t.Paradigm, t.Clusters)
	case t.Paradigm != Supervised && k.aligned != notAligned:
		return t, errors.New("ism: weights by alignment are for supervised, where what is known does not change")
	case t.Paradigm != Unsupervised && t.Laplacian:
		return t, fmt.Errorf("ism: %v does not ask whether Y comes from the Laplacian", t.Paradigm)
	case !positive(t.Mu):
		return t, fmt.Errorf("ism: mu is %v; it must be positive and finite", t.Mu)
	}
	return t, nil
}

// fitting is a fit under way.
type fitting struct {
	Solver
	task    Task
	all     *data // as the source gives them
	data    *data // where the engine reads: all, or memory
	held    *sampled
	kernel  Kernel // with numbers
	terms   []weighted
	choice  Engine
	engine  evaluator
	fit     *Fit
	it      *iteration
	weights [2]float64 // of Ω and of what is known, in Γ
}

func (m Solver) fit(ctx context.Context, e stream.Engine, src stream.Source, task Task) (*Fit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	if task, err = task.settings(m.Kernel); err != nil {
		return nil, err
	}
	f := &fitting{Solver: m, task: task, fit: &Fit{FeatureError: math.NaN(), Rounds: 1}}
	if err := f.prepare(ctx, e, src); err != nil {
		return nil, err
	}
	if task.Paradigm == Supervised {
		err = f.supervised(ctx)
	} else {
		err = f.clusters(ctx)
	}
	if err != nil {
		return nil, err
	}
	return f.finish(src.Info())
}

// prepare reads the columns, checks shapes, makes numbers of words, and sets up the
// engine.
func (f *fitting) prepare(ctx context.Context, e stream.Engine, src stream.Source) (err error) {
	name := src.Info().Name
	centre := true
	for _, t := range f.Kernel.terms {
		centre = centre && t.atom.shapeKnown().base == SquaredDistance
	}
	if f.all, err = newData(ctx, e, src, centre, &f.fit.SourcePasses); err != nil {
		return err
	}
	if f.Dim > f.all.d {
		return fmt.Errorf("%s: %d dimensions asked for, and %d columns that vary", name, f.Dim, f.all.d)
	}
	if k := f.task.Known; k != nil && k.Rows() != f.all.n {
		return fmt.Errorf("%s: %d rows, and %d labels or rows of targets", name, f.all.n, k.Rows())
	}
	if f.task.Clusters > f.all.n {
		return fmt.Errorf("%s: %d rows for %d clusters", name, f.all.n, f.task.Clusters)
	}
	if len(src.Info().Columns) > f.all.d {
		f.fit.Notes = append(f.fit.Notes, fmt.Sprintf("%d columns are constant and were left out; W is 0 there", len(src.Info().Columns)-f.all.d))
	}
	f.data = f.all
	f.choice = f.chooseEngine(f.all.n, f.all.d)
	f.all.engine.BlockRows = passRows(f.choice, e, len(src.Info().Columns))
	if f.choice == EngineExact {
		x := &exact{}
		if f.data, x.x, err = f.all.load(ctx); err != nil {
			return err
		}
		x.data = f.data
		f.engine = x
	}
	if f.held, err = f.data.sample(ctx, f.Sample, f.Seed, "rows that ism holds"); err != nil {
		return err
	}
	if f.kernel, err = f.resolve(ctx); err != nil {
		return err
	}
	f.terms = f.kernel.weighted()
	if x, ok := f.engine.(*exact); ok {
		x.terms = f.terms
	} else {
		f.engine = &linear{data: f.data, terms: f.terms, held: f.held, most: f.Landmarks, tolerance: f.FeatureTolerance}
	}
	f.it = &iteration{Solver: f.Solver, engine: f.engine, flat: flat(f.terms)}
	return nil
}

// passRows is the size of a block: more rows than is usual for many columns, since the
// linear engine has an accumulator that is large beside them.
func passRows(choice Engine, e stream.Engine, d int) int {
	if choice == EngineLinear && e.BlockRows == 0 && d <= 2048 {
		return max(stream.BlockRows(d), stream.PanelRows)
	}
	return e.BlockRows
}

// exactCost is how many multiplications and additions of an exact iteration are cheap:
// about a second on a core.
const exactCost = 2e10

// chooseEngine is the engine for a fit of n rows with d columns.
func (m Solver) chooseEngine(n, d int) Engine {
	if m.Engine != EngineAuto {
		return m.Engine
	}
	if float64(n)*float64(n)*float64(d+m.Dim+16) <= exactCost {
		return EngineExact
	}
	return EngineLinear
}

func (f *fitting) supervised(ctx context.Context) error {
	p := f.task.Known.centred(1)
	g := &gamma{n: f.data.n, parts: []*part{p}}
	if err := g.check("what is known"); err != nil {
		return err
	}
	f.it.gamma, f.it.round = g, 1
	var err error
	f.fit.Settled, err = f.it.run(ctx)
	return err
}

// finish makes the model of the W accepted last.
func (f *fitting) finish(info stream.Info) (*Fit, error) {
	w, values, err := ritz(f.it.at)
	if err != nil {
		return nil, err
	}
	full := stream.NewMatrix(len(info.Columns), f.Dim)
	for k := range w.Rows {
		j := k
		if f.all.active != nil {
			j = f.all.active[k]
		}
		copy(dense.Row(full, j), dense.Row(w, k))
	}
	r := f.fit
	r.Model = &Model{Kernel: f.kernel, Paradigm: f.task.Paradigm, Engine: f.choice, W: full, Values: values, Columns: info.Columns, Rows: int64(f.data.n), Seed: f.Seed}
	r.History, r.Iterations, r.Damped = f.it.history, len(f.it.history), f.it.damped
	r.Objective, r.Residual = f.it.at.objective, residual(f.it.at)
	switch x := f.engine.(type) {
	case *exact:
		r.ExactPasses = x.passes
		r.KernelEntries += x.entries
	case *linear:
		r.KernelEntries += x.entries
		r.Features = x.features
		r.FeatureError = x.left
		if x.left > 10*f.FeatureTolerance {
			r.Notes = append(r.Notes, fmt.Sprintf("%d landmarks leave %.2g of the kernel's diagonal on the sample; more landmarks make Φ more exact", f.Landmarks, x.left))
		}
	}
	if !r.Settled {
		r.Notes = append(r.Notes, fmt.Sprintf("W had not settled after %d iterations in %d rounds; more of them may change it", r.Iterations, r.Rounds))
	}
	return r, nil
}

// gammaOf is Γ of a round: of the embedding, and of what is known.
func (f *fitting) gammaOf(y *embedding) *gamma {
	g := &gamma{n: f.data.n}
	if f.task.Paradigm == Unsupervised {
		g.parts = append(g.parts, ofFactors(centredColumns(y.y), 1))
		return g
	}
	scaled := dense.Clone(y.y)
	for i := range scaled.Rows {
		for j := range scaled.Cols {
			scaled.Data[i*scaled.Stride+j] /= math.Sqrt(y.degrees[i])
		}
	}
	if f.weights[0] == 0 {
		f.weights = [2]float64{1, f.task.Mu}
		if f.task.Relative {
			f.weights[0] = 1 / ofFactors(scaled, 1).norm()
			f.weights[1] = f.task.Mu / f.task.Known.centred(1).norm()
		}
		if f.task.Paradigm == Alternative {
			f.weights[1] = -f.weights[1]
		}
	}
	g.parts = append(g.parts, ofFactors(scaled, f.weights[0]), f.task.Known.centred(f.weights[1]))
	return g
}

// norm is ‖G·T·Gᵀ‖_F.
func (p *part) norm() float64 {
	if p.codes == nil {
		g := dense.Mul(trans, p.g, noTrans, p.g)
		return p.table.Data[0] * dense.Frobenius(g)
	}
	sum := 0.0
	for a, na := range p.sums {
		for b, nb := range p.sums {
			v := p.table.Data[a*p.table.Stride+b]
			sum += v * v * na * nb
		}
	}
	return math.Sqrt(sum)
}
