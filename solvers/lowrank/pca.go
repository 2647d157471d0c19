package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"

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

// PCA is kernel principal component analysis (Schölkopf, Smola & Müller 1998) in the span of landmarks (Sterge,
// Sriperumbudur, Rosasco & Rudi 2020), for positive semi-definite kernels. With UᵀU = K(J, J) for landmarks J, a row
// has the features
//
//	f(x) = k(x, J)·U⁻¹           μ = mean of f over the fitted rows
//	Σ(f−μ)ᵀ(f−μ) = V·Λ·Vᵀ        scores of a row (f(x)−μ)·V
//
// A component is a function of unit norm, and its value in Λ is the exact sum of squares of its scores over the fitted
// rows: Λ/n are the variances. The model approximates the centred kernel matrix, and U·√Λ are the scores. New rows are
// centred by the same mean. With all rows as landmarks it is exact.
//
// [Model.Trace] is Σk(x, x) − n·‖μ‖², with μ in the span of the landmarks. The component of the mean outside the span
// is neglected. It would lower the trace by at most the residual of the landmarks in Σk(x, x), so shares of variance
// are never overstated.
//
// For kernels whose centred matrix is translation-invariant, such as linear, the column medians of the candidate rows
// are subtracted, so that offsets cost no digits. For other kernels, the fit warns if entries differ little relative to
// their size.
//
// Cost: one pass after gathering, n·ℓ kernel entries and those of the choice of landmarks, 2·n·ℓ² flops, memory for the
// candidate rows and O(ℓ²) numbers.
type PCA struct {
	Rank      int  // number of components
	Landmarks int  // ℓ, at least the rank; 0 means those of [Landmark], and 500 or more
	Rule      Rule // the zero value is RuleAuto
	Seed      uint64
}

// Fit computes the components of the rows of one source. It fails if the kernel is not positive semi-definite. It
// returns a [stream.DataError] if all rows are equal in feature space up to rounding.
func (m PCA) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

func (m PCA) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.check(k); err != nil {
		return nil, err
	}
	f := &landmarkFit{Landmark: m.landmark(), rows: n, tiles: tiles.Plain(k), centred: true}
	choice := m.choice(n, k)
	candidates, rest, err := gatherCandidates(ctx, d.Left, choice)
	if err != nil {
		return nil, err
	}
	basis.SetOrigin(f.tiles, candidates.Rows)
	f.landmarks, f.held, err = pickLandmarks(ctx, e, f.tiles, d.Left.Info().Name, choice, candidates, rest)
	if err != nil {
		return nil, err
	}
	gram, err := f.gram(ctx, e, d.Left)
	if err != nil {
		return nil, err
	}
	found, spectrum, err := f.components(gram.A.Matrix(), gram.B.A.Totals()[0])
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, noComponent(d.Left.Info().Name, k, rowsDiffer(candidates.Rows, rest.Rows))
	}
	notes := rankNote(len(found.Values), m.Rank, basis.Dependence)
	trace := found.Trace
	fit, err := finishFit(ctx, e, f.tiles, found, notes, spectrum.condition, f.held, f.held, trace)
	if err != nil {
		return nil, err
	}
	if m.Rule.Or(RuleAuto) == RuleAuto && choice.Reservoir() < n {
		fit.Details = []string{choice.Note()}
	}
	fit.Warn(basis.SpreadWarning(k, spectrum.spread)...)
	found.Trace /= f.tiles.Scale()
	return fit, nil
}

// leastLandmarks is the least default number of landmarks. No core corrects components for landmarks that are missing:
// the tenth eigenvalue of 40 landmarks may be .7 of the exact one.
const leastLandmarks = 500

// landmark returns the corresponding settings of the landmark method.
func (m PCA) landmark() Landmark {
	l := Landmark{Rank: m.Rank, Landmarks: m.Landmarks, Rule: m.Rule, Seed: m.Seed}
	if l.Landmarks == 0 {
		l.Landmarks = max(leastLandmarks, int(l.landmarks()))
	}
	return l
}

func (m PCA) check(k kernelgen.Kernel) error {
	if !k.PositiveSemiDefinite() {
		return fmt.Errorf("kernel %s is not known to be positive semi-definite: "+
			"principal components need one that is, such as rbf or laplace", k)
	}
	return checkRank(m.Rank, m.Landmarks)
}

// choice returns the choice of landmarks among n rows.
func (m PCA) choice(n int64, k kernelgen.Kernel) basis.Landmarks {
	count := int(min(n, m.landmark().landmarks()))
	return basis.Landmarks{Rows: n, Rule: m.Rule.Or(RuleAuto), Features: m.Rank, Count: count,
		Seed: m.Seed, Definite: k.PositiveSemiDefinite()}.Resolve()
}

// gram whitens the landmarks, and sums the Gram matrix of [1 | f] and the trace.
func (f *landmarkFit) gram(ctx context.Context, e stream.Engine,
	src stream.Source) (*sketchState[*sketch.WhitenedGram], error) {
	landmarks, u, err := basis.Whiten(ctx, e, f.tiles, f.landmarks)
	if errors.Is(err, basis.ErrNotDefinite) {
		err = notDefinite(f.tiles.Kernel)
	}
	if err != nil {
		return nil, err
	}
	f.landmarks, f.basis = landmarks, &whitened{upper: u}
	with := matrix.New(u.Rows+1, u.Cols+1)
	with.Data[0] = 1
	for i := range u.Rows {
		copy(matrix.Row(with, i+1)[1:], matrix.Row(u, i))
	}
	by, err := sketch.NewWhitening(with)
	if err != nil {
		return nil, err
	}
	return f.streamGram(ctx, e.WithInputs(with), src, new(basis.Leverage), by)
}

// noComponent returns the error for rows of the named source without a component. differ reports that the rows are not
// all equal.
func noComponent(name string, k kernelgen.Kernel, differ bool) error {
	if !differ {
		return stream.NewDataError(name, "all rows are the same, and there is no component").
			WithRemedy("choose other columns")
	}
	return basis.AlikeError(name, k)
}

// centredSpectrum describes the accuracy of components.
type centredSpectrum struct {
	condition float64 // of the components: rounding errors are relative to the trace
	spread    float64 // the trace of the centred matrix divided by that of A, both within the span of the landmarks
}

// components returns the model of the Gram matrix of [1 | f], given the trace of A; nil if there is no component.
func (f *landmarkFit) components(gram blas64.General, trace float64) (found *Model, s centredSpectrum, err error) {
	n, p := gram.Data[0], gram.Rows-1
	mean, centred := make([]float64, p), matrix.New(p, p)
	norm, whole := 0.0, 0.0
	for j := range mean {
		mean[j] = matrix.Row(gram, 0)[j+1] / n
		norm += mean[j] * mean[j]
		whole += matrix.Row(gram, j+1)[j+1]
	}
	for i := range p {
		for j, v := range matrix.Row(gram, i+1)[1:] {
			matrix.Row(centred, i)[j] = v - n*mean[i]*mean[j]
		}
	}
	eig, err := newEigen("the sketch", centred)
	if err != nil {
		return nil, s, err
	}
	s.spread = centredSpread(dense.Sum(eig.Values), whole)
	r := 0
	for r < min(f.Rank, p) && eig.Values[r] > basis.Dependence*whole {
		r++
	}
	if r == 0 {
		return nil, s, nil
	}
	vectors := matrix.Columns(eig.Vectors, 0, r)
	t := scaledColumns(vectors, dense.Reciprocals(dense.Roots(eig.Values[:r])))
	c := &Center{Offset: make([]float64, r), Norm: norm}
	for i, v := range mean {
		matrix.Axpy(v, matrix.Row(t, i), c.Offset)
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(f.basis.upper), t)
	weights := matrix.New(p, 1)
	copy(weights.Data, mean)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(f.basis.upper), weights)
	c.Weights = weights.Data
	s.condition = whole / eig.Values[r-1]
	found = &Model{Method: "pca", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: f.rows, Cols: f.rows,
		Values: eig.Values[:r:r], Trace: math.Max(trace-n*norm, dense.Sum(eig.Values[:r])),
		Left: &Embedding{Landmarks: f.landmarks.Rows, Rows: f.landmarks.Number, Projection: t, Center: c,
			Origin: f.tiles.Origin()}}
	return found, s, nil
}

// Explained returns the share of the variance explained by each component of a [PCA] model, nil for models of other
// methods.
func (m *Model) Explained() []float64 {
	if !(m.Trace > 0) {
		return nil
	}
	shares := make([]float64, len(m.Values))
	for i, v := range m.Values {
		shares[i] = v / m.Trace
	}
	return shares
}

// Plan returns the cost of a fit.
func (m PCA) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	if err := m.check(k); err != nil {
		return nil, err
	}
	choice := m.choice(s.Rows, k)
	c := int64(choice.Count)
	p := newPlanner(e, s.Rows, s.Columns)
	p.landmarks(c, landmarksKnob)
	choice.AddTo(p.Plan, p.d)
	p.stage(func(p *planner) {
		p.moved(k)
		if m.landmark().wide(k) {
			p.widePass(s.Rows, c, 2*c+2)
		} else {
			p.pass(s.Rows, c, c+1, (c+1)*(c+1))
		}
	})
	p.stage(func(p *planner) { p.Add("whitening", 4*(c+1)*(c+1), "`Rank`") })
	p.stage(func(p *planner) { p.checks(s.Rows, 2*c, c) }) // the unit of the tiles, and K(J, J)
	p.SharedPasses = []string{"fit"}
	return p.Plan, nil
}
