package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Landmark is the landmark method (design §3), the default. It keeps the ℓ landmark columns J, which a sparse-sign
// sketch would compress:
//
//	Q = K(·, X_J)·T             T from the pass, see below
//	T = S ∪ J                    core points; they must contain J
//	Â = Q·W·Qᵀ + βI              W and β by least squares on K(X_T, X_T)
//
// truncated to rank c. Σ_{i>c} w_i/(n−c) is added to the shift, which is then fitted to the remainder after rank c.
// [ShiftMidpoint] adds w_{c+1}/2 instead, the midpoint of the truncated eigenvalues. With its multiple of I, Â may be
// closer to A in the spectral norm than the best matrix of rank c.
//
// For a positive semi-definite kernel, the pass sums the Gram matrix of K(·, X_J)·U⁻¹, where UᵀU = K(X_J, X_J), after
// dropping dependent landmarks. Other kernels use a QR factorisation and keep the c eigenvalues of largest modulus. The
// pass adds rows of high leverage to the core. From 800 landmarks on, only the 5/2·c leading columns of Q enter the
// core.
//
// Cost with s = |S|: one pass after gathering ℓ+s rows, n·ℓ + (ℓ+s)² kernel entries, 2n·ℓ² flops, memory for the
// landmarks, ℓ² and ℓ·(ℓ+s) numbers. Row sums of a normalised kernel are extra: see [Sums].
type Landmark struct {
	Rank      int  // c
	Landmarks int  // ℓ, at least the rank; 0 means 4c, and 2c + 200 from c = 100
	Core      int  // number of core points in addition to landmarks; 0 means 10ℓ up to 4,000, and 5/2·ℓ if that is more
	Rule      Rule // the zero value is RuleAuto
	Scout     bool // adds candidates that a uniform sample may miss, by one more pass
	Seed      uint64
	Shift     ShiftRule // fitted, midpoint or none
	Sums      Sums      // of a normalised kernel
}

// Fit approximates the kernel matrix between the rows of one source, or of two. For two sources, and for an asymmetric
// kernel, Q comes from all sampled columns and P from all sampled rows, and W = (Q_{O∪I})⁺·K(O∪I, S∪J)·(P_{S∪J})⁺ᵀ,
// truncated to rank c. Landmarks are then uniform, and there is no shift. Up to half of O and of S are rows of high
// leverage in Q and P, found in the pass over their source: a small core may otherwise miss a direction that lives on
// few rows.
func (m Landmark) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Landmark) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if d.Right != nil || !k.Symmetric() {
		return m.fitTwo(ctx, e, d, k)
	}
	k, _, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.checkOne(); err != nil {
		return nil, err
	}
	return m.fitOne(ctx, e, d.Left, k)
}

// checkOne returns an error unless the method supports one source with these settings.
func (m Landmark) checkOne() error {
	return m.Shift.among("landmark", ShiftFitted, ShiftMidpoint, ShiftNone)
}

// fitOne approximates the kernel matrix of the rows of src as a symmetric one.
func (m Landmark) fitOne(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*Fit, error) {
	f, err := m.stream(ctx, e, src, k)
	if err != nil {
		return nil, err
	}
	if f.basis != nil {
		f.use(leadingColumns(f.Rank, f.landmarks.Count(), f.side.Rank()))
	}
	if err := f.fitCore(ctx, e); err != nil {
		return nil, err
	}
	found := f.model(m.Rank)
	fewer, err := f.withFewer(ctx, e)
	if err != nil {
		return nil, err
	}
	fit, err := finishWith(ctx, e, f.tiles, found, fewer, f.notes(found, m.Rank), f.modelCondition(m.Rank), f.held, f.trace)
	if err != nil {
		return nil, err
	}
	fit.Details = f.points.details
	fit.SourcePasses += f.points.passes
	return fit, nil
}

// landmarkFit is a fit in progress: first the embedding Q, then its core.
type landmarkFit struct {
	Landmark
	tiles           *tiles.Tiles
	rows            int64
	points          *landmarkPoints
	landmarks, core *basis.Panel
	held            heldRows
	basis           *whitened      // nil for kernels that may be indefinite
	side            *Embedding     // Q
	singular        []float64      // of F, for each column of Q
	condition       float64        // of K(·, J), without a basis
	square          blas64.General // FᵀF, with a basis
	trace           float64
	spectrum        *eigen // of W − βI
	beta            float64
	centred         bool // the Gram matrix has a column of ones before the features
}

// stream gathers the landmarks and makes the pass.
func (m Landmark) stream(ctx context.Context, e stream.Engine,
	src stream.Source, k kernelgen.Kernel) (*landmarkFit, error) {
	n := src.Info().Rows
	points, err := m.points(n, "C", "S", false)
	if err != nil {
		return nil, err
	}
	f := &landmarkFit{Landmark: m, rows: n, tiles: tiles.Plain(k), points: points}
	ahead, err := m.chooseLandmarks(ctx, e, f.tiles, src, points)
	if err != nil {
		return nil, err
	}
	held := m.heldBack(n, points.landmarks, points.core)
	panels, err := basis.Gather(ctx, ahead, rowSet{Numbers: points.landmarks}, rowSet{Numbers: points.core}, rowSet{Numbers: held})
	if err != nil {
		return nil, err
	}
	f.landmarks, f.core, f.held = panels[0], panels[1], heldRows{Panel: panels[2]}
	f.landmarks.Order = points.order
	if err := basis.ChooseScale(ctx, e, f.tiles, f.landmarks.Rows, f.landmarks); err != nil {
		return nil, err
	}
	if k.PositiveSemiDefinite() {
		return f, f.streamWhitened(ctx, e, src)
	}
	return f, f.streamPlain(ctx, e, src)
}

// landmarkPoints holds the row numbers used by the landmark method.
type landmarkPoints struct {
	landmarks []int64 // J
	core      []int64 // S ∪ J
	order     []int64 // order of selection of the landmarks, as in [basis.Panel]
	scouted   int     // number of rows of high leverage to be added to the core
	passes    int     // passes for candidates
	notes     []string
	details   []string // as [model.Report] has them
}

// defaultLandmarks returns the landmarks of a rank: beyond them the error falls little (bench/accuracy -only
// landmarks).
func defaultLandmarks(rank int64) int64 { return min(4*rank, 2*rank+200) }

// defaultCore returns the number of core points besides the given number of landmarks.
func defaultCore(landmarks int64) int64 { return min(10*landmarks, max(4000, 5*landmarks/2)) }

// landmarks returns the requested number of landmarks.
func (m Landmark) landmarks() int64 {
	if m.Landmarks == 0 {
		return defaultLandmarks(int64(m.Rank))
	}
	return int64(m.Landmarks)
}

// counts returns the requested numbers of landmarks and core points.
func (m Landmark) counts() (landmarks, core int64, err error) {
	if err := checkRank(m.Rank, m.Landmarks); err != nil {
		return 0, 0, err
	}
	if m.Core < 0 {
		return 0, 0, fmt.Errorf("`Core %d` must not be negative", m.Core)
	}
	landmarks, core = m.landmarks(), int64(m.Core)
	if core == 0 {
		core = defaultCore(landmarks)
	}
	return landmarks, core, nil
}

// points draws landmarks and core points, or takes all rows if there are few. The pass then adds up to twice as many
// rows of high leverage as landmarks; if replace is true, they take the place of core points.
func (m Landmark) points(n int64, purposeJ, purposeS string, replace bool) (*landmarkPoints, error) {
	landmarks, core, err := m.counts()
	if err != nil {
		return nil, err
	}
	p := &landmarkPoints{}
	if core < n {
		p.scouted = int(min(core/2, 2*landmarks, n-landmarks)) // leverages sum to at most the number of landmarks
	}
	if replace {
		core -= int64(p.scouted)
	}
	if p.landmarks, err = p.draw("landmarks", n, landmarks, m.Seed, purposeJ); err != nil {
		return nil, err
	}
	s, err := p.draw("core points", n, core, m.Seed, purposeS)
	p.core = basis.Union(s, p.landmarks)
	return p, err
}

// draw draws want of n rows, or takes all.
func (p *landmarkPoints) draw(what string, n, want int64, seed uint64, purpose string) ([]int64, error) {
	if want > n {
		p.notes = append(p.notes, fmt.Sprintf("%d %s asked for, and there are %d rows: all of them serve", want, what, n))
		want = n
	}
	s, err := sketch.NewSample(n, int(want), seed, purpose)
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// heldBack draws rows for the error estimate. It avoids landmarks, and core points too if there are enough other rows.
func (m Landmark) heldBack(n int64, landmarks []int64, core ...[]int64) []int64 {
	return heldBackRows(n, heldBackCount(len(landmarks)), m.Seed, "held back", landmarks, core...)
}

// chooseLandmarks replaces uniform landmarks if the rule needs the kernel. The chosen landmarks are also core points.
// It returns src with the candidates in memory, and the rows that the fit is likely to fetch next.
func (m Landmark) chooseLandmarks(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, src stream.Source, p *landmarkPoints) (stream.Source, error) {
	n := src.Info().Rows
	c := m.choice(p, n, t.Kernel)
	if err := c.CheckScout(t.Kernel); err != nil {
		return nil, err
	}
	p.notes, p.passes = append(p.notes, c.ScoutNotes()...), c.Passes()
	if int64(len(p.landmarks)) == n {
		return src, nil
	}
	if m.Rule.Or(RuleAuto) == RuleAuto {
		p.details = append(p.details, c.Note())
	}
	if !c.NeedsKernel() {
		return src, nil
	}
	numbers, err := c.Candidates("candidates")
	if err != nil {
		return nil, err
	}
	held := m.heldBack(n, p.landmarks, p.core, numbers)
	panels, err := basis.Gather(ctx, src, rowSet{Numbers: numbers}, rowSet{Numbers: p.core}, rowSet{Numbers: held})
	if err != nil {
		return nil, err
	}
	if panels[0], err = scouted(ctx, e, t, src, c, panels[0]); err != nil {
		return nil, err
	}
	landmarks, err := c.Choose(ctx, e, t, panels[0], src.Info().Name)
	if err != nil {
		return nil, err
	}
	p.order = landmarks.Order
	p.landmarks, p.core = landmarks.Number, basis.Union(p.core, landmarks.Number)
	return basis.CachedSource{Source: src, Panels: panels}, nil
}

// choice returns the choice of landmarks among n rows.
func (m Landmark) choice(p *landmarkPoints, n int64, k kernelgen.Kernel) basis.Landmarks {
	return basis.Landmarks{Rows: n, Rule: m.Rule.Or(RuleAuto), Features: m.Rank, Count: len(p.landmarks),
		Core: int64(len(p.core)), Seed: m.Seed, Definite: k.PositiveSemiDefinite(), Scout: m.Scout}.Resolve()
}

// scouted returns the candidates of a choice with those that its scout finds in src.
func scouted(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	src stream.Source, choice basis.Landmarks, candidates *basis.Panel) (*basis.Panel, error) {
	all, err := choice.Scouted(ctx, e, t, src, candidates)
	if errors.Is(err, basis.ErrNotDefinite) {
		err = notDefinite(t.Kernel)
	}
	return all, err
}

// rankNote returns a note if the rank differs from the request.
func rankNote(found, asked int, tolerance float64) []string {
	if found >= asked {
		return nil
	}
	return []string{fmt.Sprintf("rank %d found, %d asked for: the rest is below %.0e of the largest singular value of the sketch", found, asked, tolerance)}
}

// definiteWarning returns a warning if A may have negative eigenvalues.
func definiteWarning(k kernelgen.Kernel) []string {
	if k.PositiveSemiDefinite() {
		return nil
	}
	return []string{fmt.Sprintf("kernel %s is not known to be positive semi-definite, which this method takes for granted: compare with ssrsvd", k)}
}

// whitened is a basis of the range of K(·, J) for a positive semi-definite kernel, prepared from the kernel between
// landmarks before the pass:
//
//	W = K(X_J, X_J),  UᵀU = W + ridge
//	F = K(·, X_J)·U⁻¹,  FᵀF = V·Λ·Vᵀ,  Q = F·V·Λ^(−½)
//
// Q computed from the triangular factor of K(·, X_J) would be orthonormal only to ε·cond, which may be 1e-3. The
// condition number of F is about the square root of that of K(·, X_J): Λ are the eigenvalues of the Nyström
// approximation FFᵀ of A. A row of F has norm at most √k(x, x), so no row dominates the others.
type whitened struct {
	upper   blas64.General // U
	vectors blas64.General // V, without directions that are rounding
	roots   []float64      // square roots of Λ, descending
}

// streamWhitened makes the pass for a positive semi-definite kernel, and computes Q and tr(A).
func (f *landmarkFit) streamWhitened(ctx context.Context, e stream.Engine, src stream.Source) error {
	landmarks, u, err := basis.Whiten(ctx, e, f.tiles, f.landmarks)
	if errors.Is(err, basis.ErrNotDefinite) {
		err = notDefinite(f.tiles.Kernel)
	}
	if err != nil {
		return err
	}
	f.landmarks = landmarks
	by, err := sketch.NewWhitening(u)
	if err != nil {
		return err
	}
	s, err := basis.WhitenedLeverage(ctx, e, f.tiles, f.core, landmarks, u, f.Rank, f.points.scouted, f.Seed, "scout")
	if err != nil {
		return err
	}
	found, err := f.streamGram(ctx, e.WithInputs(u), src, s, by)
	if err != nil {
		return err
	}
	f.take(found.B)
	f.square = found.A.Matrix()
	return f.decompose(u, f.square)
}

// decompose computes Q from the eigenvectors of FᵀF, for landmarks with the factor U.
func (f *landmarkFit) decompose(u, gram blas64.General) error {
	eig, err := newEigen("the sketch", gram)
	if err != nil {
		return err
	}
	r := dense.Rank(eig.Values, basis.Dependence)
	f.basis = &whitened{upper: u, vectors: matrix.Columns(eig.Vectors, 0, r), roots: dense.Roots(eig.Values[:r])}
	f.use(r)
	return nil
}

// streamGram makes the pass that sums FᵀF.
func (f *landmarkFit) streamGram(ctx context.Context, e stream.Engine,
	src stream.Source, s *basis.Leverage, by *sketch.Whitening) (*sketchState[*sketch.WhitenedGram], error) {
	if f.wide(f.tiles.Kernel) {
		return f.streamWide(ctx, e, src, s, by)
	}
	m := &basis.Map{Tiles: f.tiles, Landmarks: f.landmarks}
	return streamColumns(ctx, e, f.tiles, m, f.centred, src, true, s,
		func() *sketch.WhitenedGram { return sketch.NewWhitenedGram(by) })
}

// streamPlain makes the pass for a kernel that may be indefinite. Q comes from the triangular factor of K(·, X_J).
func (f *landmarkFit) streamPlain(ctx context.Context, e stream.Engine, src stream.Source) error {
	m := &basis.Map{Tiles: f.tiles, Landmarks: f.landmarks}
	s, err := basis.NewLeverage(ctx, e, m, f.core, src.Info().Name, f.landmarks.Number, f.points.scouted, f.Seed, "scout")
	if err != nil {
		return err
	}
	found, err := streamFactor(ctx, e, f.tiles, m, src, true, s)
	if err != nil {
		return err
	}
	f.take(found.B)
	f.side, f.condition, err = orthonormalEmbedding(found.A.R(), f.landmarks, nil)
	return err
}

// rangeAccumulator accumulates the rows of a sketch in a pass.
type rangeAccumulator[A any] interface {
	stream.Accumulator[A]
	Add(block blas64.General) error
	Reset()
}

// sketchState is the state of a pass: the range of a sketch, tr(A), and rows of high leverage.
type sketchState[A rangeAccumulator[A]] = sketch.Both[A, *sketch.Both[*sketch.ColumnSums, *sketch.Priority]]

// newSketchState returns an empty state for keep rows of high leverage with the given columns.
func newSketchState[A rangeAccumulator[A]](empty A, keep, columns int) *sketchState[A] {
	return &sketchState[A]{A: empty, B: &sketch.Both[*sketch.ColumnSums, *sketch.Priority]{A: sketch.NewColumnSums(1), B: sketch.NewPriority(keep, columns)}}
}

// streamColumns makes the pass over rows, and returns the range of the sketch by m and the rows found by s. If one is
// true, a column of ones precedes those of m. With trace, it also sums tr(A) of a symmetric A.
func streamColumns[A rangeAccumulator[A]](ctx context.Context, e stream.Engine, t *tiles.Tiles, m *basis.Map, one bool,
	src stream.Source, trace bool, s *basis.Leverage, newRange func() A) (*sketchState[A], error) {
	name, landmarks := src.Info().Name, m.Landmarks
	newState := func() *sketchState[A] { return newSketchState(newRange(), s.Keep, landmarks.Rows.Cols) }
	defer t.CountPass(src.Info().Rows * int64(m.Entries()))()
	columns := &basis.Columns{One: one, Features: []basis.Features{m.Features(name)}}
	return basis.Moments(ctx, e.WithInputs(landmarks.Rows, t.Origin(), s.Project), "fit", src, columns, newState, func() func(*sketchState[A], basis.Rows) error {
		priorities, addTrace := s.Sampler(), basis.AddTrace(t, name)
		return func(state *sketchState[A], r basis.Rows) error {
			if err := state.B.B.Add(r.Start, priorities(r.Z, r.Start), r.X); err != nil {
				return err
			}
			if err := state.A.Add(r.Z); err != nil || !trace {
				return err
			}
			return addTrace(state.B.A, r)
		}
	})
}

// streamFactor is streamColumns for the triangular factor of the sketch.
func streamFactor(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, m *basis.Map, src stream.Source, trace bool, s *basis.Leverage) (*sketchState[*sketch.QR], error) {
	return streamColumns(ctx, e, t, m, false, src, trace, s, func() *sketch.QR { return sketch.NewQR(m.Width()) })
}

// take stores tr(A), and the rows found for the core. These have weight 1 in the error estimate.
func (f *landmarkFit) take(b *sketch.Both[*sketch.ColumnSums, *sketch.Priority]) {
	f.trace = b.A.Totals()[0]
	if found := foundRows(b.B); found.Count() > 0 {
		f.core, f.held = withFound(f.core, f.held, found.Without(f.landmarks))
	}
}

// foundRows returns the rows of high leverage found in a pass.
func foundRows(p *sketch.Priority) *basis.Panel {
	number, rows := p.Rows()
	return basis.NewPanel(rows, number, nil)
}

// withFound adds rows of high leverage to the core. They have weight 1 in the error estimate.
func withFound(core *basis.Panel, held heldRows, found *basis.Panel) (*basis.Panel, heldRows) {
	return core.Join(found), heldRows{held.Without(found), found, held.sums}
}

// use truncates the embedding to the leading k columns of Q.
func (f *landmarkFit) use(k int) {
	b := f.basis
	t := scaledColumns(matrix.Columns(b.vectors, 0, k), dense.Reciprocals(b.roots[:k]))
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(b.upper), t)
	f.singular = b.roots[:k]
	f.side = &Embedding{Landmarks: f.landmarks.Rows, Rows: f.landmarks.Number, Projection: t}
}

// A model of rank c needs few columns of Q beyond the leading c. From 800 landmarks on, only those of the 5/2·c largest
// Nyström eigenvalues enter the core. All columns would double the time of the fit and change the error by at most 0.1
// % in the spectral norm and 1 % in the Frobenius norm (8,000 uniform rows of 6 columns, rank 200, kernels rbf and
// laplace).
const (
	leadingFrom   = 800
	leadingHalves = 5
)

// leadingColumns returns the number of columns of Q in the core of rank c.
func leadingColumns(rank, landmarks, columns int) int {
	if k := leadingHalves * rank / 2; landmarks >= leadingFrom && 4*k <= 3*columns {
		return k
	}
	return columns
}

// fitCore computes β and the eigenpairs of W − βI.
func (f *landmarkFit) fitCore(ctx context.Context, e stream.Engine) error {
	core, err := f.leastSquares(ctx, e)
	if err == nil {
		f.spectrum, err = newEigen("the core", core)
	}
	return err
}

// leastSquares computes β and returns W − βI.
func (f *landmarkFit) leastSquares(ctx context.Context, e stream.Engine) (core blas64.General, err error) {
	frame, err := newCoreFrame(ctx, e, f.tiles, f.side, f.landmarks, f.core)
	if err != nil {
		return core, err
	}
	z, err := symmetricCore(ctx, e, f.tiles, f.core, frame.u)
	if err != nil {
		return core, err
	}
	frame.orthonormal(z)
	if f.Shift != ShiftNone {
		f.beta = residualShift(sumDiag(f.tiles, f.core), dense.Trace(z), float64(f.core.Rows.Rows-z.Rows))
	}
	for i := range z.Rows {
		z.Data[i*z.Stride+i] -= f.beta
	}
	return congruenceOf(frame.back, z), nil
}

// congruenceOf returns t·z·tᵀ.
func congruenceOf(t, z blas64.General) blas64.General {
	return dense.Mul(blas.NoTrans, t, blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.Trans, t))
}

// kept returns the indices of the c eigenvalues of W − βI in a model, ascending, and those of the others. It keeps the
// largest ones, by modulus if A may be indefinite.
func (f *landmarkFit) kept(c int) (kept, left []int) {
	order := byOrder(f.spectrum.Values, f.basis == nil)
	kept, left = order[:c], order[c:]
	slices.Sort(kept)
	return kept, left
}

// shift returns the shift of a model without the given eigenvalues.
func (f *landmarkFit) shift(left []int) float64 {
	if len(left) == 0 || f.Shift == ShiftNone {
		return f.beta // 0 if there is none
	}
	values := dense.Pick(f.spectrum.Values, left)
	if f.Shift == ShiftMidpoint {
		return f.beta + math.Max(0, slices.Max(values))/2
	}
	rank := len(f.spectrum.Values) - len(left)
	return math.Max(0, f.beta+dense.Sum(values)/float64(f.rows-int64(rank)))
}

// model truncates to rank c.
func (f *landmarkFit) model(c int) *Model {
	kept, left := f.kept(min(c, len(f.spectrum.Values)))
	shift := f.shift(left)
	values := dense.Pick(f.spectrum.Values, kept)
	for i := range values {
		values[i] += f.beta - shift
	}
	if f.basis != nil {
		clipDefinite(values, shift)
	}
	side := *f.side
	side.Projection = dense.Mul(blas.NoTrans, side.Projection, blas.NoTrans, dense.PickColumns(f.spectrum.Vectors, kept))
	return &Model{Method: "landmark", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: f.rows, Cols: f.rows, Left: &side, Values: values, Shift: shift}
}

// modelCondition returns the condition number of the columns of a model of rank c, which are orthonormal to ε times it.
// Rounding errors of FᵀF are relative to its largest eigenvalue.
func (f *landmarkFit) modelCondition(c int) float64 {
	if f.basis == nil {
		return f.condition
	}
	kept, _ := f.kept(min(c, len(f.spectrum.Values)))
	worst := conditionOf(f.singular, dense.PickColumns(f.spectrum.Vectors, kept))
	return worst * worst
}

// notes returns the notes on the choice of rows, and on a model requested at rank c.
func (f *landmarkFit) notes(m *Model, c int) []string {
	return slices.Concat(f.points.notes, rankNote(m.Left.Rank(), c, RankTolerance))
}

// sumDiag returns the sum of k(x, x) over the rows of a panel.
func sumDiag(t *tiles.Tiles, p *basis.Panel) float64 {
	d := make([]float64, p.Rows.Rows)
	t.Diagonal(d, p.Rows)
	sum := 0.0
	for _, v := range d {
		sum += v
	}
	return sum
}
