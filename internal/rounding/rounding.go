// Package rounding compares numbers up to rounding error.
package rounding

import "math"

// units is the tolerance in units in the last place: the error of summing a few dozen numbers in
// another order.
const units = 64

// Equal reports whether low ≤ high are equal up to rounding. It is false if one is NaN or infinite.
func Equal(low, high float64) bool {
	most := math.Max(math.Abs(low), math.Abs(high))
	return most <= math.MaxFloat64 && high-low <= units*math.Max(most*0x1p-52, math.SmallestNonzeroFloat64)
}
