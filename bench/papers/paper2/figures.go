package paper2

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// The settings of Figure 1: bandwidths in units of the paper's rule, and the
// tolerance, in the reading that does not ask to tell equal singular values apart.
var figureWidths = []float64{0.5, 1, 2, 4, 8}

const figureTolerance = 0.1

var figureMeasure = measures[1]

// figure1 is the number of samples to the tolerance, and the speed-up over RSVD,
// against the bandwidth of SNE.
func figure1(ctx context.Context, o *options, g *classedGraph) error {
	t := &report.Table{File: "figure1-" + g.name, Title: "Figure 1: samples to η ≤ 0.1 against γ, " + g.name,
		Head:  []string{"γ", "samples, asym. Nys", "CPU s", "RSVD CPU s", "speed-up, asym. Nys", "speed-up, paths"},
		Notes: []string{"η with weights λ/Σλ and angles to the subspace; G is not centred; the paper's bandwidth is the second. CPU time, one seed; RSVD is the quickest of q = 0 … 3 on panels."}}
	var samples, nystromUp, pathsUp plotter.XYs
	var gammas []float64
	for _, width := range figureWidths {
		p := newSpeedProblem(g, width, false)
		m, err := speed(ctx, p, ofFamilies(solvers(), nameNystrom, nameRSVD, namePaths), doubling{figureMeasure, figureTolerance, min(o.limit, 5)})
		if err != nil {
			return err
		}
		rsvd, paths := m.time(nameRSVD, figureMeasure, figureTolerance), m.time(namePaths, figureMeasure, figureTolerance)
		gammas = append(gammas, p.gamma)
		pathsUp = append(pathsUp, plotter.XY{X: p.gamma, Y: rsvd / paths})
		best, found := m.quickest(nameNystrom, figureMeasure, figureTolerance)
		if !found {
			t.Add(p.gamma, "–", math.NaN(), rsvd, math.NaN(), rsvd/paths)
			continue
		}
		t.Add(p.gamma, best.samples, best.cpu(), rsvd, rsvd/best.cpu(), rsvd/paths)
		samples = append(samples, plotter.XY{X: p.gamma, Y: float64(best.samples)})
		nystromUp = append(nystromUp, plotter.XY{X: p.gamma, Y: rsvd / best.cpu()})
	}
	if err := t.Write(o.out); err != nil {
		return err
	}
	left := newPlot(g.name+": samples to η ≤ 0.1 (subspace)", "γ", "n = m")
	addLine(left, 0, samples)
	right := newPlot("speed-up over RSVD, CPU time", "γ", "factor")
	addLine(right, 0, nystromUp)
	addLine(right, 1, pathsUp)
	for _, p := range []*plot.Plot{left, right} {
		logAxis(&p.X, gammas...)
	}
	logAxis(&left.Y, 40, 80, 160, 320, 640, 1280, 2560)
	logAxis(&right.Y, 0.1, 0.3, 1, 3, 10, 30)
	return drawPanels(filepath.Join(o.out, "figure1-"+g.name+".svg"), []*plot.Plot{left, right}, []string{nameNystrom, namePaths})
}

// ofFamilies returns the solvers of some families.
func ofFamilies(all []solver, names ...string) []solver {
	var some []solver
	for _, s := range all {
		if slices.Contains(names, s.family) {
			some = append(some, s)
		}
	}
	return some
}

// figureSamples are the numbers of samples in Figure 2.
var figureSamples = []int{100, 200, 400, 800, 1600}

// figureSplits is how many of the splits of Table 1 it has at most.
const figureSplits = 3

// figure2 is micro and macro F1 against the number of samples, for KSVD by the
// asymmetric Nyström method and KPCA by the symmetric one, both with RBF as in the
// paper, and KSVD with SNE.
func figure2(ctx context.Context, o *options, g *classedGraph) error {
	if g.labels == nil {
		return fmt.Errorf("figure 2 needs the classes of the nodes: -labels")
	}
	splits, err := split.StratifiedRandom(g.labels, testShare, min(o.seeds, figureSplits), splitSeed)
	if err != nil {
		return err
	}
	c := &classifier{ctx: ctx, labels: g.labels, classes: g.classes, folds: 3, grid: figureGrid}
	names := []string{"KSVD, RBF", "KSVD, SNE", "KPCA, RBF"}
	t := &report.Table{File: "figure2-" + g.name, Title: "Figure 2: F1 against the number of samples, " + g.name, Head: []string{"samples", "method", "micro F1", "macro F1"}}
	left, right := newPlot("micro F1, "+g.name, "samples", "micro F1"), newPlot("macro F1, "+g.name, "samples", "macro F1")
	for i, name := range names {
		var first, second plotter.XYs
		for _, m := range figureSamples {
			if m > g.nodes() {
				continue
			}
			all, err := sampledFeatures(ctx, g, i, m)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			s, err := c.method(name, all, splits)
			if err != nil {
				return err
			}
			a, _ := meanDeviation(s.over(micro))
			b, _ := meanDeviation(s.over(macro))
			t.Add(m, name, a, b)
			first, second = append(first, plotter.XY{X: float64(m), Y: a}), append(second, plotter.XY{X: float64(m), Y: b})
		}
		addLine(left, i, first)
		addLine(right, i, second)
	}
	if err := t.Write(o.out); err != nil {
		return err
	}
	return drawPanels(filepath.Join(o.out, "figure2-"+g.name+".svg"), []*plot.Plot{left, right}, names)
}

// sampledFeatures returns the features of a method of Figure 2 by so many samples, a
// quarter as many on each side, for each γ.
func sampledFeatures(ctx context.Context, g *classedGraph, method, samples int) ([]*features, error) {
	var data *ksvd.Data
	var err error
	if method == 2 {
		data, err = ksvd.Between(stream.FromMatrix(g.name, g.dense()), nil)
	} else {
		data, err = ksvd.Graph(g.name, g.adjacency)
	}
	if err != nil {
		return nil, err
	}
	var all []*features
	for _, gamma := range bandwidths {
		kernel := rbf(gamma)
		if method == 1 {
			kernel = kernelgen.SNE(gamma)
		}
		m := ksvd.Nystrom{Rank: max(1, samples/4), Rows: samples, Cols: samples, Paired: method == 2, Centre: true, Scaling: ksvd.ScaleOrthonormal, Seed: 1}
		fit, err := m.Fit(ctx, stream.Engine{}, data, kernel)
		if err != nil {
			return nil, err
		}
		f := &features{gamma: gamma, values: fit.Values, v: stream.NewMatrix(g.nodes(), 0)}
		u, v, err := fit.Factors(ctx, stream.Engine{})
		if err != nil {
			return nil, err
		}
		if f.u = u; method != 2 {
			f.v = v
		}
		all = append(all, f)
	}
	return all, nil
}

// figure3 is the embedding of the nodes in the first two left and right vectors of
// KSVD, coloured by class.
func figure3(ctx context.Context, o *options, g *classedGraph) error {
	data, err := ksvd.Graph(g.name, g.adjacency)
	if err != nil {
		return err
	}
	fit, err := ksvd.Exact{Rank: 2, Centre: true, Tolerance: 1e-6, Seed: 1}.Fit(ctx, stream.Engine{}, data, kernelgen.SNE(2))
	if err != nil {
		return err
	}
	left, right := newPlot(g.name+": left singular vectors", "", ""), newPlot(g.name+": right singular vectors", "", "")
	addClasses(left, fit.U, g.labels, g.classes)
	addClasses(right, fit.V, g.labels, g.classes)
	names := make([]string, g.classes)
	for c := range names {
		names[c] = fmt.Sprintf("class %d", c)
	}
	return drawPanels(filepath.Join(o.out, "figure3-"+g.name+".svg"), []*plot.Plot{left, right}, names)
}
