package askls

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// machine is that of the samples of all folds but one: weights of u(x) and of v(x), r×k,
// and biases.
type machine struct {
	weights [2]blas64.General
	biases  [2][]float64
}

// decide puts f_s or f_t of a row with the singular functions u into dst.
func (m *machine) decide(dst, u []float64, side int) {
	copy(dst, m.biases[side])
	for j, v := range u {
		dense.Axpy(v, dense.Row(m.weights[side], j), dst)
	}
}

// machines returns the machine without each fold.
func (l *lowRank) machines(sums *factorSums, ridge float64) ([]machine, error) {
	all := make([]machine, len(l.folds))
	for i := range all {
		c, err := l.core(sums, i)
		if err != nil {
			return nil, err
		}
		if ridge == 0 && !(c.condition() < singularCondition) {
			return nil, fmt.Errorf("the system without fold %d is singular (condition number %.1e): give a ridge (`ridge 1`), or another gamma", i, c.condition())
		}
		all[i].weights[0], all[i].weights[1], all[i].biases = c.functions(ridge)
	}
	return all, nil
}

// leaveOut makes the decisions on the samples of each fold by the machine of the others.
// One pass.
func (l *lowRank) leaveOut(ctx context.Context, sums *factorSums, s *solution) error {
	machines, err := l.machines(sums, s.ridge)
	if err != nil {
		return err
	}
	on, err := l.sides()
	if err != nil {
		return err
	}
	s.heldOut = stream.NewMatrix(l.targets.Rows, 2*l.targets.Cols)
	for _, which := range on.passesOver() {
		if err := l.leaveOutOf(ctx, on, which, machines, s.heldOut); err != nil {
			return err
		}
	}
	l.passes++
	return nil
}

// leaveOutOf makes one pass over the rows of some sides.
func (l *lowRank) leaveOutOf(ctx context.Context, on sides, which []int, machines []machine, heldOut blas64.General) error {
	k := l.targets.Cols
	worker := func() func(blas64.General, *stream.Block) error {
		each := l.evaluator(on, which)
		return func(dst blas64.General, b *stream.Block) error {
			return each(b, func(piece *stream.Block, place, side int, u blas64.General) error {
				part := dense.Columns(stream.RowSlice(dst, int(piece.Start-b.Start), u.Rows), place*k, k)
				for i := range u.Rows {
					machines[l.part(int(piece.Start)+i)].decide(dense.Row(part, i), dense.Row(u, i), side)
				}
				return nil
			})
		}
	}
	return stream.Map(ctx, l.engine, "out of fold", on.rows[which[0]], k*len(which), false, worker, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			for place, side := range which {
				copy(dense.Row(heldOut, int(b.Start)+i)[side*k:], dense.Row(out, i)[place*k:(place+1)*k])
			}
		}
		return nil
	})
}
