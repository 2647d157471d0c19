package transport

import "github.com/nystream/nystream/solvers/internal/words"

// Name is what the header of a saved model of this package calls it.
const Name = "transport"

// Engine says what products with K are made of.
type Engine uint8

// The engines.
const (
	// EngineExact is of [Exact].
	EngineExact Engine = iota
	// EngineLowRank is of [LowRank].
	EngineLowRank
)

var engineWords = []string{"exact", "lowrank"}

// String returns the word for an engine.
func (e Engine) String() string { return words.Of(engineWords, e) }

// ParseEngine returns the engine that a word names.
func ParseEngine(s string) (Engine, error) { return words.Parse[Engine]("engine", engineWords, s) }

// Mapping says how a model maps rows.
type Mapping uint8

// The mappings.
const (
	// MapKernel is the barycentric map, for new rows by the kernel. A model of the exact
	// engine keeps all rows for it, one of the low-rank engine what it has of landmarks.
	MapKernel Mapping = iota
	// MapNearest moves a row as the nearest of up to [Sinkhorn].Neighbours fitted rows of its side
	// is moved by the barycentric map.
	MapNearest
)

var mappingWords = []string{"kernel", "nearest"}

// String returns the word for a mapping.
func (m Mapping) String() string { return words.Of(mappingWords, m) }

// ParseMapping returns the mapping that a word names.
func ParseMapping(s string) (Mapping, error) { return words.Parse[Mapping]("map", mappingWords, s) }
