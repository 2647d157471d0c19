package transport

import "github.com/nystream/nystream/internal/words"

// Name identifies models of this package in saved headers.
const Name = "transport"

// Algorithm selects the engine: a [Method] with its way to multiply by K.
type Algorithm uint8

// The engines.
const (
	AlgorithmExact   Algorithm = iota // [Exact]
	AlgorithmLowRank                  // [LowRank]
)

var engineWords = []string{"exact", "lowrank"}

// String returns the word for an engine.
func (e Algorithm) String() string { return words.Of(engineWords, e) }

// ParseAlgorithm is the inverse of String. It fails for unknown words.
func ParseAlgorithm(s string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, s)
}
