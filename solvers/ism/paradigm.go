package ism

import "github.com/nystream/nystream/internal/words"

// Paradigm selects the kind of response and the clusters to find.
type Paradigm uint8

const (
	// Supervised: W depends on the response, Γ = H·K_Y·H.
	Supervised Paradigm = iota
	// Unsupervised: clusters Y and W are found together, Γ = H·Y·Yᵀ·H, where Y has the leading eigenvectors of
	// H·K_XW·H. Both steps increase the same J.
	Unsupervised
	// SemiSupervised: clusters that agree with scores Ŷ, eq. 2. Γ = Ω + μ·H·K_Ŷ·H with Ω = D^(−½)·Y·Yᵀ·D^(−½), where D
	// has the degrees of K_XW and Y the leading eigenvectors of D^(−½)·K_XW·D^(−½). D is fixed during the search for W.
	SemiSupervised
	// Alternative: clusters that differ from given classes, eq. 4, as SemiSupervised with −μ. The first Y is that of
	// the rows minus the means of their classes.
	Alternative
)

// String returns the word for the paradigm: supervised, unsupervised, semisupervised or
// alternative.
func (p Paradigm) String() string { return words.Of(paradigmWords, p) }

// ParseParadigm is the inverse of String. It fails for unknown words.
func ParseParadigm(word string) (Paradigm, error) {
	return words.Parse[Paradigm]("paradigm", paradigmWords, word)
}
