package solvers_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// countingKernel returns exp(−r²) as a user's profile, and the number of its entries computed so far.
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

// ofDiagonal reports whether the value that is being computed is one of Kernel.Diag.
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

// countedFit is a fit whose report is compared with counts.
type countedFit struct {
	name   string
	method any
	two    bool // of two sources
}

var threeRounds = transport.Sinkhorn{Iterations: 3}

// allOfSinkhorn returns settings that ask for the divergence and maps of near rows.
func allOfSinkhorn(from float64) transport.Sinkhorn {
	return transport.Sinkhorn{Iterations: 3, InitialEpsilon: from, Divergence: true, Map: transport.NearestDisplacement}
}

// countedFits are fits of every method.
var countedFits = []countedFit{
	{"landmark", lowrank.Landmark{Rank: 4}, false},
	{"landmark, uniform", lowrank.Landmark{Rank: 4, Rule: lowrank.RuleUniform}, false},
	{"landmark, pivoted", lowrank.Landmark{Rank: 4, Rule: lowrank.RulePivoted}, false},
	{"landmark, determinantal", lowrank.Landmark{Rank: 4, Rule: lowrank.RuleDeterminantal}, false},
	{"landmark of two sources", lowrank.Landmark{Rank: 4}, true},
	{"s3spsd", lowrank.S3SPSD{Rank: 4}, false},
	{"ssrsvd", lowrank.SSRSVD{Rank: 4}, false},
	{"ssrsvd of two sources", lowrank.SSRSVD{Rank: 4}, true},
	{"nystrom", lowrank.Nystrom{Rank: 8}, false},
	{"nystrom, truncated", lowrank.Nystrom{Rank: 8, Landmarks: 24}, false},
	{"rpcholesky", lowrank.RPCholesky{Rank: 8}, false},
	{"subspace", lowrank.Subspace{Rank: 4, Passes: 3}, false},
	{"subspace, whole", lowrank.Subspace{Rank: 30}, false},
	{"subspace of two sources", lowrank.Subspace{Rank: 4, Passes: 3}, true},
	{"adaptive", lowrank.Adaptive{ErrorTol: 0.01}, false},
	{"auto", lowrank.Auto{Rank: 4}, false},
	{"auto, tolerance", lowrank.Auto{ErrorTol: 0.01}, false},
	{"auto of two sources", lowrank.Auto{Rank: 4}, true},
	{"ksvd exact", ksvd.Exact{Rank: 3}, true},
	{"ksvd exact of one source", ksvd.Exact{Rank: 3}, false},
	{"ksvd nystrom", ksvd.Nystrom{Rank: 3}, true},
	{"ksvd nystrom, centred", ksvd.Nystrom{Rank: 3, Center: true, Sums: ksvd.SumsExact, Scaling: ksvd.ScaleUnit}, true},
	{"ksvd nystrom of one source", ksvd.Nystrom{Rank: 3, Scaling: ksvd.ScaleOrthonormal}, false},
	{"ksvd nystrom, tolerance", ksvd.Nystrom{Rank: 3, Tolerance: 0.1}, true},
	{"ksvd ssrsvd", ksvd.SSRSVD{Rank: 3}, true},
	{"ksvd ssrsvd of one source", ksvd.SSRSVD{Rank: 3}, false},
	{"ksvd auto", ksvd.Auto{Rank: 3}, true},
	{"ism exact", ism.Solver{Dim: 1, Engine: ism.EngineExact, Iterations: 2}, false},
	{"ism linear", ism.Solver{Dim: 1, Engine: ism.EngineLinear, Iterations: 2, Landmarks: 50}, false},
	{"ism of clusters", ism.Solver{
		Dim: 1, Engine: ism.EngineLinear, Landmarks: 50, Iterations: 1,
		Paradigm: ism.Unsupervised, Clusters: 2, Rounds: 2,
	}, false},
	{"askls dense", askls.Solver{C: 1, Engine: askls.EngineDense}, false},
	{"askls iterative", askls.Solver{C: 1, Engine: askls.EngineIterative}, false},
	{"askls iterative, stacked", askls.Solver{
		C: 1, Engine: askls.EngineIterative, Rank: 10,
		Merge: askls.MergeStack, Folds: 3,
	}, false},
	{"askls lowrank", askls.Solver{C: 1, Engine: askls.EngineLowRank, Rank: 4, Landmarks: 30}, false},
	{"askls lowrank, stacked", askls.Solver{
		C: 1, Engine: askls.EngineLowRank, Rank: 4, Landmarks: 30, Merge: askls.MergeStack, Folds: 3,
	}, false},
	{"rkhs covariance", rkhs.Solver{Operator: rkhs.Covariance{}, Rank: 3}, false},
	{"rkhs cca", rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 3}, true},
	{"rkhs cca, landmark", rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 3, Engine: rkhs.EngineLandmark}, true},
	{"transport exact", transport.Exact{Sinkhorn: threeRounds}, true},
	{"transport exact of one source", transport.Exact{Sinkhorn: threeRounds}, false},
	{"transport exact, nearest", transport.Exact{Sinkhorn: allOfSinkhorn(4)}, true},
	{"transport lowrank", transport.LowRank{Sinkhorn: threeRounds, Rank: 5}, true},
	{"transport lowrank, repaired", transport.LowRank{Sinkhorn: threeRounds, Rank: 1}, true},
	{"transport lowrank of one source", transport.LowRank{Sinkhorn: threeRounds, Rank: 40}, false},
	{"transport lowrank, nearest", transport.LowRank{Sinkhorn: allOfSinkhorn(0), Rank: 40}, true},
	{"transport auto", transport.Auto{Sinkhorn: threeRounds}, true},
}

// severalSteps is a fit with a second pass. No digest of it is recorded.
var severalSteps = countedFit{
	"adaptive, several steps", lowrank.Adaptive{ErrorTol: 0.16, Rule: lowrank.RuleUniform, Seed: 11}, false,
}

// derivativeChecks is how often ism calls a user's profile and derivative to compare them: at 20
// rows, in four places a pair, and once at 0.
const derivativeChecks = 4*20*19 + 1

// TestReportsCount holds the reports of all methods to the entries that a kernel computed and the
// passes that a source counted.
func TestReportsCount(t *testing.T) {
	done := make(map[reflect.Type]bool)
	for _, f := range append(slices.Clone(countedFits), severalSteps) {
		done[reflect.TypeOf(f.method)] = true
		t.Run(f.name, func(t *testing.T) {
			countFit(t, f, true)
			switch f.method.(type) {
			case lowrank.Landmark, lowrank.Adaptive: // other steps where nothing is known of a kernel
				countFit(t, f, false)
			}
		})
	}
	t.Run("rff", func(t *testing.T) { // it refuses a user's profile
		const want = 2 * 130 * 130 // among half of the rows, for the unit, and among the others
		left := countedRows("left", 1)
		r := reportOf(fitOf(t, lowrank.RFF{Rank: 8}, kernelgen.RBF(1), left, nil))
		if passes := left.Passes(); r.KernelEntries != want || r.SourcePasses != passes {
			t.Errorf("%d entries and %d passes are reported: %d and %d were made",
				r.KernelEntries, r.SourcePasses, want, passes)
		}
	})
	done[reflect.TypeFor[lowrank.RFF]()] = true
	done[reflect.TypeFor[lowrank.SSRSVDMatrix]()] = true // it has no kernel
	for _, f := range families {
		for _, m := range f.methods {
			if !done[reflect.TypeOf(m)] {
				t.Errorf("%T is not in the table", m)
			}
		}
	}
}

// countFit compares the report of a fit with what was counted, and returns the entries.
func countFit(t *testing.T, f countedFit, definite bool) int64 {
	left, right := countedRows("left", 1), countedRows("right", 2)
	var second stream.Source
	if f.two {
		second = right
	}
	k, count := countingKernel(definite)
	fit := fitOf(t, f.method, k, left, second)
	if _, is := f.method.(ism.Method); is {
		count.Add(-derivativeChecks)
	}
	compare := func(what string) {
		r := reportOf(fit)
		if got := count.Load(); got != r.KernelEntries {
			t.Errorf("%s: %d entries computed, %d reported", what, got, r.KernelEntries)
		}
		if got := max(left.Passes(), right.Passes()); got != r.SourcePasses {
			t.Errorf("%s: %d passes made, %d reported", what, got, r.SourcePasses)
		}
	}
	compare("fit")
	entries := reportOf(fit).KernelEntries
	if m, is := fit.(*lowrank.Fit); is {
		if err := m.Refine(t.Context(), stream.Engine{}, model.Sources{Left: left, Right: second}); err != nil {
			t.Fatal(err)
		}
		compare("refined")
	}
	return entries
}

// countedRows returns normal rows that are not in memory.
func countedRows(name string, seed uint64) *stream.Counted {
	return stream.NewCounted(unloaded{stream.FromMatrix(name, normalRows(seed, 39))})
}

// normalRows returns 260 rows, no multiple of the sides of tiles, of two normal numbers.
func normalRows(seed, second uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, second))
	x := stream.NewMatrix(260, 2)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}

// fitOf fits a method to rows of one source, or of two.
func fitOf(t testing.TB, m any, k kernelgen.Kernel, left, right stream.Source) any {
	t.Helper()
	data := dataOf(t, m, left)
	if right != nil {
		data = dataBetween(t, m, left, right)
	}
	if s, is := m.(ism.Solver); is && s.Paradigm == ism.Unsupervised {
		data.(*ism.Data).Known = nil
	}
	out := reflect.ValueOf(m).MethodByName("Fit").Call([]reflect.Value{reflect.ValueOf(t.Context()),
		reflect.ValueOf(stream.Engine{Threads: 2, BlockRows: 64}), reflect.ValueOf(data), reflect.ValueOf(k)})
	if err, _ := out[1].Interface().(error); err != nil {
		t.Fatal(err)
	}
	return out[0].Interface()
}

func reportOf(fit any) model.Report {
	return reflect.ValueOf(fit).Elem().FieldByName("Report").Interface().(model.Report)
}

// dataBetween is dataOf for two sources.
func dataBetween(t testing.TB, m any, left, right stream.Source) any {
	t.Helper()
	var data any
	var err error
	switch m.(type) {
	case lowrank.Method:
		return model.Sources{Left: left, Right: right}
	case transport.Method:
		return &transport.Data{Sources: model.Sources{Left: left, Right: right}}
	case ksvd.Method:
		data, err = ksvd.Between(left, right)
	case rkhs.Method:
		data, err = rkhs.Pairs(left, right)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}
