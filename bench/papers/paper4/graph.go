package paper4

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// classedGraph is a directed graph whose nodes have classes.
type classedGraph struct {
	name    string
	loops   *stream.CSR // A+I
	labels  []int
	classes int
}

// graph reads the graph to work on.
func (o *options) graph(ctx context.Context) (*classedGraph, error) {
	edges, labels := o.edges, o.labels
	if edges == "" {
		edges, labels = filepath.Join(datasets.Dir(), "cora.edges.csv"), filepath.Join(datasets.Dir(), "cora.labels.csv")
	}
	nodes, classes, err := datasets.Labels(ctx, labels)
	if err != nil {
		return nil, err
	}
	read, err := graph.Read(ctx, edges, graph.Options{Nodes: nodes, Simple: true, Weight: "-", SelfLoops: graph.AddSelfLoops})
	if err != nil {
		return nil, err
	}
	if read.Adjacency.Rows > len(nodes) {
		return nil, fmt.Errorf("%s: node %s of %s has no label", labels, read.Name(len(nodes)), edges)
	}
	g := &classedGraph{name: filepath.Base(edges), loops: read.Adjacency}
	g.labels, g.classes = datasets.Numbered(classes)
	return g, nil
}

// graphSetting is two rows of Table III.
type graphSetting struct {
	name   string
	scaled stream.DegreeScaling
	ridge  float64
}

var graphSettings = []graphSetting{
	{"rows / out-degrees, ridge 1", stream.RowStochastic, 1},
	{"rows / out-degrees, no ridge", stream.RowStochastic, 0},
	{"columns / in-degrees, ridge 1", stream.ColumnStochastic, 1},
	{"columns / in-degrees, no ridge", stream.ColumnStochastic, 0},
}

// runGraph is Table III for one graph.
func runGraph(ctx context.Context, o *options) error {
	g, err := o.graph(ctx)
	if err != nil {
		return err
	}
	splits, err := split.Random(len(g.labels), 0.4, o.repeats, 1)
	if err != nil {
		return err
	}
	t := &report.Table{File: "table3", Title: fmt.Sprintf("Table III, %s: %d nodes, %d splits of 60/40, kernel of A+I, γ = 1", g.name, len(g.labels), len(splits)),
		Head: append(append([]string{"kernel", "F1"}, machineHead()...), "paper, AsK-LS", "paper, LS-SVM"),
		Notes: []string{"Mean ± standard deviation over the splits, which are the same for all machines. Stacked: a logistic regression for each class on the functions of 10 folds, " +
			"for all machines alike, with the smoothed labels of Platt and no penalty, so that nothing is chosen. Plain: the largest function wins; with AsK-LS that of f_s + f_t. " +
			"Degrees, KKᵀ and KᵀK are over all nodes. A system that is singular is solved with ridge 1: that of AsK-LS with no ridge is. " +
			"Published are stacked figures of AsK-LS (the authors' code stacks on graphs) and of an LS-SVM with a symmetric kernel that the text does not print, merged in a way that it does not say."}}
	for _, s := range graphSettings {
		r, err := g.measure(ctx, s, splits)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		t.Add(append(append([]any{s.name, "micro"}, r.cells(micro)...), ".753 ± .013", ".713 ± .015")...)
		t.Add(append(append([]any{s.name, "macro"}, r.cells(macro)...), ".748 ± .013", ".708 ± .016")...)
	}
	return t.Write(o.out)
}

// measure returns the scores of all machines.
func (g *classedGraph) measure(ctx context.Context, s graphSetting, splits []split.Split) (results, error) {
	kernel, err := g.loops.ScaledByDegrees(s.scaled)
	if err != nil {
		return nil, err
	}
	r := results{}
	for _, sp := range splits {
		for _, machine := range machines {
			f, err := g.learn(ctx, machine, kernel, s.ridge, sp)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", machine, err)
			}
			if err := r.add(machine, [2]functions{f, f}, pick(g.labels, sp.Train), pick(g.labels, sp.Test)); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// learn returns the functions of a machine with γ = 1.
func (g *classedGraph) learn(ctx context.Context, machine symmetry, kernel *stream.CSR, ridge float64, s split.Split) (functions, error) {
	labels := pick(g.labels, s.Train)
	if machine != asymmetric {
		k, err := machine.ofGraph(kernel)
		if err != nil {
			return functions{}, err
		}
		return lsSVM{1, ridge}.functions(part(k, s.Train, s.Train), part(k, s.Test, s.Train), labels, g.classes)
	}
	train, err := askls.Graph(g.name, kernel, s.Train, labels, g.classes)
	if err != nil {
		return functions{}, err
	}
	fit, err := askls.Solver{Gamma: 1, Ridge: ridge, Merge: askls.MergeStack, Folds: foldCount, Seed: 1}.Fit(ctx, stream.Engine{}, train, kernelgen.Kernel{})
	if err != nil {
		return functions{}, err
	}
	return ofFit(ctx, fit, askls.NewNodes(g.name, kernel, s.Test))
}
