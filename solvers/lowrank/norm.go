package lowrank

import "github.com/nystream/nystream/solvers/internal/words"

// Norm is the norm in which an error is measured, relative to that of A.
type Norm uint8

const (
	// NormSpectral is the largest singular value: how far Â·x may be from A·x.
	NormSpectral Norm = iota
	// NormFrobenius is the root of the sum of squares of the entries: how far an entry of
	// Â is from that of A on average.
	NormFrobenius
)

var normWords = []string{"spectral", "frobenius"}

// String returns the word for a norm.
func (n Norm) String() string { return words.Of(normWords, n) }

// ParseNorm returns the norm that a word stands for.
func ParseNorm(word string) (Norm, error) { return words.Parse[Norm]("norm", normWords, word) }

// EstimateIn returns the estimate of the relative error in a norm, NaN if there is none.
func (f *Fit) EstimateIn(n Norm) float64 {
	if n == NormFrobenius {
		return f.ErrorEstimate
	}
	return f.SpectralEstimate
}
