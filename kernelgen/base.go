package kernelgen

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/simd"
)

// Base is the function of two rows to which a profile is applied.
type Base int

const (
	// InnerProduct is x·y.
	InnerProduct Base = iota
	// SquaredDistance is ‖x−y‖², summed from differences. It is accurate to rounding even for rows far from the origin.
	SquaredDistance
	// L1Distance is Σ_k |x_k − y_k|.
	L1Distance
	// CosineSimilarity is x·y/(‖x‖‖y‖) in [−1, 1]; 0 if one of the rows is zero.
	CosineSimilarity
	// KLDivergence is Σ_l p_l·log(p_l/q_l) of the probabilities p = x/Σx and q = y/Σy, with 0·log 0 = 0: at least 0,
	// +Inf if some p_l > 0 has q_l = 0, and not symmetric. It is NaN if a row has negative entries or sums to 0.
	KLDivergence

	numBases
)

// String returns a description of the base.
func (b Base) String() string {
	if b < 0 || b >= numBases {
		return fmt.Sprintf("Base(%d)", int(b))
	}
	return b.spec().text
}

// Kernel returns the kernel whose entries are the base itself. Only those of InnerProduct and CosineSimilarity can be
// parsed back from their texts.
func (b Base) Kernel() Kernel {
	if b == InnerProduct {
		return Linear()
	}
	s := &spec{name: b.spec().name, base: b, formula: "the " + b.String(), psd: never,
		profile: func(args) profile { return profile{} }}
	return newAtom(s, nil).kernel()
}

// OfProducts reports whether the base follows from inner products alone: of the two rows, and of each row with itself.
// Sparse rows need this.
func (b Base) OfProducts() bool { return b.spec().ofProducts }

// spec returns the base's entry in the table of bases.
func (b Base) spec() *baseSpec { return &bases[b] }

// ofRawRows reports whether the base is a sum over unprepared rows.
func (b Base) ofRawRows() bool { return b.spec().rows == rowsUnchanged }

// baseSet is a set of bases.
type baseSet [numBases]bool

// each yields the bases of the set.
func (s baseSet) each(yield func(Base) bool) {
	for b := range numBases {
		if s[b] && !yield(b) {
			return
		}
	}
}

// fillBase computes one base over a tile from prepared rows on both sides. dst must be contiguous unless the base is a
// sum over raw rows.
func fillBase(b Base, dst, x blas64.General, p simd.Packed) {
	s := b.spec()
	simd.Fill(dst, x, p, s.sum, simd.Profile{})
	if s.finish != nil {
		s.finish(dst)
	}
}
