package solvers_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// family is a family of methods. A new family is an entry of families, and every test of this package then applies to
// it.
type family struct {
	name    string
	method  reflect.Type // its Method
	data    reflect.Type
	fit     reflect.Type
	model   any // a nil pointer
	load    any
	between func(m any, x, y stream.Source) (any, error) // data of two sources, or of one if y is nil
	rows    []row
}

// row is an entry of the table of methods: a method, or a variant of one.
type row struct {
	name   string
	method any
	flags  int
	kernel string                 // "" for the kernel of the test
	data   func(t testing.TB) any // nil for data of the sources of the test
	off    float64                // largest ratio of planned and evaluated entries; 0 means 1.01
}

// Flags of a row.
const (
	two         = 1 << iota // a fit between two sources
	variant                 // a variant of a method above; long tests skip it
	fresh                   // without recorded digests
	samples                 // not every row is read, or rows at infinite distance do not matter
	unplanned               // the plan does not count kernel entries
	otherPasses             // the plan predicts another number of passes
)

var threeRounds = transport.Sinkhorn{Iterations: 3}

var families = []family{
	{
		"lowrank", reflect.TypeFor[lowrank.Method](), reflect.TypeFor[model.Sources](), reflect.TypeFor[lowrank.Fit](), (*lowrank.Model)(nil), lowrank.Load,
		func(_ any, x, y stream.Source) (any, error) { return model.Sources{Left: x, Right: y}, nil },
		[]row{
			{name: "landmark", off: 1.25, method: lowrank.Landmark{Rank: 4}},
			{name: "landmark, uniform", off: 1.25, method: lowrank.Landmark{Rank: 4, Rule: lowrank.RuleUniform}, flags: variant},
			{name: "landmark, pivoted", off: 1.25, method: lowrank.Landmark{Rank: 4, Rule: lowrank.RulePivoted}, flags: variant},
			{name: "landmark, determinantal", off: 1.25, method: lowrank.Landmark{Rank: 4, Rule: lowrank.RuleDeterminantal}, flags: variant},
			{name: "landmark, automatic", off: 1.1, method: lowrank.Landmark{Rank: 12, Rule: lowrank.RuleAuto}, flags: variant | fresh},
			{name: "landmark, fitted shift", off: 1.05, method: lowrank.Landmark{Rank: 8, Shift: lowrank.ShiftFitted}, flags: variant | fresh},
			{name: "landmark, no shift", off: 1.1, method: lowrank.Landmark{Rank: 12, Rule: lowrank.RulePivoted, Shift: lowrank.ShiftNone}, flags: variant | fresh},
			{name: "landmark, one per column", off: 1.25, method: lowrank.Landmark{Rank: 16, Landmarks: 16}, flags: fresh},
			{name: "landmark, rank 50", off: 1.3, method: lowrank.Landmark{Rank: 50}, flags: fresh},
			{name: "landmark of two sources", off: 1.5, method: lowrank.Landmark{Rank: 4}, flags: two},
			{name: "s3spsd", off: 1.05, method: lowrank.S3SPSD{Rank: 4}},
			{name: "s3spsd, no shift", off: 1.1, method: lowrank.S3SPSD{Rank: 8, Shift: lowrank.ShiftNone}, flags: variant | fresh},
			{name: "ssrsvd", off: 1.05, method: lowrank.SSRSVD{Rank: 4}},
			{name: "ssrsvd of two sources", off: 1.05, method: lowrank.SSRSVD{Rank: 4}, flags: two},
			{name: "ssrsvd of a kernel that is not symmetric", off: 1.05, method: lowrank.SSRSVD{Rank: 4}, flags: fresh, kernel: "softmax(scale=0.5)"},
			{name: "landmark of a kernel that is not symmetric", off: 1.3, method: lowrank.Landmark{Rank: 4}, flags: fresh | two, kernel: "2*t()"},
			{name: "landmark of one source as a square", off: 1.3, method: lowrank.Landmark{Rank: 4}, flags: fresh | variant, kernel: "sne(gamma=3)"},
			{name: "ssrsvd of a matrix", method: lowrank.SSRSVDMatrix{Rank: 2, Map: exponential()}, flags: fresh | unplanned, kernel: "linear()"},
			{name: "nystrom", method: lowrank.Nystrom{Rank: 8}},
			{name: "nystrom, truncated", method: lowrank.Nystrom{Rank: 8, Landmarks: 24}},
			{name: "nystrom, pivoted", method: lowrank.Nystrom{Rank: 12, Rule: lowrank.RulePivoted}, flags: variant | fresh},
			{name: "pca", off: 1.3, method: lowrank.PCA{Rank: 4, Landmarks: 16}},
			{name: "pca, wide", off: 1.9, method: lowrank.PCA{Rank: 8, Landmarks: 600}, flags: fresh},
			{name: "clusters", off: 1.3, method: lowrank.Sampled{Method: lowrank.Landmark{Rank: 12}, Clusters: 2}, flags: fresh},
			{name: "novelty", off: 1.3, method: lowrank.Sampled{Method: lowrank.PCA{Rank: 4, Landmarks: 16}, Novelty: true},
				flags: fresh | variant},
			{name: "rpcholesky", method: lowrank.RPCholesky{Rank: 8}},
			{name: "rpcholesky, truncated", method: lowrank.RPCholesky{Rank: 8, Landmarks: 16}, flags: fresh},
			{name: "rff", method: lowrank.RFF{Rank: 8}, kernel: "rbf(gamma=0.7)"},
			{name: "rff of laplace", method: lowrank.RFF{Rank: 12}, flags: variant | fresh, kernel: "2*laplace(gamma=0.5)"},
			{name: "subspace", off: 1.03, method: lowrank.Subspace{Rank: 4, Passes: 3}},
			{name: "adaptive", off: 1.2, method: lowrank.Adaptive{ErrorTol: 0.01}, flags: variant},
			{name: "adaptive, several steps", off: 1.45, method: lowrank.Adaptive{ErrorTol: 0.16, Rule: lowrank.RuleUniform, Seed: 11}, flags: otherPasses | fresh},
			{name: "auto", off: 1.03, method: lowrank.Auto{Rank: 4}},
			{name: "auto, tolerance", off: 1.2, method: lowrank.Auto{ErrorTol: 0.01}},
			{name: "auto, frobenius", off: 1.1, method: lowrank.Auto{ErrorTol: 0.1, Norm: lowrank.NormFrobenius}, flags: fresh},
			{name: "auto of two sources", off: 1.5, method: lowrank.Auto{Rank: 4}, flags: two},
		},
	},
	{
		"ksvd", reflect.TypeFor[ksvd.Method](), reflect.TypeFor[*ksvd.Data](), reflect.TypeFor[ksvd.Fit](), (*ksvd.Model)(nil), ksvd.Load,
		func(_ any, x, y stream.Source) (any, error) { return ksvd.Between(x, y) },
		[]row{
			{name: "ksvd exact", method: ksvd.Exact{Rank: 3}, flags: two},
			{name: "ksvd exact of one source", method: ksvd.Exact{Rank: 3}, flags: variant},
			{name: "ksvd exact, centred", method: ksvd.Exact{Rank: 3, Center: true, Iterations: 3}, flags: two | variant | fresh, kernel: "sne(gamma=3)"},
			{name: "ksvd nystrom", method: ksvd.Nystrom{Rank: 3}, flags: samples | two},
			{name: "ksvd nystrom, centred", method: ksvd.Nystrom{Rank: 3, Center: true, Sums: ksvd.SumsExact, Scaling: ksvd.ScaleUnit}, flags: two},
			{name: "ksvd nystrom, sampled", method: ksvd.Nystrom{Rank: 3, Center: true, Sums: ksvd.SumsSampled, Scaling: ksvd.ScaleOrthonormal}, flags: two | fresh, kernel: "sne(gamma=3)"},
			{name: "ksvd nystrom of one source", method: ksvd.Nystrom{Rank: 3, Scaling: ksvd.ScaleOrthonormal},
				flags: samples | variant},
			{name: "ksvd nystrom of a graph", off: 1.05, method: ksvd.Nystrom{Rank: 2, Rows: 6, Cols: 6, Center: true, Sums: ksvd.SumsExact}, flags: fresh, kernel: "sne(gamma=1)",
				data: func(t testing.TB) any { return must(ksvd.Graph("g", ring(t)))(t) }},
			{name: "ksvd exact of a graph", method: ksvd.Exact{Rank: 2, Center: true}, flags: fresh, kernel: "t()",
				data: func(t testing.TB) any { return must(ksvd.Graph("g", ring(t)))(t) }},
			{name: "ksvd nystrom of a table", method: ksvd.Nystrom{Rank: 3, Rows: 50, Cols: 10, Center: true}, flags: variant | fresh, kernel: "t()",
				data: func(t testing.TB) any {
					return must(ksvd.RowsAndColumns(t.Context(), stream.FromMatrix("a", normal(3, 39, 150, 12)), ksvd.CompatPCA, 1))(t)
				}},
			{name: "ksvd ssrsvd", off: 1.05, method: ksvd.SSRSVD{Rank: 3}, flags: two},
			{name: "ksvd ssrsvd of one source", off: 1.05, method: ksvd.SSRSVD{Rank: 3}, flags: variant},
			{name: "ksvd ssrsvd with row sums", off: 1.1, method: ksvd.SSRSVD{Rank: 3}, flags: variant | fresh, kernel: "softmax(scale=0.5)"},
			{name: "ksvd auto", method: ksvd.Auto{Rank: 3}, flags: two},
		},
	},
	{
		"ism", reflect.TypeFor[ism.Method](), reflect.TypeFor[*ism.Data](), reflect.TypeFor[ism.Fit](), (*ism.Model)(nil), ism.Load,
		func(m any, x, _ stream.Source) (any, error) {
			d := &ism.Data{Rows: x}
			if m.(ism.Solver).Paradigm == ism.Unsupervised {
				return d, nil
			}
			var err error
			d.Response, err = ism.Classes(alternating(int(x.Info().Rows)), 2)
			return d, err
		},
		[]row{
			{name: "ism", method: ism.Solver{Dim: 1, Iterations: 5}, flags: fresh},
			{name: "ism exact", method: ism.Solver{Dim: 1, Algorithm: ism.AlgorithmExact, Iterations: 2}, flags: variant},
			{name: "ism linear", off: 4.5, method: ism.Solver{Dim: 1, Algorithm: ism.AlgorithmLinear, Iterations: 2, Landmarks: 50}},
			{name: "ism of clusters", off: 6, method: ism.Solver{
				Dim: 1, Algorithm: ism.AlgorithmLinear, Landmarks: 50, Iterations: 1,
				Paradigm: ism.Unsupervised, Clusters: 2, Rounds: 2,
			}, flags: otherPasses},
			{name: "ism exact of clusters", off: 3.2, method: ism.Solver{
				Dim: 2, Algorithm: ism.AlgorithmExact, Iterations: 2, Paradigm: ism.Unsupervised, Clusters: 2, Rounds: 2,
			}, flags: otherPasses | variant | fresh},
		},
	},
	{
		"askls", reflect.TypeFor[askls.Method](), reflect.TypeFor[*askls.Data](), reflect.TypeFor[askls.Fit](), (*askls.Model)(nil), askls.Load,
		func(_ any, x, _ stream.Source) (any, error) {
			return askls.Samples(x, alternating(int(x.Info().Rows)), 2)
		},
		[]row{
			{name: "askls", method: askls.Solver{C: 1}, flags: fresh},
			{name: "askls dense", method: askls.Solver{C: 1, Algorithm: askls.AlgorithmDense}, flags: variant},
			{name: "askls dense, stacked", method: askls.Solver{C: 1, Algorithm: askls.AlgorithmDense, Merge: askls.MergeStack, Folds: 3}, flags: variant | fresh},
			{name: "askls dense of a graph", method: askls.Solver{C: 1, Algorithm: askls.AlgorithmDense}, flags: variant | fresh, kernel: "linear()", data: nodes},
			{name: "askls iterative of a graph", method: askls.Solver{
				C: 1, Algorithm: askls.AlgorithmIterative, Rank: 8, Merge: askls.MergeStack, Folds: 3,
			}, flags: variant | fresh, kernel: "linear()", data: nodes},
			{name: "askls iterative", method: askls.Solver{C: 1, Algorithm: askls.AlgorithmIterative}, flags: otherPasses},
			{name: "askls iterative, stacked", method: askls.Solver{
				C: 1, Algorithm: askls.AlgorithmIterative, Rank: 10, Merge: askls.MergeStack, Folds: 3,
			}, flags: otherPasses | variant},
			{name: "askls lowrank", method: askls.Solver{C: 1, Algorithm: askls.AlgorithmLowRank, Rank: 4, Landmarks: 30}, flags: samples},
			{name: "askls lowrank, stacked", method: askls.Solver{
				C: 1, Algorithm: askls.AlgorithmLowRank, Rank: 4, Landmarks: 30, Merge: askls.MergeStack, Folds: 3,
			}, flags: samples},
		},
	},
	{
		"ridge", reflect.TypeFor[ridge.Method](), reflect.TypeFor[*ridge.Data](), reflect.TypeFor[ridge.Fit](), (*ridge.Model)(nil), ridge.Load,
		func(m any, x, _ stream.Source) (any, error) {
			n := int(x.Info().Rows)
			label, group := stream.Column{Kind: stream.Int64}, stream.Column{Kind: stream.String}
			weight := stream.Column{Floats: make([]float64, n)}
			for i, l := range alternating(n) {
				label.Ints = append(label.Ints, int64(l))
				group.Strings = append(group.Strings, fmt.Sprint(i/3))
				weight.Floats[i] = float64(i % 4)
			}
			numbers, targets := matrix.New(n, 2), [2]stream.Column{}
			sketch.NewRandom(7, "targets").Normals(numbers)
			if m.(ridge.Solver).Metric != ridge.NoMetric {
				for i, rows := 0, normal(1, 39, max(n, 260), 2); i < n; i++ {
					numbers.Data[2*i] = 100 * math.Sin(2*rows.Data[i*rows.Stride])
				}
			}
			for j := range targets {
				targets[j].Floats = dense.PickColumns(numbers, []int{j}).Data
			}
			fields := []stream.Field{{Name: "target0"}, {Name: "target1"}, {Name: "label"}, {Name: "weight"}, {Name: "group"}}
			rows, err := stream.Beside(x, fields, targets[0], targets[1], label, weight, group)
			d := &ridge.Data{Rows: rows, Targets: []string{"target0", "target1"}}
			if m.(ridge.Solver).Folds == 3 {
				levels := stream.Column{Kind: stream.Int64, Ints: []int64{0, 1}}
				counts := []int64{int64(n+1) / 2, int64(n) / 2}
				d.Targets, d.Classes = nil, &ridge.Classes{Label: "label", Levels: levels, Counts: counts}
			}
			if m.(ridge.Solver).Folds == 4 {
				d.Weights, d.FoldBy = "weight", "group"
			}
			return d, err
		},
		[]row{
			{name: "ridge", method: ridge.Solver{Landmarks: 40, Seed: 2}},
			{name: "ridge of classes", off: 1.5, method: ridge.Solver{Landmarks: 30, Folds: 3}},
			{name: "ridge of three kernels", off: 1.1, method: ridge.Solver{Landmarks: 30, Kernels: []kernelgen.Kernel{
				kernelgen.Laplace(0.5), kernelgen.Matern52(2),
			}}, flags: fresh, kernel: "rbf(gamma=0.5)"},
			{name: "ridge, landmarks found", off: 1.6, method: ridge.Solver{Landmarks: ridge.AutoLandmarks}, flags: otherPasses | variant | fresh},
			{name: "ridge, scored by a pass", off: 1.1, method: ridge.Solver{Landmarks: 30, Folds: 3, ScoreRows: ridge.AllRows,
				Balanced: true}, flags: fresh},
			{name: "ridge, diagonal metric", off: 2.5, method: ridge.Solver{Metric: ridge.DiagonalMetric}, flags: fresh},
			{name: "ridge, full metric", off: 2.5, method: ridge.Solver{Metric: ridge.FullMetric}, flags: fresh},
			{name: "ridge, a tenth held out", off: 1.1, method: ridge.Solver{Landmarks: 30, Folds: 1, Penalties: []float64{0.1, 1},
				Std: true}, flags: variant | fresh},
			{name: "ridge with weights and groups", off: 1.5, method: ridge.Solver{
				Landmarks: 30, Folds: 4, Std: true,
			}, flags: variant | fresh},
		},
	},
	{
		"rkhs", reflect.TypeFor[rkhs.Method](), reflect.TypeFor[*rkhs.Data](), reflect.TypeFor[rkhs.Fit](), (*rkhs.Model)(nil), rkhs.Load,
		func(m any, x, y stream.Source) (any, error) {
			_, lagged := m.(rkhs.Solver).Operator.(rkhs.Koopman)
			switch {
			case y != nil:
				return rkhs.Pairs(x, y)
			case lagged:
				return rkhs.Lagged(x, 2)
			}
			return rkhs.Single(x)
		},
		[]row{
			{name: "rkhs covariance", off: 1.6, method: rkhs.Solver{Operator: rkhs.Covariance{}, Rank: 3}},
			{name: "rkhs cca", off: 1.6, method: rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 3}, flags: two},
			{name: "rkhs cca, centred", off: 1.6, method: rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 3, Center: true}, flags: two | variant | fresh},
			{name: "rkhs cca, landmark", off: 1.1, method: rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 3, Algorithm: rkhs.AlgorithmLandmark}, flags: two | variant},
			{name: "rkhs cross-covariance, landmark", off: 1.1, method: rkhs.Solver{
				Operator: rkhs.CrossCovariance{}, Rank: 3, Algorithm: rkhs.AlgorithmLandmark, Landmarks: 12,
			}, flags: two | fresh},
			{name: "rkhs koopman", off: 3, method: rkhs.Solver{Operator: rkhs.Koopman{Ridge: 1e-3}, Task: rkhs.Eigen, Rank: 3}, flags: two | variant | fresh},
			{name: "rkhs koopman, lagged", off: 1.1, method: rkhs.Solver{
				Operator: rkhs.Koopman{Ridge: 1e-3}, Rank: 3, Algorithm: rkhs.AlgorithmLandmark, Landmarks: 12,
			}, flags: fresh},
			{name: "rkhs koopman, centred", off: 1.1, method: rkhs.Solver{
				Operator: rkhs.Koopman{Ridge: 1e-4}, Task: rkhs.Eigen, Rank: 4, Center: true, Landmarks: 15,
			}, flags: two | variant | fresh},
			{name: "rkhs perron-frobenius", off: 3, method: rkhs.Solver{Operator: rkhs.PerronFrobenius{Ridge: 1e-3}, Rank: 4}, flags: two | variant | fresh},
		},
	},
	{
		"transport", reflect.TypeFor[transport.Method](), reflect.TypeFor[*transport.Data](), reflect.TypeFor[transport.Fit](), (*transport.Model)(nil), transport.Load,
		func(_ any, x, y stream.Source) (any, error) {
			return &transport.Data{Sources: model.Sources{Left: x, Right: y}}, nil
		},
		[]row{
			{name: "transport exact", method: transport.Exact{Sinkhorn: threeRounds}, flags: two},
			{name: "transport exact of one source", method: transport.Exact{Sinkhorn: threeRounds}, flags: variant},
			{name: "transport lowrank", off: 1.02, method: transport.LowRank{Sinkhorn: threeRounds, Rank: 5}, flags: otherPasses | two | variant},
			{name: "transport lowrank, large epsilon", off: 1.35, method: transport.LowRank{
				Sinkhorn: transport.Sinkhorn{Epsilon: 20, Iterations: 2}, Rank: 10,
			}, flags: otherPasses | two | fresh, kernel: "gaussian(sigma=1.5)"},
			{name: "transport lowrank, repaired", off: 2.6, method: transport.LowRank{Sinkhorn: threeRounds, Rank: 1}, flags: otherPasses | two | variant},
			{name: "transport lowrank of one source", off: 1.35, method: transport.LowRank{Sinkhorn: threeRounds, Rank: 40}, flags: otherPasses | variant},
			{name: "transport auto", method: transport.Auto{Sinkhorn: threeRounds}, flags: two | variant},
			{name: "transport auto, to tolerance", off: 42, method: transport.Auto{}, flags: two | fresh},
		},
	},
}

// methods returns the first row of every type of method.
func (f family) methods() (first []row) {
	seen := make(map[reflect.Type]bool)
	for _, r := range f.rows {
		if typ := reflect.TypeOf(r.method); !seen[typ] {
			seen[typ], first = true, append(first, r)
		}
	}
	return first
}

// has reports whether the row has a flag.
func (r row) has(flag int) bool { return r.flags&flag != 0 }

// kernelOr returns the kernel of a row, or k if the row accepts any kernel.
func (r row) kernelOr(t testing.TB, k kernelgen.Kernel) kernelgen.Kernel {
	if r.kernel == "" {
		return k
	}
	return must(kernelgen.Parse(r.kernel))(t)
}

// eachRow runs a subtest for every row of the table.
func eachRow(t *testing.T, test func(*testing.T, family, row)) {
	for _, f := range families {
		for _, r := range f.rows {
			t.Run(r.name, func(t *testing.T) { test(t, f, r) })
		}
	}
}

// dataOf returns the data of a row: of x, and of y if it takes two sources.
func (f family) dataOf(t testing.TB, r row, x, y stream.Source) (model.Data, error) {
	if r.data != nil {
		return r.data(t).(model.Data), nil
	}
	if !r.has(two) {
		y = nil
	}
	d, err := f.between(r.method, x, y)
	if err != nil {
		return nil, err
	}
	return d.(model.Data), nil
}

// fitOf fits a method of any family.
func fitOf(ctx context.Context, e stream.Engine, method any, d model.Data, k kernelgen.Kernel) (any, error) {
	out := reflect.ValueOf(method).MethodByName("Fit").Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(e), reflect.ValueOf(d), reflect.ValueOf(k)})
	if err, _ := out[1].Interface().(error); err != nil {
		return nil, err
	}
	return out[0].Interface(), nil
}

// mustFit fits a row of the table to x, and to y if it takes two sources.
func (f family) mustFit(t testing.TB, e stream.Engine, r row, k kernelgen.Kernel, x, y stream.Source) any {
	t.Helper()
	d := must(f.dataOf(t, r, x, y))(t)
	return must(fitOf(t.Context(), e, r.method, d, r.kernelOr(t, k)))(t)
}

// refine refines the factors of a low-rank model of sources. It does nothing for other fits.
func refine(t testing.TB, e stream.Engine, fit any, d model.Data) {
	t.Helper()
	if m, is := fit.(*lowrank.Fit); is && m.Explicit == nil {
		if err := m.Refine(t.Context(), e, d.(model.Sources)); err != nil {
			t.Fatal(err)
		}
	}
}

// loaded calls the Load of a family.
func (f family) loaded(a *model.Archive) (model.Transformer, error) {
	out := reflect.ValueOf(f.load).Call([]reflect.Value{reflect.ValueOf(a)})
	err, _ := out[1].Interface().(error)
	m, _ := out[0].Interface().(model.Transformer)
	return m, err
}

// modelOf returns the model of a fit of any family.
func modelOf(fit any) model.Transformer {
	return reflect.ValueOf(fit).Elem().FieldByName("Model").Interface().(model.Transformer)
}

// reportOf returns the report of a fit of any family.
func reportOf(fit any) model.Report {
	return reflect.ValueOf(fit).Elem().FieldByName("Report").Interface().(model.Report)
}

// must returns a function that returns v, or ends the test if there is an error.
func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// normal returns an n×d matrix of standard normal numbers.
func normal(seed, second uint64, n, d int) blas64.General {
	r := rand.New(rand.NewPCG(seed, second))
	x := matrix.New(n, d)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}

// normalRows returns 260 rows of two normal numbers. 260 is no multiple of the sides of tiles.
func normalRows(seed, second uint64) blas64.General { return normal(seed, second, 260, 2) }

// alternating returns n labels of two classes.
func alternating(n int) []int {
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i % 2
	}
	return labels
}

// exponential returns the element-wise map exp.
func exponential() kernelgen.ElementMap {
	m, err := kernelgen.ParseElementMap("exp")
	if err != nil {
		panic(err)
	}
	return m
}

// ring returns a directed graph of 20 nodes.
func ring(t testing.TB) *sparse.CSR {
	const n = 20
	return must(sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		for i := range int32(n) {
			if !yield(sparse.Entry{Row: i, Col: (i + 1) % n, Value: 1}) || !yield(sparse.Entry{Row: i, Col: i * i % n, Value: 0.5}) {
				return
			}
		}
	}))(t)
}

// nodes returns the labelled nodes of a ring.
func nodes(t testing.TB) any {
	return must(askls.Graph("g", ring(t), matrix.Numbers(20), alternating(20), 2))(t)
}
