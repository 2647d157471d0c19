package paper4

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

type classed = *graphs.Classed

// graphSetting is two rows of Table III.
type graphSetting struct {
	name   string
	scaled sparse.DegreeScaling
	ridge  float64
}

var graphSettings = []graphSetting{
	{"rows / out-degrees, ridge 1", sparse.RowStochastic, 1},
	{"rows / out-degrees, no ridge", sparse.RowStochastic, 0},
	{"columns / in-degrees, ridge 1", sparse.ColumnStochastic, 1},
	{"columns / in-degrees, no ridge", sparse.ColumnStochastic, 0},
}

var graphNotes = []string{"Mean ± standard deviation over the splits, which are the same for all machines. " +
	"Average: the largest of f_s + f_t wins. Stacked: a logistic regression for each class on the functions of " +
	"10 folds, with the smoothed labels of Platt and no penalty; nothing is chosen. " +
	"Degrees, KKᵀ and KᵀK are over all nodes. A singular system is solved with ridge 1: AsK-LS without ridge is one.",
	"The published figures of AsK-LS are stacked, by the authors' code. Those of the LS-SVM belong to a symmetric " +
		"kernel and a merge that the paper does not print."}

// publishedF1 has micro and macro F1 of AsK-LS and of the LS-SVM, by graph.
var publishedF1 = map[string][2][2]string{
	"cora":     {{".753 ± .013", ".713 ± .015"}, {".748 ± .013", ".708 ± .016"}},
	"citeseer": {{".605 ± .012", ".596 ± .011"}, {".579 ± .012", ".560 ± .012"}},
}

// graphTables returns Table III, one table for each graph.
func graphTables(ctx context.Context, repeats int) ([]*report.Table, error) {
	all, err := graphs.Citations(ctx)
	if err != nil {
		return nil, err
	}
	var tables []*report.Table
	for _, g := range all {
		t, err := graphTable(ctx, g, repeats)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// graphTable returns Table III for one graph.
func graphTable(ctx context.Context, g classed, repeats int) (*report.Table, error) {
	splits, err := split.Random(len(g.Labels), 0.4, repeats, 1)
	if err != nil {
		return nil, err
	}
	t := &report.Table{File: "table3-" + g.Name, Notes: graphNotes,
		Title: fmt.Sprintf("Table III, %s: %d splits of 60/40, kernel of A+I, γ = 1", g.Name, len(splits)),
		Head:  []string{"kernel", "F1"}}
	for _, m := range machines {
		t.Head = append(t.Head, fmt.Sprintf("%v, average", m), fmt.Sprintf("%v, stacked", m))
	}
	t.Head = append(t.Head, "paper, AsK-LS", "paper, LS-SVM")
	for _, s := range graphSettings {
		micro, macro := []any{s.name, "micro"}, []any{s.name, "macro"}
		for _, m := range machines {
			r, err := s.measure(ctx, g, m, splits)
			if err != nil {
				return nil, fmt.Errorf("%s: %v: %w", s.name, m, err)
			}
			for _, merged := range r {
				micro = append(micro, spread(scores.Micro(merged)))
				macro = append(macro, spread(scores.Macro(merged)))
			}
		}
		for i, cells := range [][]any{micro, macro} {
			paper := publishedF1[g.Name][i]
			t.Add(append(cells, paper[0], paper[1])...)
		}
	}
	return t, nil
}

// measure returns the scores of a machine.
func (s graphSetting) measure(ctx context.Context, g classed, m machine, all []split.Split) (r result, err error) {
	kernel, err := g.Adjacency.ScaledByDegrees(s.scaled)
	if err != nil {
		return r, err
	}
	symmetric := m.of(graphs.Dense(kernel))
	for _, sp := range all {
		labels, f := scores.Picked(g.Labels, sp.Train), functions{}
		if m == asymmetric {
			f, err = s.learn(ctx, g, kernel, sp, labels)
		} else {
			k, fresh := lssvm.Submatrix(symmetric, sp.Train, sp.Train), lssvm.Submatrix(symmetric, sp.Test, sp.Train)
			f, err = learnSymmetric(lssvm.Bordered{Gamma: 1, Ridge: s.ridge}, k, fresh, labels, g.Classes)
		}
		if err != nil {
			return r, err
		}
		if err := r.add([2]functions{f, f}, labels, scores.Picked(g.Labels, sp.Test)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// learn returns the functions of AsK-LS with γ = 1.
func (s graphSetting) learn(ctx context.Context, g classed, k *sparse.CSR, of split.Split, y []int) (functions, error) {
	train, err := askls.Graph(g.Name, k, of.Train, y, g.Classes)
	if err != nil {
		return functions{}, err
	}
	solver := askls.Solver{C: 1, Ridge: s.ridge, Merge: askls.MergeStack, Folds: foldCount, Seed: 1}
	fit, err := solver.Fit(ctx, stream.Engine{}, train, kernelgen.Kernel{})
	if err != nil {
		return functions{}, err
	}
	return ofFit(ctx, fit, askls.NewNodes(g.Name, k, of.Test))
}
