package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Solver fits a regression. The zero value is ready to use.
type Solver struct {
	// Landmarks is ℓ, drawn uniformly from the rows; 0 means 1,000. All rows serve if there are
	// fewer.
	Landmarks int
	// Penalties are the λ to choose from, above 0; none means seven from 1e-8 to 1e-2 of the
	// largest eigenvalue of the Gram matrix of the features, and three around the best of them.
	Penalties []float64
	// Folds is the number of folds; 1 holds out a tenth of the rows once. 0 means 5, or 1 above 3,000
	// landmarks.
	Folds int
	// Balanced makes all classes weigh alike: a row of a class of n_c rows, of k classes, has its
	// weight times n/(k·n_c). The penalty and the temperature are chosen with these weights.
	Balanced bool
	// Std keeps what standard deviations of targets need in the model: 2·ℓ² numbers.
	Std  bool
	Seed uint64
}

const defaultLandmarks = 1000

// Method is a way to fit a regression.
type Method = model.Method[*Data, Fit]

var _ Method = Solver{}

// Fit is a model, and what cross-validation found.
type Fit struct {
	*Model
	model.Report
	// Path are the penalties tried, ascending, with their out-of-fold errors; Best is the place of
	// the one chosen.
	Path []Penalty
	Best int
	// R2 is the out-of-fold coefficient of determination of each target; nil for classes.
	R2 []float64
	// Folds is the number of folds; 1 for a tenth held out.
	Folds int
	// Counted is the number of rows that out-of-fold predictions were made of, for scores and
	// intervals.
	Counted int
	// Scores are out-of-fold figures of classes; nil for targets.
	Scores *Scores
}

// Chosen returns the penalty chosen.
func (f *Fit) Chosen() Penalty { return f.Path[f.Best] }

// Fit learns targets or classes from the rows of d. The kernel must be positive semi-definite.
// Cost: one pass over the rows after gathering landmarks, n·ℓ kernel entries, 2·n·ℓ² flops; then
// ℓ³/3 flops for each penalty and fold. Memory does not depend on the number of rows, but for what
// Data holds.
func (s Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, s.fit)
}

// fit is a fit under way.
type fit struct {
	Solver
	engine    stream.Engine
	data      *Data // with weights of classes
	given     *Data // without
	rows      int64
	landmarks int // asked for
	outputs   int
	folds     folding

	features *basis.Map // k(x, J)
	upper    blas64.General
	sample   *basis.Panel     // of which out-of-fold predictions are made
	grams    []blas64.General // of the parts
	all      *normal
}

func (s Solver) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	k, err := model.Resolve(ctx, d, k, s.Seed)
	if err != nil {
		return nil, err
	}
	f, err := s.begin(e, d.Shape(), k)
	if err != nil {
		return nil, err
	}
	f.data, f.given = d, d
	if s.Balanced {
		f.data = d.balanced()
	}
	t, err := tiles.New(k, false)
	if err != nil {
		return nil, err
	}
	f.features = &basis.Map{Tiles: t}
	if f.folds, err = s.folding(f.landmarks, d.Groups); err != nil {
		return nil, err
	}
	if err := f.gather(ctx); err != nil {
		if errors.Is(err, basis.ErrNotDefinite) {
			err = fmt.Errorf("kernel %s is not positive semi-definite between the landmarks: regression needs one that is", k)
		}
		return nil, err
	}
	if f.grams, err = f.pass(ctx); err != nil {
		return nil, err
	}
	if f.all, err = newNormal(total(f.grams, -1), f.upper.Cols); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Rows.Info().Name, err)
	}
	norm := largest(f.all.centered)
	path, best, err := f.choosePenalty(ctx, norm)
	if err != nil {
		return nil, err
	}
	coefficients, err := f.all.solve(path[best].Lambda)
	if err != nil {
		return nil, err
	}
	out := f.finish(k, path, best, norm, coefficients)
	if err := f.answers(ctx, out); err != nil {
		return nil, err
	}
	out.KernelEntries = f.features.Tiles.Entries.Load()
	return out, nil
}

// begin checks the settings for data of a shape.
func (s Solver) begin(e stream.Engine, shape model.Shape, k kernelgen.Kernel) (*fit, error) {
	f := &fit{Solver: s, engine: e, rows: shape.Rows, landmarks: s.Landmarks, outputs: outputs(shape)}
	switch {
	case s.Landmarks < 0:
		return nil, fmt.Errorf("`landmarks %d` must be positive", s.Landmarks)
	case s.Landmarks == 0:
		f.landmarks = defaultLandmarks
	}
	switch {
	case s.Balanced && shape.Classes == 0:
		return nil, errors.New("`class-weight balanced` is for classes, and targets are numbers")
	case s.Std && shape.Classes > 0:
		return nil, errors.New("`std` is for targets: classes have probabilities")
	}
	for _, lambda := range s.Penalties {
		if !(lambda > 0 && lambda <= math.MaxFloat64) {
			return nil, fmt.Errorf("`penalty %v` must be above 0", lambda)
		}
	}
	if !k.PositiveSemiDefinite() {
		return nil, fmt.Errorf("kernel %s is not known to be positive semi-definite: regression needs one that is, such as rbf or laplace", k)
	}
	var err error
	f.folds, err = s.folding(f.landmarks, nil)
	if err == nil && shape.Rows >= 0 && shape.Rows < int64(max(2, f.folds.tested)) {
		err = fmt.Errorf("%d folds of %d rows: each needs a row", max(2, f.folds.tested), shape.Rows)
	}
	return f, err
}

// finish makes the model.
func (f *fit) finish(k kernelgen.Kernel, path []Penalty, best int, norm float64, coefficients blas64.General) *Fit {
	p, onEntries := f.upper.Cols, f.onEntries([]blas64.General{coefficients})
	m := &Model{Kernel: k, Landmarks: f.features.Landmarks.Rows, Coefficients: stream.RowSlice(onEntries, 0, p), Intercept: dense.Row(onEntries, p), Names: f.data.names(),
		Classes: f.data.Classes, Lambda: path[best].Lambda, Rows: f.rows, Seed: f.Seed}
	fit := &Fit{Model: m, Path: path, Best: best, Folds: f.folds.tested}
	fit.SourcePasses = 1
	if f.data.Classes == 0 {
		for j, v := range path[best].RMSE {
			fit.R2 = append(fit.R2, 1-v*v*f.all.weight/f.all.unexplained[j])
		}
	}
	if f.landmarks > p {
		fit.Note(fmt.Sprintf("%d landmarks serve, of %d: others depend on them, or there are no more rows", p, f.landmarks))
	}
	if least := leastPenalty * norm; path[best].Lambda < least*(1-1e-9) {
		fit.Note(fmt.Sprintf("the penalty %.3g is below %.3g, 1e-8 of the largest eigenvalue: predictions may have few digits", path[best].Lambda, least))
	}
	if len(f.Penalties) == 0 && best == len(path)-1 {
		fit.Note("the best penalty is the largest tried: more is not better on the rows left out, so the kernel may explain little; try another")
	}
	return fit
}
