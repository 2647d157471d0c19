package ridge

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Scores are scores of a classifier on held-out rows.
type Scores struct {
	// Accuracy is the fraction of rows classified correctly, weighted by rows but not by classes. Up to 2,000 rows it
	// is corrected for the choice among kernels and penalties.
	Accuracy float64
	// StandardError is the standard error of Accuracy: half of the longer arm of Wilson's interval of two standard
	// errors. See [metrics.ShareError].
	StandardError float64
	// MacroF1 is the mean of F1, with the same weights. F1 has an entry for each class that occurs.
	MacroF1 float64
	F1      []metrics.ClassScore
	// LogLoss is the mean of −log of the probability of the true class, with all weights.
	LogLoss float64
}

// score adds scores and the temperature to a fit.
func (c *candidate) score(ctx context.Context, fit *Fit, held *heldOut) (err error) {
	sums := c.newScoreSums()
	fit.Temperature = c.temperature(held)
	if c.ScoreRows == AllRows {
		if sums, err = c.scorePass(ctx, held.models, fit.Temperature); err != nil {
			return err
		}
		fit.SourcePasses++
	} else {
		for r := range held.predictions.Rows {
			c.addScore(sums, &c.known, r, matrix.Row(held.predictions, r), fit.Temperature)
		}
	}
	fit.Scored, fit.Scores = int(sums.Count), c.scores(sums)
	c.setClassErrors(fit, held, sums.Data[3*c.data.Classes.count()+weightSum])
	c.noteRareClasses(fit)
	return nil
}

// Sums of scores: for each class the weights of its rows, of rows predicted in it, and of both; then sums over all
// rows.
const (
	weightSum     = iota
	rightSum      // of weights of correctly classified rows
	lossWeightSum // including weights of classes
	lossSum       // of −log p
	scoreSumsCount
)

// newScoreSums returns empty sums, as an accumulator that does not depend on the number of threads.
func (c *candidate) newScoreSums() *sketch.Sum {
	return sketch.NewSum(1, scoreNumbers(c.data.Classes.count()))
}

// scoreNumbers returns the number of sums of a score: three for each class, and those of all classes.
func scoreNumbers(classes int) int { return 3*classes + scoreSumsCount }

// addScore adds row r of of, with its decision values, which it overwrites. Rows of weight 0 are ignored.
func (c *candidate) addScore(sums *sketch.Sum, of *responses, r int, decisions []float64, temperature float64) {
	if of.rowWeight[r] == 0 {
		return
	}
	k, truth, chosen := c.data.Classes.count(), of.class[r], floats.MaxIdx(decisions)
	rows, more := sums.Data[:3*k], sums.Data[3*k:]
	w, lossWeight := of.rowWeight[r], of.weight[r]
	softmax(decisions, decisions, 1/temperature)
	sums.Count++
	rows[truth] += w
	rows[k+chosen] += w
	more[weightSum] += w
	more[lossWeightSum] += lossWeight
	more[lossSum] -= lossWeight * math.Log(max(decisions[truth], math.SmallestNonzeroFloat64))
	if truth == chosen {
		rows[2*k+truth] += w
		more[rightSum] += w
	}
}

// scores computes the scores from sums.
func (c *candidate) scores(sums *sketch.Sum) *Scores {
	k := c.data.Classes.count()
	rows, more := sums.Data[:3*k], sums.Data[3*k:]
	s := &Scores{Accuracy: more[rightSum] / more[weightSum], LogLoss: more[lossSum] / more[lossWeightSum]}
	for class := range k {
		if either := rows[class] + rows[k+class]; either > 0 { // 2·TP + FP + FN
			f1 := 2 * rows[2*k+class] / either
			s.F1 = append(s.F1, metrics.ClassScore{Class: class, F1: f1})
			s.MacroF1 += f1
		}
	}
	s.MacroF1 /= float64(len(s.F1))
	return s
}

// scorePass sums scores over all held-out rows in another pass. Cost: [candidate.outOfFold] for all rows.
func (c *candidate) scorePass(ctx context.Context, models foldCoefficients, temperature float64) (*sketch.Sum, error) {
	given := append(c.columns.identity(), temperature, c.features.Landmarks.Rows)
	given = append(given, c.folds.identity()...)
	for _, of := range models {
		given = append(given, of[0])
	}
	defer c.features.Tiles.CountPass(c.rows * int64(c.features.Landmarks.Count()))()
	info, worker := c.data.Rows.Info(), c.outOfFold(models)
	e := c.engine.WithKept().WithInputs(given...)
	return stream.Fold(ctx, e, "scores", c.data.Rows, c.newScoreSums, func() func(*sketch.Sum, *stream.Block) error {
		predict, rowsOf := worker(), new(responses)
		return func(sums *sketch.Sum, b *stream.Block) error {
			if err := c.columns.read(rowsOf, b.Kept, b.X.Rows, input.Numbers{From: b.Start}); err != nil {
				return err
			}
			for first, x := range b.Panels(tilesize.PanelRows) {
				start := b.Start + int64(first)
				if err := input.CheckRows(info, x, start); err != nil {
					return err
				}
				groups := rowsOf.group[first:][:x.Rows]
				err := predict(x, input.Numbers{From: start}, groups, func(rows []int, decisions blas64.General) {
					for i, r := range rows {
						c.addScore(sums, rowsOf, first+r, matrix.Row(decisions, i), temperature)
					}
				})
				if err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// noteRareClasses notes classes with fewer rows than folds.
func (c *candidate) noteRareClasses(fit *Fit) {
	counts, rare := c.data.Classes.Counts, 0
	for _, n := range counts {
		if n < int64(max(2, c.folds.tested)) {
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

// temperature returns the T that maximises the likelihood of softmax(decisions/T) (Guo et al. 2017, "On calibration of
// modern neural networks"). Labels are smoothed by one additional row shared equally by all classes, so that T is
// positive even if all decisions are correct (Platt 1999). Cost: 25 evaluations of n·k exponentials, for six digits.
func (c *candidate) temperature(held *heldOut) float64 {
	k, total, scale := float64(c.data.Classes.count()), 1+dense.Sum(c.known.weight), dense.MaxAbs(held.predictions)
	p := make([]float64, c.data.Classes.count())
	slope := func(sharpness float64) (slope float64) { // of the loss, increasing in sharpness
		for r := range held.predictions.Rows {
			d := matrix.Row(held.predictions, r)
			softmax(p, d, sharpness)
			truth := d[c.known.class[r]]
			slope += c.known.weight[r] * (dense.Dot(p, d) - truth + (truth-dense.Sum(d)/k)/total)
		}
		return slope
	}
	if scale == 0 {
		scale = 1
	}
	low, high := math.Log(leastSharpness/scale), math.Log(mostSharpness/scale)
	for range 25 {
		if middle := (low + high) / 2; slope(math.Exp(middle)) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return math.Exp(-(low + high) / 2)
}

// softmax stores exp(sharpness·d)/Σ exp(sharpness·d) in p, which may be d.
func softmax(p, d []float64, sharpness float64) {
	most, sum := floats.Max(d), 0.0
	for c, v := range d {
		p[c] = math.Exp(sharpness * (v - most))
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// probabilities writes class probabilities to dst, one row for each row of decisions.
func (m *Model) probabilities(dst, decisions blas64.General) {
	for i := range decisions.Rows {
		softmax(matrix.Row(dst, i), matrix.Row(decisions, i)[:m.Classes], 1/m.Temperature)
	}
}
