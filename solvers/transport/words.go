package transport

import "github.com/nystream/nystream/solvers/internal/words"

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

// Mapping says how a model maps rows.
type Mapping uint8

// The mappings.
const (
	// BarycentricProjection maps a row to the mean of the other side's rows, weighted by the plan; the kernel gives the
	// weights of new rows. A model of the exact engine keeps all rows, one of the low-rank engine the landmarks.
	BarycentricProjection Mapping = iota
	// NearestDisplacement moves a row as the barycentric projection moves the nearest fitted row of its side (Ferradans,
	// Papadakis, Peyré & Aujol 2014, "Regularized discrete optimal transport"). A model keeps 10,000 rows of a side.
	NearestDisplacement
)

var mappingWords = []string{"kernel", "nearest"}

// String returns the word for a mapping.
func (m Mapping) String() string { return words.Of(mappingWords, m) }

// ParseMapping returns the mapping that a word names.
func ParseMapping(s string) (Mapping, error) { return words.Parse[Mapping]("map", mappingWords, s) }
