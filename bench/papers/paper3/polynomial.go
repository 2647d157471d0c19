package paper3

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// polynomialGammas scale the inner products of (γ·x·y + 1)³.
var polynomialGammas = []float64{1, 0.11, 0.05, 0.01}

// polynomialRestarts are random starts besides Φ₀.
const polynomialRestarts = 4

// polynomialTable asks why the clusters of a polynomial kernel are worse than the paper's:
// whether J has a better maximum, by restarts; whether Y shall come from the Laplacian; or
// how the kernel is scaled, of which the paper says nothing.
func polynomialTable(ctx context.Context, o *options, p problem, d *datasets.Labelled) error {
	x, err := scaled(ctx, d.X)
	if err != nil {
		return err
	}
	t := &report.Table{File: "polynomial-" + p.name, Title: fmt.Sprintf("Clusters by (γ·x·y + 1)³: %s", p.name),
		Head: []string{"γ", "Y from", "random starts", "kept", "J", "NMI"},
		Notes: []string{"Columns have mean 0 and deviation 1. With γ = 1, as in Table 4, the few rows of great norm decide what Y is; " +
			"random starts find no better maximum of J, so that it is the kernel and not the ascent that errs. Start 0 is Φ₀."}}
	for _, gamma := range polynomialGammas {
		for _, laplacian := range []bool{false, true} {
			for _, restarts := range []int{0, polynomialRestarts} {
				s := ism.Solver{Dim: p.dim, Engine: ism.EngineExact, Paradigm: ism.Unsupervised, Clusters: d.Classes, Laplacian: laplacian, Restarts: restarts, Seed: o.seed}
				f, err := s.Fit(ctx, stream.Engine{}, &ism.Data{Rows: stream.FromMatrix(p.name, x)}, kernelgen.Poly(3, gamma, 1))
				if err != nil {
					return err
				}
				v, err := metrics.NMI(d.Labels, f.Labels)
				if err != nil {
					return err
				}
				y := "the centred kernel"
				if laplacian {
					y = "the Laplacian"
				}
				t.Add(gamma, y, restarts, f.Start, f.Objective, v)
			}
		}
	}
	return t.Write(o.out)
}
