package ksvd

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Method is any method that decomposes G: [Exact], [Nystrom], [SSRSVD], or [Auto], which chooses between the first two.
// It resolves the words of the kernel: see [Data.Sample].
type Method = model.Method[*Data, Fit]

// Auto is [Exact] for matrices of at most [ExactEntries] entries, and [Nystrom] for
// larger ones.
type Auto struct {
	Rank   int
	Center bool
	Seed   uint64
	// Nystrom has the other settings of that method. Asked names one of its settings, in backquotes, if the caller set
	// one explicitly; Auto then chooses Nystrom. "" means none.
	Nystrom Nystrom
	Asked   string
}

// ExactEntries is the largest number of entries of G for which Auto is exact: a few seconds for each iteration.
const ExactEntries = 4e8

// Choose returns the method for data of size s, with the reason.
func (m Auto) Choose(s model.Size) (Method, model.Choice) {
	n := m.Nystrom
	n.Rank, n.Center, n.Seed = m.Rank, m.Center, m.Seed
	s = twoSided(s)
	entries := float64(s.Rows) * float64(s.Cols)
	switch {
	case m.Asked != "":
		return n, model.Choice{Name: "nystrom", Reason: m.Asked + " is for it"}
	case entries > ExactEntries:
		return n, model.Choice{Name: "nystrom", Reason: fmt.Sprintf("G has %.2g entries, more than %.0e", entries, float64(ExactEntries))}
	}
	return Exact{Rank: m.Rank, Center: m.Center, Seed: m.Seed},
		model.Choice{Name: "exact", Reason: fmt.Sprintf("G has %.2g entries, at most %.0e", entries, float64(ExactEntries))}
}

// Plan returns the cost of a fit by the chosen method.
func (m Auto) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	method, why := m.Choose(s)
	p, err := method.Plan(e, s, k)
	if err == nil {
		p.Choice = why
	}
	return p, err
}

// Fit decomposes the kernel matrix of data by the chosen method.
func (m Auto) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Auto) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	method, why := m.Choose(d.size())
	fit, err := method.Fit(ctx, e, d, k)
	if err == nil {
		fit.Choice = why
	}
	return fit, err
}
