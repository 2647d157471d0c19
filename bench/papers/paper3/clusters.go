package paper3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// scaled returns all rows of a matrix with columns of mean 0 and deviation 1.
func scaled(ctx context.Context, x blas64.General) (blas64.General, error) {
	p, err := stream.Prepare(ctx, stream.Engine{}, stream.FromMatrix("rows", x), stream.NullsError, stream.ScaleStandard)
	if err != nil {
		return x, err
	}
	return stream.ReadAll(ctx, p)
}

func unsupervisedTable(p problem, d *datasets.Labelled) *report.Table {
	return &report.Table{File: "unsupervised-" + p.name, Title: fmt.Sprintf("Tables 4 and 5, unsupervised: %s", p.name),
		Head: []string{"kernel", "method", "q", "clusters", "NMI", "NMI of XW", "paper", "J", "seconds", "paper's", "rounds", "iterations", "settled"},
		Notes: []string{fmt.Sprintf("All %d rows, %d columns. The classes are only compared with the clusters found. NMI is normalised by the arithmetic mean of the entropies; "+
			"the paper's, by the geometric mean, is the same or larger. NMI is of the clusters that the fit returns, NMI of XW of spectral clustering of XW (Ng, Jordan & Weiss; Gaussian kernel, width the median distance, at most %d landmarks). "+
			"SM, GM and DG, as in the supervised table, take turns with the eigenvectors of the centred kernel, until J rises by less than %g of itself; DG up to q = %d.", d.X.Rows, d.X.Cols, spectralLandmarks, turnTolerance, mostGrowth)}}
}

// unsupervised adds a row for each engine.
func (o *options) unsupervised(ctx context.Context, t *report.Table, p problem, d *datasets.Labelled, k kernelChoice) error {
	x, err := scaled(ctx, d.X)
	if err != nil {
		return err
	}
	paper := p.figures(k.name)
	var exact *ism.Fit
	for _, engine := range []ism.Engine{ism.EngineExact, ism.EngineLinear} {
		if engine == ism.EngineExact && x.Rows > mostExactClusters {
			continue
		}
		s := ism.Solver{Dim: p.dim, Engine: engine, Paradigm: ism.Unsupervised, Clusters: d.Classes, Seed: o.seed}
		began := time.Now()
		fit, err := s.Fit(ctx, stream.Engine{}, &ism.Data{Rows: stream.FromMatrix(p.name, x)}, k.parsed())
		if err != nil {
			return err
		}
		found := clustering{w: fit.W, labels: fit.Labels, value: fit.Objective, seconds: time.Since(began).Seconds(), rounds: fit.Rounds, iterations: fit.Iterations, settled: !fit.Unsettled}
		if err := o.addClusters(ctx, t, p, d, x, k.name, "ISM "+engine.String(), found, paper); err != nil {
			return err
		}
		if engine == ism.EngineExact {
			exact = fit
		}
	}
	if exact != nil {
		return o.slowWithoutLabels(ctx, t, p, d, k, x, exact)
	}
	return nil
}

// spectralLandmarks is how many rows the kernel of spectral clustering is made from.
const spectralLandmarks = 500

// spectralClusters returns the clusters of rows by a Gaussian kernel with the median
// distance for its width.
func spectralClusters(ctx context.Context, z blas64.General, clusters int, seed uint64) ([]int, error) {
	sigma, src := medianDistance(z), stream.FromMatrix("XW", z)
	fit, err := lowrank.Nystrom{Rank: min(z.Rows, spectralLandmarks), Seed: seed}.Fit(ctx, stream.Engine{}, model.Sources{Left: src}, kernelgen.RBF(1/(2*sigma*sigma)))
	if err != nil {
		return nil, err
	}
	factors := stream.NewMatrix(z.Rows, len(fit.Values))
	err = fit.Transform(ctx, stream.Engine{}, model.Left, src, false, func(b *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			f := dense.Row(factors, int(b.Start)+i)
			for j, v := range dense.Row(u, i) {
				f[j] = v * math.Sqrt(max(0, fit.Values[j]))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := cluster.Spectral{KMeans: cluster.KMeans{Clusters: clusters, Seed: seed}}.Fit(ctx, stream.Engine{}, stream.FromMatrix("factors", factors))
	if err != nil {
		return nil, err
	}
	return found.Labels, nil
}

// mostExactClusters is how many rows the exact engine clusters here: the rounds on
// more take minutes each.
const mostExactClusters = 2000

// alternativeMus are the weights of what is known that Figure 1 is shown for; 1, with
// both terms of equal norm, was chosen before any run.
var alternativeMus = []float64{0.5, 1, 2}

// alternative looks for clusters of x that differ from given ones.
func alternative(ctx context.Context, x blas64.General, given []int, kernel kernelChoice, clusters, dim int, mu float64, seed uint64) (*ism.Fit, error) {
	known, err := ism.Classes(given, 1+slices.Max(given))
	if err != nil {
		return nil, err
	}
	s := ism.Solver{Dim: dim, Engine: ism.EngineExact, Paradigm: ism.Alternative, Clusters: clusters, Mu: mu, Relative: true, Seed: seed}
	return s.Fit(ctx, stream.Engine{}, &ism.Data{Rows: stream.FromMatrix("rows", x), Known: known}, kernel.parsed())
}

// alternativeTable is Figure 1 for a data set with two divisions: it is told one, and
// shall find the other.
func alternativeTable(ctx context.Context, o *options, d *datasets.Labelled) error {
	x, err := scaled(ctx, d.X)
	if err != nil {
		return err
	}
	others := 1 + slices.Max(d.Other)
	t := &report.Table{File: "figure1-" + d.Name, Title: fmt.Sprintf("Figure 1, alternative clustering: %s", d.Name),
		Head: []string{"kernel", "μ", "q", "clusters", "NMI with the other division", "NMI with the given one", "of XW: other", "of XW: given", "seconds", "rounds", "settled"},
		Notes: []string{fmt.Sprintf("%d rows; given the %d classes, %d clusters are looked for. Both terms of Γ are divided by their norms, so μ = 1 weighs them alike. "+
			"The other division is only compared with. Of XW: of the clusters that spectral clustering of XW finds, as in Table 4. Figure: the first two columns of XW for the Gaussian kernel and μ = 1.", x.Rows, d.Classes, others)}}
	for _, name := range []string{"gaussian", "polynomial"} {
		k := kernelNamed(name)
		for _, mu := range alternativeMus {
			began := time.Now()
			fit, err := alternative(ctx, x, d.Labels, k, others, others, mu, o.seed)
			if err != nil {
				return err
			}
			seconds := time.Since(began).Seconds()
			again, err := spectralClusters(ctx, projected(x, fit.W), others, o.seed)
			if err != nil {
				return err
			}
			var nmi []any
			for _, found := range [][]int{fit.Labels, again} {
				for _, truth := range [][]int{d.Other, d.Labels} {
					v, err := metrics.NMI(truth, found)
					if err != nil {
						return err
					}
					nmi = append(nmi, v)
				}
			}
			t.Add(append(append([]any{name, mu, others, others}, nmi...), seconds, fit.Rounds, !fit.Unsettled)...)
			if name == "gaussian" && mu == 1 {
				panels := []*plot.Plot{scatter("by the clusters found", projected(x, fit.W), fit.Labels), scatter("by the other division (pose)", projected(x, fit.W), d.Other),
					scatter("by the classes given (identity)", projected(x, fit.W), d.Labels)}
				if err := drawPanels(o.path("figure1-"+d.Name+".svg"), panels); err != nil {
					return err
				}
			}
		}
	}
	return t.Write(o.out)
}

func kernelNamed(name string) kernelChoice {
	return kernels[slices.IndexFunc(kernels, func(k kernelChoice) bool { return k.name == name })]
}
