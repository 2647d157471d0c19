package askls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Candidate is a machine to try: its settings, and its kernel, which does not matter for
// an explicit matrix.
type Candidate struct {
	Solver Solver
	Kernel kernelgen.Kernel
}

// Score says how well a candidate decides on samples that it has not seen.
type Score struct {
	// Accuracy and MacroF1 are those of all samples, each decided on by the machine of the
	// other folds; NaN with an error.
	Accuracy, MacroF1 float64
	// Deviation is the standard deviation of the accuracies of folds.
	Deviation float64
	// Err says why the candidate cannot be fitted, such as a γ for which the system without
	// a fold is singular.
	Err error
}

// CrossValidate scores candidates by the folds of [Solver.Folds], which for one seed are
// the same for all. One stacked fit gives the decisions out of fold. Stacking learns its weights
// from the other folds too. The error is that of the data; candidates have errors of their own.
//
// Cost: a stacked fit for each candidate. Those that differ in γ and ridge alone share what
// is made of the kernel: the matrix, or its approximation and the pass over it.
func CrossValidate(ctx context.Context, e stream.Engine, d *Data, candidates []Candidate) ([]Score, error) {
	scores := make([]Score, len(candidates))
	for _, alike := range alike(candidates) {
		common := &shared{}
		for _, i := range alike {
			c := candidates[i]
			merge := c.Solver.Merge
			c.Solver.Merge = MergeStack
			fit, err := c.Solver.fit(ctx, e, d, c.Kernel, common)
			if err == nil {
				scores[i], err = scoreOf(fit, d.labels, merge)
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				scores[i] = Score{math.NaN(), math.NaN(), math.NaN(), err}
			}
		}
	}
	return scores, nil
}

// alike returns the numbers of the candidates that share what is made of the kernel, set by
// set, in the order of their first ones.
func alike(candidates []Candidate) (sets [][]int) {
	for i, c := range candidates {
		at := slices.IndexFunc(sets, func(set []int) bool { return c.like(candidates[set[0]]) })
		if at < 0 {
			at, sets = len(sets), append(sets, nil)
		}
		sets[at] = append(sets[at], i)
	}
	return sets
}

// like reports whether two candidates differ in nothing that the kernel matrix is made with.
func (c Candidate) like(other Candidate) bool {
	m := c.Solver
	m.C, m.Ridge, m.Merge = other.Solver.C, other.Solver.Ridge, other.Solver.Merge
	return m == other.Solver && c.Kernel.Same(other.Kernel)
}

// Best returns the number of the candidate with the largest accuracy, and of equal ones
// the first; an error if none could be fitted.
func Best(scores []Score) (int, error) {
	best := -1
	for i, s := range scores {
		if s.Err == nil && (best < 0 || s.Accuracy > scores[best].Accuracy) {
			best = i
		}
	}
	if best < 0 {
		if len(scores) == 0 {
			return best, errors.New("there are no candidates")
		}
		return best, fmt.Errorf("none of %d candidates can be fitted; the first: %w", len(scores), scores[0].Err)
	}
	return best, nil
}

// scoreOf scores the decisions out of fold.
func scoreOf(fit *Fit, labels []int, merge Merge) (Score, error) {
	m := *fit.Model
	m.Merge = merge
	var all metrics.Tally
	var shares []float64
	for _, fold := range fit.Folds {
		truth, both := pickLabels(labels, fold.Test), dense.PickRows(fit.HeldOut, fold.Test)
		if merge == MergeStack {
			var err error
			if m.Stack, err = NewStack(dense.PickRows(fit.HeldOut, fold.Train), pickLabels(labels, fold.Train)); err != nil {
				return Score{}, err
			}
		}
		decisions, chosen := stream.NewMatrix(both.Rows, m.Classes), make([]int, both.Rows)
		m.Decide(decisions, both)
		model.Largest(chosen, decisions)
		all.Add(truth, chosen)
		share, err := metrics.Accuracy(truth, chosen)
		if err != nil {
			return Score{}, err
		}
		shares = append(shares, share)
	}
	s := Score{Deviation: stat.StdDev(shares, nil)}
	var err error
	if s.Accuracy, err = all.Accuracy(); err == nil {
		s.MacroF1, err = all.MacroF1()
	}
	return s, err
}

func pickLabels(labels, rows []int) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = labels[r]
	}
	return out
}

// OutOfFold returns what the model decides on samples of its fit that it has not seen, as
// [Fit.HeldOut] has them; an error unless functions are stacked. The weights of stacking
// are those of all samples, three for each class.
func (f *Fit) OutOfFold() (blas64.General, error) {
	if f.HeldOut.Rows == 0 {
		return blas64.General{}, errors.New("functions that are not stacked were not left out")
	}
	decisions := stream.NewMatrix(f.HeldOut.Rows, f.Classes)
	f.Decide(decisions, f.HeldOut)
	return decisions, nil
}
