package transport

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// moments are sums over a side, of [1 X−centre], that the maps and the value are made of.
type moments struct {
	*weighted
	centre       []float64
	mass, change float64 // see measures
	dual         float64 // this side's part of the dual value
	squares      float64 // Σ u_i·(K̃v)_i·‖x_i−centre‖²
}

// finish makes a pass over each side for the maps and the report. used is what u is made of.
func (p *pair) finish(ctx context.Context, it *progress, rounds int, used scaling) (*Fit, error) {
	p.used = [2]scaling{used, p.right.now()} // K̃v of the left rows is made of the last v, which used has not seen
	centre, err := p.centre(ctx)
	if err != nil {
		return nil, err
	}
	left, err := p.left.moments(ctx, p.engine, p.Sinkhorn, centre, used, p.left.now())
	if err != nil {
		return nil, err
	}
	right, err := p.right.moments(ctx, p.engine, p.Sinkhorn, centre, p.right.now(), p.right.now())
	if err != nil {
		return nil, err
	}
	m := &Model{Engine: EngineLowRank, Epsilon: p.Epsilon, Relax: p.Relax, Seed: p.Seed, Factors: p.factors}
	m.Left, m.Right = p.mapTo(p.left, right), p.mapTo(p.right, left)
	for _, side := range []struct {
		h     *half
		other *moments
	}{{p.left, right}, {p.right, left}} {
		if err := p.keepSample(ctx, m, side.h, side.other); err != nil {
			return nil, err
		}
	}
	f := &Fit{Model: m, solution: p, Rounds: rounds, History: append(it.history, left.change)}
	f.Cost = p.cost(left, right)
	f.Value = left.dual + right.dual - p.Epsilon*(left.mass-1)
	if err := p.estimate(ctx, f); err != nil {
		return nil, err
	}
	f.SourcePasses = max(p.left.passes, p.right.passes)
	if p.one {
		f.SourcePasses = p.left.passes + p.right.passes
	}
	f.KernelEntries = p.left.entries + p.right.entries
	f.judge(p.Sinkhorn)
	p.note(f)
	return f, nil
}

func (p *pair) note(f *Fit) {
	if l, r := len(p.left.number), len(p.right.number); l+r > 0 {
		f.Note(fmt.Sprintf("sums of the low-rank kernel over %d left and %d right rows were not positive: the kernel entries of these rows are exact", l, r))
	}
	if f.Cost != f.Cost {
		f.Note(fmt.Sprintf("the cost with kernel %s is not known to this engine, which knows it of rbf, gaussian and expdot: the value has it, with the entropy", p.factors.Kernel))
	}
	if p.left.held.Rows == 0 {
		f.Note(fmt.Sprintf("the factors are too large to be held: each round made them again from %d landmarks", p.left.factor.Entries()))
	}
}

// centre returns a point amid the right rows, from which rows are taken so that squares
// keep their digits. A kernel of inner products has none.
func (p *pair) centre(ctx context.Context) ([]float64, error) {
	rows, err := model.SampleRows(ctx, p.right.src, model.ResolveRows, p.Seed, "transport centre")
	if err != nil {
		return nil, err
	}
	centre := dense.ColumnMeans(rows)
	if e, ok := p.factors.Kernel.ProductExponential(); ok && !e.Damped {
		clear(centre)
	}
	return centre, nil
}

// columns puts numbers of the rows of a panel into dst, a row for each, given u and K̃v of the
// rows, and adds to what it tells. Rows without mass have u = 0.
type columns func(tell []float64, dst, x blas64.General, start int64, u, products []float64)

// weighted is what a pass over a side gives with u: sums of outer products of what rows show,
// of the numbers that columns gives them.
type weighted struct {
	factor   blas64.General // Yᵀ·diag(u)·X, over rows that are not repaired
	sections blas64.General // the same of kernel entries to repaired rows of the other side, over all rows
	own      blas64.General // diag(u)·X of the repaired rows
	tell     []float64
}

// weigh makes a pass with u made of `of`, and K̃v of now. There are n columns, and so many
// numbers to tell.
func (h *half) weigh(ctx context.Context, e stream.Engine, name string, exponent float64, of, now scaling, n, tell int, fill func() columns) (*weighted, error) {
	width, sections := h.width(), len(h.other.number)
	total := width + sections + len(h.number)
	h.passes++
	h.count(h.mass.n)
	type acc = *sketch.Both[*sketch.Sum, *sketch.Sum]
	found, err := stream.Fold(ctx, e, name+", "+h.side.String(), h.src, func() acc {
		return &sketch.Both[*sketch.Sum, *sketch.Sum]{A: sketch.NewSum(total, n), B: sketch.NewSum(1, tell)}
	}, func() func(acc, *stream.Block) error {
		show, columns := h.shower(), fill()
		u, products := make([]float64, halfRows), make([]float64, halfRows)
		all := stream.NewMatrix(halfRows, n)
		return func(a acc, b *stream.Block) error {
			for first, x := range b.Panels(halfRows) {
				start := b.Start + int64(first)
				s, err := show(x, start)
				if err != nil {
					return err
				}
				h.scalings(u[:x.Rows], s, start, exponent, of)
				h.products(products[:x.Rows], s, start, now.coef, now.exact)
				m, sum := stream.RowSlice(all, 0, x.Rows), a.A.General
				columns(a.B.Data, m, x, start, u[:x.Rows], products[:x.Rows])
				dense.ScaleRows(m, u[:x.Rows])
				dense.Gemm(blas.Trans, blas.NoTrans, 1, s.sections, m, 1, stream.RowSlice(sum, width, sections))
				for i := range m.Rows {
					if at, repaired := h.place[start+int64(i)]; repaired {
						copy(dense.Row(sum, width+sections+at), dense.Row(m, i))
						clear(dense.Row(m, i))
					}
				}
				dense.Gemm(blas.Trans, blas.NoTrans, 1, s.factor, m, 1, stream.RowSlice(sum, 0, width))
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	g := found.A.General
	return &weighted{stream.RowSlice(g, 0, width), stream.RowSlice(g, width, sections), stream.RowSlice(g, width+sections, len(h.number)), found.B.Data}, nil
}

// scalings puts u into dst.
func (h *half) scalings(dst []float64, s shown, start int64, exponent float64, of scaling) {
	h.products(dst, s, start, of.coef, of.exact)
	for i, product := range dst {
		mass := h.mass.at(start + int64(i))
		if mass == 0 {
			dst[i] = 0
			continue
		}
		dst[i] = mass / math.Pow(product, exponent)
	}
}

// moments makes the pass for the maps and the value.
func (h *half) moments(ctx context.Context, e stream.Engine, s Sinkhorn, centre []float64, of, now scaling) (*moments, error) {
	exponent, d := s.exponent(), len(centre)
	w, err := h.weigh(ctx, e, "moments", exponent, of, now, d+1, 5, func() columns {
		return func(tell []float64, dst, x blas64.General, start int64, u, products []float64) {
			for i := range x.Rows {
				row, square := dense.Row(dst, i), 0.0
				row[0] = 1
				for j, v := range dense.Row(x, i) {
					row[j+1] = v - centre[j]
					square += row[j+1] * row[j+1]
				}
				if u[i] == 0 {
					continue
				}
				mass, now := h.mass.at(start+int64(i)), math.Abs(products[i])
				after := u[i]
				if products[i] > 0 {
					after = mass / math.Pow(now, exponent)
				}
				tell[0] += u[i] * products[i]
				tell[1] += math.Abs(u[i]-after) * now
				tell[2] += after * now
				tell[3] += u[i] * products[i] * square
				tell[4] += s.dual([]float64{math.Log(u[i])}, []float64{math.Log(mass)})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return &moments{weighted: w, centre: centre, mass: w.tell[0], change: w.tell[1] / w.tell[2], squares: w.tell[3], dual: w.tell[4]}, nil
}

// mapTo returns the map of a side by the moments of the other.
func (p *pair) mapTo(h *half, other *moments) *Map {
	z := dense.Clone(h.other.lower(other.factor))
	dense.ScaleRows(z, p.factors.Values)
	return &Map{Names: h.other.src.Info().Columns, Coefficients: z, Corrections: h.other.repaired, CorrectionValues: dense.Clone(other.own), Centre: other.centre}
}

// cost returns ⟨T, C⟩ where C is a polynomial of the rows, as with rbf and expdot; else NaN.
func (p *pair) cost(left, right *moments) float64 {
	e, ok := p.factors.Kernel.ProductExponential()
	if !ok {
		return math.NaN()
	}
	cross := p.cross(left, right)
	cost := -math.Log(e.Weight) * left.mass
	if e.Damped {
		cost += e.Scale / 2 * (left.squares + right.squares - 2*cross)
	} else {
		cost -= e.Scale * cross
	}
	return p.Epsilon * cost
}

// cross returns Σ T_ij·(x_i−centre)·(y_j−centre).
func (p *pair) cross(left, right *moments) float64 {
	l, r := dense.Clone(p.left.lower(left.factor)), p.right.lower(right.factor)
	dense.ScaleRows(l, p.factors.Values)
	sum := innerProduct(l, r) + innerProduct(left.own, right.sections) + innerProduct(left.sections, right.own)
	if left.own.Rows == 0 || right.own.Rows == 0 {
		return sum
	}
	both := stream.NewMatrix(left.own.Rows, right.own.Rows) // they are in both of the last two
	p.left.entries += int64(both.Rows) * int64(both.Cols)
	p.factors.Kernel.Fill(both, p.left.repaired, p.right.panel, nil)
	return sum - innerProduct(left.own, dense.Mul(blas.NoTrans, both, blas.NoTrans, right.own))
}

// innerProduct returns Σ a_ij·b_ij but for the first column.
func innerProduct(a, b blas64.General) (sum float64) {
	for i := range a.Rows {
		sum += dense.Dot(dense.Row(a, i)[1:], dense.Row(b, i)[1:])
	}
	return sum
}

// keepSample gives the map of a side rows that serve where the low-rank kernel has no
// positive sum: the repaired rows, whose images are exact, and a sample.
func (p *pair) keepSample(ctx context.Context, m *Model, h *half, other *moments) error {
	to := m.mapOf(h.side)
	beyond, err := model.SampleRows(ctx, h.other.src, model.ResolveRows, p.Seed, "transport bounds "+h.side.String())
	if err != nil {
		return err
	}
	to.Low, to.High = bounds(beyond)
	rows, err := model.SampleRows(ctx, h.src, model.ResolveRows, p.Seed, "transport sample "+h.side.String())
	if err != nil {
		return err
	}
	images := stream.NewMatrix(rows.Rows, rows.Cols)
	bad, err := m.byKernel(h.side, h.src.Info())(images, rows, 0)
	if err != nil {
		return err
	}
	h.entries += int64(rows.Rows) * int64(h.factor.Entries()+to.Corrections.Rows)
	d := rows.Cols
	near, moves := stream.NewMatrix(0, d), stream.NewMatrix(0, d)
	keep := func(row, image []float64) {
		near.Data = append(near.Data, row...)
		for j, v := range image {
			moves.Data = append(moves.Data, v-row[j])
		}
		near.Rows++
		moves.Rows++
	}
	for k := range h.number {
		sum := dense.Row(other.sections, k)
		image := make([]float64, d)
		for j := range image {
			image[j] = to.Centre[j] + sum[j+1]/sum[0]
		}
		keep(dense.Row(h.repaired, k), image)
	}
	for i := range rows.Rows {
		if len(bad) > 0 && bad[0] == i {
			bad = bad[1:]
			continue
		}
		keep(dense.Row(rows, i), dense.Row(images, i))
	}
	if near.Rows == 0 {
		return &notPositive{side: h.side, rows: int64(rows.Rows), limit: p.limit, rank: len(p.factors.Values)}
	}
	to.Near, to.Moves = near, moves
	return nil
}

// bounds returns what the entries of each column are between, and half of that more to either
// side.
func bounds(rows blas64.General) (low, high []float64) {
	low, high = make([]float64, rows.Cols), make([]float64, rows.Cols)
	copy(low, dense.Row(rows, 0))
	copy(high, low)
	for i := range rows.Rows {
		for j, v := range dense.Row(rows, i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	for j := range low {
		more := (high[j] - low[j]) / 2
		low[j], high[j] = low[j]-more, high[j]+more
	}
	return low, high
}
