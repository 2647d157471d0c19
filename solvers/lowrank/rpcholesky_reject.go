package lowrank

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/pivoted"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Rejection sampling of pivots (Epperly, Tropp & Webber 2024, "Embrace rejection").
// A block of rows is proposed, independent of one another and in proportion to the
// residual diagonal d at its beginning. They are looked at in turn: row s is
// accepted as a pivot with probability h_ss/d_s, h being the residual diagonal
// after the pivots accepted before it, which never exceeds d. So each pivot is
// drawn in proportion to h, as if the pivots were drawn one at a time. All that
// has to be known for it is the residual matrix between the rows proposed.

// The most proposals at a time. More make larger products of matrices, and those
// far behind are mostly rejected; fewer rows deserve fewer, as a block takes the
// square of their number in kernel entries.
const (
	proposalsAtMost  = 128
	proposalsAtLeast = 16
)

// mostProposals returns the most proposals at a time for n rows.
func mostProposals(n int64) int {
	return max(proposalsAtLeast, min(proposalsAtMost, int(math.Sqrt(float64(n)))))
}

// pivotBlock are pivots that were drawn together.
type pivotBlock struct {
	rows []int64        // in the order in which they were drawn
	l    blas64.General // lower triangular, L·Lᵀ is the residual matrix between them
}

// proposal is a row, and a uniform number that decides about it.
type proposal struct {
	row    int64
	accept float64
}

// draw proposes rows and accepts some of them, the first one always (but for
// residuals so small that they have hardly any digits).
func (f *wholeCholesky) draw() (*pivotBlock, error) {
	room := f.factor.Cols - len(f.pivots)
	proposals := f.propose(min(f.block, 2*room))
	var rows []int64
	for _, p := range proposals {
		rows = append(rows, p.row)
	}
	rows = union(rows)
	h, err := f.residualBetween(rows)
	if err != nil {
		return nil, err
	}
	left := &pivoted.Residual{}
	for _, r := range rows {
		left.Left, left.Floor = append(left.Left, f.residual.Left[r]), append(left.Floor, f.residual.Floor[r])
	}
	c := pivoted.New(left)
	for _, p := range proposals {
		i, _ := slices.BinarySearch(rows, p.row)
		if len(c.Pivots) < room && p.accept*f.residual.Left[p.row] < c.Left[i] {
			c.Take(i, slices.Clone(dense.Row(h, i)))
		}
	}
	chosen := &pivotBlock{l: c.Lower()}
	for _, i := range c.Pivots {
		chosen.rows = append(chosen.rows, rows[i])
	}
	return chosen, nil
}

// propose draws rows in proportion to the residual diagonal: a block of the grid,
// then a row of it.
func (f *wholeCholesky) propose(count int) []proposal {
	out := make([]proposal, count)
	for i := range out {
		draws := f.random.At(f.drawn)
		f.drawn++
		first := drawInProportion(f.sums, draws.Float64()) * f.engine.BlockRows
		end := min(first+f.engine.BlockRows, len(f.residual.Left))
		row := first + drawInProportion(f.residual.Left[first:end], draws.Float64())
		out[i] = proposal{int64(row), draws.Float64()}
	}
	return out
}

// residualBetween returns K − F·Fᵀ between rows.
func (f *wholeCholesky) residualBetween(rows []int64) (blas64.General, error) {
	x := pickRows(f.rows.rows, f.rows.number, rows)
	h := stream.NewMatrix(len(rows), len(rows))
	var w kernelgen.Workspace
	f.t.fill(h, x, f.t.pack(x, rows, nil), &w)
	if err := f.t.checkFinite(h, f.src.Info().Name, func(i int) int64 { return rows[i] }); err != nil {
		return h, err
	}
	if known := len(f.pivots); known > 0 {
		part := pickRows(dense.Columns(f.factor, 0, known), f.rows.number, rows)
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, part, part, 1, h)
	}
	for i, r := range rows { // the same as elsewhere, bit for bit
		h.Data[i*h.Stride+i] = f.residual.Left[r]
	}
	return h, nil
}
