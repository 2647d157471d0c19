package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// pivotedCholesky is a partial factorisation K ≈ FᵀF of the kernel matrix of the
// rows of a panel whose pivots are drawn in proportion to the diagonal of K − FᵀF:
// randomly pivoted Cholesky, Chen, Epperly, Tropp & Webber (2023), Algorithm 1.
// K is divided by a power of two near its largest diagonal entry.
type pivotedCholesky struct {
	t        *tiles
	p        *panel
	name     string // of the source
	scale    float64
	residual *residualDiagonal
	factor   blas64.General // F, a row for each pivot and room for more
	pivots   []int
	work     kernelgen.Workspace
}

// pivotRows draws at most c pivots and returns them in that order. There are
// fewer if only rounding is left: residuals that are at or below the rank
// tolerance of the precision, relative to the diagonal entry that they are left
// of. If the diagonal has nothing at all, one row is returned.
//
// Cost: c·m kernel entries and numbers, c²·m flops, for m rows.
func (t *tiles) pivotRows(p *panel, c int, seed uint64, name, purpose string) ([]int, error) {
	f, err := t.newPivotedCholesky(p, c, name)
	if err != nil {
		return nil, err
	}
	random := sketch.NewStream(seed, purpose)
	for i := range c {
		draws := random.At(uint64(i))
		s := drawInProportion(f.residual.left, draws.Float64())
		if s < 0 {
			break
		}
		if err := f.add(s); err != nil {
			return nil, err
		}
	}
	if len(f.pivots) == 0 {
		return []int{0}, nil
	}
	return f.pivots, nil
}

func (t *tiles) newPivotedCholesky(p *panel, c int, name string) (*pivotedCholesky, error) {
	m := p.rows.Rows
	diagonal := stream.NewMatrix(m, 1)
	t.diag(diagonal.Data, p.rows)
	if err := t.checkFinite(diagonal, name, func(i int) int64 { return p.number[i] }); err != nil {
		return nil, err
	}
	scale := 0.0 // where nothing is above 0
	if most := largest(diagonal.Data); most > 0 {
		scale = powerNear(most)
	}
	return &pivotedCholesky{t: t, p: p, name: name, scale: scale, factor: stream.NewMatrix(c, m),
		residual: newResidualDiagonal(diagonal.Data, scale, t.precision.rankTolerance())}, nil
}

// powerNear is a power of two that brings largest, which is above 0, near 1.
func powerNear(largest float64) float64 { return math.Ldexp(1, min(1000, -math.Ilogb(largest))) }

// residualDiagonal is the diagonal of K − Â of a partial Cholesky factorisation,
// which the next pivot is drawn in proportion to. No entry is negative.
type residualDiagonal struct {
	left  []float64 // 0 where it is rounding
	floor []float64 // what is rounding
}

// newResidualDiagonal begins with scale times the diagonal of K, which it
// overwrites. Tolerance says what is rounding, relative to an entry of K.
func newResidualDiagonal(diagonal []float64, scale, tolerance float64) *residualDiagonal {
	r := &residualDiagonal{left: diagonal, floor: make([]float64, len(diagonal))}
	for i, v := range diagonal {
		r.left[i] = math.Max(0, v*scale)
		r.floor[i] = r.left[i] * tolerance
	}
	return r
}

// subtract takes a square from entry i.
func (r *residualDiagonal) subtract(i int, square float64) {
	r.left[i] -= square
	if r.left[i] <= r.floor[i] {
		r.left[i] = 0
	}
}

// add makes row s, whose residual is above 0, the next pivot.
func (f *pivotedCholesky) add(s int) error {
	k := len(f.pivots)
	next := stream.RowSlice(f.factor, k, 1)
	f.t.fill(next, stream.RowSlice(f.p.rows, s, 1), f.p, &f.work)
	if err := f.t.checkFinite(next, f.name, func(int) int64 { return f.p.number[s] }); err != nil {
		return err
	}
	row := rowOf(next, 0)
	for i := range row {
		row[i] *= f.scale
	}
	if k > 0 {
		known := stream.RowSlice(f.factor, 0, k)
		at := blas64.Vector{N: k, Inc: known.Stride, Data: known.Data[s:]}
		blas64.Gemv(blas.Trans, -1, known, at, 1, blas64.Vector{N: len(row), Inc: 1, Data: row})
	}
	root := math.Sqrt(f.residual.left[s])
	for i, v := range row {
		row[i] = v / root
		f.residual.subtract(i, row[i]*row[i])
	}
	f.residual.left[s] = 0
	f.pivots = append(f.pivots, s)
	return nil
}

// drawInProportion is the index that u in [0, 1) falls on when weights, none of
// them negative, share out the interval; -1 if there is nothing to share.
func drawInProportion(weights []float64, u float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if !(sum > 0) {
		return -1
	}
	left, last := u*sum, -1
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if left -= w; left < 0 {
			break
		}
	}
	return last
}
