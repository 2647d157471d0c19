package transport

import "github.com/nystream/nystream/internal/words"

// Name is the method in the header of a saved model of this package.
const Name = "transport"

// Engine names a [Method] with one way to multiply by K.
type Engine uint8

// The engines.
const (
	EngineExact   Engine = iota // [Exact]
	EngineLowRank               // [LowRank]
)

var engineWords = []string{"exact", "lowrank"}

// String returns the word for an engine.
func (e Engine) String() string { return words.Of(engineWords, e) }

// ParseEngine returns the engine that a word names.
func ParseEngine(s string) (Engine, error) { return words.Parse[Engine]("engine", engineWords, s) }
