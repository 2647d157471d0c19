package paper2

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/scores"
)

// published has micro and macro F1 of the paper's Table 1.
var published = map[string]map[string]scores.F1{
	"cora": {methodPCA: {Micro: .757, Macro: .751}, methodKPCA: {Micro: .771, Macro: .767},
		methodSVD: {Micro: .776, Macro: .770}, methodKSVD: {Micro: .792, Macro: .784}},
	"citeseer": {methodPCA: {Micro: .648, Macro: .611}, methodKPCA: {Micro: .666, Macro: .635},
		methodSVD: {Micro: .667, Macro: .632}, methodKSVD: {Micro: .678, Macro: .640}},
}

// table1 returns Table 1.
func (o *options) table1(ctx context.Context, g *graphs.Classed) (*report.Table, error) {
	made, err := o.features(ctx, g)
	if err != nil {
		return nil, err
	}
	all, err := classify(ctx, g, made, o.seeds)
	if err != nil {
		return nil, err
	}
	return classification(g, all), nil
}

// classification returns Table 1 for some scores.
func classification(g *graphs.Classed, all []methodScore) *report.Table {
	t := &report.Table{File: "table1-" + g.Name, Title: fmt.Sprintf("Table 1: node classification on %s", g.Name),
		Head: []string{"method", "features", "micro F1", "± (sd)", "macro F1", "± (sd)", "paper micro", "paper macro"},
		Notes: []string{fmt.Sprintf("%d nodes, A + I, %d stratified splits 90/10 (seed %d). LS-SVM with γ = 1, one class "+
			"against the rest, on the singular vectors times scale·(s/s₁)^p. The bandwidth of KSVD (exact SNE sums, centred) "+
			"and of KPCA (RBF between rows, centred) from %v, p from %v and the scale from %v are chosen on the training rows "+
			"of each split by %d folds, for all methods alike. PCA is centred; SVD is that of A + I, not centred.",
			len(g.Labels), len(all[0].scores), splitSeed, bandwidthsOf(methodKSVD), powers, scales, tuneFolds)}}
	for _, s := range all {
		micro, microDeviation := stat.MeanStdDev(scores.Micro(s.scores), nil)
		macro, macroDeviation := stat.MeanStdDev(scores.Macro(s.scores), nil)
		paper, known := published[g.Name][s.method]
		if !known {
			paper = scores.F1{Micro: math.NaN(), Macro: math.NaN()}
		}
		f := s.features
		count := fmt.Sprint(f.u.Cols)
		if f.v.Cols > 0 {
			count = fmt.Sprintf("%d + %d", f.u.Cols, f.v.Cols)
		}
		t.Add(s.method, count, fixed(micro), fixed(microDeviation), fixed(macro), fixed(macroDeviation),
			paper.Micro, paper.Macro)
	}
	return t
}

// fixed returns a number with four decimals.
func fixed(v float64) string { return fmt.Sprintf("%.4f", v) }
