package simd

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Fill sets dst[i,j] = f(Σ_k base(x_ik, p_jk)), and applies the profile f while the sum is in a
// register. The bits are the same as for the base alone with the profile applied afterwards. It
// panics unless dst is x.Rows × p.Rows() and the rows have the same length.
//
// If a sum of products overflows, the entry is recomputed from rows scaled by powers of two. It is
// then ±Inf only if the inner product exceeds float64, and NaN only if a row holds NaN or
// infinities. Squared differences are summed directly, so nothing cancels if rows are far from the
// origin and close to each other; those above the range of float64 give +Inf.
func Fill(dst, x blas64.General, p Packed, base Base, f Profile) {
	checkTile(dst, x, p)
	if active == Go {
		fillGo(dst, x, p, base)
		repairProducts(dst, x, p, base)
		applyRows(f, dst)
		return
	}
	if fillFast(dst, x, p, base, f) {
		return
	}
	if f.kind != identity {
		fillFast(dst, x, p, base, Profile{})
	}
	repairProducts(dst, x, p, base)
	applyRows(f, dst)
}

func applyRows(f Profile, m blas64.General) {
	for i := range m.Rows {
		f.Apply(matrix.Row(m, i))
	}
}

// fillFast fills the tile with the micro-kernel, and reports whether all sums of products are
// finite.
func fillFast(dst, x blas64.General, p Packed, base Base, f Profile) (finite bool) {
	s := sweep{
		x: unsafe.Pointer(unsafe.SliceData(x.Data)), xRow: 8 * uintptr(x.Stride), xStep: 8,
		p: unsafe.Pointer(unsafe.SliceData(p.data)), pGroup: uintptr(p.cols) * groupBytes, pStep: groupBytes,
		dst: unsafe.Pointer(unsafe.SliceData(dst.Data)), dstRow: 8 * uintptr(dst.Stride),
		rows: dst.Rows, cols: dst.Cols, steps: p.cols, base: base, profile: f}
	return s.run()
}

func checkTile(dst, x blas64.General, p Packed) {
	if x.Cols != p.cols {
		panic(fmt.Sprintf("simd: rows of length %d against rows of length %d", x.Cols, p.cols))
	}
	if dst.Rows != x.Rows || dst.Cols != p.rows {
		panic(fmt.Sprintf("simd: tile is %d×%d, want %d×%d", dst.Rows, dst.Cols, x.Rows, p.rows))
	}
}
