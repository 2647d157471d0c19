package paper2

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/solvers/split"
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
func (c classification) run(ctx context.Context, g *classedGraph, made map[string][]*features) ([]methodScore, error) {
	splits, err := split.StratifiedRandom(g.labels, testShare, c.splits, splitSeed)
	if err != nil {
		return nil, err
	}
	classifier := &classifier{ctx: ctx, labels: g.labels, classes: g.classes, folds: c.folds, grid: tableGrid}
	var all []methodScore
	for _, method := range graphMethods {
		s, err := classifier.method(method, made[method], splits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		all = append(all, s)
		mean, _ := meanDeviation(s.over(micro))
		fmt.Fprintf(os.Stderr, "%s: %s: validated %.4f, test %.4f\n", g.name, method, s.validated(), mean)
	}
	return all, nil
}

// method chooses γ, exponent and scale on the training rows of each split, and tests.
func (c *classifier) method(name string, all []*features, splits []split.Split) (methodScore, error) {
	s := methodScore{method: name, rank: len(all[0].values), scores: make([]f1, len(splits))}
	var err error
	if s.choices, err = c.choose(all, splits); err != nil {
		return s, err
	}
	done := make([]bool, len(splits))
	for k, first := range s.choices {
		if done[k] {
			continue
		}
		gram := innerProducts(first.features.weighted(first.power, 1))
		err := eachOf(c.ctx, len(splits), func(i int) (err error) {
			if best := s.choices[i]; best.features == first.features && best.power == first.power {
				done[i] = true
				s.scores[i], err = c.score(gram, best.scale, splits[i])
			}
			return err
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// validated returns the mean of what the choices reached on the training nodes.
func (s methodScore) validated() float64 {
	sum := 0.0
	for _, c := range s.choices {
		sum += c.validated
	}
	return sum / float64(len(s.choices))
}

// over has one figure for each split.
func (s methodScore) over(figure func(f1) float64) []float64 {
	all := make([]float64, len(s.scores))
	for i, r := range s.scores {
		all[i] = figure(r)
	}
	return all
}

func micro(r f1) float64 { return r.micro }
func macro(r f1) float64 { return r.macro }

// meanDeviation returns the mean and the standard deviation of a sample.
func meanDeviation(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	sum := 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / float64(max(1, len(x)-1)))
}

// mostChosen returns the choice of most splits, as text.
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

// table1 returns Table 1 for a graph.
func table1(g *classedGraph, c classification, scores []methodScore) *report.Table {
	t := &report.Table{File: "table1-" + g.name, Title: fmt.Sprintf("Table 1: node classification on %s", g.name),
		Head: []string{"method", "features", "micro F1", "± (sd)", "macro F1", "± (sd)", "paper micro", "paper macro", "validation micro F1", "chosen most often"},
		Notes: []string{fmt.Sprintf("%d nodes, A + I, %d stratified splits 90/10 (seed %d). LS-SVM with γ = 1, one class against the rest, on the singular vectors times "+
			"scale·(s/s₁)^p. The bandwidth of KSVD (exact SNE sums, centred) and of KPCA (RBF between rows, centred) from %v, p from %v and the scale from %v are "+
			"chosen on the training rows of each split by %d folds, for all methods alike. PCA is centred and has the eigenvalues of the Gram matrix for s; SVD is that of A + I, not centred.",
			g.nodes(), c.splits, splitSeed, bandwidths, tableGrid.powers, tableGrid.scales, c.folds), besideSVD(scores)}}
	for _, s := range scores {
		mean, deviation := meanDeviation(s.over(micro))
		meanMacro, deviationMacro := meanDeviation(s.over(macro))
		paper, known := published[g.name][s.method]
		if !known {
			paper = f1{math.NaN(), math.NaN()}
		}
		count := fmt.Sprint(s.rank)
		if twoSided(s.method) {
			count = fmt.Sprintf("%d + %d", s.rank, s.rank)
		}
		t.Add(s.method, count, fixed(mean), fixed(deviation), fixed(meanMacro), fixed(deviationMacro), paper.micro, paper.macro, fixed(s.validated()), s.mostChosen())
	}
	return t
}

// besideSVD returns a sentence about what KSVD adds to the SVD that is tuned as it is.
func besideSVD(scores []methodScore) string {
	of := map[string]methodScore{}
	for _, s := range scores {
		of[s.method] = s
	}
	text, level := "SVD is linear, and it has all that is tuned for KSVD but a bandwidth: self-loops, weights of the vectors, scale. KSVD − SVD on the same splits is", true
	for _, figure := range []struct {
		name string
		of   func(f1) float64
	}{{"micro", micro}, {"macro", macro}} {
		mean, standardError := meanError(less(of[methodKSVD].over(figure.of), of[methodSVD].over(figure.of)))
		text += fmt.Sprintf(" %+.4f ± %.4f in %s F1,", mean, standardError, figure.name)
		level = level && math.Abs(mean) <= 2*standardError
	}
	if level {
		return text + " within two standard errors of nothing: tuned alike, the two are level, and the paper's lead of KSVD is one of tuning."
	}
	return text + " which is more than two standard errors: the two are not level here."
}

// pairs compares the last method of Table 1, KSVD, with the others split by split.
func pairs(g *classedGraph, c classification, scores []methodScore) *report.Table {
	t := &report.Table{File: "table1-pairs-" + g.name, Title: "Table 1, differences on the same splits, " + g.name,
		Head: []string{"difference", "micro F1", "standard error", "macro F1", "standard error", "splits better, equal, worse (micro)"},
		Notes: []string{fmt.Sprintf("Standard error: standard deviation of the %d differences over the root of their number. Random splits share training rows; by the "+
			"correction of Nadeau and Bengio (2003) it would be %.2f times as large.", c.splits, math.Sqrt(1+float64(c.splits)*testShare/(1-testShare)))}}
	last := scores[len(scores)-1]
	for _, s := range scores[:len(scores)-1] {
		a, b := less(last.over(micro), s.over(micro)), less(last.over(macro), s.over(macro))
		meanMicro, errorMicro := meanError(a)
		meanMacro, errorMacro := meanError(b)
		t.Add(last.method+" − "+s.method, fixed(meanMicro), fixed(errorMicro), fixed(meanMacro), fixed(errorMacro), signs(a))
	}
	return t
}

// less returns a − b.
func less(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// meanError returns the mean and its standard error.
func meanError(x []float64) (mean, standardError float64) {
	mean, deviation := meanDeviation(x)
	return mean, deviation / math.Sqrt(float64(len(x)))
}

// signs counts what is above, at and below 0.
func signs(x []float64) string {
	var above, equal, below int
	for _, v := range x {
		switch {
		case v > 0:
			above++
		case v < 0:
			below++
		default:
			equal++
		}
	}
	return fmt.Sprintf("%d, %d, %d", above, equal, below)
}

// fixed has four digits behind the point.
func fixed(v float64) string { return fmt.Sprintf("%.4f", v) }
