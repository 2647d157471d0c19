package ridge

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/metrics"
)

// Scores are figures of a classifier on rows that its models were trained without.
type Scores struct {
	// Accuracy is the share of rows whose class is right, by their weights but without those of
	// classes, and StandardError that of Accuracy.
	Accuracy, StandardError float64
	// MacroF1 is the mean of F1, which counts rows without weights. F1 has the classes that occur.
	MacroF1 float64
	F1      []metrics.ClassScore
	// LogLoss is the mean of −log of the probability of the true class, with all weights.
	LogLoss float64
}

// score adds scores and the temperature to a fit.
func (c *candidate) score(fit *Fit, held *heldOut) {
	n := held.rows.Count()
	truth, chosen, weights := make([]int, n), make([]int, n), make([]float64, n)
	s := &Scores{}
	total, squares := 0.0, 0.0
	right := make([]float64, n)
	for i, number := range held.rows.Number {
		truth[i], chosen[i] = c.data.Labels[number], largestOf(dense.Row(held.predictions, i))
		weights[i] = c.data.weight(number)
		if truth[i] == chosen[i] {
			right[i] = 1
		}
		w := c.given.weight(number)
		total += w
		s.Accuracy += w * right[i]
	}
	s.Accuracy /= total
	for i, number := range held.rows.Number {
		away := c.given.weight(number) * (right[i] - s.Accuracy)
		squares += away * away
	}
	s.StandardError = math.Sqrt(squares) / total
	tally := metrics.NewTally(truth, chosen)
	s.MacroF1, _ = tally.MacroF1() // fails without rows
	s.F1, _ = tally.ClassF1()
	fit.Temperature, s.LogLoss = temperature(held.predictions, truth, weights)
	fit.Scores = s
	c.noteRareClasses(fit)
}

// noteRareClasses says what becomes of classes with fewer rows than there are folds.
func (c *candidate) noteRareClasses(fit *Fit) {
	counts, rare := make([]int, c.data.Classes), 0
	for _, l := range c.data.Labels {
		counts[l]++
	}
	for _, n := range counts {
		if n < max(2, c.folds.tested) {
			rare++
		}
	}
	if rare > 0 {
		fit.Note(fmt.Sprintf("%d of %d classes have fewer rows than there are folds: models of some folds never see them, and their rows count as errors", rare, len(counts)))
	}
}

// Limits of the factor 1/temperature, relative to the largest decision value.
const (
	leastSharpness = 1e-6
	mostSharpness  = 1e6
)

// temperature returns the T of the largest likelihood of softmax(decisions/T), and the log loss with it
// (Guo et al. 2017, "On calibration of modern neural networks"). Labels are smoothed as by one more row
// that is of each class alike, so that T is above 0 if all decisions are right (Platt 1999).
// Cost: some 60 evaluations of n·k exponentials.
func temperature(decisions blas64.General, truth []int, weights []float64) (t, logLoss float64) {
	total, k := dense.Sum(weights), float64(decisions.Cols)
	smooth := 1 / (total + 1)
	p := make([]float64, decisions.Cols)
	slope := func(sharpness float64) (slope float64) { // of the loss, rising with the sharpness
		for i, w := range weights {
			d := dense.Row(decisions, i)
			softmax(p, d, sharpness)
			slope += w * (dense.Dot(p, d) - (1-smooth)*d[truth[i]] - smooth*dense.Sum(d)/k)
		}
		return slope
	}
	scale := dense.MaxAbs(decisions)
	if scale == 0 {
		scale = 1
	}
	low, high := math.Log(leastSharpness/scale), math.Log(mostSharpness/scale)
	for range 60 {
		if middle := (low + high) / 2; slope(math.Exp(middle)) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	sharpness := math.Exp((low + high) / 2)
	for i, w := range weights {
		softmax(p, dense.Row(decisions, i), sharpness)
		if w > 0 {
			logLoss -= w / total * math.Log(max(p[truth[i]], math.SmallestNonzeroFloat64))
		}
	}
	return 1 / sharpness, logLoss
}

// softmax puts exp(sharpness·d)/Σ exp(sharpness·d) into p.
func softmax(p, d []float64, sharpness float64) {
	most, sum := d[largestOf(d)], 0.0
	for c, v := range d {
		p[c] = math.Exp(sharpness * (v - most))
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// probabilities puts those of the classes into dst for each row of decisions.
func (m *Model) probabilities(dst, decisions blas64.General) {
	for i := range decisions.Rows {
		softmax(dense.Row(dst, i), dense.Row(decisions, i)[:m.Classes], 1/m.Temperature)
	}
}

// balanced returns d with weights that make all classes weigh alike: n/(k·n_c) for a row of class c,
// times its own weight.
func (d *Data) balanced() *Data {
	counts, k := make([]int, d.Classes), 0
	for _, l := range d.Labels {
		if counts[l]++; counts[l] == 1 {
			k++
		}
	}
	out := *d
	out.Weights = make([]float64, len(d.Labels))
	for i, l := range d.Labels {
		out.Weights[i] = d.weight(int64(i)) * float64(len(d.Labels)) / (float64(k) * float64(counts[l]))
	}
	return &out
}
