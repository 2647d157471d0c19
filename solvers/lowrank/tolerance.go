package lowrank

import (
	"context"
	"fmt"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Adaptive is the landmark method with a given error instead of the rank. The spectrum of a sample determines the first
// number of landmarks. After the pass, the rank is the smallest whose estimated relative error, times a safety factor
// of 1.2, is within the tolerance. If there is none, another pass uses twice as many landmarks.
//
// Cost: that of [Landmark] for each pass, usually one or two.
type Adaptive struct {
	ErrorTol float64 // tolerance for ‖A−Â‖/‖A‖, above 0 and below 1
	Norm     Norm    // of the tolerance
	Rank     int     // the largest allowed; 0 means a quarter of the rows, but at least 1000
	Memory   int64   `states:"ignored"` // limit of the plan of each step in bytes, 0 for no limit

	// As in Landmark.
	Rule  Rule
	Seed  uint64
	Shift ShiftRule
}

// landmark returns the method of a step with the given number of columns.
func (m Adaptive) landmark(columns int64) Landmark {
	return Landmark{Rank: int(columns), Landmarks: adaptiveLandmarks * int(columns), Rule: m.Rule, Seed: m.Seed, Shift: m.Shift}
}

const (
	adaptiveSafety    = 1.2
	adaptiveLandmarks = 2    // per column suggested by the sample; 4 reach an error later, at a lower rank
	adaptiveSample    = 512  // rows in the sample for the first number of landmarks
	adaptiveLeast     = 8    // columns in a first step
	adaptiveSmall     = 1000 // rows up to which any rank is allowed
)

// Fit approximates the kernel matrix of the rows of one source. If the limits prevent the tolerance, the fit has not
// converged, and a note has the reason.
func (m Adaptive) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Adaptive) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	src, width, most := d.Left, len(d.Left.Info().Columns), m.mostColumns(n)
	columns, entries, err := m.firstColumns(ctx, e, src, k, n)
	if err != nil {
		return nil, err
	}
	columns, err = m.fitting(e, k, min(columns, most), n, width)
	for passes := 1; err == nil; passes++ {
		step, err := m.landmark(columns).stream(ctx, e, src, k)
		if err != nil {
			return nil, err
		}
		fit, err := m.smallestRank(ctx, e, step, int(most))
		if err != nil {
			return nil, err
		}
		entries += fit.KernelEntries
		fit.NotConverged = !m.within(fit.EstimateIn(m.Norm))
		if why, end := m.ends(e, k, fit, columns, most, n, width); end {
			fit.SourcePasses, fit.KernelEntries = passes, entries
			m.warn(fit, why)
			return fit, nil
		}
		columns = min(most, 2*columns)
	}
	return nil, err
}

func (m Adaptive) check() error {
	if !(m.ErrorTol > 0 && m.ErrorTol < 1) {
		return fmt.Errorf("tolerance %v must be above 0 and below 1", m.ErrorTol)
	}
	return m.landmark(1).checkOne()
}

// mostColumns returns the largest rank. Beyond a quarter of many rows, a matrix is not of low rank, and a model is
// hardly smaller than the matrix.
func (m Adaptive) mostColumns(n int64) int64 {
	if m.Rank > 0 {
		return min(n, int64(m.Rank))
	}
	return min(n, max(adaptiveSmall, n/4))
}

// within reports whether an estimate is safely within the tolerance.
func (m Adaptive) within(estimate float64) bool { return adaptiveSafety*estimate <= m.ErrorTol }

// ends reports whether the fit ends with this pass, and the reason if the tolerance was not reached.
func (m Adaptive) ends(e stream.Engine, k kernelgen.Kernel, f *Fit, columns, most, n int64, d int) (why string, end bool) {
	switch {
	case !f.NotConverged:
		return "", true
	case columns >= most && m.Rank == 0:
		return fmt.Sprintf("a rank above %d is not low for %d rows: A is better formed, or `Rank` set", most, n), true
	case columns >= most:
		return fmt.Sprintf("the rank is limited to %d; `Rank` sets the limit", most), true
	}
	next := min(most, 2*columns)
	if fits, err := m.fitting(e, k, next, n, d); err != nil || fits < next {
		return fmt.Sprintf("more than %d landmarks do not fit into %d MiB; `Memory` sets the limit", adaptiveLandmarks*columns, m.Memory>>20), true
	}
	return "", false
}

// fitting returns the number of columns, halved until their plan fits in memory.
func (m Adaptive) fitting(e stream.Engine, k kernelgen.Kernel, columns, n int64, d int) (int64, error) {
	for {
		plan, err := m.landmark(columns).planPass(e, n, d, k)
		if err != nil {
			return 0, err
		}
		total := plan.Memory.Total()
		if m.Memory == 0 || total <= m.Memory {
			return columns, nil
		}
		if columns <= 1 {
			return 0, fmt.Errorf("even one column takes %d MiB of memory: raise `Memory`", total>>20)
		}
		columns /= 2
	}
}

// warn adds a warning if the tolerance was not reached.
func (m Adaptive) warn(f *Fit, why string) {
	if f.NotConverged {
		f.Warn(fmt.Sprintf("the tolerance of %g was not reached: the estimated error in the %s norm is %.2g at rank %d, and %s",
			m.ErrorTol, m.Norm, f.EstimateIn(m.Norm), f.Left.Rank(), why))
	}
}

// firstColumns returns 1.5 times the estimated number of eigenvalues of A above the tolerance, from a sample of its
// rows, and the kernel entries evaluated.
func (m Adaptive) firstColumns(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, n int64) (columns, entries int64, _ error) {
	s, err := sketch.NewSample(n, int(min(n, adaptiveSample)), m.Seed, "first rank")
	if err != nil {
		return 0, 0, err
	}
	t := tiles.Plain(k)
	panels, err := basis.Gather(ctx, src, rowSet{Numbers: s.Positions()})
	if err != nil {
		return 0, 0, err
	}
	if err := basis.ChooseScale(ctx, e, t, panels[0].Rows, panels[0]); err != nil {
		return 0, 0, err
	}
	count, err := m.countSampled(ctx, e, t, panels[0], n)
	return max(adaptiveLeast, count+count/2), t.Entries.Load(), err
}

// countSampled estimates the number of eigenvalues of A above the tolerance in the spectral norm, from sampled rows.
func (m Adaptive) countSampled(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	sample *basis.Panel, n int64) (count int64, err error) {
	side := &sampleSide{rows: sample, represented: float64(n)}
	b, err := newSampledBlock(ctx, e, t, &Model{}, side, side, true)
	if err != nil {
		return 0, err
	}
	eig, err := newEigen("the kernel between sampled rows", b.m)
	if err != nil {
		return 0, err
	}
	for _, v := range eig.Values {
		if adaptiveSafety*v > m.allowed()*eig.Values[0] {
			count++
		}
	}
	return count, nil
}

// smallestRank returns the fit of the smallest rank within the tolerance, or else of the largest rank that the
// landmarks support.
func (m Adaptive) smallestRank(ctx context.Context, e stream.Engine, f *landmarkFit, most int) (*Fit, error) {
	high := min(f.side.Rank(), most)
	if err := f.fitCore(ctx, e); err != nil {
		return nil, err
	}
	sample, err := newErrorSample(ctx, e, f.tiles, f.model(high), f.held, f.held)
	if err != nil {
		return nil, err
	}
	all, _ := f.kept(min(high, len(f.spectrum.Values)))
	of := func(c int) *errorSample { // with the columns of U of a model of rank c
		kept, _ := f.kept(min(c, len(all)))
		for i, v := range kept {
			kept[i], _ = slices.BinarySearch(all, v)
		}
		return sample.columns(kept)
	}
	finish := func(c int) (*Fit, error) {
		found := f.model(c)
		fit, err := finishSampled(ctx, f.tiles, found, f.notes(found, c), f.modelCondition(c), of(c), f.trace)
		if err != nil {
			return nil, err
		}
		fit.Details = f.points.details
		return fit, nil
	}
	fit, err := finish(high)
	if err != nil || high < 2 || !m.within(fit.EstimateIn(m.Norm)) {
		return fit, err
	}
	fits := func(c int) (bool, error) {
		estimate, _, err := of(c).errors(ctx, f.model(c), f.trace)
		return err == nil && m.within(estimate.in(m.Norm)), err
	}
	rank := min(high, m.guess(f.spectrum.Values[:high], f.spectrum.Values[0]+f.beta, sample.squares, fit.EstimateIn(m.Norm)))
	is, err := fits(rank)
	for err == nil && !is && rank < high {
		rank = min(high, rank+1+rank/32)
		is, err = fits(rank)
	}
	for err == nil && is && rank > 1 {
		lower := rank - 1 - rank/32
		if is, err = fits(lower); is {
			rank = lower
		}
	}
	if err != nil || rank == high {
		return fit, err
	}
	return finish(rank)
}

// guess returns the rank at which truncating a model with the given values reaches the allowed error. estimate is the
// error before truncation. norm is the spectral norm of A, and squares its squared Frobenius norm.
func (m Adaptive) guess(values []float64, norm, squares, estimate float64) int {
	if m.Norm != NormFrobenius {
		values = append(slices.Clone(values), 0)
		return max(1, slices.IndexFunc(values, func(v float64) bool { return adaptiveSafety*v <= m.allowed()*norm }))
	}
	most := m.ErrorTol * m.ErrorTol / (adaptiveSafety * adaptiveSafety)
	left := (most - estimate*estimate) * squares
	for c := len(values); c > 0; c-- {
		if left -= values[c-1] * values[c-1]; left < 0 {
			return c
		}
	}
	return 1
}

// allowed returns the largest truncated eigenvalue allowed, relative to the largest. A midpoint shift halves its
// contribution to the error.
func (m Adaptive) allowed() float64 {
	if m.Shift == ShiftMidpoint {
		return 2 * m.ErrorTol
	}
	return m.ErrorTol
}

// plannedColumns is the number of columns of U in a plan if it depends on the data.
const plannedColumns = 64

// Plan returns the cost of a first step with 64 columns of U, or the rank if that is less. Further steps stay within
// Memory.
func (m Adaptive) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	columns := min(s.Rows, plannedColumns)
	if m.Rank > 0 {
		columns = min(columns, int64(m.Rank))
	}
	p, err := m.landmark(columns).planPass(e, s.Rows, s.Columns, k)
	if err != nil {
		return nil, err
	}
	p.Notes = append(p.Notes, fmt.Sprintf("memory and kernel entries are those of %d columns of U; the data decide", columns))
	rows := min(s.Rows, adaptiveSample)
	p.SetNotShardable("the rank is chosen as passes go, by what they find; name a `Rank` instead of `ErrorTol`")
	sample := rows * (3*rows + 2*int64(s.Columns))
	p.Add("sample for the first rank", sample, "")
	p.AddEntries(float64(rows) * float64(rows))
	return p, nil
}
