package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// LowRank solves the problem with a low-rank approximation of K (Altschuler, Bach, Rudi &
// Niles-Weed 2019, "Massively scalable Sinkhorn distances via the Nyström method"; Xie et
// al. 2023, Section IV-A). It is for kernels that are symmetric functions of two rows, and
// with ε other than 1 for those that have powers ([kernelgen.Kernel.Power]).
//
// Cost: that of the factors, one pass over each source for landmarks, and one pass over each
// source for each round and for the maps. Where the factors have no more than HeldNumbers
// numbers they are held in memory and a row of a round costs 4·r flops, r being the rank;
// else it costs as many kernel entries as there are landmarks, and memory does not depend
// on the number of rows but for their weights.
type LowRank struct {
	Sinkhorn
	Rank int // of the landmark method
	// Factors is another method that approximates K; Rank is then not used.
	Factors lowrank.Method
	// Given are factors that are there already, of K between the rows of the data: of one
	// side or, of a symmetric matrix of both sides stacked, of any rows.
	Given *lowrank.Model
}

// HeldNumbers is how many numbers the factors of both sides may have to be held in memory:
// 32 MB.
const HeldNumbers = 1 << 22

// settings fills in what was left to us.
func (m LowRank) settings() (LowRank, error) {
	var err error
	if m.Sinkhorn, err = m.Sinkhorn.settings(); err != nil {
		return m, err
	}
	if m.From != 0 {
		return m, errors.New("`epsilon-from` is for `engine exact`: the low-rank engine has one kernel")
	}
	if m.Rank < 1 && m.Factors == nil && m.Given == nil {
		return m, fmt.Errorf("`rank` %d must be at least 1", m.Rank)
	}
	return m, nil
}

// method returns what approximates K between the rows of one source or two.
func (m LowRank) method(s model.Shape, k kernelgen.Kernel) lowrank.Method {
	if m.Factors != nil {
		return m.Factors
	}
	landmark := lowrank.Landmark{Rank: m.Rank, Seed: m.Seed}
	if s.OneSource() {
		landmark.Shift = lowrank.ShiftNone
	}
	return landmark
}

// gibbsKernel returns the kernel to approximate.
func (m LowRank) gibbsKernel(k kernelgen.Kernel) (kernelgen.Kernel, error) {
	if err := k.CheckPlain(); err != nil {
		return k, err
	}
	if !k.Symmetric() {
		return k, fmt.Errorf("kernel %s is not a symmetric function of two rows, which engine lowrank asks for: take `engine exact`", k)
	}
	power, err := k.Power(1 / m.Epsilon)
	if err != nil {
		return k, fmt.Errorf("%w; leave out `epsilon`, or take `engine exact`", err)
	}
	return power, nil
}

// Fit finds the plan between the rows of d.
func (m LowRank) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m LowRank) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	if k, err = model.Resolve(ctx, d, k, m.Seed); err != nil {
		return nil, err
	}
	f, err := m.solve(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	return f, f.finish(ctx, e, m.Sinkhorn, d, func(ctx context.Context, d *Data) (*Fit, error) {
		self := m
		self.Given = nil
		return self.solve(ctx, e, d, k)
	})
}

// notPositive is the error of a kernel with too many products that are not positive.
type notPositive struct {
	side  model.Side
	rows  int64
	limit int
	rank  int
}

func (e *notPositive) Error() string {
	return fmt.Sprintf("the kernel of rank %d gives no plan: its sums over %d rows of the %v side, and perhaps more, are not positive or overflow, and up to %d are made exact; %s", e.rank, e.rows, e.side, e.limit, finerKernel)
}

// finerKernel is what to do about a low-rank kernel that gives no plan.
const finerKernel = "raise `rank` or `epsilon`, or take `engine exact`"

// solve solves the problem with one approximation of K.
func (m LowRank) solve(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	power, err := m.gibbsKernel(k)
	if err != nil {
		return nil, err
	}
	var report model.Report
	factors := m.Given
	if factors == nil {
		method := m.method(d.Shape(), power)
		fitted, err := method.Fit(ctx, e, d.Sources, power)
		if err != nil {
			return nil, err
		}
		factors, report = fitted.Model, fitted.Report
		report.Errors = nil
		for _, err := range fitted.Errors {
			err.Of += model.GibbsSpectral - model.MatrixSpectral
			report.Errors = append(report.Errors, err)
		}
	}
	p, err := newPair(ctx, e, m.Sinkhorn, d, factors)
	if err != nil {
		return nil, err
	}
	f, err := p.solve(ctx)
	if err != nil {
		return nil, err
	}
	f.Kernel = k
	f.Notes = append(report.Notes, f.Notes...)
	f.Errors = append(f.Errors, report.Errors...)
	f.SourcePasses += report.SourcePasses
	f.KernelEntries += report.KernelEntries
	return f, nil
}

// Plan returns the cost of a fit with the rank that was asked for.
func (m LowRank) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	if k.Resolved() {
		if k, err = m.gibbsKernel(k); err != nil {
			return nil, err
		}
	}
	var p *model.Plan
	if m.Given == nil {
		if p, err = m.method(s, k).Plan(e, s, k); err != nil {
			return nil, err
		}
	} else {
		p = model.NewPlan(e, s.Longest(), s.Columns)
	}
	cols := s.Cols
	if s.OneSource() {
		cols = s.Rows
	}
	rows := float64(s.Rows) + float64(cols)
	width := 4 * m.Rank
	if m.Given != nil {
		width = m.Given.Factor(model.Left).Width()
	}
	rounds := model.NewPlan(e, s.Longest(), s.Columns)
	if rows*float64(m.Rank) <= HeldNumbers {
		rounds.Add("factors", int64(rows)*int64(m.Rank), "`rank`")
		rounds.AddEntries(2 * rows * float64(width))
	} else {
		rounds.Add("kernel entries of a panel", int64(e.Workers()*stream.PanelRows*width), "`threads`")
		rounds.AddEntries((float64(m.Rounds) + 2.5) * rows * float64(width)) // visits, the last of which is of one side
	}
	rounds.Fold("sums", s.Rows, s.Columns, int64(2*width*(s.Columns+1)), "`rank`")
	if s.Weighted {
		p.Add("weights", int64(rows), "")
	}
	p.Stage(rounds)
	p.Passes += m.Rounds + 3 // the first v, the maps, and the estimate
	p.ByOne("a round needs the sums of the one before")
	return p, nil
}
