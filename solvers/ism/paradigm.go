package ism

import "github.com/nystream/nystream/internal/words"

// Paradigm says what is known and what is looked for.
type Paradigm uint8

const (
	// Supervised: W depends on what is known, Γ = H·K_Y·H.
	Supervised Paradigm = iota
	// Unsupervised: clusters Y and W are found together, Γ = H·Y·Yᵀ·H, where Y are
	// the leading eigenvectors of H·K_XW·H. Both steps raise the same J.
	Unsupervised
	// SemiSupervised: clusters that agree with scores Ŷ, eq. 2: Γ = Ω + μ·H·K_Ŷ·H with
	// Ω = D^(−½)·Y·Yᵀ·D^(−½), D the degrees of K_XW and Y the leading eigenvectors of
	// D^(−½)·K_XW·D^(−½). D is held while W is sought.
	SemiSupervised
	// Alternative: clusters that differ from given classes, eq. 4: as SemiSupervised
	// with −μ. The first Y is of the rows less the means of their given classes.
	Alternative
)

// String returns the word for the paradigm: supervised, unsupervised, semisupervised or
// alternative.
func (p Paradigm) String() string { return words.Of(paradigmWords, p) }

// ParseParadigm returns the paradigm that a word stands for.
func ParseParadigm(word string) (Paradigm, error) {
	return words.Parse[Paradigm]("paradigm", paradigmWords, word)
}
