package scores

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

const (
	// A norm is found when its square has changed by at most so much, relative to it, over
	// so many Lanczos steps.
	normTolerance = 1e-13
	normLag       = 8
	// normSteps is the most Lanczos steps. Random sparse matrices take some tens.
	normSteps = 600
)

// spectralNorm returns the largest singular value of a sparse matrix D, by the Lanczos
// process for DᵀD from a start vector that is always the same. It ends when the value
// has stopped moving to 1e-13. Cost: about 4·NNZ flops a step, some tens of steps, and
// four vectors of memory.
func spectralNorm(d *stream.CSR) (float64, error) {
	scale := 0.0 // entries of magnitude 1 at most neither overflow nor vanish
	for e := range d.Entries() {
		if e.Value-e.Value != 0 {
			return 0, fmt.Errorf("scores: the entry in row %d, column %d is %v", e.Row, e.Col, e.Value)
		}
		scale = math.Max(scale, math.Abs(e.Value))
	}
	if scale == 0 {
		return 0, nil
	}
	l := krylov.NewLanczos(d.Cols, sketch.NewRandom(0, "spectral norm"), normLag, normTolerance)
	for range normSteps {
		done, err := l.Step(gramTimes(d, scale, l.Vector()))
		if err != nil {
			return 0, fmt.Errorf("scores: the spectral norm: %w", err)
		}
		if done {
			return scale * math.Sqrt(l.Norm()), nil
		}
	}
	return 0, fmt.Errorf("scores: the spectral norm was not found in %d Lanczos steps", normSteps)
}

// gramTimes returns (D/scale)ᵀ(D/scale)·v.
func gramTimes(d *stream.CSR, scale float64, v []float64) []float64 {
	image, w := make([]float64, d.Rows), make([]float64, d.Cols)
	for e := range d.Entries() {
		image[e.Row] += e.Value / scale * v[e.Col]
	}
	for e := range d.Entries() {
		w[e.Col] += e.Value / scale * image[e.Row]
	}
	return w
}
