package rkhs

import (
	"context"
	"errors"
	"fmt"
	"math/cmplx"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Method is a way to decompose an operator. [Solver] is one.
type Method interface {
	// Plan returns what Fit will cost.
	Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error)
	// Fit decomposes the operator of the pairs, with a kernel of x.
	Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error)
}

var _ Method = Solver{}

// Solver decomposes an operator. The zero value of every field but Operator and Rank is
// ready to use.
type Solver struct {
	Operator Operator
	Task     Task
	Rank     int // triplets or eigenpairs; a pair of conjugates is not torn apart

	// KernelY is the kernel of y; nil means that of x, with words of its own: where y is in
	// another space they are worked out from rows of y. Operators that are between
	// functions of one space ([Koopman], [PerronFrobenius], all with Eigen) have one kernel.
	KernelY *kernelgen.Kernel
	// Centred takes the means of the features away first: covariances of features
	// instead of second moments. The paper's operators are not centred. Other codes for
	// CCA and kernel PCA centre. Without it the first singular function of a CCA
	// and the first eigenfunction of a transfer operator are nearly constant, with a
	// value near 1; with it they are gone.
	Centred bool

	Engine Engine
	// Landmarks is how many rows of either side span the functions; for one space, of
	// both sides together. 0 means 300. For EngineExact it is the most that the span
	// of all rows may take, 0 meaning 1000: it is an error if the kernel has a higher
	// rank, and EngineAuto then turns to landmarks. They are pivots of a randomly pivoted Cholesky factorisation of
	// max(1024, 5·Landmarks) rows, for EngineExact of all rows.
	Landmarks int
	// Random takes random Fourier features instead of landmarks (lowrank.RFF), as many
	// as Landmarks says, for kernels that have a spectral measure. It is for
	// EngineLandmark.
	Random bool

	// Cutoff is the part of the largest eigenvalue of a covariance operator, or singular
	// value of a time-lagged Gram matrix, at or below which it is left out of an inverse
	// with ε = 0 and of a pseudo-inverse; 0 means 1e-10.
	Cutoff float64
	Seed   uint64
	Memory int64 // bytes that the plan may take; 0 for no limit
}

// The defaults of Solver.Landmarks.
const (
	defaultLandmarks = 300
	defaultExact     = 1000
)

// setting is a solver with the kernels of both sides.
type setting struct {
	Solver
	kernels [2]kernelgen.Kernel
}

// with returns the solver with a kernel of x.
func (s Solver) with(k kernelgen.Kernel) setting {
	y := k
	if s.KernelY != nil {
		y = *s.KernelY
	}
	return setting{s, [2]kernelgen.Kernel{k, y}}
}

// resolve makes the words of kernels numbers.
func (s *setting) resolve(ctx context.Context, d *Data) (err error) {
	if s.kernels[ofX], err = model.Resolve(ctx, d, s.kernels[ofX], s.Seed); err != nil {
		return err
	}
	switch {
	case s.oneSpace():
		s.kernels[ofY] = s.kernels[ofX]
	case d.y != nil && !s.Operator.traits().alone:
		s.kernels[ofY], err = model.Resolve(ctx, sideData{d, ofY}, s.kernels[ofY], s.Seed)
	}
	return err
}

// oneSpace reports whether x and y are to have the same features.
func (s Solver) oneSpace() bool {
	t := s.Operator.traits()
	return !t.alone && (t.oneSpace || s.Task == Eigen)
}

// settings fills in what was left to us, and refuses what cannot be.
func (s setting) settings(e stream.Engine, shape model.Shape) (setting, []string, error) {
	if err := s.check(shape); err != nil {
		return s, nil, err
	}
	if s.Cutoff == 0 {
		s.Cutoff = 1e-10
	}
	var notes []string
	if s.Engine == EngineAuto {
		s, notes = s.choose(e, shape)
	}
	if s.Landmarks == 0 {
		s.Landmarks = defaultLandmarks
		if s.Engine == EngineExact {
			s.Landmarks = defaultExact
		}
	}
	return s, notes, nil
}

func (s setting) check(shape model.Shape) error {
	if s.Operator == nil {
		panic("rkhs: a solver without an operator")
	}
	if err := checkOperator(s.Operator); err != nil {
		return err
	}
	t := s.Operator.traits()
	switch {
	case s.Rank < 1 || s.Landmarks < 0 || s.Memory < 0:
		return fmt.Errorf("rank %d must be at least 1, and landmarks %d and memory %d not negative", s.Rank, s.Landmarks, s.Memory)
	case !(s.Cutoff >= 0 && s.Cutoff < 1):
		return fmt.Errorf("cutoff %v must be from 0 to below 1", s.Cutoff)
	case !t.alone && columnsOf(shape, ofY) == 0:
		return fmt.Errorf("operator %s is between x and y: give a second source, or a lag", s.Operator)
	case s.oneSpace() && shape.Columns != columnsOf(shape, ofY):
		return fmt.Errorf("x has %d columns and y has %d: %s of operator %s need functions of one space", shape.Columns, columnsOf(shape, ofY), s.Task, s.Operator)
	case s.oneSpace() && s.kernels[ofX].String() != s.kernels[ofY].String():
		return fmt.Errorf("kernels %s and %s: %s of operator %s need functions of one space, and so one kernel", s.kernels[ofX], s.kernels[ofY], s.Task, s.Operator)
	case s.Random && s.Engine == EngineExact:
		return fmt.Errorf("engine %s has no random features: take engine %s", s.Engine, EngineLandmark)
	}
	return nil
}

// choose returns what EngineAuto takes.
func (s setting) choose(e stream.Engine, shape model.Shape) (setting, []string) {
	because := func(engine Engine, format string, args ...any) (setting, []string) {
		s.Engine = engine
		return s, []string{fmt.Sprintf("engine %s: ", engine) + fmt.Sprintf(format, args...)}
	}
	switch {
	case s.Random:
		return because(EngineLandmark, "random features were asked for")
	case s.Landmarks > 0 && int64(s.Landmarks) < shape.Rows:
		return because(EngineLandmark, "%d landmarks were asked for", s.Landmarks)
	case shape.Rows > AutoPairs:
		return because(EngineLandmark, "there are %d pairs, and the exact engine is for up to %d", shape.Rows, AutoPairs)
	}
	exact := s
	exact.Engine = EngineExact
	if p, err := exact.plan(e, shape); err == nil && s.Memory > 0 && p.Memory.Total() > s.Memory {
		return because(EngineLandmark, "the exact engine would take %d MiB of memory", p.Memory.Total()>>20)
	}
	return because(EngineExact, "there are %d pairs: few enough to span the features of all of them", shape.Rows)
}

// Fit decomposes the operator of the pairs, with a kernel of x; see [Solver.KernelY] for
// that of y. Words of kernels become numbers.
//
// Cost: rows to choose landmarks from are gathered; one pass over the pairs, n·(p+q)
// kernel entries for p and q landmarks, 2·n·(p+q)² flops, memory for (1+p+q)² numbers and
// the partial sums of as many; then dense algebra of p×q matrices.
func (s Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	set := s.with(k)
	if err := set.check(d.Shape()); err != nil {
		return nil, err
	}
	if err := set.resolve(ctx, d); err != nil {
		return nil, err
	}
	f, err := set.fit(ctx, e, d)
	if err == nil && s.Engine == EngineAuto {
		f.Chosen = f.Engine.String()
	}
	return f, err
}

// fit is Fit with kernels of numbers.
func (s setting) fit(ctx context.Context, e stream.Engine, d *Data) (*Fit, error) {
	asked, auto := s.Rank, s.Engine == EngineAuto
	s, notes, err := s.settings(e, d.Shape())
	if err != nil {
		return nil, err
	}
	plan, err := s.plan(e, d.Shape())
	if err != nil {
		return nil, err
	}
	if err := plan.Memory.Check(s.Memory); err != nil {
		return nil, err
	}
	sp, err := s.newSpaces(ctx, e, d)
	if auto && errors.Is(err, errNotSpanned) {
		notes = []string{fmt.Sprintf("engine landmark: %v", err)}
		s.Engine, s.Landmarks = EngineLandmark, defaultLandmarks
		sp, err = s.newSpaces(ctx, e, d)
	}
	if err != nil {
		return nil, err
	}
	m, err := s.pass(ctx, e, d, sp)
	if err != nil {
		return nil, err
	}
	f := &Fit{TraceResiduals: [2]float64{m.traces.left(ofX), m.traces.left(ofY)}}
	f.SourcePasses = 1
	f.Note(append(notes, sp.notes...)...)
	f.count(sp)
	if err := s.decompose(d, sp, m, f); err != nil {
		return nil, err
	}
	f.KernelEntries = sp.entries
	f.remark(s.Solver, asked)
	return f, nil
}

// count says how many features there are.
func (f *Fit) count(sp *spaces) {
	f.Features[0], f.Landmarks[0] = sp.x.Left.Rank(), sp.x.Left.Entries()
	if sp.y != nil {
		f.Features[1], f.Landmarks[1] = sp.y.Left.Rank(), sp.y.Left.Entries()
	}
}

// decomposition is a fit whose features are known.
type decomposition struct {
	setting
	spaces *spaces
	means  [2][]float64 // of features; nil unless centred
	data   *Data
	fit    *Fit
}

// decompose makes the model.
func (s setting) decompose(d *Data, sp *spaces, m *moments, fit *Fit) error {
	f, means := m.factors(sp, s.Centred, s.Cutoff)
	c := &decomposition{setting: s, spaces: sp, means: means, data: d, fit: fit}
	fit.Model = &Model{Task: s.Task, Operator: s.Operator, Engine: s.Engine, Random: s.Random,
		Centred: s.Centred, Seed: s.Seed, Pairs: d.n, Lag: d.lag}
	r, err := c.Operator.matrix(f)
	if err != nil {
		return err
	}
	fit.Dropped = r.dropped
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
func (c *decomposition) svd(t *triplets, matrix blas64.General, f *factors) error {
	r := min(c.Rank, len(t.values))
	m, sides := c.fit.Model, c.Operator.traits()
	c.fit.Spectrum, c.fit.Residuals = t.values, t.residuals(matrix, r)
	m.Values = t.values[:r:r]
	u, v := dense.Columns(t.u, 0, r), dense.Columns(t.v, 0, r)
	m.Left, m.Right = c.functions(sides.left, u), c.functions(sides.right, v)
	if op, ok := c.Operator.(CCA); ok {
		return c.canonical(f, op.Epsilon, u, v)
	}
	return nil
}

// functions returns functions of a side.
func (c *decomposition) functions(which side, m blas64.General) *Functions {
	space := c.spaces.x
	if which == ofY {
		space = c.spaces.y
	}
	return newFunctions(space, m, c.means[which])
}

// canonical adds the functions that correlate.
func (c *decomposition) canonical(f *factors, epsilon float64, u, v blas64.General) error {
	left, err := f.inverseRoot(ofY, epsilon)
	if err != nil {
		return err
	}
	right, err := f.inverseRoot(ofX, epsilon)
	if err != nil {
		return err
	}
	c.fit.CanonicalLeft = c.functions(ofY, mul(left, u))
	c.fit.CanonicalRight = c.functions(ofX, mul(right, v))
	return nil
}

// eigenOf decomposes a matrix and makes a model of its eigenfunctions.
func (c *decomposition) eigenOf(r result) error {
	pairs, err := c.pairs(r)
	if err == nil {
		c.eigen(pairs, r.General)
	}
	return err
}

// eigen makes a model of eigenfunctions. Centred functions have a mean of 0 over x.
func (c *decomposition) eigen(pairs *eigenpairs, matrix blas64.General) {
	r := pairs.first(c.Rank)
	m := c.fit.Model
	for _, v := range pairs.values {
		c.fit.Spectrum = append(c.fit.Spectrum, cmplx.Abs(v))
	}
	c.fit.Residuals = pairs.residuals(matrix, r)
	for _, v := range pairs.values[:r] {
		m.Values, m.Imag = append(m.Values, real(v)), append(m.Imag, imag(v))
	}
	kept := &eigenpairs{values: pairs.values[:r]}
	whole := !kept.complexValued()
	if whole {
		m.Imag = nil
	}
	for _, side := range []struct {
		to   **Functions
		from complexMatrix
	}{{&m.Left, pairs.left}, {&m.Right, pairs.right}} {
		re, im := dense.Columns(side.from.re, 0, r), dense.Columns(side.from.im, 0, r)
		if whole {
			*side.to = newFunctions(c.spaces.x, re, c.means[ofX])
		} else {
			*side.to = newComplexFunctions(c.spaces.x, complexMatrix{re, im}, c.means[ofX])
		}
	}
}

func (c *decomposition) pairs(r result) (*eigenpairs, error) {
	if c.Operator.traits().symmetric {
		return symmetricPairs(c.Operator, r.General)
	}
	return reducedPairs(c.Operator, r)
}

// carriedLittle is the part of a trace above which a note says that landmarks are few.
const carriedLittle = 0.01

// remark adds notes.
func (f *Fit) remark(s Solver, asked int) {
	note := func(format string, args ...any) { f.Note(fmt.Sprintf(format, args...)) }
	if f.Rank() < asked {
		note("rank %d found, %d asked for: the other values are rounding", f.Rank(), asked)
	}
	if f.Dropped > 0 {
		note("the inverses left out %d directions below %.0e of the largest: epsilon above 0 would keep them", f.Dropped, s.Cutoff)
	}
	for i, left := range f.TraceResiduals {
		if left > carriedLittle {
			note("the features of %s leave %.2g of the trace of the kernel: more landmarks, or a wider kernel, leave less", side(i), left)
		}
	}
	if worst := f.Residual(); worst > 1e-8 {
		note("residuals are up to %.1e of the first value: its eigenvalues are ill-conditioned; raise epsilon", worst)
	}
}
