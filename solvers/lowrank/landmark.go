package lowrank

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Landmark is the landmark method (design §3), the default. The ℓ landmark columns J that a
// sparse-sign sketch would compress are kept:
//
//	Q = K(·, X_J)·T             T from the pass, see below
//	T = S ∪ J                    core points; they must contain J
//	Â = Q·W·Qᵀ + βI              W and β by least squares on K(X_T, X_T)
//
// truncated to rank c, where Σ_{i>c} w_i/(n−c) joins the shift, so that it is the fit
// to what rank c leaves. With [ShiftMidpoint] it is w_{c+1}/2 instead, the middle of what
// truncation leaves: then Â may be nearer to A in the spectral norm than the best
// matrix of rank c, since a multiple of I is allowed.
//
// Of a positive semi-definite kernel the pass sums the Gram matrix of K(·, X_J)·U⁻¹, where
// UᵀU = K(X_J, X_J), and landmarks that depend on others are left out before. Other kernels
// take a QR factorisation, and keep the c largest eigenvalues by modulus. Rows of high
// leverage that the pass meets join the core. Of 800 landmarks or more the 5/2·c leading
// columns of Q make the core, if random probes show that the others do not matter.
//
// Cost with s = |S|: one pass after gathering ℓ+s rows, n·ℓ + (ℓ+s)² kernel entries, 2n·ℓ²
// flops, memory for the landmarks, ℓ² and ℓ·(ℓ+s) numbers.
type Landmark struct {
	Rank      int  // c
	Landmarks int  // ℓ, at least the rank; 0 means 4c
	Core      int  // core points besides the landmarks; 0 means 10ℓ
	Rule      Rule // the zero value is RuleAuto
	Seed      uint64
	Shift     Shift // fitted, midpoint or none
}

// Fit approximates the kernel matrix of the rows of one source, or the one between the
// rows of two: then Q is from all sampled columns and P from all sampled rows,
// W = (Q_{O∪I})⁺·K(O∪I, S∪J)·(P_{S∪J})⁺ᵀ, truncated to rank c, landmarks are uniform,
// and there is no shift. Up to half of O and of S are rows of high leverage in Q and in P,
// which the pass over their source finds: without them a small core may know nothing of a
// direction that lives on few rows.
func (m Landmark) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Landmark) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if d.Right != nil {
		return m.fitTwo(ctx, e, d, k)
	}
	k, _, err := resolveSymmetric(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.checkOne(); err != nil {
		return nil, err
	}
	return m.fitOne(ctx, e, d.Left, k)
}

// checkOne returns an error unless the method can serve for one source.
func (m Landmark) checkOne() error {
	return m.Shift.among("landmark", ShiftFitted, ShiftMidpoint, ShiftNone)
}

// fitOne approximates the kernel matrix of the rows of src as a symmetric one.
func (m Landmark) fitOne(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*Fit, error) {
	f, err := m.stream(ctx, e, src, k)
	if err != nil {
		return nil, err
	}
	if err := f.fitLeading(ctx, e); err != nil {
		return nil, err
	}
	return f.finish(ctx, e, m.Rank)
}

// landmarkFit is a fit under way: first the embedding Q, then its core.
type landmarkFit struct {
	Landmark
	tiles                 *tiles
	rows                  int64
	points                *landmarkPoints
	landmarks, core, held *panel
	basis                 *basis     // nil for kernels that may be indefinite
	side                  *Embedding // Q
	singular              []float64  // of F, for each column of Q
	condition             float64    // of K(·, J), where there is no basis
	trace                 float64
	spectrum              *eigen // of W − βI
	beta                  float64
}

// stream gathers the landmarks and makes the pass.
func (m Landmark) stream(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*landmarkFit, error) {
	n := src.Info().Rows
	points, err := m.points(n, "C", "S")
	if err != nil {
		return nil, err
	}
	f := &landmarkFit{Landmark: m, rows: n, tiles: newTiles(k), points: points}
	t := f.tiles
	if err := m.chooseLandmarks(ctx, t, e, src, points); err != nil {
		return nil, err
	}
	held := heldBackRows(n, heldBack(len(points.landmarks)), m.Seed, "held back", points.landmarks, points.core)
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: points.landmarks}, rowSet{numbers: points.core}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	f.landmarks, f.core, f.held = panels[0], panels[1], panels[2]
	if err := t.chooseUnit(ctx, e, f.landmarks.rows, f.landmarks); err != nil {
		return nil, err
	}
	return f, f.streamRange(ctx, e, src)
}

// landmarkPoints are the row numbers that the landmark method looks at.
type landmarkPoints struct {
	landmarks []int64 // J
	core      []int64 // S ∪ J
	scouted   int     // rows of high leverage that the pass adds to the core
	notes     []string
}

// Defaults of a landmark fit. The papers' sketches have a core of 5 columns per column; core
// points cost nothing that grows with the rows, and a least-squares core gains by more.
const (
	landmarksPerColumn = 4
	corePerLandmark    = 10
)

// landmarks returns how many are asked for.
func (m Landmark) landmarks() int64 {
	if m.Landmarks == 0 {
		return landmarksPerColumn * int64(m.Rank)
	}
	return int64(m.Landmarks)
}

// counts returns how many landmarks and core points are asked for.
func (m Landmark) counts() (landmarks, core int64, err error) {
	if err := checkRank(m.Rank, m.Landmarks); err != nil {
		return 0, 0, err
	}
	if m.Core < 0 {
		return 0, 0, fmt.Errorf("`core %d` must not be negative", m.Core)
	}
	landmarks, core = m.landmarks(), int64(m.Core)
	if core == 0 {
		core = corePerLandmark * landmarks
	}
	return landmarks, core, nil
}

// points draws landmarks and core points. On few rows all of them serve; otherwise the pass
// adds up to twice as many rows of high leverage as there are landmarks.
func (m Landmark) points(n int64, purposeJ, purposeS string) (*landmarkPoints, error) {
	landmarks, core, err := m.counts()
	if err != nil {
		return nil, err
	}
	p, err := drawPoints(n, landmarks, core, m.Seed, purposeJ, purposeS)
	if err == nil && core < n {
		p.scouted = int(min(core/2, 2*landmarks, n-landmarks)) // leverages sum up to the landmarks at most
	}
	return p, err
}

// drawPoints draws so many landmarks and core points.
func drawPoints(n, landmarks, core int64, seed uint64, purposeJ, purposeS string) (*landmarkPoints, error) {
	p := &landmarkPoints{}
	j, err := p.draw("landmarks", n, landmarks, seed, purposeJ)
	if err != nil {
		return nil, err
	}
	s, err := p.draw("core points", n, core, seed, purposeS)
	if err != nil {
		return nil, err
	}
	p.landmarks, p.core = j, union(s, j)
	return p, nil
}

// chooseLandmarks puts landmarks that the kernel has a say in, and are core points as
// well, in the place of those drawn uniformly.
func (m Landmark) chooseLandmarks(ctx context.Context, t *tiles, e stream.Engine, src stream.Source, p *landmarkPoints) error {
	if int64(len(p.landmarks)) == src.Info().Rows {
		return nil
	}
	c := m.chooser(p, src.Info().Rows, t.kernel)
	if m.Rule.or(RuleAuto) == RuleAuto {
		p.notes = append(p.notes, c.note())
	}
	if !c.looks() {
		return nil
	}
	numbers, err := c.candidates("candidates")
	if err != nil {
		return err
	}
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: numbers})
	if err != nil {
		return err
	}
	landmarks, err := c.choose(ctx, t, e, panels[0], src.Info().Name)
	if err != nil {
		return err
	}
	p.landmarks, p.core = landmarks.number, union(p.core, landmarks.number)
	return nil
}

// chooser returns the choice of landmarks in the place of those drawn, of n rows.
func (m Landmark) chooser(p *landmarkPoints, n int64, k kernelgen.Kernel) chooser {
	return chooser{rows: n, rule: m.Rule.or(RuleAuto), columns: m.Rank, landmarks: len(p.landmarks),
		core: int64(len(p.core)), seed: m.Seed, definite: k.PositiveSemiDefinite()}.decided()
}

// draw draws so many of n rows, or takes all.
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

// rankNote tells of a rank that is not what was asked for.
func rankNote(found, asked int, tolerance float64) []string {
	if found >= asked {
		return nil
	}
	return []string{fmt.Sprintf("rank %d found, %d asked for: the rest is below %.0e of the largest singular value of the sketch", found, asked, tolerance)}
}

// definiteNote warns when A may have negative eigenvalues.
func definiteNote(k kernelgen.Kernel) []string {
	if k.PositiveSemiDefinite() {
		return nil
	}
	return []string{fmt.Sprintf("kernel %s is not known to be positive semi-definite, which this method takes for granted: compare with ssrsvd", k)}
}

// streamRange makes the pass over src, and finds the embedding Q, orthonormal on its rows, and
// tr(A). Q is from the triangular factor of K(·, X_J) where the kernel may be indefinite.
func (f *landmarkFit) streamRange(ctx context.Context, e stream.Engine, src stream.Source) error {
	if f.tiles.kernel.PositiveSemiDefinite() {
		return f.streamBasis(ctx, e, src)
	}
	pass := sketchPass{tiles: f.tiles, rows: f.landmarks}
	s, err := f.tiles.leverageScout(ctx, e, f.core, f.landmarks.number, f.landmarks, f.points.scouted, f.Seed, "scout")
	if err != nil {
		return err
	}
	found, err := streamRange(ctx, e, pass, src, true, s, pass.factor)
	if err != nil {
		return err
	}
	f.take(found.B)
	f.side, f.condition, err = f.tiles.orthonormalEmbedding(found.A.R(), f.landmarks, nil)
	return err
}

// A rank c needs few columns of Q besides the leading c. Of 800 landmarks or more, those of
// the 5/2·c largest Nyström eigenvalues make the core, and probes random combinations of the
// others.
const (
	leadingFrom   = 800
	leadingHalves = 5
	probes        = 16
)

// leadingColumns returns how many of so many columns of Q make the core of rank c first.
func leadingColumns(rank, landmarks, columns int) int {
	if k := leadingHalves * rank / 2; landmarks >= leadingFrom && 4*k <= 3*columns {
		return k
	}
	return columns
}

// mostCoupling is the norm of the core between the leading c eigenvectors and the columns left
// out, relative to eigenvalue c+1, up to which the leading columns serve. At 1.3 errors are
// 2.5 % larger than with all (go run ./bench/accuracy -only landmarks -data algebraic).
const mostCoupling = 4.0

// fitLeading fits the core of the leading columns of Q. The core of all takes its place where
// the probes show that the others matter.
func (f *landmarkFit) fitLeading(ctx context.Context, e stream.Engine) error {
	all := f.side.Rank()
	k := leadingColumns(f.Rank, f.landmarks.rows.Rows, all)
	if f.basis == nil || k == all {
		return f.fitCore(ctx, e)
	}
	f.use(k, probes)
	core, err := f.leastSquares(ctx, e)
	if err != nil {
		return err
	}
	if f.spectrum, err = newEigen("the core", core); err != nil {
		return err
	}
	if f.coupling(core, k, all) <= mostCoupling {
		return nil
	}
	f.use(all, 0)
	return f.fitCore(ctx, e)
}

// coupling estimates ‖C‖/w(c+1), where C is the core between the leading c eigenvectors and all
// columns of Q but the first k.
func (f *landmarkFit) coupling(core blas64.General, k, all int) float64 {
	vectors := dense.Columns(f.spectrum.Vectors, 0, f.Rank)
	c := dense.Mul(blas.NoTrans, dense.Columns(stream.RowSlice(core, k, probes), 0, k), blas.NoTrans, stream.RowSlice(vectors, 0, k))
	norm := dense.Frobenius(c) * math.Sqrt(float64(all-k)/probes)
	return norm / math.Abs(f.spectrum.Values[f.Rank])
}

// fitCore finds β and the eigenpairs of W − βI.
func (f *landmarkFit) fitCore(ctx context.Context, e stream.Engine) error {
	core, err := f.leastSquares(ctx, e)
	if err == nil {
		f.spectrum, err = newEigen("the core", core)
	}
	return err
}

// leastSquares finds β and returns W − βI.
func (f *landmarkFit) leastSquares(ctx context.Context, e stream.Engine) (core blas64.General, err error) {
	frame, err := f.tiles.coreFrame(ctx, e, f.side, f.landmarks, f.core)
	if err != nil {
		return core, err
	}
	z, err := f.tiles.symmetricCore(ctx, e, f.core, frame.u)
	if err != nil {
		return core, err
	}
	frame.orthonormal(z)
	if f.Shift != ShiftNone {
		f.beta = residualShift(f.tiles.sumDiag(f.core), dense.Trace(z), f.core.rows.Rows-z.Rows)
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

// kept returns the indices of the c eigenvalues of W − βI that a model has, ascending, and of
// the others. They are the largest; by modulus, where A may be indefinite.
func (f *landmarkFit) kept(c int) (kept, left []int) {
	order := byOrder(f.spectrum.Values, f.basis == nil)
	kept, left = order[:c], order[c:]
	slices.Sort(kept)
	return kept, left
}

// shift returns the shift of a model that leaves out some eigenvalues.
func (f *landmarkFit) shift(left []int) float64 {
	if len(left) == 0 || f.Shift == ShiftNone {
		return f.beta // 0 without one
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
	return &Model{Method: "landmark", Kernel: f.tiles.kernel, Seed: f.Seed, Rows: f.rows, Cols: f.rows, Left: &side, Values: values, Shift: shift}
}

// modelCondition returns the condition of the columns of a model of rank c: they are
// orthonormal to ε times that. Rounding of FᵀF is relative to its largest eigenvalue.
func (f *landmarkFit) modelCondition(c int) float64 {
	if f.basis == nil {
		return f.condition
	}
	kept, _ := f.kept(min(c, len(f.spectrum.Values)))
	worst := conditionOf(f.singular, dense.PickColumns(f.spectrum.Vectors, kept))
	return worst * worst
}

// finish returns the fit of rank c.
func (f *landmarkFit) finish(ctx context.Context, e stream.Engine, c int) (*Fit, error) {
	m := f.model(c)
	s, err := f.tiles.errorSample(ctx, e, m, f.held, f.held)
	if err != nil {
		return nil, err
	}
	return f.finishWith(ctx, s, m, c)
}

// finishWith returns the fit of a model, of which rank c was asked, by the error sample.
func (f *landmarkFit) finishWith(ctx context.Context, s *errorSample, m *Model, c int) (*Fit, error) {
	estimate, err := s.estimateErrors(ctx, m, f.trace)
	if err != nil {
		return nil, err
	}
	notes := slices.Concat(f.points.notes, rankNote(m.Left.Rank(), c, RankTolerance))
	return finishEstimated(f.tiles, m, notes, f.modelCondition(c), estimate, f.trace)
}

// sumDiag returns the sum of k(x, x) over the rows of a panel.
func (t *tiles) sumDiag(p *panel) float64 {
	d := make([]float64, p.rows.Rows)
	t.diag(d, p.rows)
	sum := 0.0
	for _, v := range d {
		sum += v
	}
	return sum
}
