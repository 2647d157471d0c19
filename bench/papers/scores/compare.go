package scores

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// GraphDifference is the difference D = A − Ã of two adjacency matrices, in three readings
// of the ℓ1 and ℓ2 of paper 2, Table 2.
type GraphDifference struct {
	Entries  int     // nonzeros of D: missing and surplus edges
	OneNorm  float64 // ‖D‖₁, the largest column sum of |D|
	Spectral float64 // ‖D‖₂, the largest singular value
}

// CompareGraphs returns the difference of two square matrices of one shape.
func CompareGraphs(a, b *stream.CSR) (GraphDifference, error) {
	difference, err := stream.NewCSR(a.Rows, a.Cols, func(yield func(stream.Entry) bool) {
		for e := range a.Entries() {
			if !yield(e) {
				return
			}
		}
		for e := range b.Entries() {
			if e.Value = -e.Value; !yield(e) {
				return
			}
		}
	})
	if err != nil {
		return GraphDifference{}, err
	}
	d, sums := GraphDifference{}, make([]float64, a.Cols)
	for e := range difference.Entries() {
		if e.Value != 0 {
			d.Entries++
			sums[e.Col] += math.Abs(e.Value)
		}
	}
	if d.Entries > 0 {
		d.OneNorm, d.Spectral = floats.Max(sums), spectralNorm(difference)
	}
	return d, nil
}

// The Lanczos process ends when an eighth of its steps, but at least 8, have changed the
// square of the norm by at most normTolerance, or after normSteps.
const (
	normTolerance = 1e-13
	normSteps     = 600
)

// spectralNorm returns the largest singular value of a sparse matrix D ≠ 0 by the Lanczos
// process for DᵀD, with full orthogonalisation and always the same start vector.
func spectralNorm(d *stream.CSR) float64 {
	start := stream.NewMatrix(1, d.Cols)
	sketch.NewRandom(0, "spectral norm").Normals(start)
	var basis [][]float64
	var alphas, betas []float64 // the diagonal of the tridiagonal matrix, and the one beside it
	v, before, check := start.Data, 0.0, 8
	norm := floats.Norm(v, 2)
	for len(basis) < min(normSteps, d.Cols) {
		floats.Scale(1/norm, v)
		basis = append(basis, v)
		w := gramTimes(d, v)
		alphas = append(alphas, floats.Dot(w, v))
		for range 2 {
			for _, q := range basis {
				floats.AddScaled(w, -floats.Dot(w, q), q)
			}
		}
		norm = floats.Norm(w, 2)
		complete := norm <= 1e-14*floats.Max(alphas)
		if complete || len(basis) == check {
			now := largestEigenvalue(alphas, betas)
			if complete || now-before <= normTolerance*now {
				return math.Sqrt(now)
			}
			before, check = now, check+max(8, check/8)
		}
		betas, v = append(betas, norm), w
	}
	return math.Sqrt(largestEigenvalue(alphas, betas))
}

// gramTimes returns DᵀD·v.
func gramTimes(d *stream.CSR, v []float64) []float64 {
	image, w := make([]float64, d.Rows), make([]float64, d.Cols)
	for e := range d.Entries() {
		image[e.Row] += e.Value * v[e.Col]
	}
	for e := range d.Entries() {
		w[e.Col] += e.Value * image[e.Row]
	}
	return w
}

// largestEigenvalue returns that of a symmetric tridiagonal matrix.
func largestEigenvalue(diagonal, beside []float64) float64 {
	t := mat.NewSymDense(len(diagonal), nil)
	for i, v := range diagonal {
		t.SetSym(i, i, v)
		if i > 0 {
			t.SetSym(i-1, i, beside[i-1])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(t, false) {
		return math.NaN()
	}
	return floats.Max(e.Values(nil))
}
