package lowrank

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Auto chooses a method of this package, and reports why:
//
//   - a tolerance, or no rank: [Adaptive] landmarks, which find the rank;
//   - two sources, or a kernel that is not symmetric: [Landmark];
//   - one source, few enough entries for exact passes, and memory for them: [Subspace];
//   - else [Landmark], or [SSRSVD] for one source and a kernel that may be indefinite.
//
// The choice depends on the kernel, the shape of the data and the memory, never on the speed
// of the machine.
type Auto struct {
	Rank     int       // c; 0 means that the tolerance determines it
	ErrorTol float64   // tolerance for ‖A−Â‖/‖A‖; 0 means 0.01 if there is no rank
	Norm     Norm      // of the tolerance
	Shift    ShiftRule // fitted, midpoint or none; fitted or none for two sources and indefinite kernels
	Memory   int64     `states:"ignored"` // limit of the plan in bytes, 0 for no limit
	Sums     Sums      // of a normalised kernel
	Seed     uint64
}

// autoEntries is the largest number of entries for which Auto makes exact passes: 20,000 rows of one source.
const autoEntries = 4e8

// autoTolerance is the tolerance of a fit without a rank.
const autoTolerance = 0.01

// Plan returns the cost of the chosen method, which Choice names. If the tolerance determines the rank, it is the cost
// of 64 columns of U.
func (m Auto) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	method, why, err := m.choose(e, s, k)
	if err != nil {
		return nil, err
	}
	p, err := method.Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	p.Choice = why
	return p, nil
}

// Fit approximates the kernel matrix between the rows of d by the chosen method. The Choice of the report names it.
func (m Auto) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Auto) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	k, err := family.Resolve(ctx, e, d, k, m.Seed) // properties of the kernel may depend on its words
	if err != nil {
		return nil, err
	}
	method, why, err := m.choose(e, d.Size(), k)
	if err != nil {
		return nil, err
	}
	f, err := method.Fit(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	f.Choice = why
	return f, nil
}

// choose returns the method, with the reason.
func (m Auto) choose(e stream.Engine, s model.Size, k kernelgen.Kernel) (Method, model.Choice, error) {
	none := model.Choice{}
	var err error
	definite := s.OneSource() && k.PositiveSemiDefinite()
	if definite {
		err = m.Shift.among("auto", ShiftFitted, ShiftMidpoint, ShiftNone)
	} else {
		err = m.Shift.ofTwoFactors()
	}
	if err != nil {
		return nil, none, err
	}
	if m.Rank == 0 || m.ErrorTol != 0 {
		return m.adaptive(s, k)
	}
	landmark := Landmark{Rank: m.Rank, Seed: m.Seed, Shift: m.Shift, Sums: m.Sums}
	if !s.OneSource() {
		return landmark, model.Choice{Name: "landmark", Reason: "exact passes are for one source"}, nil
	}
	if !k.Symmetric() {
		return landmark, model.Choice{Name: "landmark", Reason: fmt.Sprintf("exact passes are for symmetric kernels, and %s is not", k)}, nil
	}
	exact := Subspace{Rank: m.Rank, Seed: m.Seed, Shift: m.Shift}
	entries := float64(s.Rows) * float64(s.Rows)
	why := fmt.Sprintf("A has %.2g entries, and exact passes are for up to %.0g", entries, float64(autoEntries))
	if entries <= autoEntries {
		plan, err := exact.Plan(e, s, k)
		if err != nil {
			return nil, none, err
		}
		total := plan.Memory.Total()
		if m.Memory == 0 || total <= m.Memory {
			return exact, model.Choice{Name: "subspace", Reason: why}, nil
		}
		why = fmt.Sprintf("exact passes would take %d MiB of memory", total>>20)
	}
	if !definite {
		return SSRSVD{Rank: m.Rank, Seed: m.Seed}, model.Choice{Name: "ssrsvd", Reason: fmt.Sprintf("%s, and kernel %s is not known to be positive semi-definite", why, k)}, nil
	}
	return landmark, model.Choice{Name: "landmark", Reason: why}, nil
}

// adaptive returns the choice if the tolerance determines the rank.
func (m Auto) adaptive(s model.Size, k kernelgen.Kernel) (Method, model.Choice, error) {
	if !s.OneSource() || !k.Symmetric() {
		return nil, model.Choice{}, fmt.Errorf("a tolerance is for the symmetric matrix of one source: name a `Rank`")
	}
	tolerance, reason := m.ErrorTol, "a tolerance was given"
	if tolerance == 0 {
		tolerance, reason = autoTolerance, fmt.Sprintf("no rank and no tolerance were given, so the tolerance is %g", autoTolerance)
	}
	method := Adaptive{ErrorTol: tolerance, Norm: m.Norm, Rank: m.Rank, Memory: m.Memory, Seed: m.Seed, Shift: m.Shift}
	return method, model.Choice{Name: "landmark", Reason: reason + ": landmarks are added until it is reached"}, nil
}
