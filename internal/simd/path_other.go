//go:build noasm || !(amd64 || arm64)

package simd

// Available lists the paths that this build has.
func Available() []Path { return []Path{Go} }

// run is never called: this build has no job but those of the Go path.
func (j *job) run(Path, int, int) { panic("simd: no assembly in this build") }

func (j *foldJob) run(Path, int) { panic("simd: no assembly in this build") }
