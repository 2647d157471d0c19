package ksvd

import (
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// Words of enumerations, in the order of their values.
var (
	compatibilityWords = []string{"identity", "pinv", "pca", "random", "auto"}
	scalingWords       = []string{"derived", "unit", "orthonormal"}
)

// String returns the word for a compatibility.
func (c Compatibility) String() string { return words.Of(compatibilityWords, c) }

// String returns the word for a scaling.
func (s Scaling) String() string { return words.Of(scalingWords, s) }

// ParseCompatibility is the inverse of String. It fails for unknown words.
func ParseCompatibility(word string) (Compatibility, error) {
	return words.Parse[Compatibility]("compatibility", compatibilityWords, word)
}

// ParseSums is the inverse of String. It fails for unknown words.
func ParseSums(word string) (Sums, error) { return tiles.ParseSums(word) }
