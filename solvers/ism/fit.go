package ism

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// settings returns the solver with its defaults. It fails, naming the setting, if one is invalid.
func (m Solver) settings() (Solver, error) {
	m.Iterations, m.Rounds, m.Landmarks = cmp.Or(m.Iterations, 50), cmp.Or(m.Rounds, 20), cmp.Or(m.Landmarks, 300)
	m.ChangeTol, m.Mu = cmp.Or(m.ChangeTol, 0.01), cmp.Or(m.Mu, 1)
	switch {
	case m.Dim < 1:
		return m, fmt.Errorf("dimension %d; ask for 1 at least", m.Dim)
	case m.Iterations < 1 || m.Rounds < 1 || m.Landmarks < 1:
		return m, fmt.Errorf("iterations %d, rounds %d and landmarks %d must be at least 1", m.Iterations, m.Rounds, m.Landmarks)
	case !(m.ChangeTol > 0):
		return m, fmt.Errorf("tolerance %v must be positive", m.ChangeTol)
	case m.Algorithm > AlgorithmLinear:
		return m, fmt.Errorf("there is no engine %v", m.Algorithm)
	}
	return m, m.checkParadigm()
}

// checkParadigm returns an error unless the settings suit the paradigm.
func (m Solver) checkParadigm() error {
	switch {
	case m.Paradigm > Alternative:
		return fmt.Errorf("there is no paradigm %v", m.Paradigm)
	case m.Paradigm != Supervised && m.Clusters < 2:
		return fmt.Errorf("%v needs a number of clusters, at least 2; it is %d", m.Paradigm, m.Clusters)
	case !(m.Mu > 0 && m.Mu <= math.MaxFloat64):
		return fmt.Errorf("mu is %v; it must be positive and finite", m.Mu)
	}
	return nil
}

// degrees reports whether the kernel is divided by its degrees in the embedding Y.
func (m Solver) degrees() bool { return m.Paradigm == SemiSupervised || m.Paradigm == Alternative }

// minSampleRows is the smallest sample of a fit, from which landmarks are chosen.
const minSampleRows = 2000

// sampleSize returns the size of the sample for n rows.
func (m Solver) sampleSize(n int) int { return min(n, max(minSampleRows, m.Landmarks)) }

// fitState is a fit in progress.
type fitState struct {
	Solver
	response  *Response
	all       *table // rows of the source
	data      *table // rows read by the engine: all, or a copy in memory
	sample    *rowSample
	kernel    kernelgen.Kernel // resolved by prepare
	terms     []term
	choice    Algorithm
	engine    evaluator
	fit       *Fit
	iteration *iteration
	weights   [2]float64 // of Ω and of the response, in Γ
}

// Fit finds W for the rows of d.
//
// Passes: one for the means and spreads of the columns, and one for the start. The exact engine then makes none, since
// it loads the rows before the start. The linear engine makes one for each W tried, and another if the kernel has
// distances. Finding clusters takes three for the first Y (four for Alternative), and with the linear engine one more
// each round. A source that can be read only once is an error. If rows cannot be gathered by number, sampling takes a
// pass that is not counted.
//
// Fit fails for values that are not finite (naming row and column), a response of another length, fewer than 2 rows, no
// column that varies, Dim above the number of varying columns, a Γ that is 0 (a single class), numbers that overflow,
// and kernels without a gradient ([kernelgen.Kernel.Terms]).
func (m Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Solver) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	if err := m.checkResponse(d.Size()); err != nil {
		return nil, err
	}
	f := &fitState{Solver: m, response: d.Response, kernel: k, fit: &Fit{FeatureError: math.NaN(), Rounds: 1}}
	if f.terms, err = termsOf(k); err != nil {
		return nil, err
	}
	if err := f.prepare(ctx, e, d); err != nil {
		return nil, err
	}
	settled := false
	if m.Paradigm == Supervised {
		settled, err = f.supervised(ctx)
	} else {
		settled, err = f.clusters(ctx)
	}
	if err != nil {
		return nil, err
	}
	f.fit.NotConverged = !settled
	return f.finish(d.Rows.Info())
}

// prepare reads the columns, checks shapes, resolves words, and sets up the engine.
func (f *fitState) prepare(ctx context.Context, e stream.Engine, d *Data) (err error) {
	src := d.Rows
	name := src.Info().Name
	if f.all, err = newTable(ctx, e, src, allDistances(f.terms), &f.fit.SourcePasses); err != nil {
		return err
	}
	if f.Dim > f.all.d {
		return fmt.Errorf("%s: %d dimensions asked for, and %d columns that vary", name, f.Dim, f.all.d)
	}
	if err := d.check(f.all.n); err != nil {
		return err
	}
	if f.Paradigm != Supervised && f.Clusters > f.all.n {
		return fmt.Errorf("%s: %d rows for %d clusters", name, f.all.n, f.Clusters)
	}
	if len(src.Info().Columns) > f.all.d {
		f.fit.Note(fmt.Sprintf("constant columns left out: %d; W is 0 there", len(src.Info().Columns)-f.all.d))
	}
	if f.choice, err = f.chooseEngine(f.all.n, f.all.d, f.terms); err != nil {
		return err
	}
	f.fit.Choice.Name = f.choice.String()
	f.data, f.all.engine.BlockRows = f.all, passRows(f.choice, e, len(src.Info().Columns))
	x := &exact{}
	if f.choice == AlgorithmExact {
		if f.data, x.x, err = f.all.load(ctx); err != nil {
			return err
		}
	}
	if f.sample, err = f.data.sample(ctx, f.sampleSize(f.all.n), f.Seed, "rows that ism holds"); err != nil {
		return err
	}
	if err := f.resolve(ctx); err != nil {
		return err
	}
	if f.choice == AlgorithmExact {
		f.engine = x
		err = x.prepare(ctx, f.data, f.terms, f.sample)
	} else {
		f.data.engine = f.data.engine.WithInputs(f.sample.x)
		if f.response != nil {
			f.data.engine = f.data.engine.WithInputs(f.response.codes, f.response.factors)
		}
		f.engine = &linear{data: f.data, terms: f.terms, sample: f.sample, maxLandmarks: f.Landmarks,
			tolerance: featureTolerance}
	}
	f.iteration = &iteration{Solver: f.Solver, engine: f.engine, flat: constantPhi(f.terms)}
	return err
}

// passRows returns the size of a block. The linear engine has large accumulators, so with many columns it uses more
// rows than usual.
func passRows(choice Algorithm, e stream.Engine, d int) int {
	if choice == AlgorithmLinear && e.BlockRows == 0 && d <= 2048 {
		return max(stream.BlockRows(d), tilesize.PanelRows)
	}
	return e.BlockRows
}

// exactCost limits the exact engine under AlgorithmAuto: entries times the columns each is multiplied by.
const exactCost = 2e10

// chooseEngine returns the engine for a fit of n rows with d columns. It fails if the requested engine, or the
// clusters, need features that the kernel does not have.
func (m Solver) chooseEngine(n, d int, terms []term) (Algorithm, error) {
	const remedy = "%v is not known to be positive semi-definite, as landmarks need; take %s"
	centred := !m.degrees()
	if t, found := firstWithout(terms, func(t term) bool { return t.embedded(centred) }); found &&
		m.Paradigm != Supervised {
		return 0, fmt.Errorf(remedy, t.Kernel, "a kernel that is positive, such as gaussian(), for clusters")
	}
	t, found := firstWithout(terms, func(t term) bool { return t.featured(centred) })
	switch {
	case m.Algorithm == AlgorithmLinear && found:
		return 0, fmt.Errorf(remedy, t.Kernel, "`Algorithm exact`")
	case m.Algorithm != AlgorithmAuto:
		return m.Algorithm, nil
	case found || float64(n)*float64(n)*float64(d+m.Dim+16) <= exactCost:
		return AlgorithmExact, nil
	}
	return AlgorithmLinear, nil
}

// supervised finds W for a response. Γ does not change, so one iteration suffices.
func (f *fitState) supervised(ctx context.Context) (settled bool, err error) {
	p := f.response.centred(1)
	g := &gamma{n: f.data.n, parts: []*part{p}}
	if err := g.check("what is known"); err != nil {
		return false, err
	}
	f.iteration.gamma = g
	return f.iteration.run(ctx)
}

// finish makes the model of the last accepted W.
func (f *fitState) finish(info stream.Info) (*Fit, error) {
	w, values, err := ritz(f.iteration.current)
	if err != nil {
		return nil, err
	}
	full := matrix.New(len(info.Columns), f.Dim)
	for k := range w.Rows {
		j := k
		if f.all.active != nil {
			j = f.all.active[k]
		}
		copy(matrix.Row(full, j), matrix.Row(w, k))
	}
	r := f.fit
	r.Model = &Model{Kernel: f.kernel, Paradigm: f.Paradigm, Algorithm: f.choice, W: full, Values: values, Columns: info.Columns, Rows: int64(f.data.n), Seed: f.Seed}
	r.History, r.Iterations, r.Damped = f.iteration.history, f.iteration.tried, f.iteration.damped
	r.Objective = f.iteration.current.objective
	r.Residuals = residuals(f.iteration.current.phi, w, values)
	switch x := f.engine.(type) {
	case *exact:
		r.ExactPasses = x.passes
		r.KernelEntries += x.entries.Load()
	case *linear:
		r.KernelEntries += x.entries
		r.Landmarks = x.features
		r.FeatureError = x.missingTrace
		if x.missingTrace > 10*featureTolerance {
			r.Warn(fmt.Sprintf("%d landmarks leave %.2g of the kernel's diagonal on the sample; more `Landmarks` make Φ more exact", f.Solver.Landmarks, x.missingTrace))
		}
	}
	if r.NotConverged {
		r.Warn(fmt.Sprintf("W had not converged after %d iterations in %d rounds; more of them may change it", r.Iterations, r.Rounds))
	}
	return r, nil
}
