package rkhs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Solver decomposes an operator. The zero value of every field but Operator, Kernel and
// Rank is ready to use.
type Solver struct {
	Operator Operator
	Task     Task
	Rank     int // triplets or eigenpairs; a pair of conjugates is not torn apart

	Kernel kernelgen.Kernel // of x, resolved: see [Data.Sample]
	// KernelY is that of y; nil means that of x. Operators that are between functions
	// of one space ([Koopman], [PerronFrobenius], all with Eigen) have one kernel.
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

// kernel is that of a side.
func (s Solver) kernel(which side) kernelgen.Kernel {
	if which == ofY && s.KernelY != nil {
		return *s.KernelY
	}
	return s.Kernel
}

// oneSpace says that x and y are to have the same features.
func (s Solver) oneSpace() bool {
	t := s.Operator.traits()
	return !t.alone && (t.oneSpace || s.Task == Eigen)
}

// settings fills in what was left to us, and refuses what cannot be.
func (s Solver) settings(e stream.Engine, shape Shape) (Solver, []string, error) {
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

func (s Solver) check(shape Shape) error {
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
	case !t.alone && shape.ColumnsY == 0:
		return fmt.Errorf("operator %s is between x and y: give a second source, or a lag", s.Operator)
	case s.oneSpace() && shape.Columns != shape.ColumnsY:
		return fmt.Errorf("x has %d columns and y has %d: %s of operator %s need functions of one space", shape.Columns, shape.ColumnsY, s.Task, s.Operator)
	case s.oneSpace() && s.kernel(ofY).String() != s.Kernel.String():
		return fmt.Errorf("kernels %s and %s: %s of operator %s need functions of one space, and so one kernel", s.Kernel, s.kernel(ofY), s.Task, s.Operator)
	case s.Random && s.Engine == EngineExact:
		return fmt.Errorf("engine %s has no random features: take engine %s", s.Engine, EngineLandmark)
	}
	return nil
}

// choose is what EngineAuto takes.
func (s Solver) choose(e stream.Engine, shape Shape) (Solver, []string) {
	because := func(engine Engine, format string, args ...any) (Solver, []string) {
		s.Engine = engine
		return s, []string{fmt.Sprintf("engine %s: ", engine) + fmt.Sprintf(format, args...)}
	}
	switch {
	case s.Random:
		return because(EngineLandmark, "random features were asked for")
	case s.Landmarks > 0 && int64(s.Landmarks) < shape.Pairs:
		return because(EngineLandmark, "%d landmarks were asked for", s.Landmarks)
	case shape.Pairs > AutoPairs:
		return because(EngineLandmark, "there are %d pairs, and the exact engine is for up to %d", shape.Pairs, AutoPairs)
	}
	exact := s
	exact.Engine = EngineExact
	if p, err := exact.Plan(e, shape); err == nil && s.Memory > 0 && p.Memory.Total() > s.Memory {
		return because(EngineLandmark, "the exact engine would take %d MiB of memory", p.Memory.Total()>>20)
	}
	return because(EngineExact, "there are %d pairs: few enough to span the features of all of them", shape.Pairs)
}

// Fit decomposes the operator of the pairs.
//
// Cost: rows to choose landmarks from are gathered; one pass over the pairs, n·(p+q)
// kernel entries for p and q landmarks, 2·n·(p+q)² flops, memory for (1+p+q)² numbers and
// the partial sums of as many; then dense algebra of p×q matrices.
func (s Solver) Fit(ctx context.Context, e stream.Engine, d *Data) (*Fit, error) {
	asked, auto := s.Rank, s.Engine == EngineAuto
	s, notes, err := s.settings(e, d.Shape())
	if err != nil {
		return nil, err
	}
	plan, err := s.Plan(e, d.Shape())
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
	f := &Fit{Notes: append(notes, sp.notes...), SourcePasses: 1, TraceResiduals: [2]float64{m.traces.left(ofX), m.traces.left(ofY)}}
	f.count(sp)
	if err := s.decompose(d, sp, m, f); err != nil {
		return nil, err
	}
	f.KernelEntries = sp.entries
	f.remark(s, asked)
	return f, nil
}

// count is how many features there are.
func (f *Fit) count(sp *spaces) {
	f.Features[0], f.Landmarks[0] = sp.x.Left.Rank(), sp.x.Left.Entries()
	if sp.y != nil {
		f.Features[1], f.Landmarks[1] = sp.y.Left.Rank(), sp.y.Left.Entries()
	}
}

// decomposition is a fit whose features are known.
type decomposition struct {
	Solver
	spaces *spaces
	means  [2][]float64 // of features; nil unless centred
	data   *Data
	fit    *Fit
}

// decompose makes the model.
func (s Solver) decompose(d *Data, sp *spaces, m *moments, fit *Fit) error {
	f, means := m.factors(sp, s.Centred, s.Cutoff)
	c := &decomposition{Solver: s, spaces: sp, means: means, data: d, fit: fit}
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

// space is the features of a side.
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
	if f.Rank() < asked {
		f.Notes = append(f.Notes, fmt.Sprintf("rank %d found, %d asked for: the other values are rounding", f.Rank(), asked))
	}
	if f.Dropped > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("the inverses left out %d directions below %.0e of the largest: epsilon above 0 would keep them", f.Dropped, s.Cutoff))
	}
	for i, left := range f.TraceResiduals {
		if left > carriedLittle {
			f.Notes = append(f.Notes, fmt.Sprintf("the features of %s leave %.2g of the trace of the kernel: more landmarks, or a wider kernel, leave less", side(i), left))
		}
	}
	if worst := largestOf(f.Residuals); worst > 1e-8 {
		f.Notes = append(f.Notes, fmt.Sprintf("residuals are up to %.1e of the first value: its eigenvalues are ill-conditioned; raise epsilon", worst))
	}
}

func largestOf(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = math.Max(most, x)
	}
	return most
}
