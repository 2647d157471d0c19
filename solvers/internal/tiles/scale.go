package tiles

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Scale returns the factor of the entries of the kernel, a power of two. It keeps squares of very large and very small
// entries representable.
func (t *Tiles) Scale() float64 {
	if t.normalised {
		return t.unit
	}
	return t.factor
}

// SetScale sets the factor of the entries: see [Tiles.Scale].
func (t *Tiles) SetScale(factor float64) {
	if t.normalised {
		t.weight, t.unit = t.Kernel.Weight()*factor, factor
		return
	}
	t.factor = factor
}

// ScaleFor returns the scale for a largest entry: 1, unless it is above 1e100 or below 1e-100.
func ScaleFor(largest float64) float64 {
	if largest > 0 && (largest > 1e100 || largest < 1e-100) {
		return math.Ldexp(1, min(1000, -math.Ilogb(largest)))
	}
	return 1
}

// Diagonal stores k(x_i, x_i) of each row in dst, times the scale.
func (t *Tiles) Diagonal(dst []float64, x blas64.General) {
	if t.normaliserRows != nil {
		t.dividedDiagonal(dst, x)
		return
	}
	t.SelfEntries(dst, x)
	t.scale(dst)
	t.post.applyDiagonal(dst, x)
}
