package ksvd

import (
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// The words of enumerations, in the order of their values.
var (
	compatibilityWords = []string{"identity", "pinv", "pca", "random", "auto"}
	scalingWords       = []string{"derived", "unit", "orthonormal"}
)

// String returns the word for a compatibility.
func (c Compatibility) String() string { return words.Of(compatibilityWords, c) }

// String returns the word for a scaling.
func (s Scaling) String() string { return words.Of(scalingWords, s) }

// ParseCompatibility returns the value that a word of String stands for.
func ParseCompatibility(word string) (Compatibility, error) {
	return words.Parse[Compatibility]("compatibility", compatibilityWords, word)
}

// ParseSums returns the value that a word of String stands for.
func ParseSums(word string) (Sums, error) { return tiles.ParseSums(word) }
