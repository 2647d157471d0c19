//go:build noasm || !(amd64 || arm64)

package simd

// Available lists the paths of this build.
func Available() []Path { return []Path{Go} }

// run is never called: this build has only the Go path.
func (j *job) run(Path, int, int) { panic("simd: no assembly in this build") }

func (j *foldJob) run(Path, int) { panic("simd: no assembly in this build") }
