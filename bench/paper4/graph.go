package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/bench/report"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// classedGraph is a directed graph whose nodes have classes.
type classedGraph struct {
	name    string
	kernel  *stream.CSR // (A+I) divided by its row sums
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
	read, err := graph.Read(ctx, edges, graph.Options{Nodes: nodes, Simple: true, Weight: "-", SelfLoops: graph.AddSelfLoops, Degrees: stream.RowStochastic})
	if err != nil {
		return nil, err
	}
	if read.Adjacency.Rows > len(nodes) {
		return nil, fmt.Errorf("%s: node %s of %s has no label", labels, read.Name(len(nodes)), edges)
	}
	g := &classedGraph{name: filepath.Base(edges), kernel: read.Adjacency}
	g.labels, g.classes = datasets.Numbered(classes)
	return g, nil
}

// nodeMethod is a row of Table III.
type nodeMethod struct {
	name         string
	solver       askls.Solver
	baseline     symmetry      // of an LS-SVM instead, with Gamma and Ridge of solver
	merges       []askls.Merge // ways to merge that one fit gives
	micro, macro string        // as published, or as measured by another implementation
}

// nodeMethods share fits: those that differ in how functions are merged alone.
func nodeMethods() []nodeMethod {
	plain := askls.Solver{Gamma: 1, Ridge: 1, Merge: askls.MergeStack, Seed: 1}
	none := plain
	none.Ridge = 0
	return []nodeMethod{
		{"AsK-LS", plain, asymmetric, []askls.Merge{askls.MergeStack, askls.MergeAverage, askls.MergeSource, askls.MergeTarget}, ".753", ".748"},
		{"LS-SVM, (K+Kᵀ)/2", plain, meanKernel, []askls.Merge{askls.MergeAverage}, ".713", ".708"},
		{"LS-SVM, KKᵀ", plain, sourceGram, []askls.Merge{askls.MergeSource}, "", ""},
		{"LS-SVM, KᵀK", plain, targetGram, []askls.Merge{askls.MergeTarget}, "", ""},
		{"LS-SVM, (K+Kᵀ)/2, no ridge", none, meanKernel, []askls.Merge{askls.MergeAverage}, ".713", ".708"},
	}
}

// scores are those of the splits.
type scores struct{ micro, macro []float64 }

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
	t := &report.Table{File: "table3", Title: fmt.Sprintf("Table III, %s: %d nodes, %d splits of 60/40, kernel (A+I)/row sums, γ = 1, ridge 1", g.name, len(g.labels), len(splits)),
		Head: []string{"method", "merged by", "micro F1", "sd", "macro F1", "sd", "paper micro", "paper macro"}}
	for _, m := range nodeMethods() {
		all := make([]scores, len(m.merges))
		for _, s := range splits {
			if err := g.score(ctx, m, s, all); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
		for i, merge := range m.merges {
			micro, macro := m.micro, m.macro
			if i > 0 {
				micro, macro = "", ""
			}
			mean, sd := meanOf(all[i].micro)
			meanMacro, sdMacro := meanOf(all[i].macro)
			t.Add(m.name, merge.String(), mean, sd, meanMacro, sdMacro, micro, macro)
		}
	}
	t.Notes = []string{"Published figures are of stacking (the authors' code stacks on graphs) and, for the LS-SVM, of a symmetric kernel that the text does not print. Row sums are over all nodes."}
	return t.Write(o.out)
}

// score adds the scores of a split, one for each way to merge.
func (g *classedGraph) score(ctx context.Context, m nodeMethod, s split.Split, all []scores) error {
	if m.baseline != asymmetric {
		predicted, err := g.baseline(m.baseline, s, m.solver.Gamma, m.solver.Ridge)
		if err != nil {
			return err
		}
		return all[0].add(pick(g.labels, s.Test), predicted)
	}
	train, err := askls.Graph(g.name, g.kernel, s.Train, pick(g.labels, s.Train), g.classes)
	if err != nil {
		return err
	}
	fit, err := m.solver.Fit(ctx, stream.Engine{}, train, kernelgen.Kernel{})
	if err != nil {
		return err
	}
	nodes := askls.NewNodes(g.name, g.kernel, s.Test)
	for i, merge := range m.merges {
		merged := *fit.Model
		merged.Merge = merge
		predicted, err := merged.Predict(ctx, stream.Engine{}, nodes)
		if err != nil {
			return err
		}
		if err := all[i].add(pick(g.labels, s.Test), predicted); err != nil {
			return err
		}
	}
	return nil
}

// add adds the scores of what was predicted.
func (s *scores) add(truth, predicted []int) error {
	micro, err := metrics.Accuracy(truth, predicted)
	if err != nil {
		return err
	}
	macro, err := metrics.MacroF1(truth, predicted)
	if err != nil {
		return err
	}
	s.micro, s.macro = append(s.micro, micro), append(s.macro, macro)
	return nil
}

func pick(labels []int, rows []int64) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = labels[r]
	}
	return out
}

// meanOf returns the mean and the standard deviation.
func meanOf(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / math.Max(1, float64(len(v)-1)))
}
