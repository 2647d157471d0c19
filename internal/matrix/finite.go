package matrix

import "math"

// IsFinite reports whether v is neither NaN nor infinite.
//
// It avoids v − v: if v is a product, the compiler may fuse the subtraction with it, which leaves
// the rounding error of the product instead of 0.
func IsFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
