package ksvd

import (
	"slices"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Shape returns the size of the data. The first call takes O(N·log N + edges) time for
// a graph.
func (d *Data) Shape() model.Shape {
	if d.sparse() {
		d.measuring.Do(func() { d.measured = measure(d.left.sparse.Matrix, d.right.sparse.Matrix) })
		return d.measured
	}
	return model.Shape{Rows: d.left.Info().Rows, Cols: d.right.Info().Rows, Columns: d.left.dimension()}
}

// twoSided returns a shape with both numbers of rows, where the rows of one source may be on
// both sides.
func twoSided(s model.Shape) model.Shape {
	if s.OneSource() {
		s.Cols = s.Rows
	}
	return s
}

// measure returns the shape of the rows of a matrix against the rows of its transpose.
func measure(out, in *stream.CSR) model.Shape {
	s := &model.Sparsity{Entries: out.NNZ(),
		Norms:    [2]int64{distinct(squaredNorms(nil, out)), distinct(squaredNorms(nil, in))},
		Negative: slices.ContainsFunc(out.Value, func(v float64) bool { return v < 0 })}
	for l := range out.Rows {
		s.Paths += degree(out, l) * degree(in, l)
	}
	for _, m := range []*stream.CSR{out, in} {
		bound := int64(0)
		for i := range m.Rows {
			bound += mostPairs(m, m, i)
		}
		s.Pairs = max(s.Pairs, bound)
	}
	return model.Shape{Rows: int64(out.Rows), Cols: int64(in.Rows), Columns: out.Cols, Sparse: s}
}

// distinct returns how many different numbers there are. It sorts them.
func distinct(v []float64) int64 {
	slices.Sort(v)
	return int64(len(slices.Compact(v)))
}

// degree returns the number of entries of a row.
func degree(m *stream.CSR, i int) int64 { return m.Start[i+1] - m.Start[i] }

// mostPairs returns at least with how many rows row i of m has a product that is not zero.
// Row l of columns has an entry for each of those that have something in column l.
func mostPairs(m, columns *stream.CSR, i int) int64 {
	paths := int64(0)
	index, _ := m.Row(i)
	for _, l := range index {
		paths += degree(columns, int(l))
	}
	return min(paths, int64(columns.Cols))
}
