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

// moments are sums over a side with the columns [1 X−centre], for the maps and the report.
type moments struct {
	*weighted
	mass, change float64 // see measures
	dual         float64 // this side's part of the dual value
	squares      float64 // Σ u_i·(K̃v)_i·‖x_i−centre‖²
	cross        float64 // Σ T_ij·(x_i−centre)·(y_j−centre), where the moments of the other side are known
}

// finish makes a pass over each side, and returns the fit with its maps and its report.
func (p *pair) finish(ctx context.Context, history []float64) (*Fit, error) {
	centre, err := p.centre(ctx)
	if err != nil {
		return nil, err
	}
	right, err := p.moments(ctx, p.right, centre, nil)
	if err != nil {
		return nil, err
	}
	left, err := p.moments(ctx, p.left, centre, right.weighted)
	if err != nil {
		return nil, err
	}
	m := &Model{Engine: EngineLowRank, Factors: p.factors}
	m.Left, m.Right = p.mapTo(p.left, right, centre), p.mapTo(p.right, left, centre)
	if err := p.keepSample(ctx, m, p.left, right); err != nil {
		return nil, err
	}
	if err := p.keepSample(ctx, m, p.right, left); err != nil {
		return nil, err
	}
	f := &Fit{Model: m, solution: p, History: append(history, left.change), Cost: p.cost(left, right)}
	f.Iterations = len(f.History)
	f.Value = left.dual + right.dual - p.Epsilon*(left.mass-1)
	if err := p.estimate(ctx, f); err != nil {
		return nil, err
	}
	f.SourcePasses = max(p.left.passes, p.right.passes)
	if p.one {
		f.SourcePasses = p.left.passes + p.right.passes
	}
	f.KernelEntries = p.left.entries + p.right.entries
	f.judge(p.MarginalTol)
	if l, r := len(p.left.number), len(p.right.number); l+r > 0 {
		f.Note(fmt.Sprintf("sums of the low-rank kernel over %d left and %d right rows were not positive: "+
			"the kernel entries of these rows are exact", l, r))
	}
	if math.IsNaN(f.Cost) {
		f.Note(fmt.Sprintf("the cost with kernel %s is not known to this engine, which knows it of rbf, gaussian and expdot: "+
			"the value has it, with the entropy", p.factors.Kernel))
	}
	return f, nil
}

// centre returns a point amid the right rows. Rows are relative to it, so that their squares keep their digits. A kernel
// of inner products has the centre 0.
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

// weighted has the sums of a matrix X over a side, a row for each row, with the scalings u.
type weighted struct {
	core     blas64.General // diag(values)·Uᵀ·diag(u)·X, over rows that are not repaired
	sections blas64.General // k(x_S, x)·diag(u)·X for the repaired rows S of the other side, over all rows
	own      blas64.General // diag(u)·X of the repaired rows
}

// rowFiller puts rows of X into dst, given u of the rows, and adds figures to a sum.
type rowFiller func(figures []float64, dst blas64.General, f features, u []float64)

// weigh makes a pass that sums X, which has n columns, and some figures.
func (h *half) weigh(ctx context.Context, e stream.Engine, name string, n, figures int, fill func() rowFiller) (*weighted, []float64, error) {
	width, sections := h.factor.Width(), len(h.other.number)
	total := width + sections + len(h.number)
	h.passes++
	h.count(h.mass.n)
	type acc = *sketch.Both[*sketch.Sum, *sketch.Sum]
	found, err := stream.Fold(ctx, e, name+", "+h.side.String(), h.src, func() acc {
		return &sketch.Both[*sketch.Sum, *sketch.Sum]{A: sketch.NewSum(total, n), B: sketch.NewSum(1, figures)}
	}, func() func(acc, *stream.Block) error {
		panels, fill := h.panels(), fill()
		u, all := make([]float64, halfRows), stream.NewMatrix(halfRows, n)
		return func(a acc, b *stream.Block) error {
			return panels(b, func(f features) error {
				u, x, sum := u[:f.x.Rows], stream.RowSlice(all, 0, f.x.Rows), a.A.General
				h.scalings(u, f)
				fill(a.B.Data, x, f, u)
				dense.ScaleRows(x, u)
				dense.Gemm(blas.Trans, blas.NoTrans, 1, f.sections, x, 1, stream.RowSlice(sum, width, sections))
				for k, number := range h.number {
					if i := number - f.start; i >= 0 && i < int64(x.Rows) {
						copy(dense.Row(sum, width+sections+k), dense.Row(x, int(i)))
						clear(dense.Row(x, int(i)))
					}
				}
				dense.Gemm(blas.Trans, blas.NoTrans, 1, f.factor, x, 1, stream.RowSlice(sum, 0, width))
				return nil
			})
		}
	})
	if err != nil {
		return nil, nil, err
	}
	g := found.A.General
	core := dense.Clone(h.factor.Lower(stream.RowSlice(g, 0, width)))
	dense.ScaleRows(core, h.values)
	return &weighted{core, stream.RowSlice(g, width, sections), stream.RowSlice(g, width+sections, len(h.number))}, found.B.Data, nil
}

// multiplier returns a function that puts rows of K̃·diag(v)·X into dst, given the weighted X of the other side.
func (h *half) multiplier(x *weighted) func(dst blas64.General, f features) {
	coef := h.factor.Lift(x.core)
	return func(dst blas64.General, f features) {
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, f.factor, coef, 0, dst)
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, f.sections, x.own, 1, dst)
		for k, number := range h.number {
			if i := number - f.start; i >= 0 && i < int64(dst.Rows) {
				copy(dense.Row(dst, int(i)), dense.Row(x.sections, k))
			}
		}
	}
}

// moments makes the pass for the maps and the report.
func (p *pair) moments(ctx context.Context, h *half, centre []float64, other *weighted) (*moments, error) {
	d := len(centre)
	w, sums, err := h.weigh(ctx, p.engine, "moments", d+1, 6, func() rowFiller {
		products, images := make([]float64, halfRows), stream.NewMatrix(halfRows, d+1)
		multiply := func(blas64.General, features) {}
		if other != nil {
			multiply = h.multiplier(other)
		}
		return func(figures []float64, dst blas64.General, f features, u []float64) {
			h.products(products[:len(u)], h.product, f)
			multiply(stream.RowSlice(images, 0, len(u)), f)
			for i := range u {
				row := dense.Row(dst, i)
				row[0] = 1
				for j, v := range dense.Row(f.x, i) {
					row[j+1] = v - centre[j]
				}
				if u[i] == 0 {
					continue
				}
				mass, product := h.mass.at(f.start+int64(i)), products[i]
				after := u[i]
				if product > 0 {
					after = h.scaling(f.start+int64(i), product)
				}
				figures[0] += u[i] * product
				figures[1] += math.Abs(u[i]-after) * math.Abs(product)
				figures[2] += after * math.Abs(product)
				figures[3] += u[i] * product * dense.Dot(row[1:], row[1:])
				figures[4] += p.dual([]float64{math.Log(u[i])}, []float64{math.Log(mass)})
				figures[5] += u[i] * dense.Dot(row[1:], dense.Row(images, i)[1:])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return &moments{weighted: w, mass: sums[0], change: sums[1] / sums[2], squares: sums[3], dual: sums[4], cross: sums[5]}, nil
}

// mapTo returns the map of a side from the moments of the other.
func (p *pair) mapTo(h *half, other *moments, centre []float64) *Map {
	return &Map{Names: h.other.src.Info().Columns, Coefficients: other.core, Corrections: h.other.repaired,
		CorrectionValues: dense.Clone(other.own), Centre: centre}
}

// cost returns ⟨T, C⟩ if C is a polynomial of the rows, as with rbf and expdot, or else NaN.
func (p *pair) cost(left, right *moments) float64 {
	e, ok := p.factors.Kernel.ProductExponential()
	if !ok {
		return math.NaN()
	}
	cost := -math.Log(e.Weight) * left.mass
	if e.Damped {
		cost += e.Scale / 2 * (left.squares + right.squares - 2*left.cross)
	} else {
		cost -= e.Scale * left.cross
	}
	return p.Epsilon * cost
}

// keepSample gives the map of a side rows for where the low-rank kernel has no positive sum: the repaired rows, whose
// images are exact, and a sample.
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
	h.entries += int64(rows.Rows) * int64(p.factors.Factor(h.side).Entries()+to.Corrections.Rows)
	d := rows.Cols
	to.Near, to.Moves = stream.NewMatrix(0, d), stream.NewMatrix(0, d)
	keep := func(row, image []float64) {
		to.Near.Data = append(to.Near.Data, row...)
		for j, v := range image {
			to.Moves.Data = append(to.Moves.Data, v-row[j])
		}
		to.Near.Rows++
		to.Moves.Rows++
	}
	image := make([]float64, d)
	for k := range h.number {
		sum := dense.Row(other.sections, k)
		for j := range image {
			image[j] = to.Centre[j] + sum[j+1]/sum[0]
		}
		keep(dense.Row(h.repaired, k), image)
	}
	do, images := m.byKernel(h.side, h.src.Info()), stream.NewMatrix(mapRows, d)
	for first, x := range (&stream.Block{X: rows}).Panels(mapRows) {
		if err := do(images, x, int64(first)); err != nil {
			return err
		}
		for i := range x.Rows {
			if image := dense.Row(images, i); !math.IsNaN(image[0]) {
				keep(dense.Row(x, i), image)
			}
		}
	}
	if to.Near.Rows == 0 {
		return p.refuse(h, int64(rows.Rows))
	}
	return nil
}

// bounds returns the range of each column, extended by half of it on either side.
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

// apply implements Fit.Apply.
func (p *pair) apply(ctx context.Context, e stream.Engine, side model.Side, v blas64.General) (blas64.General, error) {
	to := p.left
	if side == model.Right {
		to = p.right
	}
	w, _, err := to.other.weigh(ctx, e, "apply", v.Cols, 0, func() rowFiller {
		return func(_ []float64, dst blas64.General, f features, _ []float64) {
			for i := range dst.Rows {
				copy(dense.Row(dst, i), dense.Row(v, int(f.start)+i))
			}
		}
	})
	if err != nil {
		return blas64.General{}, err
	}
	multiply := to.multiplier(w)
	return stream.MapRows(ctx, e, "apply", to.src, v.Cols, func() func(blas64.General, *stream.Block) error {
		panels, u := to.panels(), make([]float64, halfRows)
		return func(dst blas64.General, b *stream.Block) error {
			return panels(b, func(f features) error {
				rows := stream.RowSlice(dst, int(f.start-b.Start), f.x.Rows)
				multiply(rows, f)
				to.scalings(u[:f.x.Rows], f)
				dense.ScaleRows(rows, u[:f.x.Rows])
				return nil
			})
		}
	})
}
