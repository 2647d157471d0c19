package transport

import (
	"context"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Let R and S be the repaired rows of the two sides. The kernel of a low-rank fit is
//
//	K̃_ij = k(x_i, y_j)                if i is in R or j in S
//	K̃_ij = U_i·diag(values)·V_jᵀ      otherwise
//
// Outside the rows of R, K̃v is therefore a linear function of the features of a row: its row of the factor Y, where U
// = Y·P, and its kernel entries k(x_i, y_S). A half keeps the coefficients of that function, which determines u_i. The
// products for the rows of R are sums of k(x_R, y_j)·v_j over the other side, computed in the same pass over that side.

// half is one side of K̃.
type half struct {
	side     model.Side
	src      stream.Source
	mass     masses
	exponent float64
	tiles    *tiles.Tiles
	values   []float64 // of the low-rank kernel
	factor   factor

	number   []int64 // numbers of the repaired rows, in the order of repair
	repaired blas64.General
	columns  *tiles.Rows // the repaired rows

	other      *half
	product    *weightedSums // K̃v, from sums of ones over the other side; nil before the first iteration, when u = a
	scaledFrom *weightedSums // the product from which u was computed

	passes  int
	entries int64
}

// factor is U = Y·P: a [lowrank.Factor] or a heldFactor.
type factor interface {
	Width() int   // number of columns of Y
	Entries() int // number of kernel entries for a row of Y
	// Rows returns a function that computes rows of Y from rows of the source.
	Rows(stream.Info) func(x blas64.General, start int64) (blas64.General, error)
	Lift(w blas64.General) blas64.General  // P·w
	Lower(z blas64.General) blas64.General // Pᵀ·z
}

// heldFactor is U in memory: Y = U.
type heldFactor struct{ u blas64.General }

func (f heldFactor) Width() int                            { return f.u.Cols }
func (f heldFactor) Entries() int                          { return 0 }
func (f heldFactor) Lift(w blas64.General) blas64.General  { return w }
func (f heldFactor) Lower(z blas64.General) blas64.General { return z }
func (f heldFactor) Rows(stream.Info) func(x blas64.General, start int64) (blas64.General, error) {
	return func(x blas64.General, start int64) (blas64.General, error) {
		return matrix.Rows(f.u, int(start), x.Rows), nil
	}
}

// hold computes U and keeps it in memory.
func (h *half) hold(ctx context.Context, e stream.Engine, m *lowrank.Model) error {
	side := h.side
	if m.Right == nil {
		side = model.Left
	}
	u := matrix.New(int(h.mass.n), len(m.Values))
	h.passes++
	h.entries += h.mass.n * int64(h.factor.Entries())
	h.factor = heldFactor{u}
	return m.Transform(ctx, e, h.src, model.Request{Side: side}, func(b *stream.Block, rows blas64.General) error {
		for i := range rows.Rows {
			copy(matrix.Row(u, int(b.Start)+i), matrix.Row(rows, i))
		}
		return nil
	})
}

// features holds the features of the rows of a panel. start is the number of the first row.
type features struct {
	x, factor, sections blas64.General // sections: kernel entries with the repaired rows of the other side
	start               int64
}

// halfRows limits the rows of a panel.
const halfRows = 256

// features returns a function for one goroutine that computes the features of at most halfRows rows.
func (h *half) features() func(x blas64.General, start int64) (features, error) {
	var w kernelgen.Workspace
	rows, n := h.factor.Rows(h.src.Info()), len(h.other.number)
	buf := matrix.New(halfRows, n)
	return func(x blas64.General, start int64) (features, error) {
		y, err := rows(x, start)
		s := matrix.Rows(buf, 0, x.Rows)
		if err == nil && n > 0 {
			h.tiles.FillDense(s, x, h.other.columns, &w)
		}
		return features{x, y, s, start}, err
	}
}

// panels returns a function, for one goroutine, that calls visit with the features of the rows of a block.
func (h *half) panels() func(b *stream.Block, visit func(features) error) error {
	featuresOf := h.features()
	return func(b *stream.Block, visit func(features) error) error {
		for first, x := range b.Panels(halfRows) {
			f, err := featuresOf(x, b.Start+int64(first))
			if err == nil {
				err = visit(f)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// count counts the kernel entries of a number of rows.
func (h *half) count(rows int64) {
	h.entries += rows * int64(h.factor.Entries()+len(h.other.number))
}

// weightedSums holds sums of a matrix X over a side, one row of X for each row, weighted by the scalings u.
type weightedSums struct {
	core     blas64.General // diag(values)·Uᵀ·diag(u)·X, over rows that are not repaired
	sections blas64.General // k(x_S, x)·diag(u)·X for the repaired rows S of the other side, over all rows
	own      blas64.General // diag(u)·X of the repaired rows
}

// rowFiller stores rows of X in x, for rows with features f and scalings u, and adds to extra.
type rowFiller[A any] func(extra A, x blas64.General, f features, u []float64) error

// accumulator is one that [sketch.Both] takes.
type accumulator[A any] interface {
	stream.Accumulator[A]
	Reset()
}

// weightedPass makes a pass over a side. It sums X, with n columns, and the contributions of fillers to extra
// accumulators.
func weightedPass[A accumulator[A]](ctx context.Context, e stream.Engine, h *half, name string, n int, extra func() A,
	fill func() rowFiller[A]) (*weightedSums, A, error) {
	width, sections := h.factor.Width(), len(h.other.number)
	h.passes++
	h.count(h.mass.n)
	type acc = *sketch.Both[*sketch.Sum, A]
	found, err := stream.Fold(ctx, e, name+", "+h.side.String(), h.src, func() acc {
		return &sketch.Both[*sketch.Sum, A]{A: sketch.NewSum(width+sections+len(h.number), n), B: extra()}
	}, func() func(acc, *stream.Block) error {
		panels, fill := h.panels(), fill()
		u, all := make([]float64, halfRows), matrix.New(halfRows, n)
		return func(a acc, b *stream.Block) error {
			return panels(b, func(f features) error {
				u, x, sum := u[:f.x.Rows], matrix.Rows(all, 0, f.x.Rows), a.A.General
				if err := fill(a.B, x, f, u); err != nil {
					return err
				}
				dense.ScaleRows(x, u)
				gemm(blas.Trans, f.sections, x, 1, matrix.Rows(sum, width, sections))
				for k, i := range h.repairedIn(f) {
					copy(matrix.Row(sum, width+sections+k), matrix.Row(x, i))
					clear(matrix.Row(x, i))
				}
				gemm(blas.Trans, f.factor, x, 1, matrix.Rows(sum, 0, width))
				return nil
			})
		}
	})
	if err != nil {
		var none A
		return nil, none, err
	}
	sum := found.A.General
	core := matrix.Clone(h.factor.Lower(matrix.Rows(sum, 0, width)))
	dense.ScaleRows(core, h.values)
	return &weightedSums{core, matrix.Rows(sum, width, sections), matrix.Rows(sum, width+sections, len(h.number))}, found.B, nil
}

// repairedIn returns the repaired rows of a panel: pairs of an index among all repaired rows and one in the panel.
func (h *half) repairedIn(f features) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for k, number := range h.number {
			if i := number - f.start; i >= 0 && i < int64(f.x.Rows) && !yield(k, int(i)) {
				return
			}
		}
	}
}

// gemm computes beta·c + a·b, or beta·c + aᵀ·b. It uses matrix-vector products for a single column.
func gemm(t blas.Transpose, a, b blas64.General, beta float64, c blas64.General) {
	if c.Cols != 1 {
		dense.Gemm(t, blas.NoTrans, 1, a, b, beta, c)
	} else if a.Rows > 0 && a.Cols > 0 {
		column := func(m blas64.General) blas64.Vector { return blas64.Vector{N: m.Rows, Inc: m.Stride, Data: m.Data} }
		blas64.Gemv(t, 1, a, column(b), beta, column(c))
	}
}

// multiplier returns a function that stores rows of K̃·diag(v)·X in dst, given the weighted X of the other side.
func (h *half) multiplier(x *weightedSums) func(dst blas64.General, f features) {
	coef := h.factor.Lift(x.core)
	return func(dst blas64.General, f features) {
		gemm(blas.NoTrans, f.factor, coef, 0, dst)
		gemm(blas.NoTrans, f.sections, x.own, 1, dst)
		for k, i := range h.repairedIn(f) {
			copy(matrix.Row(dst, i), matrix.Row(x.sections, k))
		}
	}
}

// products returns a function that stores K̃v of rows in dst, given the sums of ones.
func (h *half) products(ones *weightedSums) func(dst []float64, f features) {
	multiply := h.multiplier(ones)
	return func(dst []float64, f features) {
		multiply(matrix.Of(dst, len(dst), 1), f)
	}
}

// scalings returns a function that stores u of rows in dst.
func (h *half) scalings() func(dst []float64, f features) {
	products := h.products(h.scaledFrom)
	return func(dst []float64, f features) {
		products(dst, f)
		for i, product := range dst {
			dst[i] = h.scaling(f.start+int64(i), product)
		}
	}
}

// scaling returns u for a row.
func (h *half) scaling(row int64, product float64) float64 {
	mass := h.mass.at(row)
	if mass == 0 {
		return 0
	}
	return mass / math.Pow(product, h.exponent)
}

// scalingResult holds the results of a pass that computes u.
type scalingResult struct {
	ones   *weightedSums
	change float64 // Σ |u_i − previous u_i|·(K̃v)_i relative to Σ u_i·(K̃v)_i
	bad    int64   // number of rows without a positive product
	number []int64 // some of their row numbers
	rows   blas64.General
}

// scale computes u from the product in one pass. If compare is true, it compares u with the previous one. It returns at
// most keep of the rows without a positive product.
func (h *half) scale(ctx context.Context, e stream.Engine, compare bool, keep int) (*scalingResult, error) {
	before := h.scaledFrom
	h.scaledFrom = h.product
	compare = compare && before != nil
	d := len(h.src.Info().Columns)
	type acc = *sketch.Both[*sketch.Sum, *sketch.Priority]
	ones, found, err := weightedPass(ctx, e, h, "round", 1, func() acc {
		return &sketch.Both[*sketch.Sum, *sketch.Priority]{A: sketch.NewSum(1, 2), B: sketch.NewPriority(keep, d)}
	}, func() rowFiller[acc] {
		nothing := func([]float64, features) {}
		products, productsBefore := nothing, nothing
		if h.scaledFrom != nil {
			products = h.products(h.scaledFrom)
		}
		if compare {
			productsBefore = h.products(before)
		}
		now, old, priority := make([]float64, halfRows), make([]float64, halfRows), make([]float64, halfRows)
		return func(a acc, x blas64.General, f features, u []float64) error {
			bad := int64(0)
			products(now[:len(u)], f)
			productsBefore(old[:len(u)], f)
			for i := range u {
				row := f.start + int64(i)
				mass := h.mass.at(row)
				x.Data[i], u[i], priority[i] = 1, 0, 0
				switch {
				case mass == 0:
				case h.scaledFrom == nil:
					u[i] = mass
				case !(now[i] > 0) || math.IsInf(now[i], 1):
					bad++
					priority[i] = 1
				default:
					u[i] = h.scaling(row, now[i])
					a.A.Data[1] += u[i] * now[i]
					if compare {
						a.A.Data[0] += math.Abs(u[i]-h.scaling(row, old[i])) * now[i]
					}
				}
			}
			if bad == 0 {
				return nil
			}
			a.A.Count += bad
			return a.B.Add(f.start, priority[:len(u)], f.x)
		}
	})
	if err != nil {
		return nil, err
	}
	s := &scalingResult{ones: ones, change: found.A.Data[0] / found.A.Data[1], bad: found.A.Count}
	s.number, s.rows = found.B.Rows()
	return s, nil
}

// repair makes the kernel entries of the given rows exact.
func (h *half) repair(number []int64, rows blas64.General) {
	h.number = append(h.number, number...)
	for k := range number {
		h.repaired.Data = append(h.repaired.Data, matrix.Row(rows, k)...)
	}
	h.repaired.Rows, h.repaired.Cols, h.repaired.Stride = len(h.number), rows.Cols, rows.Cols
	h.columns = &tiles.Rows{Dense: h.repaired}
}
