package lowrank

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/internal/basis"
)

// ShiftRule says which multiple of the identity a method works with and adds. Every method
// that adds one has [ShiftFitted] and [ShiftNone].
type ShiftRule uint8

const (
	// ShiftFitted is the least-squares fit: the mean of what the directions of U leave of
	// the diagonal, so that the diagonal of Â is near the diagonal of A. [Landmark] and
	// [S3SPSD] fit it on the core, [Subspace] on the trace of A.
	//
	// In [S3SPSD] it is decoupled from the shift that helps the sketch: the range is found
	// with min(α, tr(A)/2n, 2β₀), α being that of Algorithm 5 and β₀ the mean eigenvalue
	// that the unshifted sketch leaves, since α is driven by the smallest singular value
	// of the sketch and grows with n.
	ShiftFitted ShiftRule = iota
	// ShiftMidpoint, of [Landmark] and [Subspace], is the middle of the eigenvalues that are
	// left out, the best in the spectral norm, where it gains up to a half. It grows with
	// n, and the Frobenius norm and the diagonal, on all of which it acts, pay for it.
	// [Landmark] adds half of the first eigenvalue left out to the shift fitted. [Subspace]
	// takes half of the largest eigenvalue that truncation leaves out plus half of the
	// least known, which is the least of those left out and of the mean of the eigenvalues
	// outside the Krylov space (the trace of A tells it exactly). The spectral error is
	// then about half of the best that rank c can do without a shift.
	ShiftMidpoint
	// ShiftNone is none. With [Landmark] Â is positive semi-definite if A is, and W is the
	// core of Wang, Luo & Zhang (2016); with [Subspace] it is nearly the best matrix of its
	// rank.
	ShiftNone
	// ShiftPaper is of [S3SPSD]: α of Algorithm 5 for both, as published.
	ShiftPaper
)

var shiftWords = []string{"fitted", "midpoint", "none", "paper"}

// String returns the word for a shift.
func (s ShiftRule) String() string { return words.Of(shiftWords, s) }

// among returns an error unless a method has the shift.
func (s ShiftRule) among(method string, shifts ...ShiftRule) error {
	if slices.Contains(shifts, s) {
		return nil
	}
	return fmt.Errorf("`Shift %s` is not one of %s, which has %v", s, method, shifts)
}

// ofTwoFactors returns an error if a model U·diag(values)·Vᵀ is asked for a shift other
// than the default, which it leaves out.
func (s ShiftRule) ofTwoFactors() error {
	if s == ShiftFitted || s == ShiftNone {
		return nil
	}
	return fmt.Errorf("`Shift %s` is for the symmetric matrix of one source: a model of two factors has no shift", s)
}

// Rule says how landmarks are chosen: see [RuleAuto].
type Rule = basis.Rule

// The rules. [RuleDefault] is [RuleAuto] for [Landmark] and [Adaptive], and [RuleUniform] for [Nystrom].
const (
	RuleDefault       = basis.RuleDefault
	RuleUniform       = basis.RuleUniform
	RulePivoted       = basis.RulePivoted
	RuleDeterminantal = basis.RuleDeterminantal
	RuleAuto          = basis.RuleAuto
)
