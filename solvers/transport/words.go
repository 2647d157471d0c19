package transport

import "github.com/nystream/nystream/internal/words"

// Name is the method in the header of a saved model of this package.
const Name = "transport"

// Algorithm names a [Method] with one way to multiply by K.
type Algorithm uint8

// The engines.
const (
	AlgorithmExact   Algorithm = iota // [Exact]
	AlgorithmLowRank                  // [LowRank]
)

var engineWords = []string{"exact", "lowrank"}

// String returns the word for an engine.
func (e Algorithm) String() string { return words.Of(engineWords, e) }

// ParseAlgorithm returns the engine that a word names.
func ParseAlgorithm(s string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, s)
}
