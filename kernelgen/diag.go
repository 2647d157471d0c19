package kernelgen

import (
	"fmt"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// Diag sets dst[i] = k(x_i, x_i), with the same bits as [Kernel.Fill]. It panics
// unless dst has x.Rows elements and the kernel is resolved.
func (k Kernel) Diag(dst []float64, x blas64.General) {
	k.checkReady()
	if len(dst) != x.Rows {
		panic(fmt.Sprintf("kernelgen: diagonal of length %d for %d rows", len(dst), x.Rows))
	}
	var w Workspace
	for i := 0; i < x.Rows; i += blockSize {
		to := min(i+blockSize, x.Rows)
		b := k.diagBases(rowRange(x, i, to), &w)
		evalTerms(dst[i:to], k.terms, &b, &w)
	}
}

// diagBases is the bases of each row with itself.
func (k Kernel) diagBases(x blas64.General, w *Workspace) (b bound) {
	for base, needed := range k.bases() {
		if !needed {
			continue
		}
		b[base] = w.base(Base(base), x.Rows)
		for i := range x.Rows {
			row := simd.Row(x, i)
			if Base(base) == CosineSimilarity {
				row = simd.Row(w.unitBlock(rowRange(x, i, i+1)), 0)
			}
			b[base][i] = diagBase(Base(base), row)
		}
	}
	return b
}
