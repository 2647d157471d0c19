package ism

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// exact is the engine that visits all pairs of rows. Let M = Γ ⊙ (Σ f' of inner products − 2·Σ f' of distances) and D
// the row sums of 2·Γ ⊙ Σ f' of distances. Then
//
//	Φ = XᵀMX + Xᵀ·diag(D)·X = XᵀS + SᵀX      S = UX + ½·diag(D)·X,  M = U + Uᵀ
//
// where U has the tiles on one side of the diagonal, and half of the diagonal tiles. S is n×d: each tile takes one
// product with a block of rows, which yields both halves of Φ.
type exact struct {
	data    *table
	x       blas64.General // all rows, n×d
	terms   []term
	scales  map[int][]float64 // σ_i of all rows, by neighbour
	gamma   *gamma            // Γ = left·rightᵀ
	left    blas64.General
	right   blas64.General
	entries atomic.Int64
	passes  int
}

// prepare resolves the terms and computes their local scales.
func (x *exact) prepare(ctx context.Context, data *table, terms []term, held *rowSample) (err error) {
	x.data, x.terms, x.scales = data, terms, make(map[int][]float64)
	for _, t := range terms {
		if t.local() && x.scales[t.Neighbour] == nil {
			if x.scales[t.Neighbour], err = x.localScales(ctx, held.evenRows(scaleRows), t.Neighbour); err != nil {
				return err
			}
		}
	}
	return nil
}

// noise returns the rounding error of a long sum of terms of either sign.
func (x *exact) noise() float64 { return 10 * rounding }

// start returns Φ₀ by a pass of the linear engine: f'(0) is constant, so no pairs of rows are needed.
func (x *exact) start(ctx context.Context, g *gamma) (blas64.General, error) {
	l := linear{data: x.data, terms: x.terms}
	return l.start(ctx, g)
}

// evaluate computes Φ and J by one pass over the upper half of all pairs of rows.
func (x *exact) evaluate(ctx context.Context, g *gamma, w blas64.General) (*evaluation, error) {
	if x.gamma != g {
		x.gamma = g
		x.left, x.right = g.factors()
	}
	n := x.x.Rows
	xw := dense.Mul(noTrans, x.x, noTrans, w)
	p := &exactPass{exact: x, s: matrix.New(n, x.x.Cols), rowDegree: make([]float64, n), colDegree: make([]float64, n),
		objective: make([]float64, n/tilesize.PairRows+1)}
	src := stream.FromMatrix("projected rows", xw)
	if err := stream.Pairs(ctx, x.data.engine, "exact pass", src, src, true, p.worker); err != nil {
		return nil, err
	}
	x.passes++
	v := &evaluation{w: w, phi: p.phi()}
	for _, j := range p.objective {
		v.objective += j
	}
	return v, v.check()
}

// exactPass holds the results of a pass. Calls for the same row block or column block are sequential: see
// [stream.Pairs].
type exactPass struct {
	*exact
	s                    blas64.General // S without the degrees
	rowDegree, colDegree []float64
	objective            []float64 // for each row block
}

// worker returns the visitor of a worker, with five tiles of its own.
func (p *exactPass) worker() func(i, j *stream.Block) error {
	side := min(tilesize.PairRows, p.x.Rows)
	t := &exactTile{exactPass: p}
	for _, m := range []*blas64.General{&t.gamma, &t.product, &t.value, &t.beta[kernelgen.InnerProduct], &t.beta[kernelgen.SquaredDistance]} {
		*m = matrix.New(side, side)
	}
	return func(i, j *stream.Block) error {
		t.visit(i, j)
		return nil
	}
}

// exactTile is the workspace of a worker.
type exactTile struct {
	*exactPass
	gamma, product blas64.General    // tiles of Γ and M
	value          blas64.General    // of one term
	beta           [2]blas64.General // for each base
	work           kernelgen.Workspace
}

// visit adds the tile between two blocks to J, to S and to the degrees.
func (t *exactTile) visit(i, j *stream.Block) {
	rows, cols := i.X.Rows, j.X.Rows
	first, second := int(i.Start), int(j.Start)
	fit := func(m blas64.General) blas64.General {
		return matrix.Of(m.Data, rows, cols)
	}
	gamma, product := fit(t.gamma), fit(t.product)
	blas64.Gemm(noTrans, trans, 1, matrix.Rows(t.left, first, rows), matrix.Rows(t.right, second, cols), 0, gamma)
	matrix.Clear(product)
	var known [2]bool
	twice := 2.0
	if first == second {
		twice = 1
	}
	for _, term := range t.terms {
		beta := fit(t.beta[term.Base])
		if !known[term.Base] {
			tiles.Plain(term.Base.Kernel()).FillDense(beta, i.X, &tiles.Rows{Dense: j.X}, &t.work)
			known[term.Base] = true
		}
		t.objective[i.Index] += twice * term.Weight * t.term(term, gamma, product, beta, fit(t.value), first, second)
	}
	factor := 1.0
	if first == second {
		factor = 0.5
	}
	blas64.Gemm(noTrans, noTrans, factor, product, matrix.Rows(t.x, second, cols), 1, matrix.Rows(t.s, first, rows))
}

// term adds the contribution of a term to M and to the degrees, and returns Σ Γ_ij·f_ij.
func (t *exactTile) term(term term, gamma, product, beta, value blas64.General, first, second int) float64 {
	scales := t.scales[term.Neighbour]
	copy(value.Data, beta.Data)
	if term.local() {
		divideByScales(value, scales[first:], scales[second:])
	}
	term.Value.Apply(value.Data, &t.work)
	t.entries.Add(int64(len(value.Data)))
	j := dense.Dot(gamma.Data, value.Data)
	if term.Ratio != 0 {
		for k, v := range value.Data {
			value.Data[k] = term.Ratio * v
		}
	} else {
		copy(value.Data, beta.Data)
		term.Slope.Apply(value.Data, &t.work)
		t.entries.Add(int64(len(value.Data)))
	}
	if term.local() {
		divideByScales(value, scales[first:], scales[second:])
	}
	for k, g := range gamma.Data {
		value.Data[k] *= g * term.Weight
	}
	if term.Base == kernelgen.InnerProduct {
		matrix.Axpy(1, value.Data, product.Data)
		return j
	}
	matrix.Axpy(-2, value.Data, product.Data)
	t.addDegrees(value, first, second)
	return j
}

// addDegrees adds twice the row sums of a tile to the degrees D, for the part 2·(D − M) of squared distances. A tile off
// the diagonal also stands for its mirror image.
func (t *exactTile) addDegrees(value blas64.General, first, second int) {
	for a := range value.Rows {
		sum := 0.0
		row := matrix.Row(value, a)
		for _, v := range row {
			sum += v
		}
		t.rowDegree[first+a] += 2 * sum
		if first != second {
			matrix.Axpy(2, row, t.colDegree[second:second+len(row)])
		}
	}
}

// divideByScales divides entry i, j by σ_i·σ_j.
func divideByScales(m blas64.General, rows, cols []float64) {
	for i := range m.Rows {
		row := matrix.Row(m, i)
		for j := range row {
			row[j] /= rows[i] * cols[j]
		}
	}
}

// phi returns XᵀS + SᵀX.
func (p *exactPass) phi() blas64.General {
	for i := range p.s.Rows {
		half := (p.rowDegree[i] + p.colDegree[i]) / 2
		if half != 0 {
			row := matrix.Row(p.s, i)
			matrix.Axpy(half, matrix.Row(p.x, i), row)
		}
	}
	phi := dense.Mul(trans, p.x, noTrans, p.s)
	for i := range phi.Rows {
		for j := range i + 1 {
			v := phi.Data[i*phi.Stride+j] + phi.Data[j*phi.Stride+i]
			phi.Data[i*phi.Stride+j], phi.Data[j*phi.Stride+i] = v, v
		}
	}
	return phi
}

// scaleRows is the number of sample rows used for local scales.
const scaleRows = 1000

// localScales returns σ_i of all rows: the distance from their neighbour of the given number in a sample, not counting
// equal rows. If there are too few, it is the distance from the farthest.
func (x *exact) localScales(ctx context.Context, sample blas64.General, neighbour int) ([]float64, error) {
	size := sample.Rows
	if neighbour >= size {
		return nil, fmt.Errorf("relative(neighbour=%d): the sample has %d rows; take a smaller number", neighbour, size)
	}
	squares, columns := tiles.Plain(kernelgen.SquaredDistance.Kernel()), &tiles.Rows{Dense: sample}
	scales := make([]float64, x.x.Rows)
	return scales, squares.Each(ctx, x.data.engine, &tiles.Rows{Dense: x.x}, columns, basis.PanelRows, func(first int, tile blas64.General) error {
		for k := range tile.Rows {
			row, i := matrix.Row(tile, k), first+k
			slices.Sort(row)
			equal := 0 // including the row itself
			for equal < size && row[equal] == 0 {
				equal++
			}
			scales[i] = math.Sqrt(row[min(equal+neighbour, size)-1])
			if !(scales[i] > 0 && scales[i] <= math.MaxFloat64) {
				return fmt.Errorf("%s: relative(neighbour=%d): row %d is %v away from that neighbour; no other row of the sample differs from it",
					x.data.src.Info().Name, neighbour, i, scales[i])
			}
		}
		return nil
	})
}
