package simd

import (
	"fmt"
	"os"
)

// Path is an implementation of the primitives.
type Path int

// The paths, from the slowest to the fastest.
const (
	Go     Path = iota // plain Go, on every machine
	AVX2               // with FMA
	AVX512             // F and DQ
	NEON               // arm64
)

// String returns the name of the path, as in the environment variable.
func (p Path) String() string { return [...]string{"go", "avx2", "avx512", "neon"}[p] }

// PathVariable is the environment variable that forces a path.
const PathVariable = "NYSTREAM_SIMD"

// active is the path in use. It is set before main starts; only [Use] changes
// it.
var active = initial(os.Getenv(PathVariable))

// Active returns the path in use.
func Active() Path { return active }

// initial returns the path named by the environment, or the fastest one. An unknown name is reported but does not stop
// a program that merely imports the package.
func initial(name string) Path {
	available := Available()
	fastest := available[len(available)-1]
	if name == "" {
		return fastest
	}
	p, ok := find(name)
	if !ok {
		fmt.Fprintf(os.Stderr, "%s=%s: this machine and build have %v; using %v\n", PathVariable, name, available, fastest)
		return fastest
	}
	return p
}

// find returns the path with that name, if machine and build support it.
func find(name string) (p Path, ok bool) {
	for _, p := range Available() {
		if p.String() == name {
			return p, true
		}
	}
	return 0, false
}

// Use forces a path until restore is called, for tests and benchmarks. No other function of the
// package may run meanwhile. It panics if machine or build do not support the path.
func Use(p Path) (restore func()) {
	before := active
	if _, ok := find(p.String()); !ok {
		panic(fmt.Sprintf("simd: path %v: this machine and build have %v", p, Available()))
	}
	active = p
	return func() { active = before }
}
