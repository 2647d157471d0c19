package ridge

import (
	"cmp"
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

// tenTo returns a penalty times powers of ten.
func tenTo(penalty float64, powers ...float64) (list []float64) {
	for _, p := range powers {
		list = append(list, penalty*math.Pow(10, p))
	}
	return list
}

// chooseKernel cross-validates penalties with each kernel: those given, or coarse ones and two around the
// best. It returns the kernel of the least error, of equal ones the first, after two more penalties around
// its best, and what all came to. So seven penalties find the place of the least error to a factor of √10,
// where the error has one minimum.
func (f *fit) chooseKernel(ctx context.Context) (chosen *candidate, tried []Tried, err error) {
	for _, c := range f.candidates {
		if err := c.open(); err != nil {
			return nil, nil, err
		}
		if err := c.search(ctx); err != nil {
			return nil, nil, err
		}
		if chosen == nil || c.lowest < chosen.lowest {
			chosen, c = c, chosen
		}
		if c != nil {
			c.grams, c.all = nil, nil
		}
	}
	if len(f.Penalties) == 0 && chosen.best >= 0 {
		penalties := tenTo(chosen.path[chosen.best].Lambda, -0.5, 0.5)
		if penalties[0] < leastPenalty*chosen.norm {
			penalties = penalties[1:]
		}
		if err := chosen.try(ctx, penalties); err != nil {
			return nil, nil, err
		}
	}
	if chosen.best < 0 {
		most := chosen.path[len(chosen.path)-1].Lambda
		return nil, nil, fmt.Errorf("no penalty can be solved for: the largest is %g, and the largest eigenvalue %g",
			most, chosen.norm)
	}
	for _, c := range f.candidates {
		at := c.best
		if at < 0 {
			at = len(c.path) - 1
		}
		tried = append(tried, Tried{c.kernel, c.path[at], c.lowest})
	}
	return chosen, tried, nil
}

// open makes matrices of the sums of the pass.
func (c *candidate) open() (err error) {
	c.grams = make([]blas64.General, len(c.sums))
	for p, sum := range c.sums {
		c.counted += sum.Rows()
		c.grams[p], c.sums[p] = sum.Matrix(), nil
	}
	name := c.data.Rows.Info().Name
	if c.counted == 0 {
		return fmt.Errorf("%s: all weights are 0", name)
	}
	whole := total(c.grams, -1)
	if c.all, err = newNormal(whole, c.upper.Cols); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if target := c.constant(whole); target >= 0 {
		const what = "%s: target %s is %v in all rows: there is nothing to predict"
		return fmt.Errorf(what, name, c.data.Targets[target], dense.Row(c.known.outputs, 0)[target])
	}
	c.norm = largest(c.all.centered)
	return nil
}

// constant returns the first target that is the same in all rows of the scoring sample, and in all others but for
// rounding: a Gram matrix rounds less than 1e-10 of its diagonal. It is -1 if there is none.
func (c *candidate) constant(gram blas64.General) int {
	for j := range c.data.Targets {
		at, varies := c.upper.Cols+1+j, false
		for i := range c.known.outputs.Rows {
			varies = varies || dense.Row(c.known.outputs, i)[j] != dense.Row(c.known.outputs, 0)[j]
		}
		if !varies && c.all.unexplained[j] <= 1e-10*dense.Row(gram, at)[at] {
			return j
		}
	}
	return -1
}

// search tries the penalties given; or three, a hundred times each other, and the two beside the one of the
// least squared error.
func (c *candidate) search(ctx context.Context) error {
	if len(c.Penalties) > 0 {
		return c.try(ctx, c.Penalties)
	}
	least := leastPenalty * c.norm
	models, path, err := c.validate(ctx, tenTo(least, 1, 3, 5))
	if err != nil {
		return err
	}
	at, lowest := 0, math.Inf(1)
	for i, p := range path {
		if e := c.squares(p); e < lowest {
			at, lowest = i, e
		}
	}
	power := float64(2*at + 1)
	beside, more, err := c.validate(ctx, tenTo(least, power-1, power+1))
	if err != nil {
		return err
	}
	for part := range models {
		models[part] = append(models[part], beside[part]...)
	}
	return c.add(ctx, models, append(path, more...))
}

// try cross-validates penalties.
func (c *candidate) try(ctx context.Context, penalties []float64) error {
	models, path, err := c.validate(ctx, penalties)
	if err != nil {
		return err
	}
	return c.add(ctx, models, path)
}

// add adds penalties to the path, with their errors of classification, and finds the best.
func (c *candidate) add(ctx context.Context, models trained, path []Penalty) error {
	if c.data.Classes != nil {
		if err := c.count(ctx, models, path); err != nil {
			return err
		}
	}
	c.path = append(c.path, path...)
	slices.SortFunc(c.path, func(a, b Penalty) int { return cmp.Compare(a.Lambda, b.Lambda) })
	c.findBest()
	for i, p := range path {
		if c.best < 0 || p.Lambda != c.path[c.best].Lambda {
			continue
		}
		c.bestModels = nil
		for _, of := range models {
			c.bestModels = append(c.bestModels, of[i:i+1:i+1])
		}
	}
	return nil
}

// findBest finds the penalty with the lowest error, of equal ones the largest penalty.
func (c *candidate) findBest() {
	c.best, c.lowest = -1, math.Inf(1)
	for i, p := range c.path {
		if e := c.errorOf(p); e <= c.lowest {
			c.best, c.lowest = i, e
		}
	}
}

// errorOf returns the share of rows misclassified, or the squared error.
func (c *candidate) errorOf(p Penalty) float64 {
	if c.data.Classes != nil {
		return p.Misclassified
	}
	return c.squares(p)
}

// squares returns the sum over outputs of 1 − R². Outputs that do not vary, such as the code of a class
// whose rows have no weight, are left out.
func (c *candidate) squares(p Penalty) (sum float64) {
	for j, v := range p.RMSE {
		if all := c.all.unexplained[j]; all > 0 {
			sum += v * v / (all / c.all.weight)
		}
	}
	return sum
}

// validate fits what folds leave with all penalties, and returns their squared errors out of fold.
func (c *candidate) validate(ctx context.Context, penalties []float64) (models trained, path []Penalty, err error) {
	if models, err = c.train(ctx, penalties); err != nil {
		return nil, nil, err
	}
	weight := 0.0
	for part := range models {
		weight += dense.Row(c.grams[part], c.upper.Cols)[c.upper.Cols]
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
			dense.Axpy(1/weight, sums, rmse)
		}
		for j, v := range rmse {
			rmse[j] = math.Sqrt(v)
		}
		path = append(path, Penalty{lambda, rmse, math.NaN()})
	}
	return models, path, nil
}

// count finds the errors of classification of each penalty, on the rows of the sample that are left
// out.
func (c *candidate) count(ctx context.Context, models trained, path []Penalty) error {
	wrong, weights := stream.NewMatrix(c.samplePanels(), len(path)), make([]float64, c.samplePanels())
	err := c.leaveOut(ctx, models, func(panel, part int, rows []int, decisions blas64.General) {
		for i, r := range rows {
			w, all := c.known.weight[r], dense.Row(decisions, i)
			weights[panel] += w
			for q, b := range models[part] {
				if b.Rows == 0 || largestOf(all[q*c.outputs:][:c.outputs]) != c.known.class[r] {
					dense.Row(wrong, panel)[q] += w
				}
			}
		}
	})
	if err != nil {
		return err
	}
	total := dense.Sum(weights)
	if total == 0 {
		return fmt.Errorf("%s: no row that is left out has a weight", c.data.Rows.Info().Name)
	}
	for k := range path {
		path[k].Misclassified = 0
		for panel := range weights {
			path[k].Misclassified += dense.Row(wrong, panel)[k] / total
		}
	}
	return nil
}

// onEntries returns the coefficients of several penalties side by side, for kernel entries in place
// of features: U⁻¹·B, and the intercepts below.
func (c *candidate) onEntries(coefficients []blas64.General) blas64.General {
	p := c.upper.Cols
	wide := stream.NewMatrix(p+1, len(coefficients)*c.outputs)
	for q, b := range coefficients {
		for i := range b.Rows {
			copy(dense.Row(wide, i)[q*c.outputs:], dense.Row(b, i))
		}
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(c.upper), stream.RowSlice(wide, 0, p))
	return wide
}

func largestOf(v []float64) (at int) {
	for c := range v {
		if v[c] > v[at] {
			at = c
		}
	}
	return at
}
