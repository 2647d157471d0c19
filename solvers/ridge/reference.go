package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// reference is the origin and the unit of each target in all sums: a target y enters them as y/unit − origin. Sums
// of squares of targets far from 0 would have no digits of their spread, and those of huge targets overflow.
// Units are powers of two, so that a change of the unit of a target by such a power changes no bit.
// Everything is in these units until [candidate.finish] and [candidate.answers] make a model. A nil reference
// leaves outputs as they are, such as the codes of classes.
type reference struct {
	origin   []float64 // in units
	exponent []int     // the unit is 2 to this power
}

// newReference takes the weighted mean of each target as the origin, and the largest distance from it, rounded up to
// a power of two, as the unit.
func newReference(targets blas64.General, weights []float64) *reference {
	r := &reference{make([]float64, targets.Cols), make([]int, targets.Cols)}
	if targets.Rows == 0 {
		return r
	}
	shares := relative(weights)
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

// relative returns weights divided by the largest of them, so that their squares are in range; ones if all are 0.
func relative(weights []float64) []float64 {
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

// exponentOf returns the least power of two above the magnitudes of all values, 0 for zeros.
func exponentOf(values []float64) int {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

// in returns value v of target j in its unit, from its origin.
func (r *reference) in(j int, v float64) float64 {
	if r == nil {
		return v
	}
	return math.Ldexp(v, -r.exponent[j]) - r.origin[j]
}

// out returns the value of target j that has v in its unit, from its origin.
func (r *reference) out(j int, v float64) float64 {
	if r == nil {
		return v
	}
	return math.Ldexp(v+r.origin[j], r.exponent[j])
}

// outs returns differences of values of the targets, such as errors, that have those given in their units.
func (r *reference) outs(differences []float64) []float64 {
	out := make([]float64, len(differences))
	for j, v := range differences {
		if out[j] = v; r != nil {
			out[j] = math.Ldexp(v, r.exponent[j])
		}
	}
	return out
}

// outRows replaces differences in the rows of a matrix with a column for each target: see [reference.outs].
func (r *reference) outRows(m blas64.General) {
	for i := range m.Rows {
		copy(dense.Row(m, i), r.outs(dense.Row(m, i)))
	}
}

// given returns what decides the bits of sums.
func (r *reference) given() []any {
	if r == nil {
		return nil
	}
	exponents := make([]int64, len(r.exponent))
	for j, e := range r.exponent {
		exponents[j] = int64(e)
	}
	return []any{r.origin, exponents}
}
