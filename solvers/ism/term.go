package ism

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// term is one kernel of the sum.
type term struct{ kernelgen.Term }

// termsOf returns the terms of a kernel. It fails, with the reason, for a kernel without a gradient.
func termsOf(k kernelgen.Kernel) ([]term, error) {
	all, err := k.Terms()
	if err != nil {
		return nil, fmt.Errorf("kernel %v has no gradient: %w", k, err)
	}
	if len(all) == 0 {
		panic("ism: the zero Kernel cannot be used")
	}
	terms := make([]term, len(all))
	for i, t := range all {
		terms[i].Term = t
	}
	return terms, nil
}

// local reports whether β is divided by σ_i·σ_j. f' is then divided by it as well, apart from Ratio.
func (t term) local() bool { return t.Neighbour > 0 }

// known reports whether f follows from f', so that it needs no landmarks of its own.
func (t term) known() bool { return t.Slope.Flat || t.Power > 0 || t.Ratio != 0 }

// slopeAtZero returns f' at 0 for Φ₀, with its weight. If that is zero or not finite, as for polynomials without a
// constant, it returns f' at 1: only the sign matters (Theorem 3).
func (t term) slopeAtZero() float64 {
	s := t.Slope.At(0)
	if s == 0 || !matrix.IsFinite(s) {
		s = t.Slope.At(1)
	}
	return t.Weight * s
}

// constantPhi reports whether Φ does not depend on W.
func constantPhi(terms []term) bool {
	for _, t := range terms {
		if !t.Slope.Flat {
			return false
		}
	}
	return true
}

// firstWithout returns the first term without the given property.
func firstWithout(terms []term, has func(t term) bool) (t term, found bool) {
	i := slices.IndexFunc(terms, func(t term) bool { return !has(t) })
	if i < 0 {
		return term{}, false
	}
	return terms[i], true
}

// allDistances reports whether all terms are functions of distances, which do not change when all rows are shifted.
func allDistances(terms []term) bool {
	for _, t := range terms {
		if t.Base != kernelgen.SquaredDistance {
			return false
		}
	}
	return true
}

// slopes returns the tiles of f' without its factor.
func (t term) slopes() *tiles.Tiles { return tiles.ForCurve(t.Base, t.Slope.WithoutFactor(), false) }

// anchored reports whether tiles of f are anchored. For a centred Γ, those of −f are equivalent.
func (t term) anchored(centred bool) bool { return t.Conditional && centred }

// values returns the tiles of f that select landmarks, and the factor of f.
func (t term) values(centred bool) (k *tiles.Tiles, factor float64) {
	anchored := t.anchored(centred)
	k, factor = tiles.ForCurve(t.Base, t.Value.WithoutFactor(), anchored), t.Value.Factor
	if anchored {
		factor = -factor
	}
	return k, factor
}

// featured reports whether the linear engine has features of f', and of f if needed.
func (t term) featured(centred bool) bool {
	slope := t.Slope.PositiveSemiDefinite()
	if t.Slope.Flat { // features of distances never have a single column
		slope = t.Base == kernelgen.InnerProduct || centred
	}
	return !t.local() && slope && (t.known() || t.Value.PositiveSemiDefinite() || t.Conditional && centred)
}

// embedded reports whether f has features for clustering.
func (t term) embedded(centred bool) bool {
	if t.Conditional {
		return centred && t.Value.Factor < 0
	}
	return !t.local() && t.Value.PositiveSemiDefinite()
}
