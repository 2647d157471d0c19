package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// reference standardises targets: sums use y/unit − origin. Otherwise targets far from 0 would lose the digits of their
// variance, and squares of huge targets would overflow. Units are powers of two, so rescaling a target by a power of
// two changes no bit. All computations use these units until [candidate.finish] and [candidate.answers] make a model. A
// nil reference is the identity, as for codes of classes.
type reference struct {
	origin   []float64 // in the unit
	exponent []int     // the unit is 2 to this power
}

// newReference takes the weighted mean of each target as its origin. The unit is the largest deviation from the
// mean, rounded up to a power of two.
func newReference(targets blas64.General, weights []float64) *reference {
	r := &reference{make([]float64, targets.Cols), make([]int, targets.Cols)}
	if targets.Rows == 0 {
		return r
	}
	shares := relativeWeights(weights)
	total := dense.Sum(shares)
	for j := range targets.Cols {
		values := dense.PickColumns(targets, []int{j}).Data
		exponent := exponentOf(values)
		first, mean := math.Ldexp(values[0], -exponent), 0.0
		for i, v := range values {
			values[i] = math.Ldexp(v, -exponent) - first
			mean += shares[i] / total * values[i]
		}
		for i := range values {
			values[i] -= mean
		}
		spread := 0
		if dense.Norm(values) > 0 {
			spread = exponentOf(values)
		}
		r.origin[j], r.exponent[j] = math.Ldexp(first+mean, -spread), exponent+spread
	}
	return r
}

// relativeWeights returns weights divided by the largest one, so that their squares are in range. It returns ones if
// all are 0.
func relativeWeights(weights []float64) []float64 {
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, w)
	}
	shares := make([]float64, len(weights))
	for i, w := range weights {
		if shares[i] = 1; largest > 0 {
			shares[i] = w / largest
		}
	}
	return shares
}

// exponentOf returns the least e with |v| < 2^e for all values, 0 if all are 0.
func exponentOf(values []float64) int {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

// in standardises value v of target j.
func (r *reference) in(j int, v float64) float64 {
	if r == nil {
		return v
	}
	return math.Ldexp(v, -r.exponent[j]) - r.origin[j]
}

// out is the inverse of in.
func (r *reference) out(j int, v float64) float64 {
	if r == nil {
		return v
	}
	return math.Ldexp(v+r.origin[j], r.exponent[j])
}

// outs converts differences of targets, such as errors, to the units of the data.
func (r *reference) outs(differences []float64) []float64 {
	out := make([]float64, len(differences))
	for j, v := range differences {
		if out[j] = v; r != nil {
			out[j] = math.Ldexp(v, r.exponent[j])
		}
	}
	return out
}

// outRows applies [reference.outs] in place to the rows of m, which has one column for each target.
func (r *reference) outRows(m blas64.General) {
	for i := range m.Rows {
		copy(matrix.Row(m, i), r.outs(matrix.Row(m, i)))
	}
}

// identity returns the values that determine the bits of sums.
func (r *reference) identity() []any {
	if r == nil {
		return nil
	}
	exponents := make([]int64, len(r.exponent))
	for j, e := range r.exponent {
		exponents[j] = int64(e)
	}
	return []any{r.origin, exponents}
}
