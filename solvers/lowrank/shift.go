package lowrank

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/internal/basis"
)

// ShiftRule selects the multiple of the identity in a method and its model. Every method with a shift supports
// [ShiftFitted] and [ShiftNone].
type ShiftRule uint8

const (
	// ShiftFitted is the least-squares fit: the mean residual of the diagonal outside the directions of U, so that the
	// diagonal of Â is close to that of A. [Landmark] and [S3SPSD] fit it on the core, [Subspace] on the trace of A.
	//
	// In [S3SPSD] it is decoupled from the shift of the sketch. The range is found with min(α, tr(A)/2n, 2β₀), where α
	// is that of Algorithm 5 and β₀ is the mean residual eigenvalue of the unshifted sketch. α alone depends on the
	// smallest singular value of the sketch and grows with n.
	ShiftFitted ShiftRule = iota
	// ShiftMidpoint, of [Landmark] and [Subspace], is the midpoint of the eigenvalues outside the model. It is optimal
	// in the spectral norm, where it gains up to a half. It grows with n, at the cost of the Frobenius norm and the
	// diagonal.
	//
	// [Landmark] adds half of the first truncated eigenvalue to the fitted shift. [Subspace] takes half of the largest
	// truncated eigenvalue plus half of the smallest known one: the smallest among the truncated ones and the mean of
	// the eigenvalues outside the Krylov space, which follows from the trace of A. The spectral error is then about
	// half of the optimum at rank c without a shift.
	ShiftMidpoint
	// ShiftNone is no shift. With [Landmark], Â is positive semi-definite if A is, and W is the core of Wang, Luo &
	// Zhang (2016). With [Subspace], Â is nearly the best matrix of its rank.
	ShiftNone
	// ShiftPaper is α of the published Algorithm 5, for [S3SPSD] alone.
	ShiftPaper
)

var shiftWords = []string{"fitted", "midpoint", "none", "paper"}

// String returns the word for a shift.
func (s ShiftRule) String() string { return words.Of(shiftWords, s) }

// among returns an error unless the method supports the shift.
func (s ShiftRule) among(method string, shifts ...ShiftRule) error {
	if slices.Contains(shifts, s) {
		return nil
	}
	return fmt.Errorf("`Shift %s` is not one of %s, which has %v", s, method, shifts)
}

// ofTwoFactors returns an error for a shift other than the default in a model U·diag(values)·Vᵀ, which has none.
func (s ShiftRule) ofTwoFactors() error {
	if s == ShiftFitted || s == ShiftNone {
		return nil
	}
	return fmt.Errorf("`Shift %s` is for the symmetric matrix of one source: a model of two factors has no shift", s)
}

// Rule selects how landmarks are chosen: see [RuleAuto].
type Rule = basis.Rule

// The rules. [RuleDefault] is [RuleAuto] for [Landmark] and [Adaptive], and [RuleUniform] for [Nystrom].
const (
	RuleDefault       = basis.RuleDefault
	RuleUniform       = basis.RuleUniform
	RulePivoted       = basis.RulePivoted
	RuleDeterminantal = basis.RuleDeterminantal
	RuleAuto          = basis.RuleAuto
)
