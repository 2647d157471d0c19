package rkhs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Fit decomposes the operator of the pairs. k is the kernel of x; [Solver.KernelY] is that of y. Words of kernels are
// resolved.
//
// Cost: candidates for landmarks are gathered, then one pass over the pairs takes n·(p+q) kernel entries for p and q
// landmarks and 2·n·(p+q)² flops. Memory is (1+p+q)² numbers for each partial sum. Dense algebra of p×q matrices
// follows.
func (s Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, s, d, k, s.fit)
}

// fit implements Fit.
func (s Solver) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	set := s.with(k)
	if err := set.check(d.Size()); err != nil {
		return nil, err
	}
	if err := set.resolve(ctx, e, d); err != nil {
		return nil, err
	}
	f, err := set.fit(ctx, e, d)
	if err == nil && s.Algorithm == AlgorithmAuto {
		f.Choice.Name = f.Algorithm.String()
	}
	return f, err
}

// fit implements Fit with resolved kernels.
func (s resolvedSolver) fit(ctx context.Context, e stream.Engine, d *Data) (*Fit, error) {
	given, auto := s, s.Algorithm == AlgorithmAuto
	s, notes, err := s.settings(e, d.Size())
	if err != nil {
		return nil, err
	}
	compare := "compare with more `Landmarks`, or with `Algorithm exact`"
	sp, err := s.newSpaces(ctx, e, d)
	switch {
	case auto && errors.Is(err, errNotSpanned):
		notes = []string{fmt.Sprintf("engine landmark: %v", err)}
		s.Algorithm, s.Landmarks = AlgorithmLandmark, cmp.Or(given.Landmarks, defaultLandmarks)
		compare = "compare with more `Landmarks`"
		spent := sp.entries
		sp, err = s.newSpaces(ctx, e, d)
		sp.entries += spent
	case errors.Is(err, errNotSpanned):
		err = fmt.Errorf("%w; raise `Landmarks`, take a wider kernel, or `Algorithm landmark`", err)
	}
	if err != nil {
		return nil, err
	}
	m, err := s.sums(ctx, e, d, sp)
	if err != nil {
		return nil, err
	}
	f := &Fit{TraceResiduals: [2]float64{traceLeft(m, SideX), traceLeft(m, SideY)}, Trace: s.trace(m, sp)}
	f.SourcePasses = 1
	f.Note(notes...)
	f.Warn(sp.doubts...)
	for _, p := range sp.parts(d) {
		spread := p.spread(m)
		if s.Center && spread < basis.Dependence {
			return nil, basis.AlikeError(p.info.Name, p.space.Kernel)
		}
		f.Warn(basis.SpreadWarning(p.space.Kernel, spread)...)
	}
	f.count(sp)
	if err := s.decompose(ctx, e, d, sp, m, f); err != nil {
		return nil, err
	}
	if s.Algorithm == AlgorithmLandmark {
		f.AddEstimate(model.Estimate{Quantity: model.OperatorValues, Value: math.NaN(),
			Reason: "residuals are of the span of the features: " + compare})
	}
	f.KernelEntries = sp.entries
	f.remark(s.Solver, given.Rank)
	return f, nil
}

// count sets the numbers of features.
func (f *Fit) count(sp *spaces) {
	f.Features[0], f.Landmarks[0] = sp.x.Left.Rank(), sp.x.Left.Entries()
	if sp.y != nil {
		f.Features[1], f.Landmarks[1] = sp.y.Left.Rank(), sp.y.Left.Entries()
	}
}

// decomposition is a fit with known features.
type decomposition struct {
	resolvedSolver
	spaces *spaces
	means  [2][]float64 // of features; nil unless centred
	fit    *Fit
}

// decompose makes the model.
func (s resolvedSolver) decompose(ctx context.Context, e stream.Engine, d *Data, sp *spaces, m *moments,
	fit *Fit) error {
	f, means := factorsOf(m, sp, s.Center, s.Cutoff)
	if s.Operator.Traits().AllPairs {
		if err := s.expand(ctx, e, d, sp, means, f); err != nil {
			return err
		}
		fit.SourcePasses++
	}
	c := &decomposition{resolvedSolver: s, spaces: sp, means: means, fit: fit}
	fit.Model = &Model{Task: s.Task, Operator: s.Operator, Algorithm: s.Algorithm,
		Centered: s.Center, Seed: s.Seed, Pairs: d.n, Lag: d.lag}
	if d.unpaired(sp) {
		fit.RowsY = d.rowsY
	}
	r, err := c.Operator.Matrix(ctx, e, f)
	if err != nil {
		return err
	}
	fit.Dropped = r.Dropped
	if s.Task == Eigen {
		return c.eigenOf(r)
	}
	t, err := newTriplets(c.Operator, r)
	if err != nil {
		return err
	}
	return c.svd(t, r.General, f)
}

// svd makes a model of singular functions.
func (c *decomposition) svd(t *triplets, system blas64.General, f *Factors) error {
	r := min(c.Rank, len(t.values))
	m, sides := c.fit.Model, c.Operator.Traits()
	c.fit.Spectrum, c.fit.Residuals = t.values, t.residuals(system, r)
	m.Values = t.values[:r:r]
	u, v := matrix.Columns(t.u, 0, r), matrix.Columns(t.v, 0, r)
	m.Left, m.Right = c.functions(sides.Range, u), c.functions(sides.Domain, v)
	if op, ok := c.Operator.(CCA); ok {
		return c.canonical(f, op.Ridge, u, v)
	}
	return nil
}

// functions returns functions of a side.
func (c *decomposition) functions(which PairSide, m blas64.General) *Functions {
	space := c.spaces.x
	if which == SideY {
		space = c.spaces.y
	}
	return newFunctions(space, m, c.means[which])
}

// canonical adds the canonical functions.
func (c *decomposition) canonical(f *Factors, ridge float64, u, v blas64.General) error {
	left, err := f.inverseRoot(SideY, ridge)
	if err != nil {
		return err
	}
	right, err := f.inverseRoot(SideX, ridge)
	if err != nil {
		return err
	}
	c.fit.CanonicalLeft = c.functions(SideY, multiply(left, u))
	c.fit.CanonicalRight = c.functions(SideX, multiply(right, v))
	return nil
}

// eigenOf decomposes a matrix into a model of eigenfunctions.
func (c *decomposition) eigenOf(s Matrix) error {
	decompose := reducedPairs
	if c.Operator.Traits().Symmetric {
		decompose = symmetricPairs
	}
	pairs, err := decompose(c.Operator, s)
	if err == nil {
		c.eigen(pairs, s.General)
	}
	return err
}

// eigen makes a model of eigenfunctions. Centred functions have mean 0 over x.
func (c *decomposition) eigen(pairs *eigenpairs, system blas64.General) {
	r := pairs.first(c.Rank)
	m := c.fit.Model
	for _, v := range pairs.values {
		c.fit.Spectrum = append(c.fit.Spectrum, cmplx.Abs(v))
	}
	c.fit.Residuals = pairs.residuals(system, r)
	for _, v := range pairs.values[:r] {
		m.Values, m.Imag = append(m.Values, real(v)), append(m.Imag, imag(v))
	}
	columns := span(0, r)
	if slices.ContainsFunc(m.Imag, func(v float64) bool { return v != 0 }) {
		columns = append(columns, span(len(pairs.values), r)...)
	} else {
		m.Imag = nil
	}
	functions := func(of blas64.General) *Functions {
		f := newFunctions(c.spaces.x, dense.PickColumns(of, columns), c.means[SideX])
		f.Complex = m.Imag != nil
		return f
	}
	m.Left, m.Right = functions(pairs.left), functions(pairs.right)
}

// doubtfulTrace is the fraction of a trace outside the features above which the fit warns of too few landmarks.
const doubtfulTrace = 0.01

// remark adds notes and warnings.
func (f *Fit) remark(s Solver, asked int) {
	note := func(format string, args ...any) { f.Note(fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) { f.Warn(fmt.Sprintf(format, args...)) }
	if f.Rank() < asked {
		note("rank %d found, %d asked for: the other values are rounding", f.Rank(), asked)
	}
	if f.Dropped > 0 {
		note("the inverses left out %d directions below %.0e of the largest: a `Ridge` above 0 would keep them", f.Dropped, s.Cutoff)
	}
	for i, left := range f.TraceResiduals {
		if left > doubtfulTrace {
			warn("the features of %s leave %.2g of the trace of the kernel: more landmarks, or a wider kernel, leave less", PairSide(i), left)
		}
	}
	if worst := f.Residual(); worst > 1e-8 {
		warn("residuals are up to %.1e of the first value: its eigenvalues are ill-conditioned; raise `Ridge`", worst)
	}
}
