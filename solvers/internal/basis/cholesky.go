package basis

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/linalg/pivoted"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Cholesky is randomly pivoted Cholesky, K ≈ F·Fᵀ, of the kernel matrix of rows in memory (Chen,
// Epperly, Tropp & Webber 2023, "Randomly pivoted Cholesky: practical approximation of a kernel
// matrix with few entry evaluations"). Each pivot is drawn in proportion to the residual
// diagonal h of K − F·Fᵀ.
//
// Pivots are drawn in blocks, by rejection (Epperly, Tropp & Webber 2024, "Embrace rejection"): rows are proposed in
// proportion to the residual diagonal d at the beginning of a block, and row s is accepted with probability h_ss/d_s.
// The pivots have the same distribution as those drawn one at a time, and most of the work is in matrix products.
//
// It uses a grid of its own, so results do not depend on settings of the engine.
type Cholesky struct {
	Pivots      []int   // row numbers, in the order of the draw
	Trace, Left float64 // of K, and of K − F·Fᵀ

	tiles     *tiles.Tiles
	engine    stream.Engine
	progress  func(stream.Event)
	rows      blas64.General
	name      string // of the source
	random    sketch.Random
	proposals uint64         // number of proposals so far
	block     int            // proposals at a time, at most
	factor    blas64.General // F, n × the limit of pivots
	residual  *pivoted.Residual
	sums      []float64 // of the residual diagonal, by block of the grid
}

// The limit of proposals at a time. More proposals make larger products, but most of the last ones are rejected. A
// block evaluates the square of their number in kernel entries, so fewer rows get fewer proposals.
const (
	maxProposals = 128
	minProposals = 16
)

// Proposals returns the limit of proposals at a time for n rows.
func Proposals(n int64) int {
	return max(minProposals, min(maxProposals, int(math.Sqrt(float64(n)))))
}

// NewCholesky returns a factorisation without pivots, with memory for the given number of them. name is the name of the
// source. It may set the scale of the tiles.
func NewCholesky(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, rows blas64.General, name string, most int, random sketch.Random) (*Cholesky, error) {
	n := rows.Rows
	f := &Cholesky{tiles: t, engine: e, progress: e.Progress, rows: rows, name: name, random: random,
		block: Proposals(int64(n)), factor: matrix.New(n, most)}
	f.engine.BlockRows = min(tilesize.PanelRows, stream.BlockRows(rows.Cols))
	f.engine.Progress = nil // the many short passes report no progress
	f.sums = make([]float64, (n+f.engine.BlockRows-1)/f.engine.BlockRows)
	if len(f.sums) == 1 {
		f.engine.Threads = 1 // more threads would only wait
	}
	diagonal := matrix.New(n, 1)
	f.residual = &pivoted.Residual{Left: diagonal.Data}
	err := f.sweep(ctx, func() func(start int, x blas64.General) error {
		return func(start int, x blas64.General) error {
			t.SelfEntries(diagonal.Data[start:start+x.Rows], x)
			return CheckFinite(t, matrix.Rows(diagonal, start, x.Rows), name, input.Numbers{From: int64(start)})
		}
	})
	if err != nil {
		return nil, err
	}
	if scale := tiles.ScaleFor(krylov.Largest(diagonal.Data)); scale != 1 {
		t.SetScale(scale)
	}
	blas64.Scal(t.Scale(), dense.Vector(diagonal.Data))
	f.residual = pivoted.NewResidual(diagonal.Data, RankTolerance)
	err = f.sweep(ctx, func() func(int, blas64.General) error { return func(int, blas64.General) error { return nil } })
	f.Trace = f.Left
	return f, err
}

// sweep runs do over the blocks of all rows, and sums the resulting residual diagonal.
func (f *Cholesky) sweep(ctx context.Context, do func() func(start int, x blas64.General) error) error {
	workers := sync.Pool{New: func() any { return do() }}
	err := stream.Each(ctx, f.engine.Threads, len(f.sums), func(i int) error {
		work := workers.Get().(func(int, blas64.General) error)
		defer workers.Put(work)
		start := i * f.engine.BlockRows
		end := min(start+f.engine.BlockRows, f.rows.Rows)
		err := work(start, matrix.Rows(f.rows, start, end-start))
		f.sums[i] = dense.Sum(f.residual.Left[start:end])
		return err
	})
	f.Left = dense.Sum(f.sums)
	return err
}

// Run draws pivots until F is full, or all residuals are at or below [RankTolerance] of their diagonal entries. Cost:
// n·ℓ kernel entries and 3·n·ℓ² flops for ℓ pivots, and the entries between proposals.
func (f *Cholesky) Run(ctx context.Context) error {
	for len(f.Pivots) < f.factor.Cols && f.Left > 0 {
		pivots, lower, err := f.draw()
		if err != nil {
			return err
		}
		if err := f.extend(ctx, pivots, lower); err != nil {
			return err
		}
		if f.progress != nil {
			f.progress(stream.Event{Pass: "pivots", Done: int64(len(f.Pivots)), Total: int64(f.factor.Cols)})
		}
	}
	return nil
}

// Chosen returns the pivots, or row 0 if the diagonal of K is zero.
func (f *Cholesky) Chosen() []int {
	if len(f.Pivots) == 0 {
		return []int{0}
	}
	return slices.Clone(f.Pivots)
}

// Factor returns F. Without pivots it returns the first column, which is zero.
func (f *Cholesky) Factor() blas64.General {
	return matrix.Columns(f.factor, 0, max(1, len(f.Pivots)))
}

// proposal is a proposed row, with the uniform number that decides on its acceptance.
type proposal struct {
	row    int
	accept float64
}

// draw proposes rows and accepts some of them. It accepts the first unless its residual is rounding. lower·lowerᵀ is
// the residual matrix between the pivots.
func (f *Cholesky) draw() (pivots []int, lower blas64.General, err error) {
	room := f.factor.Cols - len(f.Pivots)
	proposals := f.propose(min(f.block, 2*room))
	var rows []int
	for _, p := range proposals {
		rows = append(rows, p.row)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	h, err := f.residualBetween(rows)
	if err != nil {
		return nil, h, err
	}
	c := pivoted.New(&pivoted.Residual{Left: dense.Pick(f.residual.Left, rows), Floor: dense.Pick(f.residual.Floor, rows)})
	for _, p := range proposals {
		i, _ := slices.BinarySearch(rows, p.row)
		if len(c.Pivots) < room && p.accept*f.residual.Left[p.row] < c.Left[i] {
			c.Take(i, slices.Clone(matrix.Row(h, i)))
		}
	}
	for _, i := range c.Pivots {
		pivots = append(pivots, rows[i])
	}
	return pivots, c.Lower(), nil
}

// propose draws rows with probability proportional to the residual diagonal: first a block of the grid, then a row of
// it.
func (f *Cholesky) propose(count int) []proposal {
	out := make([]proposal, count)
	for i := range out {
		draws := f.random.At(f.proposals)
		f.proposals++
		first := drawInProportion(f.sums, draws.Float64()) * f.engine.BlockRows
		end := min(first+f.engine.BlockRows, len(f.residual.Left))
		row := first + drawInProportion(f.residual.Left[first:end], draws.Float64())
		out[i] = proposal{row, draws.Float64()}
	}
	return out
}

// residualBetween returns K − F·Fᵀ between rows.
func (f *Cholesky) residualBetween(rows []int) (blas64.General, error) {
	x := &tiles.Rows{Dense: dense.PickRows(f.rows, rows)}
	h := matrix.New(len(rows), len(rows))
	f.tiles.Fill(h, x, x, new(tiles.Work))
	numbers := make([]int64, len(rows))
	for i, r := range rows {
		numbers[i] = int64(r)
	}
	if err := CheckFinite(f.tiles, h, f.name, input.Numbers{List: numbers}); err != nil {
		return h, err
	}
	if known := len(f.Pivots); known > 0 {
		part := dense.PickRows(matrix.Columns(f.factor, 0, known), rows)
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, part, part, 1, h)
	}
	for i, r := range rows { // the same bits as in f.diagonal
		matrix.Row(h, i)[i] = f.residual.Left[r]
	}
	return h, nil
}

// extend computes the columns of F for new pivots T: (K(·, T) − F·F_Tᵀ)·L⁻ᵀ, where L·Lᵀ is the residual matrix between
// them.
func (f *Cholesky) extend(ctx context.Context, chosen []int, lower blas64.General) error {
	known, more := len(f.Pivots), len(chosen)
	if more == 0 {
		return nil
	}
	pivots := &tiles.Rows{Dense: dense.PickRows(f.rows, chosen)}
	before := matrix.Columns(f.factor, 0, known)
	atPivots := dense.PickRows(before, chosen)
	l := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: more, Stride: lower.Stride, Data: lower.Data}
	err := f.sweep(ctx, func() func(int, blas64.General) error {
		var w kernelgen.Workspace
		return func(start int, x blas64.General) error {
			next := matrix.Rows(matrix.Columns(f.factor, known, more), start, x.Rows)
			f.tiles.FillDense(next, x, pivots, &w)
			if err := CheckFinite(f.tiles, next, f.name, input.Numbers{From: int64(start)}); err != nil {
				return err
			}
			if known > 0 {
				blas64.Gemm(blas.NoTrans, blas.Trans, -1, matrix.Rows(before, start, x.Rows), atPivots, 1, next)
			}
			blas64.Trsm(blas.Right, blas.Trans, 1, l, next)
			f.settle(start, next, chosen, lower)
			return nil
		}
	})
	f.Pivots = append(f.Pivots, chosen...)
	return err
}

// settle subtracts the new columns of F from the residual diagonal of a block. Rows of pivots are taken from L: their
// residual is 0.
func (f *Cholesky) settle(start int, next blas64.General, chosen []int, lower blas64.General) {
	for p, s := range chosen {
		if i := s - start; i >= 0 && i < next.Rows {
			copy(matrix.Row(next, i), matrix.Row(lower, p))
			f.residual.Left[s] = 0
		}
	}
	for i := range next.Rows {
		f.residual.Subtract(start+i, dense.Dot(matrix.Row(next, i), matrix.Row(next, i)))
	}
}

// Triangular returns the triangular factor of F, by one pass over the rows in memory.
func (f *Cholesky) Triangular(ctx context.Context) (blas64.General, error) {
	all := f.Factor()
	newFactor := func() *sketch.QR { return sketch.NewQR(all.Cols) }
	src := stream.FromMatrix(f.name, f.rows)
	qr, err := stream.Fold(ctx, f.engine, "fit", src, newFactor, func() func(*sketch.QR, *stream.Block) error {
		return func(qr *sketch.QR, b *stream.Block) error {
			return qr.Add(matrix.Rows(all, int(b.Start), b.X.Rows))
		}
	})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}

// pivots returns the indices of at most c pivots of a panel of the named source; index 0 if the diagonal is zero. The
// scale of the tiles stays 1.
func pivots(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, p *Panel, c int, name string, random sketch.Random) ([]int, error) {
	defer t.SetScale(1) // the scale depends on the landmarks
	e.Progress = nil
	f, err := NewCholesky(ctx, e, t, p.Rows, name, c, random)
	if err == nil {
		f.block = maxProposals // few rows: evaluating the proposals takes longer than the pass
		err = f.Run(ctx)
	}
	var bad *stream.DataError
	if errors.As(err, &bad) && bad.Row >= 0 {
		bad.Row = p.Number[bad.Row]
	}
	if err != nil {
		return nil, err
	}
	return f.Chosen(), nil
}

// drawInProportion draws an index with probability proportional to its weight, by a uniform u in [0, 1). It returns -1
// if all weights are 0. No weight may be negative.
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
