package ksvd

import (
	"math"
	"slices"

	"github.com/nystream/nystream/sketch"
)

// Choice says how rows and columns are sampled.
type Choice uint8

const (
	// ChoiceUniform draws without replacement, all alike. The sample of fewer rows
	// is part of the sample of more.
	ChoiceUniform Choice = iota
	// ChoiceLeverage draws with probabilities that are half uniform and half
	// proportional to approximate leverage scores ‖u(x)‖² and ‖v(z)‖², from the
	// extensions of a fit with uniform samples of the same size: one more pass over
	// each side, and as many entries again. A row drawn with probability π stands
	// for 1/π rows (Drineas, Mahoney & Muthukrishnan 2008, "Relative-error CUR matrix
	// decompositions"; drawn systematically, Madow 1949, so that exactly n differ).
	ChoiceLeverage
)

// sample are rows of one side and what each stands for; weights sum to the number
// of rows of the side.
type sample struct {
	number []int64 // ascending
	weight []float64
}

func ascending(v []int64) []int64 {
	slices.Sort(v)
	return v
}

// uniformSample draws k of n rows.
func uniformSample(n int64, k int, seed uint64, purpose string) sample {
	s := sample{number: ascending(sketch.NewRandom(seed, purpose).Choose(n, k)), weight: make([]float64, k)}
	for i := range s.weight {
		s.weight[i] = float64(n) / float64(k)
	}
	return s
}

// scoredSample draws k rows with probabilities that are half uniform and half in
// proportion to scores, systematically: row i is drawn when the sum of the
// probabilities up to it passes one of the places u, u+1, u+2, …
func scoredSample(scores []float64, k int, seed uint64, purpose string) sample {
	p := inclusion(scores, k)
	draws := sketch.NewRandom(seed, purpose).At(0)
	next, sum, total := draws.Float64(), 0.0, 0.0
	var s sample
	for i, v := range p {
		sum += v
		if sum > next && len(s.number) < k {
			s.number = append(s.number, int64(i))
			s.weight = append(s.weight, 1/v)
			total += 1 / v
			next++
		}
	}
	for i := range s.weight {
		s.weight[i] *= float64(len(scores)) / total
	}
	return s
}

// inclusion returns the probabilities with which rows are drawn: at most 1, with the
// sum k. What exceeds 1 is shared out among the others.
func inclusion(scores []float64, k int) []float64 {
	n := len(scores)
	total := 0.0
	for _, v := range scores {
		total += v
	}
	p := make([]float64, n)
	for i, v := range scores {
		p[i] = 0.5 / float64(n)
		if total > 0 && !math.IsInf(total, 0) {
			p[i] += 0.5 * v / total
		} else {
			p[i] *= 2
		}
	}
	for range 50 {
		sure, rest := 0, 0.0
		for _, v := range p {
			if v >= 1 {
				sure++
			} else {
				rest += v
			}
		}
		factor := float64(k-sure) / rest
		if rest == 0 || math.Abs(factor-1) < 1e-12 {
			break
		}
		for i, v := range p {
			if v < 1 {
				p[i] = math.Min(1, v*factor)
			}
		}
	}
	return p
}
