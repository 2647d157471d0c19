package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// draw draws indices of candidates uniformly.
func draw(seed uint64, candidates *panel, k int, purpose string) []int {
	var out []int
	for _, i := range sketch.NewRandom(seed, purpose).Choose(int64(candidates.rows.Rows), k) {
		out = append(out, int(i))
	}
	return out
}

// leaves returns the estimated spectral norm of what landmarks leave of the kernel
// matrix of n rows, K − K(·, L)·K(L, L)⁻¹·K(L, ·), relative to that of K, from the
// entries between some rows.
func (t *tiles) leaves(ctx context.Context, e stream.Engine, landmarks, validation *panel, n int64) (float64, error) {
	side := &sampleSide{rows: validation, of: float64(n)}
	b, err := t.sampledBlock(ctx, e, &Model{}, side, side, true)
	if err != nil {
		return 0, err
	}
	norm, err := b.norm(ctx)
	if err != nil {
		return 0, err
	}
	features, err := t.whitened(ctx, e, landmarks, validation)
	if err != nil {
		return 0, err
	}
	side.u = features
	ones := make([]float64, features.Cols)
	for i := range ones {
		ones[i] = 1
	}
	b.subtract(&Model{Values: ones})
	rest, err := b.norm(ctx)
	return ratio(rest, norm), err
}

// whitened returns K(x, L)·C⁻ᵀ with C·Cᵀ = K(L, L), the rows of x in the feature space
// that the landmarks span. A multiple of the identity that is rounding beside K
// makes the factorisation exist.
func (t *tiles) whitened(ctx context.Context, e stream.Engine, landmarks, x *panel) (blas64.General, error) {
	between, err := t.between(ctx, e, landmarks.rows, landmarks)
	if err != nil {
		return between, err
	}
	if !dense.Finite(between) {
		return between, notFinite("the kernel between landmarks")
	}
	k := landmarks.rows.Rows
	lift := dense.Trace(between) * 1e-14
	var c mat.Cholesky
	for ok := false; !ok; lift *= 100 {
		if lift > dense.Trace(between) {
			return between, fmt.Errorf("kernel %s is not positive semi-definite on these rows, and a tolerance needs one that is: "+
				"name a `rank` in place of `tol`", t.kernel)
		}
		sym := mat.NewSymDense(k, nil)
		for i := range k {
			for j := i; j < k; j++ {
				sym.SetSym(i, j, between.Data[i*between.Stride+j])
			}
			sym.SetSym(i, i, sym.At(i, i)+lift)
		}
		ok = c.Factorize(sym) || lift == 0
	}
	out, err := t.between(ctx, e, x.rows, landmarks)
	if err != nil || lift == 0 {
		return out, err
	}
	upper := c.RawU().(*mat.TriDense).RawTriangular()
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upper, out)
	return out, nil
}
