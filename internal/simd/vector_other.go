//go:build noasm || !(amd64 || arm64)

package simd

// applyWhole is never called: this build has only the Go path.
func (f Function) applyWhole(_, _ []float64, _ *[2]float64) { panic("simd: no assembly in this build") }

func largestLanes([]float64, *[vectorLanes]float64) { panic("simd: no assembly in this build") }
