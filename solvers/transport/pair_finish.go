package transport

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// moments are sums over a side with the columns [1 X−centre], for the maps and the report.
type moments struct {
	*weightedSums
	mass, change float64 // see measures
	dual         float64 // contribution of this side to the dual value
	squares      float64 // Σ u_i·(K̃v)_i·‖x_i−centre‖²
	cross        float64 // Σ T_ij·(x_i−centre)·(y_j−centre), if the moments of the other side are known
}

// finish makes a pass over each side, and returns the fit with its maps and its report.
func (p *lowRankIteration) finish(ctx context.Context, history []float64) (*Fit, error) {
	centre, err := p.centre(ctx)
	if err != nil {
		return nil, err
	}
	right, err := p.moments(ctx, p.right, centre, nil)
	if err != nil {
		return nil, err
	}
	left, err := p.moments(ctx, p.left, centre, right.weightedSums)
	if err != nil {
		return nil, err
	}
	m := &Model{Algorithm: AlgorithmLowRank, Factors: p.factors}
	m.Left, m.Right = p.mapTo(p.left, right, centre), p.mapTo(p.right, left, centre)
	if err := p.keepSample(ctx, m, p.left, right); err != nil {
		return nil, err
	}
	if err := p.keepSample(ctx, m, p.right, left); err != nil {
		return nil, err
	}
	f := &Fit{Model: m, History: append(history, left.change), Cost: p.cost(left, right)}
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

// centre returns a central point of the right rows. Rows are taken relative to it, so that their squares keep their
// digits. A kernel of inner products has the centre 0.
func (p *lowRankIteration) centre(ctx context.Context) ([]float64, error) {
	rows, err := input.DrawRows(ctx, p.right.src, family.ResolveRows, p.Seed, "transport centre")
	if err != nil {
		return nil, err
	}
	centre := dense.ColumnMeans(rows)
	if e, ok := p.factors.Kernel.ProductExponential(); ok && !e.Damped {
		clear(centre)
	}
	return centre, nil
}

// moments makes the pass for the maps and the report.
func (p *lowRankIteration) moments(ctx context.Context, h *half, centre []float64, other *weightedSums) (*moments,
	error) {
	d := len(centre)
	w, sum, err := weightedPass(ctx, p.engine, h, "moments", d+1, func() *sketch.Sum { return sketch.NewSum(1, 6) }, func() rowFiller[*sketch.Sum] {
		product, now, images := h.products(h.product), make([]float64, halfRows), matrix.New(halfRows, d+1)
		scale, multiply := h.scalings(), func(blas64.General, features) {}
		if other != nil {
			multiply = h.multiplier(other)
		}
		return func(sum *sketch.Sum, x blas64.General, f features, u []float64) error {
			scale(u, f)
			product(now[:len(u)], f)
			multiply(matrix.Rows(images, 0, len(u)), f)
			for i, u := range u {
				row, number := matrix.Row(x, i), f.start+int64(i)
				row[0] = 1
				for j, v := range matrix.Row(f.x, i) {
					row[j+1] = v - centre[j]
				}
				if u == 0 {
					continue
				}
				after, product := u, math.Abs(now[i])
				if now[i] > 0 {
					after = h.scaling(number, product)
				}
				sum.Data[0] += u * now[i]
				sum.Data[1] += math.Abs(u-after) * product
				sum.Data[2] += after * product
				sum.Data[3] += u * now[i] * dense.Dot(row[1:], row[1:])
				sum.Data[4] += p.dual([]float64{math.Log(u)}, []float64{math.Log(h.mass.at(number))})
				sum.Data[5] += u * dense.Dot(row[1:], matrix.Row(images, i)[1:])
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	v := sum.Data
	return &moments{weightedSums: w, mass: v[0], change: v[1] / v[2], squares: v[3], dual: v[4], cross: v[5]}, nil
}

// mapTo returns the map of a side from the moments of the other.
func (p *lowRankIteration) mapTo(h *half, other *moments, centre []float64) *Mapping {
	return &Mapping{Names: h.other.src.Info().Columns, Coefficients: other.core, Corrections: h.other.repaired,
		CorrectionValues: matrix.Clone(other.own), Center: centre}
}

// cost returns ⟨T, C⟩ if C is a polynomial of the rows, as with rbf and expdot, else NaN.
func (p *lowRankIteration) cost(left, right *moments) float64 {
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

// keepSample adds rows to the map of a side, for rows without a positive sum of the low-rank kernel: the repaired rows,
// whose images are exact, and a sample.
func (p *lowRankIteration) keepSample(ctx context.Context, m *Model, h *half, other *moments) error {
	to := m.mapOf(h.side)
	beyond, err := input.DrawRows(ctx, h.other.src, family.ResolveRows, p.Seed, "transport bounds "+h.side.String())
	if err != nil {
		return err
	}
	to.Low, to.High = bounds(beyond)
	rows, err := input.DrawRows(ctx, h.src, family.ResolveRows, p.Seed, "transport sample "+h.side.String())
	if err != nil {
		return err
	}
	h.entries += int64(rows.Rows) * int64(p.factors.Factor(h.side).Entries()+to.Corrections.Rows)
	d := rows.Cols
	to.SampledRows, to.Displacements = emptyRows(len(h.number)+rows.Rows, d), emptyRows(len(h.number)+rows.Rows, d)
	keep := func(row, image []float64) {
		to.SampledRows.Data = append(to.SampledRows.Data, row...)
		for j, v := range image {
			to.Displacements.Data = append(to.Displacements.Data, v-row[j])
		}
		to.SampledRows.Rows++
		to.Displacements.Rows++
	}
	image := make([]float64, d)
	for k := range h.number {
		sum := matrix.Row(other.sections, k)
		for j := range image {
			image[j] = to.Center[j] + sum[j+1]/sum[0]
		}
		keep(matrix.Row(h.repaired, k), image)
	}
	do, images := m.byKernel(h.side, h.src.Info()), matrix.New(mapRows, d)
	for first, x := range (&stream.Block{X: rows}).Panels(mapRows) {
		if err := do(images, x, int64(first)); err != nil {
			return err
		}
		for i := range x.Rows {
			if image := matrix.Row(images, i); !math.IsNaN(image[0]) {
				keep(matrix.Row(x, i), image)
			}
		}
	}
	if to.SampledRows.Rows == 0 {
		return p.refuse(h, int64(rows.Rows))
	}
	return nil
}

// emptyRows returns a matrix without rows and with the given capacity.
func emptyRows(most, d int) blas64.General {
	m := matrix.New(0, d)
	m.Data = make([]float64, 0, most*d)
	return m
}

// bounds returns the range of each column, extended by half of it at either end.
func bounds(rows blas64.General) (low, high []float64) {
	low, high = make([]float64, rows.Cols), make([]float64, rows.Cols)
	copy(low, matrix.Row(rows, 0))
	copy(high, low)
	for i := range rows.Rows {
		for j, v := range matrix.Row(rows, i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	for j := range low {
		more := (high[j] - low[j]) / 2
		low[j], high[j] = low[j]-more, high[j]+more
	}
	return low, high
}
