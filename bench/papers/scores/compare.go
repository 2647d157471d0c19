package scores

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/sparse"
)

// GraphDifference is the difference D = A − Ã of two adjacency matrices, in three interpretations of the ℓ1 and ℓ2 of
// paper 2, Table 2.
type GraphDifference struct {
	Entries  int     // nonzeros of D: missing and surplus edges
	OneNorm  float64 // ‖D‖₁, the largest column sum of |D|
	Spectral float64 // ‖D‖₂, the largest singular value
}

// CompareGraphs returns the difference of two square matrices of the same shape.
func CompareGraphs(a, b *sparse.CSR) (GraphDifference, error) {
	difference, err := sparse.NewCSR(a.Rows, a.Cols, func(yield func(sparse.Entry) bool) {
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
		d.OneNorm = floats.Max(sums)
		d.Spectral, err = spectralNorm(difference)
	}
	return d, err
}

// spectralNorm returns the largest singular value of a sparse matrix D ≠ 0, see [lab.Norm].
func spectralNorm(d *sparse.CSR) (float64, error) {
	return lab.Norm(d.Cols, func(side model.Side, x *mat.Dense) (*mat.Dense, error) {
		y := mat.NewDense(d.Rows, x.RawMatrix().Cols, nil) // D is square
		for e := range d.Entries() {
			to, from := int(e.Row), int(e.Col)
			if side == model.Right {
				to, from = from, to
			}
			floats.AddScaled(y.RawRowView(to), e.Value, x.RawRowView(from))
		}
		return y, nil
	})
}
