package kernelgen

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Diag sets dst[i] = k(x_i, x_i), with the same bits as [Kernel.Fill]. It panics
// unless dst has x.Rows elements and the kernel is resolved and not normalised by
// its row sums.
func (k Kernel) Diag(dst []float64, x blas64.General) {
	k.checkReady()
	k.mustBePlain()
	if len(dst) != x.Rows {
		panic(fmt.Sprintf("kernelgen: diagonal of length %d for %d rows", len(dst), x.Rows))
	}
	w := diagSpaces.Get().(*Workspace)
	defer diagSpaces.Put(w)
	for i := 0; i < x.Rows; i += blockSize {
		to := min(i+blockSize, x.Rows)
		b := k.diagBases(matrix.Rows(x, i, to-i), w)
		evalTerms(dst[i:to], k.terms, &b, w)
	}
}

// diagSpaces pools workspaces for Diag, which is called for every block of rows.
var diagSpaces = sync.Pool{New: func() any { return new(Workspace) }}

// diagBases returns the bases of each row with itself.
func (k Kernel) diagBases(x blas64.General, w *Workspace) (b baseValues) {
	for base := range k.bases().each {
		b[base] = w.base(base, x.Rows)
		base.spec().self(b[base], x, w)
	}
	return b
}
