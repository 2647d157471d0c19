package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// ErrorSample is the default size of the scoring sample, on which classification errors are counted. The standard error
// of a fraction of its rows is at most .0036.
const ErrorSample = 20_000

const (
	// AllRows scores classes on all rows: see Solver.ScoreRows.
	AllRows = -1
	// LeastScoreRows is the smallest scoring sample. A held-out tenth of it still has enough rows.
	LeastScoreRows = 100
)

// scoreRows returns the size of the scoring sample, given enough rows.
func (s Solver) scoreRows() int {
	if s.ScoreRows <= 0 {
		return ErrorSample
	}
	return s.ScoreRows
}

// leastPenalty is the smallest penalty of a search, relative to the largest eigenvalue of the Gram matrix of the
// features.
const leastPenalty = 1e-8

// maxTried limits the number of penalties that a search tries with each kernel.
const maxTried = 5

// Penalty is a penalty and its out-of-fold errors.
type Penalty struct {
	Lambda float64
	// RMSE is the root mean squared error of each output: a target, or the code of a class. It is NaN if the penalty is
	// too small for the precision.
	RMSE []float64
	// Misclassified is the weighted fraction of misclassified rows; NaN for targets.
	Misclassified float64
}

// out returns the penalty with its errors in units of the data.
func (p Penalty) out(refer *reference) Penalty {
	p.RMSE = refer.outs(p.RMSE)
	return p
}

// tenTo returns a penalty times powers of ten.
func tenTo(penalty float64, powers ...float64) (list []float64) {
	for _, p := range powers {
		list = append(list, penalty*math.Pow(10, p))
	}
	return list
}

// chooseKernel cross-validates penalties with each kernel, the given ones or a coarse grid. It returns the kernel that
// [choice] prefers, refined by two or three penalties around its best, and the errors of all kernels. An error with a
// single minimum is located within a factor of √10. It fails if no penalty can be solved for.
func (f *fit) chooseKernel(ctx context.Context) (chosen *candidate, tried []KernelResult, err error) {
	for _, c := range f.candidates {
		if err := c.open(); err != nil {
			return nil, nil, err
		}
		if err := c.search(ctx); err != nil {
			return nil, nil, err
		}
		if chosen == nil || c.better(chosen) {
			chosen, c = c, chosen
		}
		if c != nil {
			c.grams, c.all, c.held = nil, nil, nil
		}
	}
	if len(f.Penalties) == 0 && chosen.best >= 0 {
		powers := []float64{-0.5, 0.5}
		if chosen.best == 0 {
			powers = append(powers, -1) // down to the smallest penalty
		}
		if err := chosen.try(ctx, tenTo(chosen.path[chosen.best].Lambda, powers...)); err != nil {
			return nil, nil, err
		}
	}
	if chosen.best < 0 {
		most := chosen.path[len(chosen.path)-1].Lambda
		return nil, nil, fmt.Errorf("no penalty can be solved for: the largest is %g, and the largest eigenvalue %g",
			most, chosen.norm)
	}
	for _, c := range f.candidates {
		f.tried[c.place] = c.result()
	}
	return chosen, f.tried, nil
}

// result returns the kernel at its best penalty, or at the largest if none can be solved for.
func (c *candidate) result() KernelResult {
	at := c.best
	if at < 0 {
		at = len(c.path) - 1
	}
	return KernelResult{Kernel: c.kernel, Penalty: c.path[at], Error: c.lowest}
}

// open turns the sums of the pass into Gram matrices. It fails if the data have a single group or a constant target.
func (c *candidate) open() (err error) {
	filled := 0
	c.grams = make([]blas64.General, len(c.sums))
	for p, sum := range c.sums {
		if sum.Rows() > 0 {
			filled++
			if p < c.folds.tested {
				c.tested++
			}
		}
		c.grams[p], c.sums[p] = sum.Matrix(), nil
	}
	name := c.data.Rows.Info().Name
	if filled == 1 && c.data.FoldBy != "" {
		return c.oneGroup("one value")
	}
	if c.all, err = newNormalEquations(sumMatrices(c.grams), blas64.General{}, c.upper.Cols); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if target := c.constant(); target >= 0 {
		const what = "target %s is %v in all rows: there is nothing to predict"
		return stream.NewDataError(name, what, c.data.Targets[target], c.columns.refer.out(target, 0))
	}
	c.norm = c.all.norm()
	return nil
}

// constant returns the index of the first constant target, or -1. Its reference equals its value, so standardised it is
// 0 in all rows; no other target is.
func (c *candidate) constant() int {
	for j := range c.data.Targets {
		if at := c.upper.Cols + 1 + j; matrix.Row(c.all.whole, at)[at] == 0 {
			return j
		}
	}
	return -1
}

// search tries the given penalties, or three to five at ratios of 10^1.5, until the squared error rises.
func (c *candidate) search(ctx context.Context) error {
	if len(c.Penalties) > 0 {
		return c.try(ctx, c.Penalties)
	}
	least := leastPenalty * c.norm
	models, path, err := c.validate(ctx, tenTo(least, 1, 2.5, 4))
	for last := 2; err == nil && last+1 < maxTried && c.squares(path[last]) < c.squares(path[last-1]); last++ {
		var more foldCoefficients
		var next []Penalty
		more, next, err = c.validate(ctx, tenTo(path[last].Lambda, 1.5))
		for part := range more {
			models[part] = append(models[part], more[part]...)
		}
		path = append(path, next...)
	}
	if err != nil {
		return err
	}
	return c.add(ctx, models, path)
}

// try cross-validates penalties.
func (c *candidate) try(ctx context.Context, penalties []float64) error {
	models, path, err := c.validate(ctx, penalties)
	if err != nil {
		return err
	}
	return c.add(ctx, models, path)
}

// add inserts penalties into the path, with their misclassification rates, and finds the best one.
func (c *candidate) add(ctx context.Context, models foldCoefficients, path []Penalty) error {
	var predictions blas64.General
	if c.predictsAll() {
		var err error
		if predictions, err = c.leaveOut(ctx, models); err != nil {
			return err
		}
	}
	if c.outcomes != nil {
		c.addOutcomes(models, predictions)
	}
	for i, p := range path {
		held := &heldOut{}
		for _, of := range models {
			held.models = append(held.models, of[i:i+1:i+1])
		}
		if predictions.Rows > 0 {
			held.predictions = matrix.Columns(predictions, i*c.outputs, c.outputs)
		}
		if c.data.Classes != nil && predictions.Rows > 0 {
			held.wrong = c.wrong(held)
			p.Misclassified = meanOf(held.wrong, c.known.rowWeight)
		}
		at, _ := slices.BinarySearchFunc(c.path, p, func(a, b Penalty) int { return cmp.Compare(a.Lambda, b.Lambda) })
		c.path, c.held = slices.Insert(c.path, at, p), slices.Insert(c.held, at, held)
	}
	squares, wrong := make([]float64, len(c.path)), make([][]float64, len(c.path))
	for i, p := range c.path {
		squares[i], wrong[i] = c.squares(p), c.held[i].wrong
	}
	if c.best = c.bestOf(squares, wrong); c.best >= 0 {
		c.lowest = squares[c.best]
	}
	return nil
}

// bestOf returns the index of the best penalty: see [choice]. wrong marks the rows that each penalty misclassifies.
func (c *candidate) bestOf(squares []float64, wrong [][]float64) int {
	if wrong[0] == nil {
		return choice{}.best(squares, nil)
	}
	weights := relativeWeights(c.known.weight)
	return choice{newClusters(&c.known), weights}.best(squares, wrong)
}

// choice chooses a configuration, a kernel with a penalty, by the smallest squared error. For classes it first keeps
// the configurations with misclassification rates within a standard error of the smallest. On few rows the smallest
// rate is luck, and the squared error decides; on many rows the rate itself decides.
type choice struct {
	groups  clusters
	weights []float64
}

// best returns the index of the best configuration, the last one in a tie, or -1 if all squared errors are NaN. wrong
// has 1 for each misclassified row; it is nil for targets.
func (o choice) best(squares []float64, wrong [][]float64) int {
	least, share := -1, math.Inf(1)
	for j, of := range wrong {
		if v := meanOf(of, o.weights); squares[j] == squares[j] && v < share {
			least, share = j, v
		}
	}
	var order []int
	for j, v := range squares {
		if v == v {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(squares[a], squares[b]), cmp.Compare(b, a)) })
	for _, j := range order {
		if least < 0 || o.within(1, wrong[j], wrong[least]) {
			return j
		}
	}
	return -1
}

// within reports whether the mean of losses exceeds that of least by at most the given number of standard errors of the
// difference.
func (o choice) within(errors float64, losses, least []float64) bool {
	excess := make([]float64, len(losses))
	floats.SubTo(excess, losses, least)
	more := meanOf(excess, o.weights)
	return more <= 0 || more <= errors*math.Sqrt(o.groups.variance(excess, o.weights))
}

// better reports whether c is better than other, each at its best penalty.
func (c *candidate) better(other *candidate) bool {
	switch {
	case c.best < 0:
		return false
	case other.best < 0:
		return true
	}
	wrong := [][]float64{c.held[c.best].wrong, other.held[other.best].wrong}
	return c.bestOf([]float64{c.lowest, other.lowest}, wrong) == 0
}

// predictsAll reports whether every penalty needs out-of-fold predictions, to correct errors or to count misclassified
// rows. The search for a metric needs neither.
func (c *candidate) predictsAll() bool {
	return c.outcomes != nil || c.data.Classes != nil && !c.forMetric
}

// squares returns the criterion of the choice: 1 − R², summed over targets or codes of classes.
func (c *candidate) squares(p Penalty) (sum float64) {
	for j, v := range p.RMSE {
		if variance := c.variance(j); variance > 0 {
			sum += v * v / variance
		}
	}
	return sum
}

// variance returns the variance of an output. [candidate.squares] ignores constant outputs, such as the code of a
// class without weight.
func (c *candidate) variance(output int) float64 { return c.all.unexplained[output] / c.all.weight }

// validate trains a model for each fold and penalty, and returns the penalties with their out-of-fold errors.
func (c *candidate) validate(ctx context.Context, penalties []float64) (
	models foldCoefficients, path []Penalty, err error) {
	if models, err = c.train(ctx, penalties); err != nil {
		return nil, nil, err
	}
	weight := 0.0
	for part := range models {
		weight += matrix.Row(c.grams[part], c.upper.Cols)[c.upper.Cols]
	}
	if weight == 0 {
		return nil, nil, fmt.Errorf("%s: no row that is left out has a weight", c.data.Rows.Info().Name)
	}
	for i, lambda := range penalties {
		rmse := make([]float64, c.outputs)
		for part := range models {
			sums := slices.Repeat([]float64{math.NaN()}, c.outputs)
			if b := models[part][i]; b.Rows > 0 {
				sums = squaredErrors(c.grams[part], b)
			}
			matrix.Axpy(1/weight, sums, rmse)
		}
		for j, v := range rmse {
			rmse[j] = math.Sqrt(v)
		}
		path = append(path, Penalty{Lambda: lambda, RMSE: rmse, Misclassified: math.NaN()})
	}
	return models, path, nil
}

// misclassified returns 1 for each row of the scoring sample whose largest decision value is not that of its class, and
// 0 for the others.
func (c *candidate) misclassified(decisions blas64.General) []float64 {
	wrong := make([]float64, decisions.Rows)
	for r, class := range c.known.class {
		if floats.MaxIdx(matrix.Row(decisions, r)) != class {
			wrong[r] = 1
		}
	}
	return wrong
}

// wrong is [candidate.misclassified] for the predictions of one penalty. Rows of a fold without a model also count.
func (c *candidate) wrong(held *heldOut) []float64 {
	wrong := c.misclassified(held.predictions)
	for r, group := range c.known.group {
		if held.models[c.folds.part(group)][0].Rows == 0 {
			wrong[r] = 1
		}
	}
	return wrong
}

// onEntries converts coefficients of features to coefficients of kernel entries, U⁻¹·B, for several penalties side by
// side. The last row holds the intercepts.
func (c *candidate) onEntries(coefficients []blas64.General) blas64.General {
	p := c.upper.Cols
	wide := matrix.New(p+1, len(coefficients)*c.outputs)
	for q, b := range coefficients {
		for i := range b.Rows {
			copy(matrix.Row(wide, i)[q*c.outputs:], matrix.Row(b, i))
		}
		for i := range min(p, b.Rows) { // features are z − origin
			matrix.Axpy(-c.origin[i], matrix.Row(b, i), matrix.Row(wide, p)[q*c.outputs:][:c.outputs])
		}
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(c.upper), matrix.Rows(wide, 0, p))
	return wide
}
