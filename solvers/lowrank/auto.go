package lowrank

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Auto chooses a method of this package, and says why:
//
//   - a tolerance, or no rank: [Adaptive] landmarks, which find the rank;
//   - all entries are few enough for exact passes: [Subspace], with two factors for
//     two sources and for kernels that may be indefinite, or with Whole where the
//     Krylov space would have half as many columns as A or more;
//   - else [Landmark], or [SSRSVD] for one source and a kernel that may be indefinite.
//
// Landmarks are chosen by [RuleAuto]. The choice depends on the kernel, the shape
// of the data and the memory, never on the speed of the machine.
type Auto struct {
	Rank      int     // c; 0 means that the tolerance decides
	Tolerance float64 // on ‖A−Â‖/‖A‖; 0 means 0.01 if there is no rank
	Norm      Norm    // of the tolerance
	Shift     Shift   // fitted, centred or none; models of two factors have none
	Memory    int64   // bytes that the plan may take, 0 for no limit
	Seed      uint64
}

// autoEntries is up to how many entries all of A is looked at: 20,000 rows of one
// source.
const autoEntries = 4e8

// autoPasses is how many exact passes are made at most.
const autoPasses = 3

// autoTolerance is that of a fit without a rank.
const autoTolerance = 0.01

// autoChoice is a method and why it was chosen.
type autoChoice struct {
	name    string
	method  Method
	reasons []string
}

// because adds a reason.
func (c autoChoice) because(format string, args ...any) *autoChoice {
	c.reasons = append(c.reasons, fmt.Sprintf(format, args...))
	return &c
}

// Plan returns the cost of the method chosen, which it names. Where the tolerance
// decides, it is that of 64 columns of U.
func (m Auto) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	c, err := m.choose(e, s, k)
	if err != nil {
		return nil, err
	}
	p, err := c.method.Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	p.Chosen = c.name
	p.Notes = append(p.Notes, c.reasons...)
	return p, nil
}

// Fit approximates the kernel matrix between the rows of d by the method chosen, which
// it names.
func (m Auto) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Auto) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	k, err := model.Resolve(ctx, d, k, m.Seed) // what is known of a kernel may depend on it
	if err != nil {
		return nil, err
	}
	c, err := m.choose(e, d.Shape(), k)
	if err != nil {
		return nil, err
	}
	f, err := c.method.Fit(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	f.Chosen, f.Reasons = c.name, c.reasons
	return f, nil
}

// choose decides.
func (m Auto) choose(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*autoChoice, error) {
	if err := m.check(s, k); err != nil {
		return nil, err
	}
	if m.Rank == 0 || m.Tolerance != 0 {
		return m.adaptive(s, k)
	}
	exact, sketched := m.candidates(s, k)
	entries := float64(s.Rows) * float64(s.Cols)
	if s.OneSource() {
		entries = float64(s.Rows) * float64(s.Rows)
	}
	if entries > autoEntries {
		return sketched.because("A has %.2g entries, and exact passes are for up to %.0g", entries, float64(autoEntries)), nil
	}
	plan, err := exact.method.Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	if total := plan.Memory.Total(); m.Memory > 0 && total > m.Memory {
		return sketched.because("exact passes would take %d MiB of memory", total>>20), nil
	}
	if whole := m.whole(e, s, k, exact.method, plan); whole != nil {
		return whole, nil
	}
	return exact.because("A has %.2g entries: few enough for up to %d passes over all of them", entries, autoPasses), nil
}

// wholeBytes of memory are taken for granted where there is no limit, for what is exact and
// quicker.
const wholeBytes = 2 << 30

// whole returns the choice of all eigenvectors of A, where the Krylov space of passes would
// have half as many columns as A and there is memory for them, or else nil.
func (m Auto) whole(e stream.Engine, s model.Shape, k kernelgen.Kernel, exact Method, passes *model.Plan) *autoChoice {
	method, is := exact.(Subspace)
	if !is || !method.oneFactor(s, k) {
		return nil
	}
	method.Whole = true
	plan := method.planWhole(e, s)
	most := m.Memory
	if most == 0 {
		most = max(wholeBytes, passes.Memory.Total())
	}
	space := autoPasses * (int64(m.Rank) + subspaceLandmark + subspaceRandom)
	if plan.Memory.Total() > most || 2*space < s.Rows {
		return nil
	}
	return autoChoice{name: "subspace", method: method}.because(
		"all eigenvectors of the %d × %d matrix are exact, and passes for rank %d would take a space of %d columns", s.Rows, s.Rows, m.Rank, space)
}

// oneFactor reports whether the matrix is known to be symmetric and positive semi-definite,
// so that one factor and a shift are best.
func (m Auto) oneFactor(s model.Shape, k kernelgen.Kernel) bool {
	return s.OneSource() && k.PositiveSemiDefinite()
}

func (m Auto) check(s model.Shape, k kernelgen.Kernel) error {
	if !m.oneFactor(s, k) {
		return m.Shift.ofTwoFactors()
	}
	return m.Shift.among("auto", ShiftFitted, ShiftCentred, ShiftNone)
}

// adaptive returns the choice where the tolerance decides.
func (m Auto) adaptive(s model.Shape, k kernelgen.Kernel) (*autoChoice, error) {
	if !s.OneSource() {
		return nil, fmt.Errorf("a tolerance is for the symmetric matrix of one source: name a `rank`")
	}
	if !k.PositiveSemiDefinite() {
		return nil, fmt.Errorf("a tolerance is for positive semi-definite kernels, and %s is not known to be one: name a `rank` instead", k)
	}
	tolerance, reason := m.Tolerance, "a tolerance was given"
	if tolerance == 0 {
		tolerance, reason = autoTolerance, fmt.Sprintf("no rank and no tolerance were given, so the tolerance is %g", autoTolerance)
	}
	method := Adaptive{Tolerance: tolerance, Norm: m.Norm, Rank: m.Rank, Memory: m.Memory, Rule: RuleAuto, Seed: m.Seed, Shift: m.Shift}
	return autoChoice{name: "landmark", method: method}.because("%s: landmarks are added until it is reached", reason), nil
}

// candidates returns the methods for a matrix, with exact passes and without.
func (m Auto) candidates(s model.Shape, k kernelgen.Kernel) (exact, sketched *autoChoice) {
	subspace := Subspace{Rank: m.Rank, Passes: autoPasses, Seed: m.Seed}
	landmark := Landmark{Rank: m.Rank, Seed: m.Seed}
	if m.oneFactor(s, k) {
		landmark.Rule, landmark.Shift, subspace.Shift = RuleAuto, m.Shift, m.Shift
		why := []string{"the kernel is positive semi-definite: a shift helps"}
		return &autoChoice{"subspace", subspace, why}, &autoChoice{"landmark", landmark, why}
	}
	subspace.TwoFactors = true
	if s.OneSource() {
		why := []string{fmt.Sprintf("kernel %s is not known to be positive semi-definite", k)}
		return &autoChoice{"subspace", subspace, why}, &autoChoice{"ssrsvd", SSRSVD{Rank: m.Rank, Seed: m.Seed}, why}
	}
	why := []string{"the matrix is between two sources"}
	return &autoChoice{"subspace", subspace, why}, &autoChoice{"landmark", landmark, why}
}
