package paper5

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/rkhs"
)

// laplace is the exact engine with a kernel whose Gram matrix has full rank: functions are
// expansions over all rows. dense.py makes the same numbers with SciPy from Gram matrices
// in memory.
func laplace(ctx context.Context, o *options) error {
	const gamma, ridge, count = 0.5, 1e-3, 6
	x, y, err := lagPairs(ctx, "bickley")
	if err != nil {
		return err
	}
	d, err := pairsOf(x, y)
	if err != nil {
		return err
	}
	t := &report.Table{File: "laplace", Title: fmt.Sprintf("Bickley jet, %d pairs, laplace(gamma=%g), ε = %g: the exact engine with a kernel of full rank", x.Rows, gamma, ridge),
		Head: []string{"operator", "", "λ1", "λ2", "λ3", "λ4", "λ5", "λ6", "largest residual", "exact passes", "kernel entries", "seconds"}}
	for _, c := range []struct {
		op   rkhs.Operator
		task rkhs.Task
	}{
		{rkhs.Covariance{}, rkhs.Eigen}, {rkhs.CrossCovariance{}, rkhs.SVD}, {rkhs.MeanEmbedding{Ridge: ridge}, rkhs.SVD},
		{rkhs.Koopman{Ridge: ridge}, rkhs.Eigen}, {rkhs.PerronFrobenius{Ridge: ridge}, rkhs.Eigen}, {rkhs.CCA{Ridge: ridge}, rkhs.SVD},
	} {
		f, seconds, err := timed(ctx, rkhs.Solver{Operator: c.op, Task: c.task, Rank: count, Engine: rkhs.EngineExact, Seed: o.seed}, d, kernelgen.Laplace(gamma))
		if err != nil {
			return err
		}
		cells := []any{c.op.String(), c.task.String()}
		for _, v := range f.Eigenvalues()[:count] {
			if imag(v) == 0 {
				cells = append(cells, fmt.Sprintf("%.12g", real(v)))
			} else {
				cells = append(cells, fmt.Sprintf("%.12g%+.12gi", real(v), imag(v)))
			}
		}
		t.Add(append(cells, fmt.Sprintf("%.1e", f.Residual()), f.ExactPasses, f.KernelEntries, report.Figure(seconds))...)
	}
	return t.Write(o.out)
}
