package matrix

import "math"

// IsFinite reports whether v is neither NaN nor infinite.
//
// It does not subtract: where v is a product, v − v may be fused with it and leave the rounding error of the product,
// which is not 0.
func IsFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
