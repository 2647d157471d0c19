package kernelgen

import (
	"fmt"
	"math"

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
	// KLDivergence is Σ_l p_l·log(p_l/q_l) of the probabilities p = x/Σx and
	// q = y/Σy, with 0·log 0 = 0: at least 0, +Inf where a p_l > 0 meets a q_l of
	// 0, and not symmetric. It is NaN if a row has negative entries or sums to 0.
	KLDivergence

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
	case KLDivergence:
		return "Kullback–Leibler divergence"
	}
	return fmt.Sprintf("Base(%d)", int(b))
}

// simd is the sum that the base is; rows of length one make cosines products,
// and so do shares and logarithms of divergences.
func (b Base) simd() simd.Base {
	switch b {
	case SquaredDistance:
		return simd.Square
	case L1Distance:
		return simd.Absolute
	}
	return simd.Product
}

// ofRawRows reports whether the base is a sum over the rows as they are.
func (b Base) ofRawRows() bool { return b != CosineSimilarity && b != KLDivergence }

// baseSet says which bases are meant.
type baseSet [numBases]bool

// raw reports whether a base of the set needs the rows as they are.
func (s baseSet) raw() bool {
	return s[InnerProduct] || s[SquaredDistance] || s[L1Distance]
}

// fillBase computes one base over a tile; for CosineSimilarity both sides hold
// rows of length one and dst has no gaps, for KLDivergence shares on the left and their logarithms in
// the panel.
func fillBase(b Base, dst, x blas64.General, p simd.Packed) {
	simd.Fill(simd.Matrix[float64](dst), simd.Matrix[float64](x), p, b.simd(), simd.Profile{})
	switch b {
	case CosineSimilarity:
		clampCosines(dst.Data[:dst.Rows*dst.Cols])
	case KLDivergence:
		finishDivergences(dst)
	}
}

// diagBase computes one base between each row and itself; for CosineSimilarity
// the rows have length one.
func diagBase(b Base, dst []float64, x blas64.General) {
	switch b {
	case InnerProduct:
		simd.SquaredNorms(dst, x)
	case CosineSimilarity:
		simd.SquaredNorms(dst, x)
		clampCosines(dst)
	default:
		diagDistances(dst, x)
	}
}

// diagDistances are 0, or NaN where the row is not finite, as in a tile. Rows
// without gaps are looked at in one go.
func diagDistances(dst []float64, x blas64.General) {
	clear(dst)
	if x.Stride == x.Cols && simd.Finite(x.Data[:x.Rows*x.Cols]) {
		return
	}
	for i := range dst {
		if !simd.Finite(simd.Row(x, i)) {
			dst[i] = math.NaN()
		}
	}
}

// clampCosines takes back what rounding puts outside [−1, 1].
func clampCosines(v []float64) { simd.Clamp.Apply(v, v, -1, 1) }
