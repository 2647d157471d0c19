package askls

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// foldSolution is the solution for the samples outside one fold: weights of u(x) and v(x), r×k, and biases.
type foldSolution struct {
	weights [2]blas64.General
	biases  [2][]float64
}

// decide stores f_s or f_t of a row with singular functions u in dst.
func (m *foldSolution) decide(dst, u []float64, side int) {
	copy(dst, m.biases[side])
	for j, v := range u {
		matrix.Axpy(v, matrix.Row(m.weights[side], j), dst)
	}
}

// machines returns the machine without each fold.
func (l *lowRank) machines(sums *factorSums, ridge float64) ([]foldSolution, error) {
	all := make([]foldSolution, len(l.folds))
	for i := range all {
		c, err := l.core(sums, i)
		if err != nil {
			return nil, err
		}
		if ridge == 0 && !(c.condition() < singularCondition) {
			return nil, fmt.Errorf("the system without fold %d is singular (condition number %.1e): give a ridge (`Ridge 1`), or another `C`", i, c.condition())
		}
		all[i].weights[0], all[i].weights[1], all[i].biases = c.functions(ridge)
	}
	return all, nil
}

// leaveOut computes out-of-fold decisions on all samples, in one pass.
func (l *lowRank) leaveOut(ctx context.Context, sums *factorSums, s *solution) error {
	machines, err := l.machines(sums, s.ridge)
	if err != nil {
		return err
	}
	embedder, src, err := l.k.Fitted(model.Both)
	if err != nil {
		return err
	}
	k, r := l.targets.Cols, l.k.Rank()
	s.heldOut = matrix.New(l.targets.Rows, 2*k)
	l.passes++
	decide := func() func(blas64.General, *stream.Block) error {
		each := l.evaluator(embedder)
		return func(dst blas64.General, b *stream.Block) error {
			return each(b, func(start int, uv blas64.General) error {
				for i := range uv.Rows {
					row, u, m := matrix.Row(dst, start-int(b.Start)+i), matrix.Row(uv, i), machines[l.parts[start+i]]
					m.decide(row[:k], u[:r], 0)
					m.decide(row[k:], u[r:], 1)
				}
				return nil
			})
		}
	}
	return stream.Map(ctx, l.engine, "out of fold", src, 2*k, false, decide, func(b *stream.Block, out blas64.General) error {
		copyInto(matrix.Rows(s.heldOut, int(b.Start), out.Rows), out)
		return nil
	})
}
