package kernelgen

import (
	"fmt"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// Base is what is computed between two rows before a profile is applied.
type Base int

const (
	// InnerProduct is x·y.
	InnerProduct Base = iota
	// SquaredDistance is ‖x−y‖², summed from differences, so that it is exact
	// to rounding wherever the data lie.
	SquaredDistance
	// L1Distance is Σ_k |x_k − y_k|.
	L1Distance
	// CosineSimilarity is x·y/(‖x‖‖y‖) in [−1, 1]; 0 if one of the rows is zero.
	CosineSimilarity

	numBases
)

// String is the name of the base in words.
func (b Base) String() string {
	switch b {
	case InnerProduct:
		return "inner product"
	case SquaredDistance:
		return "squared distance"
	case L1Distance:
		return "L1 distance"
	case CosineSimilarity:
		return "cosine similarity"
	}
	return fmt.Sprintf("Base(%d)", int(b))
}

// simd is the sum that the base is; rows of length one make cosines products.
func (b Base) simd() simd.Base {
	switch b {
	case SquaredDistance:
		return simd.Square
	case L1Distance:
		return simd.Absolute
	}
	return simd.Product
}

// baseSet says which bases are meant.
type baseSet [numBases]bool

// raw reports whether a base of the set needs the rows as they are.
func (s baseSet) raw() bool {
	return s[InnerProduct] || s[SquaredDistance] || s[L1Distance]
}

// fillBase computes one base over a tile; for CosineSimilarity both sides hold
// rows of length one.
func fillBase(b Base, dst, x blas64.General, p simd.Packed) {
	simd.Fill(simd.Matrix[float64](dst), simd.Matrix[float64](x), p, b.simd(), simd.Profile{})
	if b == CosineSimilarity {
		clampCosines(dst.Data[:dst.Rows*dst.Cols])
	}
}

// diagBase is the base between a row and itself; for CosineSimilarity x has
// length one.
func diagBase(b Base, x []float64) float64 {
	switch b {
	case InnerProduct:
		return simd.Dot(x, x)
	case CosineSimilarity:
		v := []float64{simd.Dot(x, x)}
		clampCosines(v)
		return v[0]
	}
	return diagDistance(x)
}

// diagDistance is 0, or NaN if the row is not finite, as in a tile.
func diagDistance(x []float64) (s float64) {
	for _, v := range x {
		s += v - v
	}
	return s
}

// clampCosines takes back what rounding puts outside [−1, 1].
func clampCosines(v []float64) {
	for i, c := range v {
		v[i] = max(-1, min(1, c))
	}
}
