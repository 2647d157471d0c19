package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// tolerance measures fits to a tolerance (lowrank.Adaptive): the error over all entries, and the rank compared with the
// smallest sufficient one in the spectral norm.
func tolerance(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("Fits to a tolerance, %d seeds", o.seeds),
		Head: []string{"data", "tolerance, spectral", "rank", "smallest rank without, with the best shift",
			"spectral error", "Frobenius error", "within"},
		Notes: []string{"Errors are exact; least and largest over the seeds. uniform is 4,000 rows of U[0,1]³."}}
	for _, name := range o.data {
		x, k, err := rbfData(ctx, name)
		if err != nil {
			return nil, err
		}
		values, err := eigenvalues(k, x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, limit := range o.tolerances {
			f, err := fitsWithin(ctx, x, k, limit, o.seeds)
			if err != nil {
				return nil, fmt.Errorf("%s, tolerance %g: %w", name, limit, err)
			}
			// A shift halves the error of a rank, so truncated eigenvalues may be twice the tolerance.
			above := func(times float64) int {
				return floats.Count(func(v float64) bool { return v > times*limit*slices.Max(values) }, values)
			}
			ranks := fmt.Sprintf("%d–%d", slices.Min(f.ranks), slices.Max(f.ranks))
			t.Add(fmt.Sprintf("%s, %s", name, k), fmt.Sprint(limit), ranks, fmt.Sprintf("%d, %d", above(1), above(2)),
				span(f.spectral), span(f.frobenius), f.verdict)
			progress(t)
		}
	}
	return t, nil
}

// rbfData returns the rows of a data set and an RBF kernel; for data sets of paper 1, the paper's kernel.
func rbfData(ctx context.Context, name string) (x blas64.General, k kernelgen.Kernel, err error) {
	if name == "uniform" {
		return datasets.Uniform(4000, 3, 7), kernelgen.RBF(1), nil
	}
	x, err = datasets.Load(ctx, name)
	return x, kernelgen.RBF(map[string]float64{"abalone": 50, "satimage": 5}[name]), err
}

// eigenvalues returns the eigenvalues of the kernel matrix, ascending.
func eigenvalues(k kernelgen.Kernel, x blas64.General) ([]float64, error) {
	a := matrix.New(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(x.Rows, a.Data), false) {
		return nil, errors.New("the eigenvalues did not converge")
	}
	return eig.Values(nil), nil
}

// toleranceFits holds fits of several seeds: their ranks and exact errors, and the number within the tolerance.
type toleranceFits struct {
	ranks               []int
	spectral, frobenius []float64
	verdict             string
}

func fitsWithin(ctx context.Context, x blas64.General, k kernelgen.Kernel, limit float64, seeds uint) (
	*toleranceFits, error) {
	d := model.Sources{Left: stream.FromMatrix("rows", x)}
	m := lowrank.Adaptive{Rule: lowrank.RuleAuto, ErrorTol: limit}
	out, within, unsettled := &toleranceFits{}, 0, 0
	for m.Seed = 1; m.Seed <= uint64(seeds); m.Seed++ {
		f, err := m.Fit(ctx, stream.Engine{}, d, k)
		if err != nil {
			return nil, err
		}
		v, err := f.Verify(ctx, stream.Engine{}, d, 0, 1)
		if err != nil {
			return nil, err
		}
		out.ranks = append(out.ranks, len(f.Values))
		out.spectral, out.frobenius = append(out.spectral, v.SpectralError), append(out.frobenius, v.FrobeniusError)
		if v.SpectralError <= limit {
			within++
		}
		if f.NotConverged {
			unsettled++
		}
	}
	out.verdict = fmt.Sprintf("%d of %d", within, seeds)
	if unsettled > 0 {
		out.verdict += fmt.Sprintf("; %d told that they do not reach it", unsettled)
	}
	return out, nil
}

// span returns the smallest and the largest of some errors.
func span(v []float64) string { return fmt.Sprintf("%.2g–%.2g", slices.Min(v), slices.Max(v)) }
