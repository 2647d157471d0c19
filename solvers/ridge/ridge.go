package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Solver configures a fit. The zero value is ready to use.
type Solver struct {
	// Landmarks is ℓ; 0 means 1,000. They are drawn uniformly, or with probability proportional to the weights of the
	// rows. With fewer rows, all are landmarks. [AutoLandmarks] doubles ℓ from 250 to 4,000 at most, while a doubling
	// removes 5 % of the squared error out of fold and the plan of the next fit is within Memory. Each doubling is a fit.
	// Above 2,000 rows, a fit has at most two kernels of the fit before: the best, and the second if its errors are
	// within two standard errors. It searches penalties from their best, until the error rises on both sides.
	Landmarks int
	Memory    int64 `states:"ignored"` // bytes that the plan of a doubling may take, 0 for no limit
	// Penalties are the candidates for λ, above 0. If there are none, a search tries five to eight between 1e-8 and
	// 3e-1 of the largest eigenvalue of the Gram matrix of the features.
	Penalties []float64
	// Folds is the number of folds; 1 holds out a tenth of the rows once. 0 means 5, or 1 with more than 3,000
	// independent landmarks. There are at most as many folds as groups.
	Folds int
	// Kernels are further candidates, besides the kernel passed to Fit.
	Kernels []kernelgen.Kernel
	// Balanced gives all classes equal weight: of k classes, rows in one of n_c rows have their weights multiplied by
	// n/(k·n_c). The penalty and the temperature are chosen with these weights.
	Balanced bool
	// ScoreRows is the size of the scoring sample, at least 100; 0 means [ErrorSample]. Out-of-fold predictions of the
	// sample give scores of classes, temperatures, intervals and standard errors. [AllRows] also scores classes on all
	// held-out rows, by another pass.
	ScoreRows int
	// Std stores the data for standard deviations of targets in the model: 2·ℓ² numbers.
	Std bool
	// Metric is the form of a metric that is learnt from a sample of the rows and maps rows before the kernel. It is
	// used only if it reduces the error on held-out rows of the sample. It requires a kernel of one distance.
	Metric Metric
	Seed   uint64

	forMetric bool // holds out a quarter of the rows, in the search for a metric
}

const defaultLandmarks = 1000

// Method is any method that fits a regression.
type Method = model.Method[*Data, Fit]

var _ Method = Solver{}

// Fit is a model with its cross-validation results.
type Fit struct {
	*Model
	model.Report
	// Path has the penalties tried with the chosen kernel, ascending, with their out-of-fold errors. Best is the index
	// of the chosen one.
	Path []Penalty
	Best int
	// Kernels are the kernels tried, each at its best penalty: see [KernelResult].
	Kernels []KernelResult
	// RMSE is the out-of-fold root mean squared error of each target; nil for classes. Up to 2,000 rows RMSE, R2 and
	// Scores.Accuracy are corrected for the choice among Configurations, each a kernel with a penalty. Errors in Path
	// and Kernels are not corrected. Configurations is 0 if nothing is corrected.
	RMSE           []Figure
	Configurations int
	// R2 is the out-of-fold coefficient of determination of each target, and R2Error its standard error; nil for
	// classes.
	R2, R2Error []float64
	// Folds is the number of folds with rows; 1 for a held-out tenth.
	Folds int
	// Scored is the number of out-of-fold predictions used for scores and intervals.
	Scored int
	// Scores are out-of-fold scores of classes; nil for targets.
	Scores *Scores
	// OutOfFold has out-of-fold predictions, for plots of residuals and confusions.
	OutOfFold *OutOfFold
	// MetricSearch is the result of the search for a metric; nil without one.
	MetricSearch *MetricSearch
}

// KernelResult is a kernel at its best penalty.
type KernelResult struct {
	Kernel kernelgen.Kernel
	Penalty
	// Error is the criterion of the choice: 1 − R², summed over targets or codes of classes.
	Error float64
	// Raced is the number of landmarks of a kernel that lost the race; its errors are then those on the scoring sample
	// with these landmarks. With [AutoLandmarks] it may be that of an earlier fit, with its errors on all rows. It is 0
	// for kernels fitted with all landmarks.
	Raced int
}

// Chosen returns the chosen penalty.
func (f *Fit) Chosen() Penalty { return f.Path[f.Best] }

// Fit learns to predict targets or classes from the rows of d. Kernels must be positive semi-definite. It chooses the
// kernel and the penalty with the smallest out-of-fold error: see the package comment. Cost: one pass over the rows
// after gathering landmarks. Each kernel still in the race takes n·ℓ entries and 2·n·ℓ² flops, then ℓ³/3 flops for each
// penalty and fold. Memory does not depend on the number of rows.
func (s Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, s, d, k, s.fit)
}

// fit is a fit in progress.
type fit struct {
	Solver
	engine     stream.Engine
	data       *Data
	columns    *responseColumns
	rows       int64
	present    int64 // rows with a weight, if all are drawn; otherwise all rows
	landmarks  int   // as requested
	outputs    int
	sampling   int // passes for samples that resolve words of kernels
	folds      folding
	sample     *basis.Panel   // rows of the scoring sample
	known      responses      // of the scoring sample
	outcomes   *heldOutLosses // nil if errors are not corrected for the choice
	candidates []*candidate
	tried      []KernelResult // all kernels; the race fills in those that lose
	raced      int64          // kernel entries of the race
	from       *finalists     // of the fit with half of the landmarks; nil unless landmarks are doubled
	finishers  []finisher     // the candidates for a fit with twice the landmarks
	// read reads targets, labels, weights and groups of the rows of a block, and returns the row numbers.
	read func(*responses, *stream.Block) (input.Numbers, error)
}

// candidate is a candidate kernel, with its features of the common landmarks.
type candidate struct {
	*fit
	place    int     // index in tried
	around   float64 // best penalty of a fit with fewer landmarks, as a fraction of its norm; 0 for none
	kernel   kernelgen.Kernel
	features *basis.Map // k(x, J) for the landmarks J that are independent under the kernel
	upper    blas64.General
	center   []float64              // mean of k(J, J), subtracted from entries before features are computed
	origin   []float64              // center·U⁻¹, the corresponding shift of features
	sums     []*sketch.WhitenedGram // by part, until open
	grams    []blas64.General       // by part
	all      *normalEquations
	counted  int64      // rows of positive weight
	tested   int        // parts with such rows that are validation sets
	norm     float64    // of the Gram matrix of the features
	path     []Penalty  // ascending
	best     int        // index in path; -1 if no penalty can be solved for
	lowest   float64    // squared error of path[best]
	held     []*heldOut // for each penalty of the path
}

// fit learns a metric, if requested, chooses landmarks, kernel and penalty, and solves for the coefficients.
func (s Solver) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	learnt, err := s.first().learnMetric(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	if learnt != nil {
		d = d.mappedBy(learnt.metric)
	}
	chosen, found, err := s.chooseLandmarks(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	coefficients, err := chosen.all.solve(chosen.path[chosen.best].Lambda)
	if err != nil {
		return nil, err
	}
	out := chosen.finish(coefficients)
	out.SourcePasses += found.passes
	if out.MostLandmarks = int(chosen.present); chosen.most(chosen.present) == out.MostLandmarks {
		out.MostLandmarks = chosen.upper.Cols // all rows are landmarks, or depend on them
	}
	if out.ByLandmarks = found.errors; s.Landmarks != AutoLandmarks {
		if out.ByLandmarks, err = chosen.byLandmarks(ctx); err != nil {
			return nil, err
		}
	}
	out.Note(found.notes...)
	if err := chosen.answers(ctx, out); err != nil {
		return nil, err
	}
	out.KernelEntries = chosen.entries() + found.entries
	if learnt != nil {
		learnt.addTo(out)
	}
	return out, nil
}

// choose makes the pass and chooses a kernel and a penalty: see [fit.chooseKernel]. A fit that doubles landmarks goes on
// with the finalists of the fit before, nil otherwise.
func (s Solver) choose(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel,
	from *finalists) (*candidate, error) {
	kernels, sampling, err := from.kernels(), 0, error(nil)
	if kernels == nil {
		sampling = samplingPasses(d.Weights != "", s.kernels(k))
		if kernels, err = family.ResolveAll(ctx, e, d.sampledBy(e), s.kernels(k), s.Seed); err != nil {
			return nil, err
		}
	}
	f, err := s.begin(e, d.Size(), kernels)
	if err != nil {
		return nil, err
	}
	f.data, f.sampling = d, sampling
	f.goOn(from)
	if f.columns, err = d.columns(s.Balanced); err != nil {
		return nil, err
	}
	f.read = func(k *responses, b *stream.Block) (input.Numbers, error) {
		numbers := input.Numbers{From: b.Start}
		return numbers, f.columns.read(k, b.Kept, b.X.Rows, numbers)
	}
	if err := f.gather(ctx); err != nil {
		return nil, err
	}
	if err := f.pass(ctx); err != nil {
		return nil, err
	}
	if s.corrects(f.rows) {
		f.outcomes = &heldOutLosses{}
	}
	return f.chooseKernel(ctx)
}

// entries returns the number of kernel entries of all kernels.
func (f *fit) entries() int64 {
	n := f.raced
	for _, c := range f.candidates {
		n += c.features.Tiles.Entries.Load()
	}
	return n
}

// kernels returns all candidate kernels.
func (s Solver) kernels(k kernelgen.Kernel) []kernelgen.Kernel {
	return append([]kernelgen.Kernel{k}, s.Kernels...)
}

// begin checks the settings for data of the given shape.
func (s Solver) begin(e stream.Engine, shape model.Size, kernels []kernelgen.Kernel) (*fit, error) {
	f := &fit{Solver: s, engine: e, rows: shape.Rows, landmarks: s.Landmarks, outputs: outputs(shape),
		tried: make([]KernelResult, len(kernels))}
	switch {
	case s.Landmarks < 0:
		return nil, fmt.Errorf("`Landmarks %d` must be positive", s.Landmarks)
	case s.Landmarks == 0:
		f.landmarks = defaultLandmarks
	}
	switch {
	case s.Balanced && shape.Classes == 0:
		return nil, errors.New("`Balanced` is for classes, and targets are numbers")
	case s.ScoreRows != 0 && s.ScoreRows != AllRows && s.ScoreRows < LeastScoreRows:
		return nil, fmt.Errorf("`ScoreRows %d` must be at least %d, or all", s.ScoreRows, LeastScoreRows)
	case s.ScoreRows == AllRows && shape.Classes == 0:
		return nil, errors.New("`ScoreRows all` is for classes: errors of targets are those of all rows without it")
	case s.Std && shape.Classes > 0:
		return nil, errors.New("`Std` is for targets: classes have probabilities")
	}
	for _, lambda := range s.Penalties {
		if !(lambda > 0 && lambda <= math.MaxFloat64) {
			return nil, fmt.Errorf("`Penalties %v` must be above 0", lambda)
		}
	}
	for i, k := range kernels {
		if !k.PositiveSemiDefinite() {
			return nil, fmt.Errorf("kernel %s is not known to be positive semi-definite: regression needs one that is, such as rbf or laplace", k)
		}
		if err := s.checkMetric(k); err != nil {
			return nil, err
		}
		f.enter(i, k)
	}
	var err error
	f.folds, err = s.folding(f.most(shape.Rows))
	if err == nil && shape.Rows >= 0 {
		err = s.checkFolds(shape.Rows)
	}
	return f, err
}

// enter adds a candidate.
func (f *fit) enter(place int, k kernelgen.Kernel) {
	f.candidates = append(f.candidates, &candidate{fit: f, place: place, kernel: k, best: -1, lowest: math.Inf(1)})
}

// most returns the number of landmarks possible with n rows, -1 if n is unknown.
func (f *fit) most(n int64) int {
	if n < 0 {
		return f.landmarks
	}
	return int(min(n, int64(f.landmarks)))
}

// finish makes the model, in the units of the data.
func (c *candidate) finish(coefficients blas64.General) *Fit {
	p, onEntries, best, refer := c.upper.Cols, c.onEntries([]blas64.General{coefficients}), c.path[c.best], c.columns.refer
	m := &Model{Kernel: c.kernel, Landmarks: c.features.Landmarks.Rows, Coefficients: matrix.Rows(onEntries, 0, p),
		Intercept: matrix.Row(onEntries, p), Names: c.data.Targets,
		Classes: c.data.Classes.count(), Lambda: best.Lambda, Rows: c.counted, Seed: c.Seed}
	fit := &Fit{Model: m, Best: c.best, Folds: c.tested}
	fit.SourcePasses = 1 + c.sampling
	if c.data.Classes == nil {
		for j, v := range best.RMSE {
			fit.R2 = append(fit.R2, 1-v*v*c.all.weight/c.all.unexplained[j])
		}
	}
	refer.outRows(m.Coefficients)
	for j, v := range m.Intercept {
		m.Intercept[j] = refer.out(j, v)
	}
	for _, p := range c.path {
		fit.Path = append(fit.Path, p.out(refer))
	}
	for _, t := range c.tried {
		t.Penalty = t.Penalty.out(refer)
		fit.Kernels = append(fit.Kernels, t)
	}
	c.noteFolds(fit)
	c.noteDigits(fit)
	if c.landmarks > p {
		fit.Note(fmt.Sprintf("%d landmarks serve, of %d: others depend on them, or there are no more rows", p, c.landmarks))
	}
	if least := leastPenalty * c.norm; best.Lambda < least*(1-1e-9) {
		fit.Warn(fmt.Sprintf("the penalty %.3g is below %.3g, 1e-8 of the largest eigenvalue: predictions may have few digits", best.Lambda, least))
	}
	largest := len(c.Penalties) == 0 && c.best == len(c.path)-1 && !c.tries(10*best.Lambda)
	if largest && c.squares(c.path[c.best-1]) > c.lowest {
		fit.Warn("the best penalty is the largest tried: more is not better on the rows left out, so the kernel may explain little; try another")
	}
	return fit
}

// fewDigits is the variance of features, relative to their mean square, at which about four digits of the kernel
// entries remain.
const fewDigits = 2e-12

// noteDigits warns of rows that the kernel can hardly distinguish, such as rows far from 0 under an inner product.
func (c *candidate) noteDigits(fit *Fit) {
	variance, size := 0.0, 0.0
	for i, mean := range c.all.means[:c.upper.Cols] {
		variance += matrix.Row(c.all.whole, i)[i]/c.all.weight - mean*mean
		row := matrix.Row(c.upper, i)[i:]
		size += dense.Dot(row, row) / float64(c.upper.Cols)
	}
	if variance < fewDigits*size {
		const what = "kernel %s hardly tells the rows apart: its values vary by %.1g of their size, and few digits are left; centre the columns (`Treatment.Scale standard`) or take another kernel"
		fit.Note(fmt.Sprintf(what, c.kernel, math.Sqrt(max(0, variance)/size)))
	}
}
