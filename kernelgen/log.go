package kernelgen

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// FillLog sets dst[i,j] = log k(x_i, p_j) if the kernel is a multiple of an exponential of its base, such as rbf,
// laplace, expdot and kl. For other kernels it returns false and does not change dst. The panel comes from
// [Kernel.Pack]. Cost and panics are those of [Kernel.Fill].
//
// The logarithm does not overflow or underflow where the kernel does. Without a weight, its exponential has the same
// bits as Fill.
func (k Kernel) FillLog(dst, x blas64.General, p *Panel, w *Workspace) bool {
	k.checkFill(dst, x, p)
	a := k.exponential()
	if a == nil {
		return false
	}
	if w == nil {
		w = new(Workspace)
	}
	base, factor, offset := a.spec.base, a.profile.factor, math.Log(k.Weight())
	bases := k.bases()
	for i := 0; i < x.Rows; i += blockRows {
		to := min(i+blockRows, x.Rows)
		strip := matrix.Rows(dst, i, to-i)
		left := leftSide(bases, matrix.Rows(x, i, to-i), w)
		fillBase(base, strip, left[base], p.side(base))
		for j := range strip.Rows {
			r := matrix.Row(strip, j)
			simd.Affine.Apply(r, r, factor, offset)
		}
	}
	return true
}

// HasLog reports whether [Kernel.FillLog] supports the kernel.
func (k Kernel) HasLog() bool { return k.exponential() != nil }

// exponential returns the atom of a kernel that is a multiple of e^(factor·base); nil for other kernels.
func (k Kernel) exponential() *atom {
	if len(k.terms) != 1 || len(k.terms[0].factors) != 1 {
		return nil
	}
	a := k.terms[0].factors[0].atom
	if a == nil || a.profile.factor == 0 {
		return nil
	}
	return a
}
