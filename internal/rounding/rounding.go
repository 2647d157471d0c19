// Package rounding tells numbers that differ from numbers that are equal but for the arithmetic they come from.
package rounding

import "math"

// units is how many units in the last place numbers may be apart: those of a sum of some tens of numbers
// in other orders.
const units = 64

// Equal reports whether all numbers from low to high, which are finite, are equal but for rounding.
func Equal(low, high float64) bool {
	most := math.Max(math.Abs(low), math.Abs(high))
	return most <= math.MaxFloat64 && high-low <= units*math.Max(most*0x1p-52, math.SmallestNonzeroFloat64)
}
