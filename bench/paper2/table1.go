package main

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// published are the figures of the paper's Table 1: micro and macro F1.
var published = map[string]map[string]f1{
	"cora":     {methodPCA: {.757, .751}, methodKPCA: {.771, .767}, methodSVD: {.776, .770}, methodKSVD: {.792, .784}},
	"citeseer": {methodPCA: {.648, .611}, methodKPCA: {.666, .635}, methodSVD: {.667, .632}, methodKSVD: {.678, .640}},
	"pubmed":   {methodPCA: {.765, .736}, methodKPCA: {.754, .715}, methodSVD: {.766, .738}, methodKSVD: {.773, .743}},
}

// classification is the setting of Table 1.
type classification struct {
	splits int
	folds  int
}

// methodScore is what one method reaches over the splits.
type methodScore struct {
	method  string
	rank    int
	scores  []f1
	choices []choice
}

// run classifies the nodes with the features of each method.
func (c classification) run(ctx context.Context, g *graph, made map[string][]*features) ([]methodScore, error) {
	splits, err := split.StratifiedRandom(g.labels, testShare, c.splits, 1)
	if err != nil {
		return nil, err
	}
	classifier := &classifier{ctx: ctx, engine: stream.Engine{}, labels: g.labels, classes: g.classes, folds: c.folds}
	var all []methodScore
	for _, method := range graphMethods {
		s, err := classifier.method(method, made[method], splits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		all = append(all, s)
		micro, macro := s.mean()
		fmt.Fprintf(os.Stderr, "%s: %s: %.4f %.4f\n", g.name, method, micro, macro)
	}
	return all, nil
}

// method chooses γ, exponent and scale on the training rows of each split, and tests.
func (c *classifier) method(name string, all []*features, splits []split.Split) (methodScore, error) {
	s := methodScore{method: name, rank: len(all[0].values)}
	for i, sp := range splits {
		best, err := c.choose(all, sp.Train, uint64(i))
		if err != nil {
			return s, err
		}
		r, err := c.score(best.features.weighted(best.power, best.scale), sp)
		if err != nil {
			return s, err
		}
		s.scores, s.choices = append(s.scores, r), append(s.choices, best)
	}
	return s, nil
}

func (s methodScore) mean() (micro, macro float64) {
	for _, r := range s.scores {
		micro += r.micro / float64(len(s.scores))
		macro += r.macro / float64(len(s.scores))
	}
	return micro, macro
}

// deviation is that of micro F1 over the splits.
func (s methodScore) deviation() float64 {
	mean, _ := s.mean()
	sum := 0.0
	for _, r := range s.scores {
		sum += (r.micro - mean) * (r.micro - mean)
	}
	return math.Sqrt(sum / float64(max(1, len(s.scores)-1)))
}

// mostChosen is the choice of most splits, as text.
func (s methodScore) mostChosen() string {
	count, best := map[string]int{}, ""
	for _, c := range s.choices {
		text := fmt.Sprintf("(s/s₁)^%g·%g", c.power, c.scale)
		if nonlinear(s.method) {
			text = fmt.Sprintf("γ = %g, ", c.features.gamma) + text
		}
		if count[text]++; best == "" || count[text] > count[best] {
			best = text
		}
	}
	return best
}

// table1 is Table 1 for a graph.
func table1(g *graph, c classification, scores []methodScore) *table {
	t := &table{file: "table1-" + g.name, title: fmt.Sprintf("Table 1: node classification on %s", g.name),
		head: []string{"method", "features", "micro F1", "± over splits", "macro F1", "paper micro", "paper macro", "chosen most often"},
		notes: []string{fmt.Sprintf("%d nodes, A + I, %d stratified splits 90/10. LS-SVM with γ = 1, one class against the rest, on the singular vectors times "+
			"scale·(s/s₁)^p. The bandwidth of KSVD (exact SNE sums, centred) and of KPCA (RBF between rows, centred) from %v, p from %v and the scale from %v are "+
			"chosen on the training rows of each split by %d folds, for all methods alike. PCA is centred and has the eigenvalues of the Gram matrix for s; SVD is that of A + I, not centred.",
			g.nodes(), c.splits, bandwidths, powers, scales, c.folds)}}
	for _, s := range scores {
		micro, macro := s.mean()
		paper, known := published[g.name][s.method]
		if !known {
			paper = f1{math.NaN(), math.NaN()}
		}
		count := fmt.Sprint(s.rank)
		if twoSided(s.method) {
			count = fmt.Sprintf("%d + %d", s.rank, s.rank)
		}
		t.add(s.method, count, micro, s.deviation(), macro, paper.micro, paper.macro, s.mostChosen())
	}
	return t
}
