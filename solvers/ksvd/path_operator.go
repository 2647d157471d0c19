package ksvd

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// pathOperator is G of a graph, centred or not, as the sum of two parts:
//
//	G = G⁰ + S      S_ij = G_ij − G⁰_ij where x_i·z_j ≠ 0, else 0
//
// G⁰ is what G would be without these, see disjoint, and S has an entry where a path of two
// edges leads. A product with b vectors takes 2·b flops for each of them, and the
// entries are made once. S is held by rows and by columns, so that both products go
// through rows: 24 bytes for each entry.
type pathOperator struct {
	engine   stream.Engine
	name     [2]string
	disjoint *disjoint
	parts    [2][]*stream.CSR // rows of S and of Sᵀ, in blocks of the grid
	means    *statistics      // nil unless centred
}

// pathRows is how many rows of S are made at a time.
const pathRows = 512

// pathEngine returns the engine with blocks as small as sparse rows need to keep all workers
// busy. Each row comes out the same whatever the block.
func pathEngine(e stream.Engine) stream.Engine {
	if e.BlockRows == 0 {
		e.BlockRows = pathRows
	}
	return e
}

// newPathOperator makes S. s has the logarithms of the row sums of a normalised kernel,
// and the means afterwards if G is centred.
func newPathOperator(ctx context.Context, e stream.Engine, d *Data, t *entries, s *statistics, centred bool) (*pathOperator, error) {
	left, right := sparsePoints(d.left.sparse), sparsePoints(d.right.sparse)
	norms := [2][]float64{squaredNorms(nil, left.sparse), squaredNorms(nil, right.sparse)}
	o := &pathOperator{engine: pathEngine(e), name: [2]string{d.left.name(), d.right.name()},
		disjoint: newDisjoint(t, norms[0], norms[1], s.logSums)}
	for side, p := range [2][2]*points{{left, right}, {right, left}} {
		rows := &pathRowMaker{entries: t, disjoint: o.disjoint, logSums: s.logSums, norms: norms, side: side, from: p[0].sparse, others: p[1].columns()}
		var err error
		if o.parts[side], err = o.make(ctx, rows); err != nil {
			return nil, err
		}
	}
	if !centred {
		return o, nil
	}
	o.means = s
	if err := o.findMeans(ctx); err != nil {
		return nil, err
	}
	return o, s.check(t.kernel.String(), o.name)
}

// make makes all rows of S or of Sᵀ.
func (o *pathOperator) make(ctx context.Context, rows *pathRowMaker) ([]*stream.CSR, error) {
	n := rows.from.Rows
	size := o.engine.BlockRows
	parts := make([]*stream.CSR, (n+size-1)/size)
	src := stream.NewRowNumbers(o.name[rows.side], int64(n))
	err := stream.Map(ctx, o.engine, "paths", src, 0, false, func() func(blas64.General, *stream.Block) error {
		w := &pathRowWorker{pathRowMaker: rows, reacher: newReacher(rows.others)}
		return func(_ blas64.General, b *stream.Block) error {
			parts[b.Index] = w.block(int(b.Start), b.X.Rows)
			return nil
		}
	}, func(*stream.Block, blas64.General) error { return nil })
	return parts, err
}

// pathRowMaker makes rows of S, or of Sᵀ for side 1: the same entries with the same bits.
type pathRowMaker struct {
	entries  *entries
	disjoint *disjoint
	logSums  []float64
	norms    [2][]float64
	side     int
	from     *stream.CSR // the rows of the side
	others   *stream.CSR // transpose of those of the other side
}

// pathRowWorker does so for one goroutine.
type pathRowWorker struct {
	*pathRowMaker
	reacher
	work scratch
}

// block returns n rows from the given one on. There is room for as many entries as there may
// be, which is given back where much of it is not needed.
func (w *pathRowWorker) block(first, n int) *stream.CSR {
	most := int64(0)
	for i := range n {
		most += mostPairs(w.from, w.columns, first+i)
	}
	part := &stream.CSR{Rows: n, Cols: w.columns.Cols, Start: make([]int64, n+1), Index: make([]int32, 0, most), Value: make([]float64, 0, most)}
	for i := range n {
		w.row(part, first+i)
		part.Start[i+1] = part.NNZ()
	}
	if part.NNZ() < most-most/8 {
		part.Index, part.Value = slices.Clone(part.Index), slices.Clone(part.Value)
	}
	return part
}

// row appends row i.
func (w *pathRowWorker) row(part *stream.CSR, i int) {
	w.reach(w.from.Row(i))
	slices.Sort(w.touched)
	from := len(part.Value)
	part.Index = append(part.Index, w.touched...)
	for _, j := range w.touched {
		part.Value = append(part.Value, w.entries.baseOf(w.norms[w.side][i], w.norms[1-w.side][j], w.dot[j]))
	}
	w.forget()
	w.entries.count.Add(int64(len(w.touched)))
	values := part.Value[from:]
	w.entries.fromBase(values, &w.work)
	w.divide(values, i)
	for p, j := range w.touched {
		l, r := i, int(j)
		if w.side == 1 {
			l, r = r, l
		}
		values[p] -= w.disjoint.at(l, r)
	}
}

// divide turns raw entries of a row into those of G, as entries.divide does for tiles.
func (w *pathRowWorker) divide(values []float64, i int) {
	e := w.entries
	if !e.normalised {
		return
	}
	most := math.Log(e.weight)
	for p, v := range values {
		l := i
		if w.side == 1 {
			l = int(w.touched[p])
		}
		if e.exponent == 0 {
			values[p] = min(v*w.disjoint.sides[0].factor[l], e.weight)
		} else {
			values[p] = min(v-(w.logSums[l]-most), most)
		}
	}
	if e.exponent != 0 {
		e.exp.Apply(values, values)
	}
}

// Multiply implements [krylov.Operator].
func (o *pathOperator) Multiply(ctx context.Context, q, aq, p, atp blas64.General) error {
	err := o.product(ctx, 0, q, aq)
	if err == nil {
		err = o.product(ctx, 1, p, atp)
	}
	if err == nil && o.means != nil {
		o.means.centreProducts(q, aq, p, atp)
	}
	return err
}

// product puts G·q into dst, or Gᵀ·q for side 1.
func (o *pathOperator) product(ctx context.Context, side int, q, dst blas64.General) error {
	if q.Cols == 0 {
		return nil
	}
	rest := o.disjoint.times(q, side == 1)
	rows := &o.disjoint.sides[side]
	src := stream.NewRowNumbers(o.name[side], int64(dst.Rows))
	return stream.Map(ctx, o.engine, "exact pass", src, q.Cols, false, func() func(blas64.General, *stream.Block) error {
		return func(out blas64.General, b *stream.Block) error {
			part := o.parts[side][b.Index]
			for i := range out.Rows {
				row, at := dense.Row(out, i), int(b.Start)+i
				for k, v := range dense.Row(rest, rows.at(at)) {
					row[k] = rows.factor[at] * v
				}
				addSparse(row, part, i, q)
			}
			return nil
		}
	}, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			copy(dense.Row(dst, int(b.Start)+i), dense.Row(out, i))
		}
		return nil
	})
}

// addSparse adds row i of m times q.
func addSparse(row []float64, m *stream.CSR, i int, q blas64.General) {
	index, value := m.Row(i)
	for p, j := range index {
		v := value[p]
		other := dense.Row(q, int(j))[:len(row)]
		for k := range row {
			row[k] += v * other[k]
		}
	}
}

// findMeans multiplies G by ones.
func (o *pathOperator) findMeans(ctx context.Context) error {
	n, m := len(o.disjoint.sides[0].factor), len(o.disjoint.sides[1].factor)
	rows, cols := stream.NewMatrix(n, 1), stream.NewMatrix(m, 1)
	err := o.product(ctx, 0, columnOf(slices.Repeat([]float64{1}, m)), rows)
	if err == nil {
		err = o.product(ctx, 1, columnOf(slices.Repeat([]float64{1}, n)), cols)
	}
	o.means.rowMeans, o.means.colMeans = rows.Data, cols.Data
	o.means.finish()
	return err
}

// columnOf returns a matrix of one column.
func columnOf(v []float64) blas64.General {
	return blas64.General{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}
