package lowrank

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
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

// mostProposals is the most proposals at a time for n rows.
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
	s := &rejection{h: h}
	for _, r := range rows {
		s.floor = append(s.floor, f.residual.floor[r])
	}
	for _, p := range proposals {
		i, _ := slices.BinarySearch(rows, p.row)
		if len(s.chosen) < room && p.accept*f.residual.left[p.row] < s.diagonal(i) {
			s.accept(i)
		}
	}
	return s.pivots(rows), nil
}

// propose draws rows in proportion to the residual diagonal: a block of the grid,
// then a row of it.
func (f *wholeCholesky) propose(count int) []proposal {
	out := make([]proposal, count)
	for i := range out {
		draws := f.random.At(f.drawn)
		f.drawn++
		first := drawInProportion(f.sums, draws.Float64()) * f.engine.BlockRows
		end := min(first+f.engine.BlockRows, len(f.residual.left))
		row := first + drawInProportion(f.residual.left[first:end], draws.Float64())
		out[i] = proposal{int64(row), draws.Float64()}
	}
	return out
}

// residualBetween is K − F·Fᵀ between rows. Its diagonal is the residual diagonal,
// bit for bit.
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
	for i, r := range rows {
		h.Data[i*h.Stride+i] = f.residual.left[r]
	}
	return h, nil
}

// rejection is a Cholesky factorisation of the residual matrix between proposals,
// as far as they are accepted.
type rejection struct {
	h       blas64.General // what is left; overwritten
	floor   []float64      // what is rounding on its diagonal
	chosen  []int          // in the order in which they were accepted
	columns [][]float64    // of the factor, one for each
}

func (s *rejection) diagonal(i int) float64 { return s.h.Data[i*s.h.Stride+i] }

// accept makes row i, of which something is left, the next pivot.
func (s *rejection) accept(i int) {
	root := math.Sqrt(s.diagonal(i))
	column := slices.Clone(dense.Row(s.h, i))
	for j := range column {
		column[j] /= root
	}
	for j, v := range column {
		dense.Axpy(-v, column, dense.Row(s.h, j))
		if d := &s.h.Data[j*s.h.Stride+j]; j == i || *d <= s.floor[j] {
			*d = 0
		}
	}
	s.chosen = append(s.chosen, i)
	s.columns = append(s.columns, column)
}

// pivots are the rows accepted, rows being those of h.
func (s *rejection) pivots(rows []int64) *pivotBlock {
	b := &pivotBlock{l: stream.NewMatrix(len(s.chosen), len(s.chosen))}
	for p, i := range s.chosen {
		b.rows = append(b.rows, rows[i])
		for q := range p + 1 {
			dense.Row(b.l, p)[q] = s.columns[q][i]
		}
	}
	return b
}
