package paper5

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// lagPairs reads NAME_X.npy and NAME_Y.npy.
func lagPairs(ctx context.Context, name string) (x, y blas64.General, err error) {
	if x, err = datasets.Load(ctx, filepath.Join(datasets.Dir(), name+"_X.npy")); err != nil {
		return x, y, err
	}
	y, err = datasets.Load(ctx, filepath.Join(datasets.Dir(), name+"_Y.npy"))
	return x, y, err
}

// wells is a process in a potential with four wells, one in each quadrant, which it
// seldom leaves: four Koopman eigenvalues near 1, and eigenfunctions that are nearly
// constant in each well.
func wells(ctx context.Context, o *options) error {
	const epsilon, count = 1e-6, 6
	x, y, err := lagPairs(ctx, "quadrupleWell_uniform")
	if err != nil {
		return err
	}
	d, err := pairsOf(x, y)
	if err != nil {
		return err
	}
	t := &report.Table{File: "wells", Title: "Quadruple well, 2500 pairs: Koopman eigenvalues, ε = 1e-6",
		Head: []string{"bandwidth", "engine", "λ1", "λ2", "λ3", "λ4", "λ5", "λ6", "rows in the cluster of their quadrant", "features", "seconds"}}
	for _, sigma := range []float64{0.25, 0.5, 1} {
		for _, engine := range []rkhs.Engine{rkhs.EngineAuto, rkhs.EngineLandmark} {
			f, seconds, err := timed(ctx, rkhs.Solver{Operator: rkhs.Koopman{Ridge: epsilon}, Task: rkhs.Eigen, Rank: count,
				Engine: engine, Seed: o.seed}, d, kernelgen.RBF(1/(2*sigma*sigma)))
			if err != nil {
				return err
			}
			labels, err := clusters(ctx, f.Right.Part(rkhs.Real), x, 4, o.seed)
			if err != nil {
				return err
			}
			t.Add(row(fmt.Sprint(sigma), f.Engine.String(), f.Values[:count], fmt.Sprintf("%.3f", inQuadrants(x, labels)), features(f), report.Figure(seconds))...)
		}
	}
	t.Notes = []string{"Clusters are those of k-means with k = 4 on the first four eigenfunctions at the x_i, matched to quadrants by majority. Real parts, where an eigenvalue is complex."}
	return t.Write(o.out)
}

// clusters returns those of the values of the first k functions at some rows.
func clusters(ctx context.Context, f *rkhs.Functions, rows blas64.General, k int, seed uint64) ([]int, error) {
	values, err := f.First(k).At(ctx, stream.Engine{}, rows)
	if err != nil {
		return nil, err
	}
	for j := range values.Cols { // each as long as the others
		w := slices.Repeat([]float64{1}, values.Cols)
		column := dense.Columns(values, j, 1)
		if norm := dense.Frobenius(column); norm > 0 {
			w[j] = 1 / norm
		}
		dense.ScaleColumns(values, w)
	}
	c, err := cluster.KMeans{Clusters: k, Seed: seed}.Fit(ctx, stream.Engine{}, values)
	if err != nil {
		return nil, err
	}
	return c.Labels, nil
}

// inQuadrants returns the part of the rows whose cluster has most of their quadrant.
func inQuadrants(x blas64.General, labels []int) float64 {
	var count [4][4]int
	for i, c := range labels {
		q := 0
		for j, v := range dense.Row(x, i) {
			if v > 0 {
				q |= 1 << j
			}
		}
		count[q][c]++
	}
	right := 0
	for _, c := range count {
		right += slices.Max(c[:])
	}
	return float64(right) / float64(len(labels))
}

// bickley is the Bickley jet on a cylinder, whose coherent sets are the jet's two sides
// and vortices.
func bickley(ctx context.Context, o *options) error {
	const sigma, epsilon, count = 1.0, 1e-3, 9
	x, y, err := lagPairs(ctx, "bickley")
	if err != nil {
		return err
	}
	d, err := pairsOf(x, y)
	if err != nil {
		return err
	}
	t := &report.Table{File: "bickley", Title: "Bickley jet, 10,000 pairs: singular values of kernel CCA, σ = 1, ε = 1e-3",
		Head: []string{"", "engine", "σ1", "σ2", "σ3", "σ4", "σ5", "σ6", "σ7", "σ8", "σ9", "features", "trace left", "seconds"}}
	var panels []*plot.Plot
	for _, landmarks := range []int{100, 300, 600} {
		f, seconds, err := timed(ctx, rkhs.Solver{Operator: rkhs.CCA{Ridge: epsilon}, Rank: count,
			Landmarks: landmarks, Engine: rkhs.EngineLandmark, Seed: o.seed}, d, kernelgen.RBF(1/(2*sigma*sigma)))
		if err != nil {
			return err
		}
		t.Add(row("as the paper", fmt.Sprintf("%s %d", f.Engine, landmarks), f.Values, features(f),
			fmt.Sprintf("%.0e", math.Max(f.TraceResiduals[0], f.TraceResiduals[1])), report.Figure(seconds))...)
		if landmarks != 300 {
			continue
		}
		labels, err := clusters(ctx, f.Right, x, count, o.seed)
		if err != nil {
			return err
		}
		panels = append(panels, scatter("x", x, labels), scatter("y", y, labels))
	}
	t.Notes = []string{"The kernel is on the plane: it does not know that the first coordinate has period 20. The figure shows clusters of the right singular functions at the x_i (k-means, k = 9), on the x_i and on the y_i."}
	if err := t.Write(o.out); err != nil {
		return err
	}
	return drawPanels(o.path("bickley.svg"), panels)
}
