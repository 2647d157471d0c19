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

// The kernel of a low-rank fit is, with R and S the rows of either side that were repaired,
//
//	K̃_ij = k(x_i, y_j)                where i is in R or j in S
//	K̃_ij = U_i·diag(values)·V_jᵀ      elsewhere
//
// so that K̃v is, but for the rows of R, a linear function of what a row shows: its row of
// the factor Y, U = Y·P, and its kernel entries k(x_i, y_S). half keeps the coefficients of
// that function; u_i is made of it. Products of the rows of R are sums over the other side of
// k(x_R, y_j)·v_j, which the pass over that side makes beside its own.

// half is one side of K̃.
type half struct {
	side   model.Side
	src    stream.Source
	mass   masses
	kernel kernelgen.Kernel
	factor *lowrank.Factor
	held   blas64.General // U, instead of Y; no rows if it is made in each pass

	number   []int64       // of repaired rows, in the order in which they were found
	place    map[int64]int // of a repaired row
	repaired blas64.General
	panel    *kernelgen.Panel

	other *half
	coef  []float64 // of K̃v, what a row shows being known; nil before the first round: then u = a
	exact []float64 // K̃v of the repaired rows

	passes  int
	entries int64
}

// width returns how many numbers a row shows of its factor.
func (h *half) width() int {
	if h.held.Rows > 0 {
		return h.held.Cols
	}
	return h.factor.Width()
}

// hold keeps U.
func (h *half) hold(ctx context.Context, e stream.Engine, m *lowrank.Model) error {
	side := h.side
	if m.Right == nil {
		side = model.Left
	}
	h.held = stream.NewMatrix(int(h.mass.n), len(m.Values))
	h.passes++
	h.entries += h.mass.n * int64(h.factor.Entries())
	return m.Transform(ctx, e, h.src, model.Request{Side: side}, func(b *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			copy(dense.Row(h.held, int(b.Start)+i), dense.Row(u, i))
		}
		return nil
	})
}

// lift returns the coefficients, of what a row shows, of those of U.
func (h *half) lift(w blas64.General) blas64.General {
	if h.held.Rows > 0 {
		return w
	}
	return h.factor.Lift(w)
}

// lower returns Uᵀx, z being the transpose of what rows show times x.
func (h *half) lower(z blas64.General) blas64.General {
	if h.held.Rows > 0 {
		return z
	}
	return h.factor.Lower(z)
}

// shown is what the rows of a panel show: rows of the factor, and kernel entries to the
// repaired rows of the other side.
type shown struct{ factor, sections blas64.General }

// shower makes it. It belongs to one goroutine.
func (h *half) shower() func(x blas64.General, start int64) (shown, error) {
	rows := func(x blas64.General, start int64) (blas64.General, error) {
		return stream.RowSlice(h.held, int(start), x.Rows), nil
	}
	if h.held.Rows == 0 {
		rows = h.factor.Rows(h.src.Info())
	}
	var w kernelgen.Workspace
	n := len(h.other.number)
	buf := stream.NewMatrix(halfRows, n)
	return func(x blas64.General, start int64) (shown, error) {
		f, err := rows(x, start)
		if err != nil || n == 0 {
			return shown{factor: f, sections: blas64.General{Rows: x.Rows, Stride: 1}}, err
		}
		s := stream.RowSlice(buf, 0, x.Rows)
		h.kernel.Fill(s, x, h.other.panel, &w)
		return shown{f, s}, nil
	}
}

// halfRows is how many rows are looked at at a time.
const halfRows = 256

// times puts the products of what rows show with coefficients into dst.
func (s shown) times(dst, coef []float64) {
	gemv(blas.NoTrans, s.factor, coef[:s.factor.Cols], 0, dst)
	gemv(blas.NoTrans, s.sections, coef[s.factor.Cols:], 1, dst)
}

// gemv is blas64.Gemv for empty matrices too.
func gemv(t blas.Transpose, a blas64.General, x []float64, beta float64, y []float64) {
	if a.Rows > 0 && a.Cols > 0 {
		blas64.Gemv(t, 1, a, dense.Vector(x), beta, dense.Vector(y))
	}
}

// scaling is how u follows from products, and what it was before.
type scaling struct {
	exponent float64
	// coef and exact are those that u was made of before this pass; nil if it was not.
	coef, exact []float64
}

// now returns what u would be made of now.
func (h *half) now() scaling { return scaling{coef: h.coef, exact: h.exact} }

// sums are what a pass over a side finds.
type sums struct {
	factor   []float64 // Σ u_i·Y_i over rows that are not repaired
	sections []float64 // Σ u_i·k(x_i, y_S) over all rows
	change   float64   // Σ |u_i − u_i before|·(K̃v)_i
	mass     float64   // Σ u_i·(K̃v)_i

	bad     int64 // rows whose product is not positive
	number  []int64
	badRows blas64.General
}

// scale makes a pass that makes u anew and sums over it. At most keep of the rows whose
// product is not positive are returned.
func (h *half) scale(ctx context.Context, e stream.Engine, name string, o scaling, keep int) (*sums, error) {
	width, sections, d := h.width(), len(h.other.number), len(h.src.Info().Columns)
	h.passes++
	h.count(h.mass.n)
	type acc = *sketch.Both[*sketch.Sum, *sketch.Priority]
	found, err := stream.Fold(ctx, e, name, h.src, func() acc {
		return &sketch.Both[*sketch.Sum, *sketch.Priority]{A: sketch.NewSum(1, width+sections+2), B: sketch.NewPriority(keep, d)}
	}, func() func(acc, *stream.Block) error {
		show := h.shower()
		now, before, u, own, priority := make([]float64, halfRows), make([]float64, halfRows), make([]float64, halfRows), make([]float64, halfRows), make([]float64, halfRows)
		return func(a acc, b *stream.Block) error {
			for first, x := range b.Panels(halfRows) {
				start := b.Start + int64(first)
				s, err := show(x, start)
				if err != nil {
					return err
				}
				h.products(now[:x.Rows], s, start, h.coef, h.exact)
				if o.coef != nil {
					h.products(before[:x.Rows], s, start, o.coef, o.exact)
				}
				bad := int64(0)
				end := a.A.Data[width+sections:]
				for i := range x.Rows {
					mass := h.mass.at(start + int64(i))
					_, repaired := h.place[start+int64(i)]
					u[i], priority[i] = 0, 0
					switch {
					case mass == 0:
					case h.coef == nil:
						u[i] = mass
					case !(now[i] > 0) || math.IsInf(now[i], 1):
						bad++
						priority[i] = 1
					default:
						u[i] = mass / math.Pow(now[i], o.exponent)
						end[1] += u[i] * now[i]
						if o.coef != nil {
							end[0] += math.Abs(u[i]-mass/math.Pow(before[i], o.exponent)) * now[i]
						}
					}
					own[i] = u[i]
					if repaired {
						own[i] = 0
					}
				}
				gemv(blas.Trans, s.factor, own[:x.Rows], 1, a.A.Data[:width])
				gemv(blas.Trans, s.sections, u[:x.Rows], 1, a.A.Data[width:width+sections])
				if bad > 0 {
					a.A.Count += bad
					if err := a.B.Add(start, priority[:x.Rows], x); err != nil {
						return err
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	v := found.A.Data
	r := &sums{factor: v[:width], sections: v[width : width+sections], change: v[width+sections], mass: v[width+sections+1], bad: found.A.Count}
	r.number, r.badRows = found.B.Rows()
	return r, nil
}

// products puts K̃v of rows into dst.
func (h *half) products(dst []float64, s shown, start int64, coef, exact []float64) {
	if coef == nil {
		return
	}
	s.times(dst, coef)
	for k, number := range h.number {
		if i := number - start; i >= 0 && i < int64(len(dst)) {
			dst[i] = exact[k]
		}
	}
}

// count counts the kernel entries of rows that show themselves.
func (h *half) count(rows int64) {
	if h.held.Rows == 0 {
		h.entries += rows * int64(h.factor.Entries())
	}
	h.entries += rows * int64(len(h.other.number))
}

// exactScalings returns u of the repaired rows.
func (h *half) exactScalings(exponent float64) []float64 {
	u := make([]float64, len(h.number))
	for k, number := range h.number {
		if mass := h.mass.at(number); mass > 0 {
			u[k] = mass / math.Pow(h.exact[k], exponent)
		}
	}
	return u
}

// repair takes rows to those whose kernel entries are exact.
func (h *half) repair(number []int64, rows blas64.General) {
	for k, n := range number {
		h.place[n] = len(h.number)
		h.number = append(h.number, n)
		h.repaired.Data = append(h.repaired.Data, dense.Row(rows, k)...)
	}
	h.repaired.Rows, h.repaired.Cols, h.repaired.Stride = len(h.number), rows.Cols, rows.Cols
	h.panel = h.kernel.Pack(h.repaired)
}
