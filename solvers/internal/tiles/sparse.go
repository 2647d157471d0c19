package tiles

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream/sparse"
)

// The cost of a tile between sparse rows is the number of columns that two rows have in common. With left rows x_i and
// right rows z_j,
//
//	x_i·z_j = Σ_l x_il·z_jl      for each l in row i, over the right rows
//	                             with an entry in column l
//
// The transpose of the right rows lists these, or the roles are exchanged. For a graph with adjacency matrix A, x_i is
// row i of A and z_j is column j: the product is (A·A)_ij, which counts paths of two edges. ‖x−z‖² is computed as ‖x‖²
// + ‖z‖² − 2x·z. It is exact for integer weights; otherwise its error is relative to the norms, not the distance.

// fillSparse stores the raw tile between sparse rows in dst. Entries have the same bits whichever side is transposed.
func (t *Tiles) fillSparse(dst blas64.General, left, right *Rows, w *Work) {
	matrix.Clear(dst)
	if left.transposed != nil && right.transposed == nil {
		addByColumns(dst, left.Transpose(), right.Sparse)
	} else {
		addByRows(dst, left.Sparse, right.Transpose())
	}
	if t.base != kernelgen.InnerProduct {
		w.norms = SquaredNorms(w.norms, right.Sparse)
		for i := range dst.Rows {
			x := squaredNorm(left.Sparse, i)
			row := matrix.Row(dst, i)
			for j, p := range row {
				row[j] = t.Base(x, w.norms[j], p)
			}
		}
	}
	for i := range dst.Rows {
		t.FromBase(matrix.Row(dst, i), w)
	}
}

// Base returns the base of the kernel from the squared norms x and z of two rows and their inner product p.
func (t *Tiles) Base(x, z, p float64) float64 {
	switch t.base {
	case kernelgen.SquaredDistance:
		return max(0, x+z-2*p)
	case kernelgen.CosineSimilarity:
		return cosine(p, x, z)
	}
	return p
}

// FromBase maps values of the base to raw entries.
func (t *Tiles) FromBase(v []float64, w *Work) {
	t.raw.FromBase(v, &w.kernel)
	t.scale(v)
}

// addByRows adds the inner products of the rows of left with right rows, given by their transpose columns.
func addByRows(dst blas64.General, left, columns *sparse.CSR) {
	for i := range left.Rows {
		row := matrix.Row(dst, i)
		index, value := left.Row(i)
		for p, l := range index {
			at, times := columns.Row(int(l))
			switch x := ValueAt(value, p); {
			case times == nil:
				for _, j := range at {
					row[j] += x
				}
			default:
				for q, j := range at {
					row[j] += x * times[q]
				}
			}
		}
	}
}

// addByColumns adds the inner products of left rows, given by their transpose columns, with the rows of right.
func addByColumns(dst blas64.General, columns, right *sparse.CSR) {
	for j := range right.Rows {
		index, value := right.Row(j)
		for p, l := range index {
			at, times := columns.Row(int(l))
			z := ValueAt(value, p)
			for q, i := range at {
				dst.Data[int(i)*dst.Stride+j] += z * ValueAt(times, q)
			}
		}
	}
}

// ValueAt returns value[p], or 1 for a matrix without values.
func ValueAt(value []float64, p int) float64 {
	if value == nil {
		return 1
	}
	return value[p]
}

func squaredNorm(m *sparse.CSR, i int) float64 {
	index, value := m.Row(i)
	if value == nil {
		return float64(len(index))
	}
	sum := 0.0
	for _, v := range value {
		sum += v * v
	}
	return sum
}

// SquaredNorms returns the squared norms of all rows. It reuses dst if its capacity suffices.
func SquaredNorms(dst []float64, m *sparse.CSR) []float64 {
	dst = dst[:0]
	for i := range m.Rows {
		dst = append(dst, squaredNorm(m, i))
	}
	return dst
}

// cosine returns the cosine of the angle between two rows, from their inner product p and squared norms x and z. It is
// 0 for a zero row.
func cosine(p, x, z float64) float64 {
	if x == 0 || z == 0 {
		return 0
	}
	return max(-1, min(1, p/(math.Sqrt(x)*math.Sqrt(z))))
}
