package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Nystrom is the asymmetric Nyström method (paper, Section 4, equations (10) and
// (11)). Of n sampled rows and m sampled columns
//
//	G_{n,m} = Σ λ_s·u_s·v_sᵀ
//	λ̃_s = √(NM/(nm))·λ_s
//	u_s(x) = c/λ_s·Σ_j G(x, z_j)·v_sj      v_s(z) = c/λ_s·Σ_i G(x_i, z)·u_si
//
// with the scale l_λ of the paper such that λ̃_s are the singular values of G, which
// makes c = (nm/(NM))^(1/4) on both sides; see [Scaling] for others. The same two
// formulas are the out-of-sample extension. For a symmetric G, equal samples and
// n = m it is the Nyström method (Williams & Seeger 2001; paper, equation (15)).
//
// A sample that is not uniform has weights: the integrals of equation (8) become
// weighted sums, G_{n,m} is multiplied by the roots of the weights from both sides,
// and so are u_s and v_s above. For uniform samples the weights are N/n and M/m.
//
// Cost: n rows and m columns are gathered, and n·m entries evaluated; everything else
// is small, O(n·m·r) flops. Extending to all rows is one pass over each side, N·m and
// n·M entries. Exact sums and means cost passes over all N·M entries, see [Sums].
// Memory: the samples twice, n·m numbers and, for sparse rows, 8 bytes for each node
// and side.
type Nystrom struct {
	Rank int // r
	// Rows and Cols are the numbers n and m of landmarks: sampled rows and columns. 0 means
	// 20 times the rank for rows, and as many columns as rows. At most N and M. With a
	// Tolerance they are where the doubling begins; then 0 means 4 times the rank, 64 at
	// least.
	Rows, Cols int
	// Paired draws one sample for both sides, which must have as many rows.
	Paired  bool
	Centre  bool
	Sums    Sums
	Scaling Scaling
	// Tolerance, unless 0, is what η is brought under: samples are doubled until two
	// successive fits differ by so little. η is the weighted mean of 1 − |cos| over the
	// singular vectors of both sides, with weights λ_s that sum to 1 for each side and the
	// angle of a vector of one fit with the subspace of the other, on rows that the new one
	// has not sampled; the larger of both ways round. The two have independent samples, so
	// it estimates the error of the old fit, from above that of the new one, which is
	// returned. Both may be wrong in the same way when the samples are a few only.
	Tolerance float64
	// MaxLandmarks is the largest n and m that doubling goes to; 0 means 16384. Where a fit
	// with so many would take more bytes than Memory, unless that is 0, it is halved until
	// one does not, or the doubling would not begin.
	MaxLandmarks int
	Memory       int64
	Seed         uint64
}

// Scaling says how long the singular vectors of the fitted rows are.
type Scaling uint8

const (
	// ScaleDerived is equation (11) as derived: about 1, where the samples are good,
	// if n/N = m/M. It costs no pass.
	ScaleDerived Scaling = iota
	// ScaleUnit divides each vector by its length over the fitted rows. One pass over
	// each side.
	ScaleUnit
	// ScaleOrthonormal makes the vectors orthonormal over the fitted rows: with U and V
	// the extensions of some more triplets than the rank, it is the SVD of the matrix
	// that they multiply to, G_{N,m}·(G_{n,m})⁺·G_{n,M} with the pseudo-inverse truncated,
	// from the streamed triangular factors of U and V. One pass over each side. Nearly
	// always nearer to the singular vectors of G than the extensions, and so are the values.
	ScaleOrthonormal
)

// blockTolerance is the residual to which the sampled block is decomposed, relative
// to its largest singular value.
const blockTolerance = 1e-6

func (m Nystrom) settings(s model.Shape) (Nystrom, error) {
	if m.Rank < 1 || m.Rows < 0 || m.Cols < 0 || m.MaxLandmarks < 0 || !(m.Tolerance >= 0) {
		return m, fmt.Errorf("rank %d must be at least 1, and landmarks %d and %d, their limit %d and tolerance %v not negative", m.Rank, m.Rows, m.Cols, m.MaxLandmarks, m.Tolerance)
	}
	if m.Paired && s.Rows != s.Cols {
		return m, fmt.Errorf("one sample for both sides needs as many rows on the left as on the right, and there are %d and %d", s.Rows, s.Cols)
	}
	if m.Rows == 0 {
		m.Rows = 20 * m.Rank
		if m.Tolerance > 0 {
			m.Rows = max(64, 4*m.Rank)
		}
	}
	if m.Cols == 0 || m.Paired {
		m.Cols = m.Rows
	}
	if m.MaxLandmarks == 0 {
		m.MaxLandmarks = mostLandmarks
	}
	if m.Tolerance > 0 {
		m.Rows, m.Cols = min(m.Rows, m.MaxLandmarks), min(m.Cols, m.MaxLandmarks)
	}
	m.Rows, m.Cols = int(min(int64(m.Rows), s.Rows)), int(min(int64(m.Cols), s.Cols))
	return m, nil
}

// Fit decomposes the kernel matrix of data.
func (m Nystrom) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Nystrom) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	t, err := newEntries(k, d.sparse())
	if err != nil {
		return nil, err
	}
	if m, err = m.within(e, d.Shape(), t).settings(d.Shape()); err != nil {
		return nil, err
	}
	f := &nystrom{Nystrom: m, engine: e, data: d, entries: t, reached: math.NaN()}
	if err := f.sums(ctx); err != nil {
		return nil, err
	}
	if m.Tolerance > 0 {
		return f.double(ctx)
	}
	model, err := f.model(ctx, m.Rows, m.Cols)
	if err != nil {
		return nil, err
	}
	return f.finish(model, math.NaN()), nil
}

// nystrom is a fit under way.
type nystrom struct {
	Nystrom
	engine  stream.Engine
	data    *Data
	entries *entries
	stats   *statistics // exact sums and means; nil if sampled
	all     [2]*points  // both sides, for exact sums
	passes  int         // over all entries
	reads   int         // of a source
	notes   []string
	round   int     // how often samples have been doubled
	reached float64 // by which the last two fits differ

	unsettled bool // reached is above the tolerance
}

// sums finds the exact sums and means, if they shall be exact.
func (f *nystrom) sums(ctx context.Context) error {
	how := f.summing(f.data.Shape(), f.entries)
	f.Sums = how.sums
	if how.note != "" {
		f.notes = append(f.notes, how.note)
	}
	if how.passes == 0 || how.sums == SumsSampled {
		return nil
	}
	left, right, err := f.data.load(ctx, f.entries)
	if err != nil {
		return err
	}
	f.reads++
	f.all = [2]*points{left, right}
	if how.byPaths {
		f.stats, err = pathStatistics(ctx, f.engine, f.data, f.entries, f.Centre)
		return err
	}
	g := newGrid(f.engine, f.data, f.entries, left, right)
	f.stats, err = g.statistics(ctx, f.Centre)
	f.passes = g.passes
	return err
}

// model returns the fit with so many samples.
func (f *nystrom) model(ctx context.Context, n, m int) (*Model, error) {
	rows, cols := f.uniform(n, m)
	return f.sampled(ctx, rows, cols)
}

// finish returns the fit with what is known about it.
func (f *nystrom) finish(m *Model, accuracy float64) *Fit {
	notes := slices.Concat(f.notes, rankNote(m.Rank(), f.Rank), m.vanishing())
	return &Fit{Model: m, Report: model.Report{Notes: notes, KernelEntries: f.entries.count.Load(),
		ExactPasses: f.passes, SourcePasses: f.reads, Unsettled: f.unsettled},
		Samples: [2]int{len(m.Right.Rows), len(m.Left.Rows)}, Accuracy: accuracy, data: f.data, stats: f.stats}
}
