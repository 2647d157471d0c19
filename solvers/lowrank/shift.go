package lowrank

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/solvers/internal/words"
)

// Shift says which multiple of the identity a method works with and adds.
type Shift uint8

const (
	// ShiftDefault is ShiftDecoupled for [S3SPSD], and ShiftCentred for [Landmark],
	// [Adaptive] and [Subspace].
	ShiftDefault Shift = iota
	// ShiftNone is none. With [Landmark] Â is positive semi-definite if A is, and W is the
	// core of Wang, Luo & Zhang (2016); with [Subspace] it is nearly the best matrix of its
	// rank.
	ShiftNone
	// ShiftCentred is the best in the spectral norm, and grows with n; in the Frobenius
	// norm, to which the whole diagonal counts, it costs more than it gains. [Landmark] adds
	// half of the first eigenvalue left out to the shift fitted. [Subspace] takes the middle
	// of the eigenvalues that are left out: half of the largest that truncation leaves out
	// plus half of the least known, which is the least of those left out and of the mean
	// of the eigenvalues outside the Krylov space (the trace of A tells it exactly). The
	// spectral error is then about half of the best that rank c can do without a shift.
	ShiftCentred
	// ShiftFitted is the least-squares fit, of [Landmark]: the diagonal of Â is then near
	// the diagonal of A.
	ShiftFitted
	// ShiftDecoupled is of [S3SPSD]: one shift for the range, min(α, tr(A)/2n, 2β₀) with α
	// of Algorithm 5 and β₀ the mean eigenvalue that the unshifted sketch leaves, and
	// another, fitted by least squares, for the core. The shift that helps the sketch is
	// not the shift to add back: α is driven by the smallest singular value of the sketch,
	// and grows with n.
	ShiftDecoupled
	// ShiftPaper is of [S3SPSD]: α of Algorithm 5 for both, as published.
	ShiftPaper
)

var shiftWords = []string{"default", "none", "centred", "fitted", "decoupled", "paper"}

// String returns the word for a shift.
func (s Shift) String() string { return words.Of(shiftWords, s) }

// ParseShift returns the shift that a word stands for.
func ParseShift(word string) (Shift, error) { return words.Parse[Shift]("shift", shiftWords, word) }

// among returns an error unless a method has the shift.
func (s Shift) among(method string, shifts ...Shift) error {
	if s == ShiftDefault || slices.Contains(shifts, s) {
		return nil
	}
	return fmt.Errorf("`shift %s` is not one of %s, which has %v", s, method, shifts)
}
