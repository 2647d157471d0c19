package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// probe is a test sketch: Gaussian columns that have no part in a fit, and A times
// them. For a fixed matrix E, ‖E·G‖_F² over the number of columns has the mean
// ‖E‖_F² and, relative to it, a variance of at most two over that number (equality
// for E of rank one).
type probe struct {
	g, ag blas64.General // n×probeCols, m×probeCols
}

// probeCols columns come within a factor of two of the norm with a probability of
// 99 %, whatever the matrix: that is what χ² with ten degrees of freedom says.
const probeCols = 10

func newProbe(m, n int, seed uint64) *probe {
	p := &probe{g: stream.NewMatrix(n, probeCols), ag: stream.NewMatrix(m, probeCols)}
	sketch.NewRandom(seed, "subspace probe").Normals(p.g)
	return p
}

// normOfRest estimates ‖A − y·vᵀ‖_F.
func (p *probe) normOfRest(y, v blas64.General) float64 {
	guess := dense.Mul(blas.NoTrans, y, blas.NoTrans, dense.Mul(blas.Trans, v, blas.NoTrans, p.g))
	sum := 0.0
	for i := range guess.Rows {
		for j, w := range dense.Row(guess, i) {
			d := dense.Row(p.ag, i)[j] - w
			sum += d * d
		}
	}
	return math.Sqrt(sum / probeCols)
}

// errorOf estimates ‖A−y·vᵀ‖_F/‖A‖_F. The norm of A is that of A·Q, which is
// known, and of A·(I−QQᵀ).
func (p *probe) errorOf(q *krylov.Basis, y, v blas64.General) float64 {
	aq := q.Product()
	outside := p.normOfRest(aq, q.Vectors())
	inside := 0.0
	for i := range aq.Rows {
		inside = math.Hypot(inside, dense.Norm(dense.Row(aq, i)))
	}
	return ratio(p.normOfRest(y, v), math.Hypot(inside, outside))
}
