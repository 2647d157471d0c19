package solvers_test

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// countingKernel returns exp(−r²) as a custom profile, and a counter of the entries evaluated.
func countingKernel(definite bool) (kernelgen.Kernel, *atomic.Int64) {
	count := new(atomic.Int64)
	return kernelgen.New(kernelgen.Profile{Name: "counting", Base: kernelgen.SquaredDistance,
		F: func(square float64) float64 {
			if square != 0 || !ofDiagonal() {
				count.Add(1)
			}
			return math.Exp(-square)
		},
		Derivative: func(square float64) float64 {
			if square != 0 || !ofDiagonal() {
				count.Add(1)
			}
			return -math.Exp(-square)
		},
		PositiveSemiDefinite: definite,
	}), count
}

// ofDiagonal reports whether Kernel.Diag is the caller.
func ofDiagonal() bool {
	callers := make([]uintptr, 8)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		name := frame.Function
		if strings.HasSuffix(name, "kernelgen.Kernel.Diag") || strings.HasSuffix(name, "tiles.(*Tiles).Diagonal") {
			return true
		}
		if !more {
			return false
		}
	}
}

// derivativeChecks is the number of calls by which ism compares a custom profile with its derivative: pairs of 20 rows,
// four points each, and once at 0.
const derivativeChecks = 4*20*19 + 1

// TestReportsCount: reports count the kernel entries evaluated and the passes over the source, and plans agree with the
// reports.
func TestReportsCount(t *testing.T) {
	eachRow(t, func(t *testing.T, f family, r row) {
		countFit(t, f, r, true)
		switch r.method.(type) {
		case lowrank.Landmark, lowrank.Adaptive: // other steps for a kernel of unknown definiteness
			countFit(t, f, r, false)
		case lowrank.RFF: // refuses custom profiles
			const want = 2 * 130 * 130 // among half of the rows, for the unit, and among the others
			x := stream.FromMatrix("x", normalRows(1, 39))
			if got := reportOf(f.mustFit(t, stream.Engine{}, r, kernelgen.Kernel{}, x, nil)).KernelEntries; got != want {
				t.Errorf("%d entries are reported, %d were made", got, want)
			}
		}
	})
}

// countFit compares the report of a fit with the counters, and with its plan.
func countFit(t *testing.T, f family, r row, definite bool) {
	left, right := countedRows("left", 1), countedRows("right", 2)
	e := stream.Engine{Threads: 2, BlockRows: 64}
	k, count := countingKernel(definite)
	k = r.kernelOr(t, k)
	d := must(f.dataOf(t, r, left, right))(t)
	plan, err := planOf(e, r.method, d.Size(), k)
	if err != nil {
		t.Fatal(err)
	}
	fit := must(fitOf(t.Context(), e, r.method, d, k))(t)
	if _, is := r.method.(ism.Method); is {
		count.Add(-derivativeChecks)
	}
	compare := func(what string) {
		report := reportOf(fit)
		if got := count.Load(); got != report.KernelEntries && r.kernel == "" {
			t.Errorf("%s: %d entries computed, %d reported", what, got, report.KernelEntries)
		}
		if got := max(left.Passes(), right.Passes()); got != report.SourcePasses && r.data == nil {
			t.Errorf("%s: %d passes made, %d reported", what, got, report.SourcePasses)
		}
	}
	compare("fit")
	report := reportOf(fit)
	doubtful := report.NotConverged || slices.ContainsFunc(report.Estimates, func(e model.Estimate) bool { return e.Value > 1 })
	if doubtful && len(report.Warnings) == 0 {
		t.Errorf("converged %v, errors %v, and no warnings", !report.NotConverged, report.Estimates)
	}
	off := math.Abs(math.Log(float64(plan.KernelEntries) / float64(report.KernelEntries)))
	if off > math.Log(cmp.Or(r.off, 1.01)) && !r.has(unplanned) {
		t.Errorf("%d entries planned, %d made", plan.KernelEntries, report.KernelEntries)
	}
	if plan.SourcePasses != report.SourcePasses && !r.has(otherPasses) {
		t.Errorf("%d passes planned, %d made", plan.SourcePasses, report.SourcePasses)
	}
	if plan.Memory.Total() <= model.RuntimeBytes {
		t.Errorf("%d bytes are planned", plan.Memory.Total())
	}
	refine(t, stream.Engine{}, fit, d)
	compare("refined")
	m := modelOf(fit)
	if _, err := m.Outputs(model.Left, model.Coordinates); err != nil || r.data != nil {
		return
	}
	before := left.Passes()
	_ = must(transformed(t.Context(), m, model.Left, left))(t)
	if made := left.Passes() - before; made != 1 {
		t.Errorf("%d passes to transform rows", made)
	}
}

// planOf returns the plan of a method of any family.
func planOf(e stream.Engine, method any, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	return method.(interface {
		Plan(stream.Engine, model.Size, kernelgen.Kernel) (*model.Plan, error)
	}).Plan(e, s, k)
}

// countedRows returns a source of normal rows that count as rows of a file.
func countedRows(name string, seed uint64) *passcount.Source {
	return passcount.New(unloaded{stream.FromMatrix(name, normalRows(seed, 39))})
}
