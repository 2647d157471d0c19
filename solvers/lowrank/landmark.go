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

// Landmark is the landmark method (design §3), the default. The z·c landmark
// columns J that a sparse-sign sketch would evaluate are kept, not compressed:
//
//	Q = K(·, X_J)·T             T from the streamed R factor of n×|J|
//	T = S ∪ J, |S| = z·s         core points; they must contain J
//	Â = Q·W·Qᵀ + βI              W and β by least squares on K(X_T, X_T)
//
// truncated to rank c, where Σ_{i>c} w_i/(n−c) joins the shift, so that it is the fit
// to what rank c leaves. With [ShiftCentred] it is w_{c+1}/2 instead, the middle of what
// truncation leaves: then Â may be nearer to A in the spectral norm than the best
// matrix of rank c, since a multiple of I is allowed. 5/2·c leading directions of Q are
// carried, by the Nyström approximation of A, where the others hold little: if all rows are
// core points, or if there are 800 landmarks or more, and then on fewer core points.
//
// Cost: one pass after gathering z·(c+s) rows, n·z·c + (z(c+s))² kernel entries,
// between n·(z·c)² and twice as many flops (see [sketch.Guide]), memory for the landmarks, (z·c)² and z²·c·(c+s) numbers.
type Landmark struct {
	Rank   int            // c
	Sketch int            // s, core points per nonzero; 0 means 10c
	NNZ    int            // z, landmarks per direction; 0 means 4
	Choice LandmarkChoice // the zero value is ChoiceAuto
	Seed   uint64
	Shift  Shift // fitted, centred or none

	Precision Precision // of the tiles of the pass
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
	return m.Shift.among("landmark", ShiftFitted, ShiftCentred, ShiftNone)
}

// fitOne approximates the kernel matrix of the rows of src as a symmetric one.
func (m Landmark) fitOne(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*Fit, error) {
	f, err := m.stream(ctx, e, src, k)
	if err != nil {
		return nil, err
	}
	if err := f.narrow(ctx, e); err != nil {
		return nil, err
	}
	if err := f.fitCore(ctx, e); err != nil {
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
	side                  *Embedding     // Q
	factor                blas64.General // of K(·, X_J)
	condition, loss       float64        // of the sketch, and see [sketch.GuidedQR.Loss]
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
	f := &landmarkFit{Landmark: m, rows: n, tiles: newTiles(k, m.Precision), points: points}
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
	if err := t.boundSingle(f.landmarks, nil, f.core, f.held); err != nil {
		return nil, err
	}
	return f, f.streamRange(ctx, e, src)
}

// landmarkPoints are the row numbers that the landmark method looks at.
type landmarkPoints struct {
	landmarks []int64 // J
	core      []int64 // S ∪ J
	notes     []string
}

// landmarksPerColumn returns z.
func (m Landmark) landmarksPerColumn() int {
	if m.NNZ == 0 {
		return 4
	}
	return m.NNZ
}

// coreColumns is s/c by default. The papers' sketches have 5; core points cost
// nothing that grows with the rows, and a least-squares core gains by more.
const coreColumns = 10

// counts returns how many landmarks and core points are asked for.
func (m Landmark) counts() (landmarks, core int64, err error) {
	z, s := m.landmarksPerColumn(), m.Sketch
	if s == 0 {
		s = coreColumns * m.Rank
	}
	if m.Rank < 1 || z < 1 || s < 1 {
		return 0, 0, fmt.Errorf("rank %d, sketch %d and nnz %d must be at least 1", m.Rank, s, z)
	}
	return int64(z) * int64(m.Rank), int64(z) * int64(s), nil
}

// points draws landmarks and core points. On few rows all of them serve.
func (m Landmark) points(n int64, purposeJ, purposeS string) (*landmarkPoints, error) {
	landmarks, core, err := m.counts()
	if err != nil {
		return nil, err
	}
	return drawPoints(n, landmarks, core, m.Seed, purposeJ, purposeS)
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
	c := m.chooser(p, src.Info().Rows, len(src.Info().Columns))
	if m.Choice.or(ChoiceAuto) == ChoiceAuto {
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

// chooser returns the choice of landmarks in the place of those drawn, of n rows of d numbers.
func (m Landmark) chooser(p *landmarkPoints, n int64, d int) chooser {
	return chooser{rows: n, dimension: d, choice: m.Choice.or(ChoiceAuto), columns: m.Rank, landmarks: len(p.landmarks),
		core: int64(len(p.core)), seed: m.Seed}.decided()
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
func (t *tiles) rankNote(found, asked int) []string {
	return rankNote(found, asked, t.precision.rankTolerance())
}

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

// streamRange streams the R factor of K(·, X_J), with a guide from core points, and finds
// the embedding Q, orthonormal on the rows of src, the condition of the sketch and tr(A).
func (f *landmarkFit) streamRange(ctx context.Context, e stream.Engine, src stream.Source) error {
	pass, err := sketchPass{tiles: f.tiles, rows: f.landmarks}.guided(ctx, e, f.rows, f.core)
	if err != nil {
		return err
	}
	found, err := pass.streamTrace(ctx, e, src)
	if err != nil {
		return err
	}
	f.trace, f.loss, f.factor = found.trace, found.loss, found.factor
	f.side, f.condition, err = f.tiles.orthonormalEmbedding(found.factor, f.landmarks, nil)
	return err
}

// fitCore finds β and the eigenpairs of W − βI.
func (f *landmarkFit) fitCore(ctx context.Context, e stream.Engine) error {
	frame, err := f.tiles.coreFrame(ctx, e, f.side, f.landmarks, f.core)
	if err != nil {
		return err
	}
	z, err := f.tiles.symmetricCore(ctx, e, f.core, frame.u)
	if err != nil {
		return err
	}
	frame.orthonormal(z)
	if f.Shift != ShiftNone {
		f.beta = residualShift(f.tiles.sumDiag(f.core), dense.Trace(z), f.core.rows.Rows-z.Rows)
	}
	for i := range z.Rows {
		z.Data[i*z.Stride+i] -= f.beta
	}
	f.spectrum, err = newEigen("the core", congruenceOf(frame.back, z))
	return err
}

// congruenceOf returns t·z·tᵀ.
func congruenceOf(t, z blas64.General) blas64.General {
	return dense.Mul(blas.NoTrans, t, blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.Trans, t))
}

// shift returns the shift of a model of rank c.
func (f *landmarkFit) shift(c int) float64 {
	left := f.spectrum.Values[c:]
	switch {
	case len(left) == 0:
		return f.beta
	case f.Shift == ShiftFitted:
		return math.Max(0, f.beta+dense.Sum(left)/float64(f.rows-int64(c)))
	case f.Shift == ShiftCentred:
		return f.beta + math.Max(0, left[0])/2
	}
	return f.beta // 0
}

// model truncates to rank c.
func (f *landmarkFit) model(c int) *Model {
	c = min(c, len(f.spectrum.Values))
	shift := f.shift(c)
	values := make([]float64, c)
	for i := range values {
		values[i] = f.spectrum.Values[i] + f.beta - shift
	}
	clipDefinite(values, shift)
	side := *f.side
	side.Projection = dense.Mul(blas.NoTrans, side.Projection, blas.NoTrans, dense.Columns(f.spectrum.Vectors, 0, c))
	return &Model{Method: "landmark", Kernel: f.tiles.kernel, Seed: f.Seed, Rows: f.rows, Cols: f.rows, Left: &side, Values: values, Shift: shift}
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
	estimate, err := s.judge(ctx, m, f.trace)
	if err != nil {
		return nil, err
	}
	notes := slices.Concat(f.points.notes, f.tiles.rankNote(m.Left.Rank(), c), definiteNote(f.tiles.kernel))
	fit, err := finishEstimated(f.tiles, m, notes, f.condition, estimate, f.trace)
	if err == nil {
		fit.loss = f.loss
	}
	return fit, err
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
