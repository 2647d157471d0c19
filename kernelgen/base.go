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
	// KLDivergence is Σ_l p_l·log(p_l/q_l) of the probabilities p = x/Σx and
	// q = y/Σy, with 0·log 0 = 0: at least 0, +Inf where a p_l > 0 meets a q_l of
	// 0, and not symmetric. It is NaN if a row has negative entries or sums to 0.
	KLDivergence

	numBases
)

// String returns the name of the base in words.
func (b Base) String() string {
	if b < 0 || b >= numBases {
		return fmt.Sprintf("Base(%d)", int(b))
	}
	return b.spec().text
}

// Kernel returns the kernel whose entries are the base itself. Only those of
// InnerProduct and CosineSimilarity can be read back from their texts.
func (b Base) Kernel() Kernel {
	if b == InnerProduct {
		return Linear()
	}
	s := &spec{name: b.spec().name, base: b, formula: "the " + b.String(), psd: never,
		profile: func(args) profile { return profile{} }}
	return newAtom(s, nil).kernel()
}

// OfProducts reports whether the base of two rows follows from their inner product
// and those of each row with itself, as between sparse rows.
func (b Base) OfProducts() bool { return b.spec().ofProducts }

// spec returns the entry of the base in the table of bases.
func (b Base) spec() *baseSpec { return &bases[b] }

// ofRawRows reports whether the base is a sum over the rows as they are.
func (b Base) ofRawRows() bool { return b.spec().rows == asTheyAre }

// baseSet says which bases are meant.
type baseSet [numBases]bool

// each yields the bases of the set.
func (s baseSet) each(yield func(Base) bool) {
	for b := range numBases {
		if s[b] && !yield(b) {
			return
		}
	}
}

// fillBase computes one base over a tile, of prepared rows on both sides. dst has no
// gaps unless the base is a sum over rows as they are.
func fillBase(b Base, dst, x blas64.General, p simd.Packed) {
	s := b.spec()
	simd.Fill(dst, x, p, s.sum, simd.Profile{})
	if s.finish != nil {
		s.finish(dst)
	}
}
