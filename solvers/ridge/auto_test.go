package ridge_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// waves returns rows with a target of many waves, of which few landmarks know little.
func waves(t *testing.T, rows int) *ridge.Data {
	t.Helper()
	x, random := matrix.New(rows, 3), sketch.NewRandom(1, "waves")
	y := stream.Column{Kind: stream.Float64}
	for i := range rows {
		draws, row := random.At(uint64(i)), matrix.Row(x, i)
		for j := range row {
			row[j] = 3 * draws.Float64()
		}
		y.Floats = append(y.Floats, math.Sin(3*row[0])*math.Sin(3*row[1])*math.Sin(3*row[2]))
	}
	src, err := stream.Beside(stream.FromMatrix("x", x), []stream.Field{{Name: "y", Kind: stream.Float64}}, y)
	if err != nil {
		t.Fatal(err)
	}
	return &ridge.Data{Rows: src, Targets: []string{"y"}}
}

// TestAutoLandmarks: landmarks double while a doubling removes 5 % of the squared error, there are rows and memory is
// left. The model is that of a fit with as many landmarks.
func TestAutoLandmarks(t *testing.T) {
	t.Parallel()
	k := kernelgen.RBF(2)
	fit := func(s ridge.Solver, d *ridge.Data) *ridge.Fit {
		t.Helper()
		f, err := s.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	rough, smooth := waves(t, 900), raceData(t, 900)
	plan, err := ridge.Solver{Landmarks: 1000, Folds: 5}.Plan(stream.Engine{}, rough.Size(), k)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data   *ridge.Data
		memory int64
		counts []int
		note   string
	}{
		"error falls": {data: rough, counts: []int{250, 500, 900}},
		"error stays": {data: smooth, counts: []int{250, 440}},
		"few rows":    {data: waves(t, 200), counts: []int{200}},
		"memory": {data: rough, memory: plan.Memory.Total() - 1, counts: []int{250, 500},
			note: "doubling ends at 500 landmarks: twice as many do not fit"},
		"memory to go": {data: rough, memory: plan.Memory.Total(), counts: []int{250, 500, 900}},
	} {
		f := fit(ridge.Solver{Landmarks: ridge.AutoLandmarks, Memory: c.memory}, c.data)
		var counts []int
		entries := int64(0)
		for i, step := range f.ByLandmarks {
			counts = append(counts, step.Landmarks)
			alone := fit(ridge.Solver{Landmarks: 250 << i, Folds: 5}, c.data)
			if i == len(f.ByLandmarks)-1 && !slices.Equal(alone.Coefficients.Data, f.Coefficients.Data) {
				t.Errorf("%s: another model than that of %d landmarks", name, step.Landmarks)
			}
			entries += alone.KernelEntries
		}
		if !slices.Equal(counts, c.counts) || f.SourcePasses != len(counts) || !(f.KernelEntries <= entries) ||
			!strings.Contains(strings.Join(f.Notes, " "), c.note) {
			t.Errorf("%s: %v, %d passes, %d entries of %d, %q",
				name, f.ByLandmarks, f.SourcePasses, f.KernelEntries, entries, f.Notes)
		}
	}
}

// TestAutoKernels: above 2,000 rows, a fit with twice the landmarks has the kernels that may be best, and finds the penalty
// of a fit alone, however far it moves. Fewer rows have all kernels and penalties.
func TestAutoKernels(t *testing.T) {
	t.Parallel()
	good, rough := kernelgen.RBF(2), raceKernel(t, "laplace(gamma=50)")
	fit := func(s ridge.Solver, d *ridge.Data, k kernelgen.Kernel) *ridge.Fit {
		t.Helper()
		f, err := s.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, rows := range []int{900, 2100} {
		d := waves(t, rows)
		alone := ridge.Solver{Landmarks: 500, Folds: 5}
		plan, err := alone.Plan(stream.Engine{}, d.Size(), good)
		if err != nil {
			t.Fatal(err)
		}
		auto := ridge.Solver{Landmarks: ridge.AutoLandmarks, Memory: plan.Memory.Total(), Kernels: []kernelgen.Kernel{good}}
		if rows == 900 {
			auto.Memory *= 2
			alone.Kernels = auto.Kernels
			f, want := fit(auto, d, rough), fit(alone, d, rough)
			if f.Configurations != want.Configurations || f.RMSE[0] != want.RMSE[0] {
				t.Errorf("%d rows: %v among %d, alone %v among %d", rows, f.RMSE, f.Configurations, want.RMSE, want.Configurations)
			}
			continue
		}
		f, want := fit(auto, d, rough), fit(alone, d, good)
		if math.Abs(f.Lambda/want.Lambda-1) > 1e-9 || f.Kernels[0].Raced != 250 || f.Kernels[1].Raced != 0 || f.SourcePasses != 2 {
			t.Errorf("penalty %v, alone %v; %d passes; %+v", f.Lambda, want.Lambda, f.SourcePasses, f.Kernels)
		}
		alone.Penalties = []float64{f.Lambda}
		if !sameBits(fit(alone, d, good).Coefficients, f.Coefficients) {
			t.Error("another model than that of its kernel and penalty alone")
		}
		first := fit(ridge.Solver{Landmarks: 250, Folds: 5, Kernels: []kernelgen.Kernel{good}}, d, rough)
		if held := int64(2 * 250 * rows); f.KernelEntries > want.KernelEntries+first.KernelEntries+held {
			t.Errorf("%d entries, %d alone and %d of the step before", f.KernelEntries, want.KernelEntries, first.KernelEntries)
		}
	}
}
