package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The kernel of a low-rank fit is, with R and S the repaired rows of the two sides,
//
//	K̃_ij = k(x_i, y_j)                if i is in R or j in S
//	K̃_ij = U_i·diag(values)·V_jᵀ      otherwise
//
// So K̃v is, but for the rows of R, a linear function of the features of a row: its row of the factor Y, where U = Y·P,
// and its kernel entries k(x_i, y_S). A half keeps the coefficients of that function, from which u_i follows. The
// products of the rows of R are sums over the other side of k(x_R, y_j)·v_j, which the pass over that side makes too.

// half is one side of K̃.
type half struct {
	side     model.Side
	src      stream.Source
	mass     masses
	exponent float64
	kernel   kernelgen.Kernel
	values   []float64 // of the low-rank kernel
	factor   factor

	number   []int64       // of the repaired rows, in the order of repair
	place    map[int64]int // of a repaired row
	repaired blas64.General
	panel    *kernelgen.Panel

	other   *half
	product *product // K̃v; nil before the first iteration, where u = a
	made    *product // the product that u is made of

	passes  int
	entries int64
}

// product is K̃v of a side.
type product struct {
	coef  []float64 // of the features of a row
	exact []float64 // the products of the repaired rows
}

// factor is U = Y·P: a [lowrank.Factor] or a heldFactor.
type factor interface {
	Width() int   // columns of Y
	Entries() int // kernel entries of a row of Y
	// Rows makes rows of Y from rows of the source.
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
		return stream.RowSlice(f.u, int(start), x.Rows), nil
	}
}

// hold computes U and keeps it in memory.
func (h *half) hold(ctx context.Context, e stream.Engine, m *lowrank.Model) error {
	side := h.side
	if m.Right == nil {
		side = model.Left
	}
	u := stream.NewMatrix(int(h.mass.n), len(m.Values))
	h.passes++
	h.entries += h.mass.n * int64(h.factor.Entries())
	h.factor = heldFactor{u}
	return m.Transform(ctx, e, side, h.src, false, func(b *stream.Block, rows blas64.General) error {
		for i := range rows.Rows {
			copy(dense.Row(u, int(b.Start)+i), dense.Row(rows, i))
		}
		return nil
	})
}

// features are those of the rows of a panel, of which start is the number of the first.
type features struct {
	x, factor, sections blas64.General // sections: kernel entries to the repaired rows of the other side
	start               int64
}

// halfRows is the most rows of a panel.
const halfRows = 256

// features returns a function, for one goroutine, that makes the features of at most halfRows rows.
func (h *half) features() func(x blas64.General, start int64) (features, error) {
	var w kernelgen.Workspace
	rows, n := h.factor.Rows(h.src.Info()), len(h.other.number)
	buf := stream.NewMatrix(halfRows, n)
	return func(x blas64.General, start int64) (features, error) {
		y, err := rows(x, start)
		s := stream.RowSlice(buf, 0, x.Rows)
		if err == nil && n > 0 {
			h.kernel.Fill(s, x, h.other.panel, &w)
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

// gemv is blas64.Gemv for empty matrices too.
func gemv(t blas.Transpose, a blas64.General, x []float64, beta float64, y []float64) {
	if a.Rows > 0 && a.Cols > 0 {
		blas64.Gemv(t, 1, a, dense.Vector(x), beta, dense.Vector(y))
	}
}

// products puts K̃v of rows into dst.
func (h *half) products(dst []float64, p *product, f features) {
	gemv(blas.NoTrans, f.factor, p.coef[:f.factor.Cols], 0, dst)
	gemv(blas.NoTrans, f.sections, p.coef[f.factor.Cols:], 1, dst)
	for k, number := range h.number {
		if i := number - f.start; i >= 0 && i < int64(len(dst)) {
			dst[i] = p.exact[k]
		}
	}
}

// scalings puts u into dst.
func (h *half) scalings(dst []float64, f features) {
	h.products(dst, h.made, f)
	for i, product := range dst {
		dst[i] = h.scaling(f.start+int64(i), product)
	}
}

// scaling returns u of a row.
func (h *half) scaling(row int64, product float64) float64 {
	mass := h.mass.at(row)
	if mass == 0 {
		return 0
	}
	return mass / math.Pow(product, h.exponent)
}

// sums are those of a pass over a side.
type sums struct {
	factor   []float64 // Σ u_i·Y_i over rows that are not repaired
	sections []float64 // Σ u_i·k(x_i, y_S) over all rows
	change   float64   // Σ |u_i − u_i before|·(K̃v)_i
	mass     float64   // Σ u_i·(K̃v)_i

	bad     int64 // rows whose product is not positive
	number  []int64
	badRows blas64.General
}

// scale makes u from the product, and sums over it, in one pass. It compares u with the one before if compare is true.
// The sums have at most keep of the rows whose product is not positive.
func (h *half) scale(ctx context.Context, e stream.Engine, compare bool, keep int) (*sums, error) {
	width, sections, d := h.factor.Width(), len(h.other.number), len(h.src.Info().Columns)
	before := h.made
	compare = compare && before != nil
	h.passes++
	h.count(h.mass.n)
	type acc = *sketch.Both[*sketch.Sum, *sketch.Priority]
	found, err := stream.Fold(ctx, e, "round, "+h.side.String(), h.src, func() acc {
		return &sketch.Both[*sketch.Sum, *sketch.Priority]{A: sketch.NewSum(1, width+sections+2), B: sketch.NewPriority(keep, d)}
	}, func() func(acc, *stream.Block) error {
		panels := h.panels()
		now, old := make([]float64, halfRows), make([]float64, halfRows)
		u, priority := make([]float64, halfRows), make([]float64, halfRows)
		return func(a acc, b *stream.Block) error {
			return panels(b, func(f features) error {
				rows, bad, end := f.x.Rows, int64(0), a.A.Data[width+sections:]
				if h.product != nil {
					h.products(now[:rows], h.product, f)
				}
				if compare {
					h.products(old[:rows], before, f)
				}
				for i := range rows {
					row := f.start + int64(i)
					mass := h.mass.at(row)
					u[i], priority[i] = 0, 0
					switch {
					case mass == 0:
					case h.product == nil:
						u[i] = mass
					case !(now[i] > 0) || math.IsInf(now[i], 1):
						bad++
						priority[i] = 1
					default:
						u[i] = h.scaling(row, now[i])
						end[1] += u[i] * now[i]
						if compare {
							end[0] += math.Abs(u[i]-h.scaling(row, old[i])) * now[i]
						}
					}
				}
				gemv(blas.Trans, f.sections, u[:rows], 1, a.A.Data[width:width+sections])
				for _, number := range h.number {
					if i := number - f.start; i >= 0 && i < int64(rows) {
						u[i] = 0
					}
				}
				gemv(blas.Trans, f.factor, u[:rows], 1, a.A.Data[:width])
				if bad == 0 {
					return nil
				}
				a.A.Count += bad
				return a.B.Add(f.start, priority[:rows], f.x)
			})
		}
	})
	if err != nil {
		return nil, err
	}
	h.made = h.product
	v := found.A.Data
	s := &sums{factor: v[:width], sections: v[width : width+sections], change: v[width+sections], mass: v[width+sections+1], bad: found.A.Count}
	s.number, s.badRows = found.B.Rows()
	return s, nil
}

// repairedScalings returns u of the repaired rows.
func (h *half) repairedScalings() []float64 {
	u := make([]float64, len(h.number))
	for k, number := range h.number {
		if h.made == nil {
			u[k] = h.mass.at(number)
		} else {
			u[k] = h.scaling(number, h.made.exact[k])
		}
	}
	return u
}

// repair makes the kernel entries of rows exact.
func (h *half) repair(number []int64, rows blas64.General) {
	for k, n := range number {
		h.place[n] = len(h.number)
		h.number = append(h.number, n)
		h.repaired.Data = append(h.repaired.Data, dense.Row(rows, k)...)
	}
	h.repaired.Rows, h.repaired.Cols, h.repaired.Stride = len(h.number), rows.Cols, rows.Cols
	h.panel = h.kernel.Pack(h.repaired)
}
