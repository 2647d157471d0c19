package ridge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// SampleRows is the number of rows that errors of classification are counted on, at most. The
// standard error of a share of them is at most .0036.
const SampleRows = 20_000

// leastPenalty is the smallest penalty offered, relative to the largest eigenvalue of the Gram
// matrix of the features.
const leastPenalty = 1e-8

// Penalty is a penalty tried, with its out-of-fold errors.
type Penalty struct {
	Lambda float64
	// RMSE is the root of the mean squared error of each output: of targets, or of the codes of
	// classes. NaN if the penalty is too small for the arithmetic.
	RMSE []float64
	// Misclassified is the share of rows whose class is wrong, NaN without classes.
	Misclassified float64
}

// coarse returns seven penalties, ten times each other.
func coarse(norm float64) []float64 {
	p := make([]float64, 7)
	for i := range p {
		p[i] = leastPenalty * norm * math.Pow(10, float64(i))
	}
	return p
}

// fine returns three penalties around the best, none below the least.
func fine(best, norm float64) []float64 {
	var p []float64
	for _, by := range []float64{-0.5, 0.25, 0.5} {
		if v := best * math.Pow(10, by); v > leastPenalty*norm*(1+1e-9) {
			p = append(p, v)
		}
	}
	return p
}

// choosePenalty cross-validates penalties: those given, or coarse ones and then finer ones. It
// returns the path by ascending penalties, and the place of the best.
func (f *fit) choosePenalty(ctx context.Context, norm float64) (path []Penalty, best int, err error) {
	penalties := f.Penalties
	if len(penalties) == 0 {
		penalties = coarse(norm)
	}
	if path, err = f.validate(ctx, penalties); err != nil {
		return nil, 0, err
	}
	best = f.best(path)
	if len(f.Penalties) == 0 && best >= 0 {
		finer, err := f.validate(ctx, fine(path[best].Lambda, norm))
		if err != nil {
			return nil, 0, err
		}
		path = append(path, finer...)
	}
	slices.SortFunc(path, func(a, b Penalty) int {
		if a.Lambda < b.Lambda {
			return -1
		}
		return 1
	})
	if best = f.best(path); best < 0 {
		return nil, 0, fmt.Errorf("no penalty can be solved for: the largest is %g, and the largest eigenvalue %g", path[len(path)-1].Lambda, norm)
	}
	return path, best, nil
}

// best returns the place of the penalty with the lowest error, of equal ones the largest penalty; -1 if
// none is known. Errors of several targets are divided by their standard deviations.
func (f *fit) best(path []Penalty) int {
	at, least := -1, math.Inf(1)
	for i, p := range path {
		e := p.Misclassified
		if f.data.Classes == 0 {
			e = 0
			for j, v := range p.RMSE {
				e += v * v / (f.all.unexplained[j] / f.all.weight)
			}
		}
		if e <= least {
			at, least = i, e
		}
	}
	return at
}

// validate returns the out-of-fold errors of penalties.
func (f *fit) validate(ctx context.Context, penalties []float64) ([]Penalty, error) {
	models, err := f.train(ctx, penalties)
	if err != nil {
		return nil, err
	}
	path, weight := make([]Penalty, len(penalties)), 0.0
	for part := range models {
		weight += dense.Row(f.grams[part], f.upper.Cols)[f.upper.Cols]
	}
	if weight == 0 {
		return nil, fmt.Errorf("%s: no row that is left out has a weight", f.data.Rows.Info().Name)
	}
	for i, lambda := range penalties {
		path[i] = Penalty{Lambda: lambda, RMSE: make([]float64, f.outputs), Misclassified: math.NaN()}
		for part := range models {
			sums := slices.Repeat([]float64{math.NaN()}, f.outputs)
			if c := models[part][i]; c.Rows > 0 {
				sums = squaredErrors(f.grams[part], c)
			}
			dense.Axpy(1/weight, sums, path[i].RMSE)
		}
		for j, v := range path[i].RMSE {
			path[i].RMSE[j] = math.Sqrt(v)
		}
	}
	if f.data.Classes > 0 {
		return path, f.count(ctx, models, path)
	}
	return path, nil
}

// count finds the errors of classification of each penalty, on the rows of the sample that are left
// out. The coefficients are taken to kernel entries, in place of the rows to features.
// Cost: a kernel entry for each of these rows and landmark, and 2·ℓ flops for each class and penalty.
func (f *fit) count(ctx context.Context, models trained, path []Penalty) error {
	wide := make([]blas64.General, len(models)) // coefficients of all penalties side by side
	for part, coefficients := range models {
		wide[part] = f.onEntries(coefficients)
	}
	features := f.features.Features(f.data.Rows.Info().Name)
	n, p := f.sample.Count(), f.upper.Cols
	panels := (n + stream.PanelRows - 1) / stream.PanelRows
	wrong, weights := stream.NewMatrix(panels, len(path)), make([]float64, panels)
	err := stream.Each(ctx, f.engine.Threads, panels, func(panel int) error {
		first := panel * stream.PanelRows
		x := stream.RowSlice(f.sample.Rows, first, min(stream.PanelRows, n-first))
		k := stream.NewMatrix(x.Rows, p+1)
		if err := features.Worker()(dense.Columns(k, 0, p), x, f.sample.Number[first]); err != nil {
			return err
		}
		for i := range k.Rows {
			dense.Row(k, i)[p] = 1
		}
		for part := range models {
			rows := f.left(panel, part)
			if len(rows) == 0 {
				continue
			}
			decisions := dense.Mul(blas.NoTrans, dense.PickRows(k, rows), blas.NoTrans, wide[part])
			for i, r := range rows {
				number := f.sample.Number[first+r]
				w, all := f.data.weight(number), dense.Row(decisions, i)
				weights[panel] += w
				for q, c := range models[part] {
					if c.Rows == 0 || largestOf(all[q*f.outputs:][:f.outputs]) != f.data.Labels[number] {
						dense.Row(wrong, panel)[q] += w
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	total := dense.Sum(weights)
	if total == 0 {
		return fmt.Errorf("%s: no row that is left out has a weight", f.data.Rows.Info().Name)
	}
	for k := range path {
		path[k].Misclassified = 0
		for panel := range panels {
			path[k].Misclassified += dense.Row(wrong, panel)[k] / total
		}
	}
	return nil
}

// onEntries returns the coefficients of several penalties side by side, for kernel entries in place
// of features: U⁻¹·B, and the intercepts below.
func (f *fit) onEntries(coefficients []blas64.General) blas64.General {
	p := f.upper.Cols
	wide := stream.NewMatrix(p+1, len(coefficients)*f.outputs)
	for q, c := range coefficients {
		for i := range c.Rows {
			copy(dense.Row(wide, i)[q*f.outputs:], dense.Row(c, i))
		}
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(f.upper), stream.RowSlice(wide, 0, p))
	return wide
}

// left returns which rows of a panel of the sample are in a part.
func (f *fit) left(panel, part int) (rows []int) {
	first := panel * stream.PanelRows
	for i, number := range f.sample.Number[first:min(first+stream.PanelRows, f.sample.Count())] {
		if f.folds.part(number) == part {
			rows = append(rows, i)
		}
	}
	return rows
}

func largestOf(v []float64) (at int) {
	for c := range v {
		if v[c] > v[at] {
			at = c
		}
	}
	return at
}
