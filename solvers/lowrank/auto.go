package lowrank

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Auto chooses a method of this package, and says why:
//
//   - a tolerance, or no rank: [Adaptive] landmarks, which find the rank;
//   - all entries are few enough for exact passes: [Subspace], or [SubspaceSVD] for
//     two sources and for kernels that may be indefinite;
//   - else [Landmark], or [SSRSVD] for one source and a kernel that may be indefinite.
//
// Landmarks are chosen by [ChoiceAuto]. The choice depends on the kernel, the shape
// of the data and the memory, never on the speed of the machine.
type Auto struct {
	Rank      int     // c; 0 means that the tolerance decides
	Tolerance float64 // on ‖A−Â‖₂/‖A‖₂; 0 means 0.01 if there is no rank
	Memory    int64   // bytes that the plan may take, 0 for no limit
	Seed      uint64

	Precision Precision // of the tiles of a pass, where the method has a choice
}

// AutoFit is a fit, and how its method was chosen.
type AutoFit struct {
	*Fit
	Chosen  string // the method
	Reasons []string
	// Adaptive and Subspace are what these methods tell besides; nil if they did
	// not serve.
	Adaptive *AdaptiveFit
	Subspace *SubspaceFit
}

// autoEntries is up to how many entries all of A is looked at: 20,000 rows of one
// source.
const autoEntries = 4e8

// autoPasses is how many exact passes are made at most.
const autoPasses = 3

// autoTolerance is that of a fit without a rank.
const autoTolerance = 0.01

// autoMethod is what was chosen.
type autoMethod struct {
	name    string
	reasons []string
	plan    func() (*Plan, error)
	fit     func(ctx context.Context, left, right stream.Source) (*AutoFit, error)
}

// Plan works out the cost of the method chosen for rows×cols (cols is 0 for one
// source) with d columns. Where the tolerance decides, it is that of 64 columns of
// U.
func (m Auto) Plan(e stream.Engine, k kernelgen.Kernel, rows, cols int64, d int) (*Plan, error) {
	a, err := m.choose(e, k, rows, cols, d)
	if err != nil {
		return nil, err
	}
	return a.plan()
}

// Fit approximates the kernel matrix of the rows of left, or between those of left
// and right if right is not nil.
func (m Auto) Fit(ctx context.Context, e stream.Engine, left, right stream.Source, k kernelgen.Kernel) (*AutoFit, error) {
	rows, err := knownRows(left)
	if err != nil {
		return nil, err
	}
	cols := int64(0)
	if right != nil {
		if cols, err = knownRows(right); err != nil {
			return nil, err
		}
	}
	a, err := m.choose(e, k, rows, cols, len(left.Info().Columns))
	if err != nil {
		return nil, err
	}
	f, err := a.fit(ctx, left, right)
	if err != nil {
		return nil, err
	}
	f.Chosen, f.Reasons = a.name, a.reasons
	return f, nil
}

// choose decides.
func (m Auto) choose(e stream.Engine, k kernelgen.Kernel, rows, cols int64, d int) (*autoMethod, error) {
	definite := cols == 0 && k.PositiveSemiDefinite()
	if m.Rank == 0 || m.Tolerance != 0 {
		return m.adaptive(e, k, rows, cols, d, definite)
	}
	exact, sketched := m.definite(e, k, rows, d)
	if !definite {
		exact, sketched = m.general(e, k, rows, cols, d)
	}
	entries := float64(rows) * float64(max(cols, 1))
	if cols == 0 {
		entries = float64(rows) * float64(rows)
	}
	if entries > autoEntries {
		return sketched.because("A has %.2g entries, and exact passes are for up to %.0g", entries, float64(autoEntries)), nil
	}
	plan, err := exact.plan()
	if err != nil {
		return nil, err
	}
	if total := plan.Memory.Total(); m.Memory > 0 && total > m.Memory {
		return sketched.because("exact passes would take %d MiB of memory", total>>20), nil
	}
	return exact.because("A has %.2g entries: few enough for up to %d passes over all of them", entries, autoPasses), nil
}

// because adds a reason.
func (a *autoMethod) because(format string, args ...any) *autoMethod {
	a.reasons = append(a.reasons, fmt.Sprintf(format, args...))
	return a
}

// adaptive is the choice where the tolerance decides.
func (m Auto) adaptive(e stream.Engine, k kernelgen.Kernel, rows, cols int64, d int, definite bool) (*autoMethod, error) {
	if cols > 0 {
		return nil, fmt.Errorf("a tolerance is for the symmetric matrix of one source: name a rank")
	}
	if !definite {
		return nil, fmt.Errorf("a tolerance is for positive semi-definite kernels, and %s is not known to be one: name a rank", k)
	}
	tolerance, reason := m.Tolerance, "a tolerance was given"
	if tolerance == 0 {
		tolerance, reason = autoTolerance, fmt.Sprintf("no rank and no tolerance were given, so the tolerance is %g", autoTolerance)
	}
	method := Adaptive{Landmark: Landmark{Rank: m.Rank, Choice: ChoiceAuto, Seed: m.Seed, Precision: m.Precision}, Tolerance: tolerance, Memory: m.Memory}
	a := &autoMethod{name: "landmark",
		plan: func() (*Plan, error) { return method.Plan(e, rows, d) },
		fit: func(ctx context.Context, left, _ stream.Source) (*AutoFit, error) {
			f, err := method.Fit(ctx, e, left, k)
			if err != nil {
				return nil, err
			}
			return &AutoFit{Fit: f.Fit, Adaptive: f}, nil
		}}
	return a.because("%s: landmarks are added until it is reached", reason), nil
}

// definite are the methods for a positive semi-definite matrix.
func (m Auto) definite(e stream.Engine, k kernelgen.Kernel, rows int64, d int) (exact, sketched *autoMethod) {
	subspace := Subspace{Rank: m.Rank, Passes: autoPasses, Seed: m.Seed}
	landmark := Landmark{Rank: m.Rank, Choice: ChoiceAuto, Seed: m.Seed, Precision: m.Precision}
	const why = "the kernel is positive semi-definite: a shift helps"
	exact = &autoMethod{name: "subspace", reasons: []string{why},
		plan: func() (*Plan, error) { return subspace.Plan(e, rows, d) },
		fit: func(ctx context.Context, left, _ stream.Source) (*AutoFit, error) {
			f, err := subspace.Fit(ctx, e, left, k)
			if err != nil {
				return nil, err
			}
			return &AutoFit{Fit: f.Fit, Subspace: f}, nil
		}}
	sketched = &autoMethod{name: "landmark", reasons: []string{why},
		plan: func() (*Plan, error) { return landmark.Plan(e, rows, d) },
		fit: func(ctx context.Context, left, _ stream.Source) (*AutoFit, error) {
			return sketchedFit(landmark.Fit(ctx, e, left, k))
		}}
	return exact, sketched
}

// general are the methods for any matrix.
func (m Auto) general(e stream.Engine, k kernelgen.Kernel, rows, cols int64, d int) (exact, sketched *autoMethod) {
	why := "the matrix is between two sources"
	if cols == 0 {
		why = fmt.Sprintf("kernel %s is not known to be positive semi-definite", k)
	}
	subspace := SubspaceSVD{Rank: m.Rank, Passes: autoPasses, Seed: m.Seed}
	exact = &autoMethod{name: "subspace", reasons: []string{why},
		plan: func() (*Plan, error) { return subspace.Plan(e, rows, cols, d) },
		fit: func(ctx context.Context, left, right stream.Source) (*AutoFit, error) {
			f, err := subspace.Fit(ctx, e, left, right, k)
			if err != nil {
				return nil, err
			}
			return &AutoFit{Fit: f.Fit}, nil
		}}
	if cols == 0 {
		svd := SSRSVD{Rank: m.Rank, Seed: m.Seed, Precision: m.Precision}
		return exact, &autoMethod{name: "ssrsvd", reasons: []string{why},
			plan: func() (*Plan, error) { return svd.Plan(e, rows, 0, d) },
			fit: func(ctx context.Context, left, _ stream.Source) (*AutoFit, error) {
				return sketchedFit(svd.Fit(ctx, e, left, nil, k))
			}}
	}
	landmark := Landmark{Rank: m.Rank, Seed: m.Seed, Precision: m.Precision}
	return exact, &autoMethod{name: "landmark", reasons: []string{why},
		plan: func() (*Plan, error) { return landmark.PlanRect(e, rows, cols, d) },
		fit: func(ctx context.Context, left, right stream.Source) (*AutoFit, error) {
			return sketchedFit(landmark.FitRect(ctx, e, left, right, k))
		}}
}

func sketchedFit(f *Fit, err error) (*AutoFit, error) {
	if err != nil {
		return nil, err
	}
	return &AutoFit{Fit: f}, nil
}
