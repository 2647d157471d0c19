package paper5

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/rkhs"
)

// lagPairs reads NAME_X.npy and NAME_Y.npy.
func lagPairs(ctx context.Context, name string) (x, y blas64.General, err error) {
	if x, err = datasets.Load(ctx, filepath.Join(datasets.Dir(), name+"_X.npy")); err != nil {
		return x, y, err
	}
	y, err = datasets.Load(ctx, filepath.Join(datasets.Dir(), name+"_Y.npy"))
	return x, y, err
}

// canonical adds the singular values of kernel CCA to a table, a row for each number of
// landmarks; 0 stands for the exact engine.
func canonical(ctx context.Context, t *report.Table, x, y blas64.General, sigma float64, rank int, of ...int) error {
	d, err := pairsOf(x, y)
	if err != nil {
		return err
	}
	for _, count := range of {
		solver := landmarks(rkhs.CCA{Ridge: 1e-3}, rkhs.SVD, rank, count)
		if count == 0 {
			solver.Engine = rkhs.EngineExact
		}
		f, seconds, err := timed(ctx, solver, d, kernelgen.RBF(1/(2*sigma*sigma)))
		if err != nil {
			return err
		}
		left := fmt.Sprintf("%.0e", math.Max(f.TraceResiduals[0], f.TraceResiduals[1]))
		t.Add(row(f.Engine.String(), fmt.Sprint(f.Landmarks[0]), f.Values, left, f.KernelEntries, seconds)...)
	}
	return nil
}

// gyre is Example 4.2: coherent sets of the double gyre by kernel CCA. The paper states no
// ε, and prints its singular values in a figure only.
func gyre(ctx context.Context, _ *options) (*report.Table, error) {
	t := &report.Table{Title: "Example 4.2: singular values of kernel CCA, double gyre, 7200 pairs, σ = 0.25, ε = 1e-3",
		Head:  []string{"engine", "landmarks", "σ1", "σ2", "σ3", "σ4", "σ5", "σ6", "trace left", "kernel entries", "seconds"},
		Notes: []string{"The paper integrates with a variable step, we by RK4 with 4000 steps. ε is our choice."}}
	x, y := gyrePairs(gyreColumns, gyreRows, gyreSteps)
	return t, canonical(ctx, t, x, y, 0.25, 6, 0, 100, 300)
}

// bickley is the Bickley jet on a cylinder, whose coherent sets are the jet's two sides
// and vortices.
func bickley(ctx context.Context, _ *options) (*report.Table, error) {
	t := &report.Table{Title: "Bickley jet, 10,000 pairs: singular values of kernel CCA, σ = 1, ε = 1e-3",
		Head: []string{"engine", "landmarks", "σ1", "σ2", "σ3", "σ4", "σ5", "σ6", "σ7", "σ8", "σ9", "trace left",
			"kernel entries", "seconds"}}
	x, y, err := lagPairs(ctx, "bickley")
	if err != nil {
		return nil, err
	}
	return t, canonical(ctx, t, x, y, 1, 9, 100, 300, 600)
}

// wells is a process in a potential with four wells, one in each quadrant, which it
// seldom leaves: four Koopman eigenvalues stand out.
func wells(ctx context.Context, _ *options) (*report.Table, error) {
	t := &report.Table{Title: "Quadruple well, 2500 pairs: Koopman eigenvalues, ε = 1e-6",
		Head: []string{"bandwidth", "engine", "λ1", "λ2", "λ3", "λ4", "λ5", "λ6", "seconds"}}
	x, y, err := lagPairs(ctx, "quadrupleWell_uniform")
	if err != nil {
		return nil, err
	}
	d, err := pairsOf(x, y)
	if err != nil {
		return nil, err
	}
	for _, sigma := range []float64{0.25, 0.5, 1} {
		solver := landmarks(rkhs.Koopman{Ridge: 1e-6}, rkhs.Eigen, 6, 0)
		f, seconds, err := timed(ctx, solver, d, kernelgen.RBF(1/(2*sigma*sigma)))
		if err != nil {
			return nil, err
		}
		t.Add(row(fmt.Sprint(sigma), f.Engine.String(), f.Values[:6], seconds)...)
	}
	return t, nil
}
