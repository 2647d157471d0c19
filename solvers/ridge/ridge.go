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

// Solver fits a regression. The zero value is ready to use.
type Solver struct {
	// Landmarks is ℓ; 0 means 1,000. They are drawn uniformly, or by the weights of the rows. All rows are landmarks
	// if there are fewer. [AutoLandmarks] doubles ℓ from 250 to 4,000 at most, while a doubling removes 5 % of the squared
	// error out of fold and the plan of the next fit is within Memory. Each doubling is a fit of its own.
	Landmarks int
	Memory    int64 `states:"ignored"` // bytes that the plan of a doubling may take, 0 for no limit
	// Penalties are the λ to choose from, above 0; none means a search from 1e-8 to 3e-1 of the
	// largest eigenvalue of the Gram matrix of the features, which tries five to eight.
	Penalties []float64
	// Folds is the number of folds; 1 holds out a tenth of the rows once. 0 means 5, or 1 with more than 3,000
	// independent landmarks. There are at most as many folds as groups.
	Folds int
	// Kernels are more kernels to choose from, besides that of Fit.
	Kernels []kernelgen.Kernel
	// Balanced makes all classes weigh alike: a row of a class of n_c rows, of k classes, has its
	// weight times n/(k·n_c). The penalty and the temperature are chosen with these weights.
	Balanced bool
	// ScoreRows is the number of rows in the scoring sample, of which out-of-fold predictions are made for scores of
	// classes, temperatures, intervals and standard errors: 100 or more; 0 means [ErrorSample]. [AllRows] also scores
	// classes on all rows that are left out, by another pass.
	ScoreRows int
	// Std keeps what standard deviations of targets need in the model: 2·ℓ² numbers.
	Std bool
	// Metric is the form of a metric learnt from a sample of the rows, which maps rows before the kernel. It
	// is taken if it lowers the error of other rows of the sample. It needs a kernel of one distance.
	Metric Metric
	Seed   uint64

	forMetric bool // a quarter of the rows is held out, for the search for a metric
}

const defaultLandmarks = 1000

// Method is a way to fit a regression.
type Method = model.Method[*Data, Fit]

var _ Method = Solver{}

// Fit is a model, and what cross-validation found.
type Fit struct {
	*Model
	model.Report
	// Path are the penalties tried with the kernel chosen, ascending, with their out-of-fold errors;
	// Best is the place of the one chosen.
	Path []Penalty
	Best int
	// Kernels are the kernels tried, each at its best penalty: see [Tried].
	Kernels []Tried
	// RMSE is the out-of-fold root mean squared error of each target; nil for classes. Up to 2,000 rows RMSE, R2 and
	// Scores.Accuracy are corrected for the choice among Configurations, each a kernel with a penalty. Errors in Path
	// and Kernels are not corrected. Configurations is 0 if nothing is corrected.
	RMSE           []Figure
	Configurations int
	// R2 is the out-of-fold coefficient of determination of each target, and R2Error its standard error; nil for
	// classes.
	R2, R2Error []float64
	// Folds is the number of folds that have rows; 1 for a tenth held out.
	Folds int
	// Counted is the number of rows that out-of-fold predictions were made of, for scores and
	// intervals.
	Counted int
	// Scores are out-of-fold figures of classes; nil for targets.
	Scores *Scores
	// LeftOut are out-of-fold predictions, for pictures of residuals and confusions.
	LeftOut *LeftOut
	// Learnt is what the search for a metric found; nil without one.
	Learnt *Learnt
}

// Tried is a kernel at its best penalty.
type Tried struct {
	Kernel kernelgen.Kernel
	Penalty
	// Error is the squared error that chooses: 1 − R², summed over targets or codes of classes.
	Error float64
	// Raced is the number of landmarks of a kernel that left the race: its errors are those of the scoring sample
	// with so many landmarks. It is 0 for kernels that were fitted with all landmarks.
	Raced int
}

// Chosen returns the penalty chosen.
func (f *Fit) Chosen() Penalty { return f.Path[f.Best] }

// Fit learns targets or classes from the rows of d. Kernels must be positive semi-definite. The kernel and penalty
// with the smallest out-of-fold error make the model: see the package comment.
// Cost: one pass over the rows after gathering landmarks; for each kernel that stays in the race n·ℓ entries and
// 2·n·ℓ² flops, then ℓ³/3 flops for each penalty and fold. Memory does not depend on the number of rows.
func (s Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.Leave(ctx, e, s, d, k, s.fit)
}

// fit is a fit under way.
type fit struct {
	Solver
	engine     stream.Engine
	data       *Data
	columns    *columns
	rows       int64
	landmarks  int // asked for
	outputs    int
	sampling   int // passes that drew rows for words of kernels
	folds      folding
	sample     *basis.Panel // rows of which out-of-fold predictions are made
	known      known        // of the sample
	outcomes   *outcomes    // nil if errors are not corrected for the choice
	candidates []*candidate
	tried      []Tried // all kernels; the race sets those that leave it
	raced      int64   // kernel entries of the race
	// read sets what is known of the rows of a block, and returns their numbers.
	read func(*known, *stream.Block) (input.Numbers, error)
}

// candidate is a kernel to choose from, with its own features of the same landmarks.
type candidate struct {
	*fit
	place    int // in tried
	kernel   kernelgen.Kernel
	features *basis.Map // k(x, J), J the landmarks that are independent under the kernel
	upper    blas64.General
	center   []float64              // mean of k(J, J), which is taken from the entries before features are made
	origin   []float64              // center·U⁻¹, the features that are taken away so
	sums     []*sketch.WhitenedGram // of the parts, until they are opened
	grams    []blas64.General       // of the parts
	all      *normal
	counted  int64      // rows with a weight
	tested   int        // parts with such rows that are validated on
	norm     float64    // of the Gram matrix of the features
	path     []Penalty  // ascending
	best     int        // place in path; -1 if no penalty can be solved for
	lowest   float64    // squared error there
	held     []*heldOut // of each penalty of the path
}

func (s Solver) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	learnt, err := s.first().learnMetric(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	if learnt != nil {
		d = d.under(learnt.metric)
	}
	chosen, tried, found, err := s.chooseLandmarks(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	coefficients, err := chosen.all.solve(chosen.path[chosen.best].Lambda)
	if err != nil {
		return nil, err
	}
	out := chosen.finish(tried, coefficients)
	out.ByLandmarks, out.SourcePasses = found.errors, out.SourcePasses*max(1, len(found.errors))
	out.Note(found.notes...)
	if err := chosen.answers(ctx, out); err != nil {
		return nil, err
	}
	out.KernelEntries = chosen.entries() + found.entries
	if learnt != nil {
		learnt.tell(out)
	}
	return out, nil
}

// choose makes the pass and chooses a kernel and a penalty: see [fit.chooseKernel].
func (s Solver) choose(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*candidate, []Tried, error) {
	kernels, err := family.ResolveAll(ctx, e, d.sampledBy(e), s.kernels(k), s.Seed)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.begin(e, d.Size(), kernels)
	if err != nil {
		return nil, nil, err
	}
	f.data, f.sampling = d, samplingPasses(d.Weights != "", s.kernels(k))
	if f.columns, err = d.columns(s.Balanced); err != nil {
		return nil, nil, err
	}
	f.read = func(k *known, b *stream.Block) (input.Numbers, error) {
		numbers := input.Numbers{From: b.Start}
		return numbers, f.columns.read(k, b.Kept, b.X.Rows, numbers)
	}
	if err := f.gather(ctx); err != nil {
		return nil, nil, err
	}
	if err := f.pass(ctx); err != nil {
		return nil, nil, err
	}
	if s.corrects(f.rows) {
		f.outcomes = &outcomes{}
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

// kernels returns all kernels to choose from.
func (s Solver) kernels(k kernelgen.Kernel) []kernelgen.Kernel {
	return append([]kernelgen.Kernel{k}, s.Kernels...)
}

// begin checks the settings for data of a shape.
func (s Solver) begin(e stream.Engine, shape model.Size, kernels []kernelgen.Kernel) (*fit, error) {
	f := &fit{Solver: s, engine: e, rows: shape.Rows, landmarks: s.Landmarks, outputs: outputs(shape),
		tried: make([]Tried, len(kernels))}
	switch {
	case s.Landmarks < 0:
		return nil, fmt.Errorf("`landmarks %d` must be positive", s.Landmarks)
	case s.Landmarks == 0:
		f.landmarks = defaultLandmarks
	}
	switch {
	case s.Balanced && shape.Classes == 0:
		return nil, errors.New("`class-weight balanced` is for classes, and targets are numbers")
	case s.ScoreRows != 0 && s.ScoreRows != AllRows && s.ScoreRows < LeastScoreRows:
		return nil, fmt.Errorf("`score-rows %d` must be at least %d, or all", s.ScoreRows, LeastScoreRows)
	case s.ScoreRows == AllRows && shape.Classes == 0:
		return nil, errors.New("`score-rows all` is for classes: errors of targets are those of all rows without it")
	case s.Std && shape.Classes > 0:
		return nil, errors.New("`std` is for targets: classes have probabilities")
	}
	for _, lambda := range s.Penalties {
		if !(lambda > 0 && lambda <= math.MaxFloat64) {
			return nil, fmt.Errorf("`penalty %v` must be above 0", lambda)
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

// most returns the largest number of landmarks that n rows give, of which -1 is unknown.
func (f *fit) most(n int64) int {
	if n < 0 {
		return f.landmarks
	}
	return int(min(n, int64(f.landmarks)))
}

// finish makes the model. It undoes the reference of targets.
func (c *candidate) finish(tried []Tried, coefficients blas64.General) *Fit {
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
	for _, t := range tried {
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
	if len(c.Penalties) == 0 && c.best == len(c.path)-1 && c.squares(c.path[c.best-1]) > c.lowest {
		fit.Warn("the best penalty is the largest tried: more is not better on the rows left out, so the kernel may explain little; try another")
	}
	return fit
}

// fewDigits is the variance of features, relative to their mean square, that leaves some four digits of the
// kernel entries.
const fewDigits = 2e-12

// noteDigits warns of rows that the kernel hardly tells apart, such as rows far from 0 under an inner product.
func (c *candidate) noteDigits(fit *Fit) {
	variance, size := 0.0, 0.0
	for i, mean := range c.all.means[:c.upper.Cols] {
		variance += matrix.Row(c.all.whole, i)[i]/c.all.weight - mean*mean
		row := matrix.Row(c.upper, i)[i:]
		size += dense.Dot(row, row) / float64(c.upper.Cols)
	}
	if variance < fewDigits*size {
		const what = "kernel %s hardly tells the rows apart: its values vary by %.1g of their size, and few digits are left; centre the columns (`scale standard`) or take another kernel"
		fit.Note(fmt.Sprintf(what, c.kernel, math.Sqrt(max(0, variance)/size)))
	}
}
