package transport

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// LowRank solves the problem with a low-rank approximation of K (Altschuler, Bach, Rudi & Niles-Weed 2019, "Massively
// scalable Sinkhorn distances via the Nyström method"; Xie et al. 2023, Section IV-A). It needs a symmetric kernel, and
// with ε other than 1 one that has powers ([kernelgen.Kernel.Power]).
//
// Cost: that of the factors; then one pass over each source for each iteration, and two more. Factors of at most
// HeldNumbers numbers are held in memory; a row then costs 4·rank flops in each iteration. Larger factors are
// recomputed in each pass, with a kernel entry for each landmark and row. Memory is then independent of the number of
// rows, except for their weights.
type LowRank struct {
	Sinkhorn
	Rank int // of the landmark method
}

// HeldNumbers is the largest size of both factors that is held in memory: 32 MB.
const HeldNumbers = 1 << 22

// check returns an error if a setting is out of range.
func (m LowRank) check() error {
	if m.Rank < 1 {
		return fmt.Errorf("`Rank` %d must be at least 1", m.Rank)
	}
	return nil
}

// landmark returns the method that approximates K.
func (m LowRank) landmark(s model.Size) lowrank.Landmark {
	landmark := lowrank.Landmark{Rank: m.Rank, Seed: m.Seed}
	if s.OneSource() {
		landmark.Shift = lowrank.ShiftNone
	}
	return landmark
}

// gibbsKernel returns the kernel k^(1/ε).
func gibbsKernel(k kernelgen.Kernel, epsilon float64) (kernelgen.Kernel, error) {
	if err := k.CheckPlain(); err != nil {
		return k, err
	}
	if !k.Symmetric() {
		return k, fmt.Errorf("kernel %s is not symmetric, which engine lowrank needs: take `Method exact`", k)
	}
	power, err := k.Power(1 / epsilon)
	if err != nil {
		return k, fmt.Errorf("%w; leave out `Epsilon`, or take `Method exact`", err)
	}
	return power, nil
}

// Fit finds the plan between the rows of d. It fails if the rank is too low: if more rows than landmarks have a sum of
// the low-rank kernel that is not positive, or repairs of such rows do not end.
func (m LowRank) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m LowRank) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return m.Sinkhorn.fit(ctx, e, d, k,
		func(ctx context.Context, s Sinkhorn, d *Data, k kernelgen.Kernel) (*Fit, error) {
			return LowRank{s, m.Rank}.solve(ctx, e, d, k)
		})
}

// finerKernel is the remedy for a low-rank kernel without a plan.
const finerKernel = "raise `Rank` or `Epsilon`, or take `Method exact`"

// solve approximates K, and solves the problem.
func (m LowRank) solve(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	power, err := gibbsKernel(k, m.Epsilon)
	if err != nil {
		return nil, err
	}
	factors, err := m.landmark(d.Size()).Fit(ctx, e, d.Sources, power)
	if err != nil {
		return nil, err
	}
	p, err := newLowRankIteration(ctx, e, m.Sinkhorn, d, factors.Model)
	if err != nil {
		return nil, err
	}
	f, err := p.solve(ctx)
	if err != nil {
		return nil, err
	}
	f.Kernel = k
	f.Notes = append(factors.Notes, f.Notes...)
	f.Warnings = append(factors.Warnings, f.Warnings...)
	for _, err := range factors.Estimates {
		err.Quantity += model.GibbsSpectral - model.MatrixSpectral
		f.Estimates = append(f.Estimates, err)
	}
	f.SourcePasses += factors.SourcePasses
	f.KernelEntries += factors.KernelEntries
	return f, nil
}

// Plan returns the cost of a fit.
func (m LowRank) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var err error
	if m.Sinkhorn, err = m.settings(); err != nil {
		return nil, err
	}
	if k.Resolved() {
		if k, err = gibbsKernel(k, m.Epsilon); err != nil {
			return nil, err
		}
	}
	p, err := m.landmark(s).Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	landmarks, width := 4*m.Rank, 4*m.Rank // width: number of columns of the factors in the sums
	rows := s.Rows + columns(s)
	passes := model.NewPlan(e, s.Longest(), s.Columns)
	if rows*int64(m.Rank) <= HeldNumbers {
		width = m.Rank
		passes.AddEntries(2 * float64(rows) * float64(landmarks))
	} else {
		passes.Add("kernel entries of a panel", int64(e.Workers()*tilesize.PanelRows*landmarks), "`Engine.Threads`")
		passes.AddEntries((float64(m.Iterations) + 2.5) * float64(rows) * float64(landmarks)) // the last is to one side
	}
	sums := int64(width * (s.Columns + 1))
	passes.Fold("sums", s.Rows, s.Columns, sums, "`Rank`")
	workers := max(e.PassWorkers(s.Rows, s.Columns), e.PassWorkers(columns(s), s.Columns))
	passes.Add("panels of moments", workers*2*halfRows*int64(s.Columns+1), "`Engine.Threads`")
	if s.Weighted {
		p.Add("weights", rows, "")
	}
	sides := 2
	if s.OneSource() {
		sides = 1
	}
	finish := model.NewPlan(e, s.Longest(), s.Columns)
	sampled := min(s.Rows, family.ResolveRows) + min(columns(s), family.ResolveRows)
	finish.Add("rows and moves of the maps", (2*sampled+max(min(s.Longest(), family.ResolveRows), min(sampled, 2*estimateRows)))*int64(s.Columns), "")
	for _, stage := range []*model.Plan{passes, finish} {
		if width == m.Rank {
			stage.Add("factors", rows*int64(m.Rank), "`Rank`")
		}
		stage.Add("landmarks", int64(2*sides*landmarks*s.Columns), "`Rank`")
		stage.Add("maps", 2*sums, "`Rank`")
		p.Stage(stage)
	}
	p.SourcePasses += m.Iterations + 2 // for the first v, and for the maps
	p.SetNotShardable("an iteration needs the sums of the one before")
	return p, nil
}
