package simd

import (
	"fmt"
	"os"
	"strings"
)

// Path is one of the implementations of the primitives.
type Path int

// The paths, from the slowest to the fastest.
const (
	Go     Path = iota // plain Go, on every machine
	AVX2               // with FMA
	AVX512             // F and DQ
)

// String is the name of the path, as in the environment variable.
func (p Path) String() string { return [...]string{"go", "avx2", "avx512"}[p] }

// PathVariable is the environment variable that forces a path.
const PathVariable = "NYSTREAM_SIMD"

// active is the path in use. It is set before main starts; only [Use] changes
// it.
var active = choose(os.Getenv(PathVariable))

// Active is the path in use.
func Active() Path { return active }

// choose is the path with that name, or the fastest one if the name is empty.
func choose(name string) Path {
	available := Available()
	if name == "" {
		return available[len(available)-1]
	}
	var names []string
	for _, p := range available {
		if p.String() == name {
			return p
		}
		names = append(names, p.String())
	}
	panic(fmt.Sprintf("simd: %s=%s: this machine and build have %s", PathVariable, name, strings.Join(names, ", ")))
}

// Use forces a path until restore is called, for tests and benchmarks. No other
// function of the package may run meanwhile. It panics if the machine or the
// build has no such path.
func Use(p Path) (restore func()) {
	before := active
	active = choose(p.String())
	return func() { active = before }
}
