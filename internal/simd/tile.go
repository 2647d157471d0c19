package simd

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// tiler fills a tile of dst from the rows of x and the packed rows of p. Shapes
// have been checked.
type tiler func(dst, x blas64.General, p Packed)

// The implementations in use.
var (
	products         tiler = productsGo
	squaredDistances tiler = squaredDistancesGo
	l1Distances      tiler = l1DistancesGo
)

// Products sets dst[i,j] to the inner product of row i of x and row j of p, in
// 2·d operations an entry. It panics unless dst is x.Rows × p.Rows() and the
// rows have the same length.
//
// When a sum overflows, the entry is computed again from rows scaled by powers
// of two. It is then ±Inf only if the inner product itself does not fit a
// float64, and NaN only if a row holds NaN or infinities.
func Products(dst, x blas64.General, p Packed) {
	checkTile(dst, x, p)
	products(dst, x, p)
	repairProducts(dst, x, p)
}

// SquaredDistances sets dst[i,j] to the squared Euclidean distance ‖x_i − p_j‖²,
// in 3·d operations an entry. It sums the squares of the differences, so it
// loses nothing when the rows are far from the origin and close to each other.
// Squares above the range of float64 give +Inf. It panics unless dst is
// x.Rows × p.Rows() and the rows have the same length.
func SquaredDistances(dst, x blas64.General, p Packed) {
	checkTile(dst, x, p)
	squaredDistances(dst, x, p)
}

// L1Distances sets dst[i,j] to Σ_k |x_ik − p_jk|, in 3·d operations an entry. It
// panics unless dst is x.Rows × p.Rows() and the rows have the same length.
func L1Distances(dst, x blas64.General, p Packed) {
	checkTile(dst, x, p)
	l1Distances(dst, x, p)
}

func checkTile(dst, x blas64.General, p Packed) {
	if x.Cols != p.cols {
		panic(fmt.Sprintf("simd: rows of length %d against rows of length %d", x.Cols, p.cols))
	}
	if dst.Rows != x.Rows || dst.Cols != p.rows {
		panic(fmt.Sprintf("simd: tile is %d×%d, want %d×%d", dst.Rows, dst.Cols, x.Rows, p.rows))
	}
}
