package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// blockBasis is an orthonormal basis Q that grows by blocks, and the product of a
// matrix with it.
type blockBasis struct {
	q, y  blas64.General // with room for all columns; the first cols and known are there
	cols  int            // columns of Q
	known int            // columns of the product
	last  int            // columns of the newest block
}

// newBlockBasis has room for most vectors of n numbers, and for products of m
// numbers.
func newBlockBasis(n, m, most int) blockBasis {
	return blockBasis{q: stream.NewMatrix(n, most), y: stream.NewMatrix(m, most)}
}

// basis is Q, and product the matrix times Q.
func (s *blockBasis) basis() blas64.General   { return dense.Columns(s.q, 0, s.cols) }
func (s *blockBasis) product() blas64.General { return dense.Columns(s.y, 0, s.known) }

// unknown are the columns of Q that the product is not known for, and the place
// for it.
func (s *blockBasis) unknown() (x, y blas64.General) {
	return dense.Columns(s.q, s.known, s.cols-s.known), dense.Columns(s.y, s.known, s.cols-s.known)
}

// newestProduct is a copy of the product of the newest block, which is known.
func (s *blockBasis) newestProduct() blas64.General {
	newest := dense.Columns(s.y, s.known-s.last, s.last)
	block := stream.NewMatrix(newest.Rows, newest.Cols)
	for i := range block.Rows {
		copy(dense.Row(block, i), dense.Row(newest, i))
	}
	return block
}

// add adds the columns of a block to the space, which it overwrites. What is
// left of a direction within the block is rounding, and is left out, when it is
// not longer than least.
func (s *blockBasis) add(block blas64.General, least float64) (grown bool, err error) {
	s.last = 0
	s.project(block)
	s.project(block)
	room := s.q.Cols - s.cols
	if block.Cols == 0 || room == 0 {
		return false, nil
	}
	if block, err = noWiderThanTall(block); err != nil {
		return false, err
	}
	q, r, err := sketch.CholeskyQR(block)
	if err != nil {
		return false, err
	}
	d, err := newSVD("the block of an exact pass", r)
	if err != nil {
		return false, err
	}
	keep := 0
	for keep < min(room, len(d.S)) && d.S[keep] > least {
		keep++
	}
	if keep == 0 {
		return false, nil
	}
	// Short directions have a part in Q by rounding: once more, at length 1.
	fresh := dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Columns(d.U, 0, keep))
	s.project(fresh)
	if fresh, _, err = sketch.CholeskyQR(fresh); err != nil {
		return false, err
	}
	for i := range fresh.Rows {
		copy(dense.Row(s.q, i)[s.cols:], dense.Row(fresh, i))
	}
	s.cols += keep
	s.last = keep
	return true, nil
}

// noWiderThanTall is a block with the same left singular vectors and singular
// values, and no more columns than rows: Rᵀ, if the rows are those of QR.
func noWiderThanTall(block blas64.General) (blas64.General, error) {
	if block.Cols <= block.Rows {
		return block, nil
	}
	_, r, err := sketch.CholeskyQR(dense.Transpose(block))
	return dense.Transpose(r), err
}

// project takes the part in the space away from the columns of a block.
func (s *blockBasis) project(block blas64.General) {
	if s.cols == 0 || block.Cols == 0 {
		return
	}
	part := dense.Mul(blas.Trans, s.basis(), blas.NoTrans, block)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, s.basis(), part, 1, block)
}

// krylov is a block Krylov space of the kernel matrix A of rows in memory: an
// orthonormal basis Q of it, and A·Q.
type krylov struct {
	blockBasis
	tiles  *tiles
	engine stream.Engine
	src    stream.Gatherer
	mirror blas64.General // n×b, see multiply
	passes int            // exact passes so far
}

// newKrylov is the space that begins with the columns of a block.
func newKrylov(t *tiles, e stream.Engine, src stream.Gatherer, block blas64.General, passes int) (*krylov, error) {
	n := block.Rows
	most := int(min(int64(n), int64(block.Cols)*int64(passes)))
	s := &krylov{blockBasis: newBlockBasis(n, n, most), tiles: t, engine: e, src: src, mirror: stream.NewMatrix(n, block.Cols)}
	_, err := s.add(block, RankTolerance)
	return s, err
}

// extend adds A times the newest block to the space, and says whether the space
// has grown. norm is that of A, or nearly.
func (s *krylov) extend(norm float64) (bool, error) {
	return s.add(s.newestProduct(), RankTolerance*norm)
}

// multiply makes an exact pass: A times the columns of Q that it is not known
// for. Each row block has one sum for the tiles in which its rows are rows, and
// another, in mirror, for those in which they are columns, both in a fixed
// order: see stream.Pairs.
func (s *krylov) multiply(ctx context.Context) error {
	x, y := s.unknown()
	s.mirror.Cols, s.mirror.Stride = s.last, s.last
	dense.Clear(s.mirror)
	err := stream.Pairs(ctx, s.engine, "exact pass", s.src, s.src, stream.Upper, func() func(i, j *stream.Block) error {
		var w kernelgen.Workspace
		buf := stream.NewMatrix(stream.PairRows, stream.PairRows)
		return func(i, j *stream.Block) error {
			tile := blas64.General{Rows: i.X.Rows, Cols: j.X.Rows, Stride: j.X.Rows, Data: buf.Data[:i.X.Rows*j.X.Rows]}
			s.tiles.fill(tile, i.X, s.tiles.pack(j.X, nil, nil), &w)
			addProduct(blas.NoTrans, tile, blockRows(x, j), blockRows(y, i))
			if i.Index != j.Index {
				addProduct(blas.Trans, tile, blockRows(x, i), blockRows(s.mirror, j))
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	for i := range y.Rows {
		dense.Axpy(1, dense.Row(s.mirror, i), dense.Row(y, i))
	}
	s.known = s.cols
	s.passes++
	return s.tiles.checkFinite(y, s.src.Info().Name, func(i int) int64 { return int64(i) })
}

// blockRows are the rows of m that belong to a block.
func blockRows(m blas64.General, b *stream.Block) blas64.General {
	return stream.RowSlice(m, int(b.Start), b.X.Rows)
}

// addProduct is y += op(tile)·x.
func addProduct(op blas.Transpose, tile, x, y blas64.General) {
	if x.Cols > 0 {
		blas64.Gemm(op, blas.NoTrans, 1, tile, x, 1, y)
	}
}

// ritzPairs are what is known of the eigenvalues of A from a space, whose
// product is known.
type ritzPairs struct {
	values    []float64      // kept, descending
	rest      []float64      // left out
	norm      float64        // the largest in magnitude
	u, au     blas64.General // Ritz vectors of those kept, and A times them
	residuals []float64      // ‖Au − θu‖ relative to norm
}

// ritz keeps at most c Ritz pairs, the largest, in magnitude if A may be
// indefinite, as far as they are more than rounding.
func (s *krylov) ritz(c int) (*ritzPairs, error) {
	eig, err := newEigen("the projected kernel matrix", dense.Mul(blas.Trans, s.basis(), blas.NoTrans, s.product()))
	if err != nil {
		return nil, err
	}
	p := &ritzPairs{}
	kept := p.choose(eig.Values, c, s.tiles.kernel.PositiveSemiDefinite())
	vectors := stream.NewMatrix(eig.Vectors.Rows, len(kept))
	for i := range vectors.Rows {
		for j, k := range kept {
			vectors.Data[i*vectors.Stride+j] = dense.Row(eig.Vectors, i)[k]
		}
	}
	p.u, p.au = dense.Mul(blas.NoTrans, s.basis(), blas.NoTrans, vectors), dense.Mul(blas.NoTrans, s.product(), blas.NoTrans, vectors)
	p.measure()
	return p, nil
}

// choose fills in the values, and gives the indices of those kept, ascending.
func (p *ritzPairs) choose(values []float64, c int, definite bool) (kept []int) {
	size := func(v float64) float64 {
		if definite {
			return v
		}
		return math.Abs(v)
	}
	order := make([]int, len(values))
	for k := range order {
		order[k] = k
		p.norm = math.Max(p.norm, math.Abs(values[k]))
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := size(values[a]), size(values[b]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for len(kept) < min(c, len(order)) && size(values[order[len(kept)]]) > RankTolerance*p.norm {
		kept = order[:len(kept)+1]
	}
	for _, k := range order[len(kept):] {
		p.rest = append(p.rest, values[k])
	}
	slices.Sort(kept)
	for _, k := range kept {
		p.values = append(p.values, values[k])
	}
	return kept
}

// measure works out the residuals.
func (p *ritzPairs) measure() {
	sums := make([]float64, len(p.values))
	for i := range p.u.Rows {
		au := dense.Row(p.au, i)
		for j, v := range dense.Row(p.u, i) {
			d := (au[j] - p.values[j]*v) / p.norm
			sums[j] += d * d
		}
	}
	for j, s := range sums {
		sums[j] = math.Sqrt(s)
	}
	p.residuals = sums
}
