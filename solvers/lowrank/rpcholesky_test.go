package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// rpcFit fits the rows of x.
func rpcFit(t *testing.T, m RPCholesky, x blas64.General, k kernelgen.Kernel) *Fit {
	t.Helper()
	f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// parseKernel parses a kernel.
func parseKernel(t *testing.T, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestRPCholeskyAgainstDense: the model equals the dense formula, the trace residual dense algebra, and A − Â is
// positive semi-definite: with and without truncation, and at the ends of the range of float64.
func TestRPCholeskyAgainstDense(t *testing.T) {
	t.Parallel()
	x := clusters(200, 4, 3)
	for _, text := range []string{"rbf(gamma=2)", "1e200*rbf(gamma=4)", "1e-200*matern32(length=1)", "1e-300*laplace(gamma=1)"} {
		k := parseKernel(t, text)
		a := kernelMatrix(k, x, x)
		norm := a.Data[0] * float64(x.Rows)
		for _, perColumn := range []int{0, 1, 3} {
			f := rpcFit(t, RPCholesky{Rank: 12, Landmarks: 12 * perColumn, Seed: 5}, x, k)
			landmarks := 12 * max(1, perColumn)
			if f.Method != "rpcholesky" || f.Shift != 0 || len(f.Values) != 12 || f.Left.Landmarks.Rows != landmarks || len(f.Notes) != 1 {
				t.Errorf("%s, %d landmarks: %s with %d values, %d landmarks, shift %g and notes %q", text, landmarks, f.Method, len(f.Values), f.Left.Landmarks.Rows, f.Shift, f.Notes)
			}
			if !slices.Equal(basis.Union(f.Pivots), f.Left.Rows) {
				t.Errorf("%s, %d landmarks: pivots %v, landmarks %v", text, landmarks, f.Pivots, f.Left.Rows)
			}
			got := full(t, f, x)
			want := truncated(t, denseNystrom(t, k, x, f.Left.Landmarks), 12)
			if e := dense.Frobenius(scaled(difference(got, want), 1/norm)); !(e <= 1e-11) {
				t.Errorf("%s, %d landmarks: %g away from the dense formula", text, landmarks, e)
			}
			rest := difference(a, got)
			if want := dense.Trace(rest) / dense.Trace(a); !(math.Abs(f.TraceResidual-want) <= 1e-12) {
				t.Errorf("%s, %d landmarks: trace residual %.15g, dense %.15g", text, landmarks, f.TraceResidual, want)
			}
			if v := lowestEigenvalue(t, scaled(rest, 1/norm)); v < -1e-14 {
				t.Errorf("%s, %d landmarks: A − Â has the eigenvalue %g of its norm", text, landmarks, v)
			}
		}
	}
}

// truncated returns the best approximation of rank c of a positive semi-definite matrix.
func truncated(t *testing.T, a blas64.General, c int) blas64.General {
	t.Helper()
	size := krylov.Largest(a.Data)
	eig := denseEigen(t, scaled(a, 1/size))
	return scaled(congruence(matrix.Columns(eig.Vectors, 0, c), eig.Values[:c]), size)
}

// TestTruncatedNystrom: with several landmarks per column of U, Nyström and fast SPSD equal the truncated dense
// approximation on all landmarks.
func TestTruncatedNystrom(t *testing.T) {
	t.Parallel()
	const c, landmarks = 10, 30
	x := clusters(300, 4, 3)
	src, k := stream.FromMatrix("x", x), kernelgen.RBF(2)
	a := kernelMatrix(k, x, x)
	for name, choice := range choices {
		f, err := Nystrom{Rank: c, Landmarks: landmarks, Rule: choice, Seed: 5}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Values) != c || f.Left.Landmarks.Rows != landmarks || len(f.Notes) != 0 {
			t.Errorf("%s: %d values, %d landmarks, notes %q", name, len(f.Values), f.Left.Landmarks.Rows, f.Notes)
		}
		want := truncated(t, denseNystrom(t, k, x, f.Left.Landmarks), c)
		if e := dense.Frobenius(difference(full(t, f, x), want)) / dense.Frobenius(a); !(e <= 1e-10) {
			t.Errorf("%s: %g away from the dense truncation", name, e)
		}
	}
	ctx, e := context.Background(), stream.Engine{}
	fit, err := Landmark{Rank: c, Landmarks: landmarks, Core: 78, Seed: 5, Shift: ShiftNone}.stream(ctx, e, src, k)
	if err == nil {
		err = fit.fitCore(ctx, e)
	}
	if err != nil {
		t.Fatal(err)
	}
	few, whole := &Fit{Model: fit.model(c)}, &Fit{Model: fit.model(landmarks)}
	if len(few.Values) != c || few.Left.Landmarks.Rows != landmarks || len(whole.Values) != landmarks {
		t.Errorf("landmark: %d and %d values, %d landmarks", len(few.Values), len(whole.Values), few.Left.Landmarks.Rows)
	}
	if e := dense.Frobenius(difference(full(t, few, x), truncated(t, full(t, whole, x), c))) / dense.Frobenius(a); !(e <= 1e-10) {
		t.Errorf("landmark: %g away from the dense truncation", e)
	}
}

// TestFewestLandmarks: the default number of landmarks is the rank, and fewer are refused.
func TestFewestLandmarks(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	src, k := stream.FromMatrix("x", x), kernelgen.RBF(2)
	ctx, e := context.Background(), stream.Engine{}
	for name, fit := range map[string]func(landmarks int) (*Fit, error){
		"nystrom": func(landmarks int) (*Fit, error) {
			return Nystrom{Rank: 9, Landmarks: landmarks, Seed: 2}.Fit(ctx, e, model.Sources{Left: src}, k)
		},
		"rpcholesky": func(landmarks int) (*Fit, error) {
			f, err := RPCholesky{Rank: 9, Landmarks: landmarks, Seed: 2}.Fit(ctx, e, model.Sources{Left: src}, k)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	} {
		none, err := fit(0)
		if err != nil {
			t.Fatal(err)
		}
		one, err := fit(9)
		if err != nil {
			t.Fatal(err)
		}
		if saved(none.Model) != saved(one.Model) {
			t.Errorf("%s: 0 and 9 landmarks differ", name)
		}
		if _, err := fit(8); err == nil {
			t.Errorf("%s: 8 landmarks for rank 9 are taken", name)
		}
	}
	for _, m := range []RPCholesky{{}, {Rank: -1}, {Rank: 5, Landmarks: -2}, {Rank: 5, Landmarks: 4}} {
		if _, err := m.Fit(ctx, e, model.Sources{Left: src}, k); err == nil {
			t.Errorf("%+v is taken", m)
		}
		if _, err := m.Plan(e, model.Size{Rows: 100, Columns: 3}, k); err == nil {
			t.Errorf("a plan of %+v is made", m)
		}
	}
}

// TestRPCholeskyTraceError: with four pivots per column of U the mean trace residual is at most twice the optimum of
// rank c. It is below that of uniform landmarks where they miss rows.
func TestRPCholeskyTraceError(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const seeds = 6
	for name, c := range map[string]int{"clusters": 15, "unbalanced": 6} {
		x, k := clusters(400, 4, 3), kernelgen.RBF(2)
		if name == "unbalanced" {
			x = unbalanced(400, 3) // eight rows are far from the others
		}
		a := kernelMatrix(k, x, x)
		best := dense.Sum(denseEigen(t, a).Values[c:]) / dense.Trace(a)
		pivoted, uniform := 0.0, 0.0
		for seed := range uint64(seeds) {
			pivoted += rpcFit(t, RPCholesky{Rank: c, Landmarks: 4 * c, Seed: seed}, x, k).TraceResidual / seeds
			f, err := Nystrom{Rank: c, Landmarks: 4 * c, Seed: seed}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
			if err != nil {
				t.Fatal(err)
			}
			uniform += (dense.Trace(a) - dense.Sum(f.Values)) / dense.Trace(a) / seeds
		}
		t.Logf("%s: tr(A−Â)/tr(A) is %.4g, with uniform landmarks %.4g; the best is %.4g", name, pivoted, uniform, best)
		if pivoted > 2*best || pivoted < best-1e-12 {
			t.Errorf("%s: tr(A−Â)/tr(A) is %g, the best is %g", name, pivoted, best)
		}
		if name == "unbalanced" && pivoted > 0.6*uniform {
			t.Errorf("%s: tr(A−Â)/tr(A) is %g, with uniform landmarks %g", name, pivoted, uniform)
		}
	}
}

// TestRPCholeskyStops: there are at most as many pivots as the rank, with a note, and then Â is A.
func TestRPCholeskyStops(t *testing.T) {
	t.Parallel()
	base := clusters(500, 3, 5)
	five := filled(500, 3, func(i, j int) float64 { return base.Data[(i%5)*3+j] })
	constant := filled(500, 3, func(_, j int) float64 { return float64(j) + 0.1 })
	rbf, linear := kernelgen.RBF(2), kernelgen.Linear()
	for _, c := range []struct {
		name         string
		x            blas64.General
		k            kernelgen.Kernel
		pivots, rank int
		note         string
	}{
		{"five different rows", five, rbf, 5, 5, "5 pivots found, 40 asked for"},
		{"all rows equal", constant, rbf, 1, 1, "1 pivots found"},
		{"rank 3", base, linear, 3, 3, "3 pivots found"},
		{"rank 3, tiny", scaled(base, 1e-140), linear, 3, 3, "3 pivots found"},
		{"rank 3, huge", scaled(base, 1e150), linear, 3, 3, "3 pivots found"},
		{"all rows zero", matrix.New(500, 3), linear, 1, 0, "0 pivots found"},
		{"no positive diagonal", base, kernelgen.Sigmoid(1e-9, -1), 1, 0, "0 pivots found"},
		{"one row", filled(1, 3, func(int, int) float64 { return 2 }), rbf, 1, 1, "there are 1 rows"},
		{"fewer rows than pivots", clusters(12, 3, 4), rbf, 12, 12, "there are 12 rows"},
	} {
		f := rpcFit(t, RPCholesky{Rank: 20, Landmarks: 40, Seed: 1}, c.x, c.k)
		if len(f.Pivots) != c.pivots || f.Left.Landmarks.Rows != c.pivots || len(f.Values) != c.rank || !strings.Contains(strings.Join(f.Notes, "\n"), c.note) {
			t.Errorf("%s: %d pivots, %d values, notes %q", c.name, len(f.Pivots), len(f.Values), f.Notes)
		}
		if c.rank == 0 {
			if !math.IsNaN(f.TraceResidual) {
				t.Errorf("%s: trace residual %g", c.name, f.TraceResidual)
			}
			continue
		}
		if !(f.TraceResidual >= 0 && f.TraceResidual <= 1e-12) {
			t.Errorf("%s: trace residual %g", c.name, f.TraceResidual)
		}
		a := kernelMatrix(c.k, c.x, c.x)
		size := krylov.Largest(a.Data)
		if e := dense.Frobenius(scaled(difference(full(t, f, c.x), a), 1/size)) / float64(c.x.Rows); !(e <= 1e-11) {
			t.Errorf("%s: error %g", c.name, e)
		}
	}
}

// TestRPCholeskySameBits: the model has the same bits for any number of threads, block size and read size.
func TestRPCholeskySameBits(t *testing.T) {
	t.Parallel()
	x := clusters(5000, 5, 11)
	run := func(e stream.Engine, sizes ...int) string {
		ctx, src := context.Background(), stream.Source(choppy{stream.FromMatrix("x", x), sizes})
		f, err := RPCholesky{Rank: 40, Landmarks: 80, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(9))
		if err != nil {
			t.Fatal(err)
		}
		return saved(f.Model) + fmt.Sprint(f.Pivots, f.TraceResidual, f.EstimateIn(NormFrobenius), f.KernelEntries)
	}
	want := run(stream.Engine{Threads: 1}, 1<<20)
	for _, e := range []stream.Engine{{Threads: 2}, {Threads: 3}, {Threads: 2, BlockRows: 64}, {Threads: 3, BlockRows: 4096}} {
		if run(e, 1, 7, 300, 513) != want {
			t.Errorf("%+v: the models differ", e)
		}
	}
	f := rpcFit(t, RPCholesky{Rank: 40, Landmarks: 80, Seed: 2}, x, kernelgen.RBF(9))
	if strings.Contains(want, fmt.Sprint(f.Pivots)) {
		t.Error("another seed gives the same pivots")
	}
}

// TestRPCholeskyPasses: the fit takes one pass, and refinement another. A loaded model equals the saved one, and Verify
// agrees with the estimate.
func TestRPCholeskyPasses(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x := clusters(900, 3, 3)
	src := passcount.New(stream.FromMatrix("x", x))
	var events []stream.Event
	e.Progress = func(p stream.Event) { events = append(events, p) }
	f, err := RPCholesky{Rank: 8, Landmarks: 16, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if src.Passes() != 1 {
		t.Errorf("%d passes", src.Passes())
	}
	if n := len(events); n == 0 || events[n-1] != (stream.Event{Pass: "pivots", Done: 16, Total: 16}) {
		t.Errorf("progress %v", events)
	}
	v, err := f.Verify(ctx, e, model.Sources{Left: src}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r := f.EstimateIn(NormFrobenius) / v.FrobeniusError; r < 0.5 || r > 2 {
		t.Errorf("error estimate %g, measured %g", f.EstimateIn(NormFrobenius), v.FrobeniusError)
	}
	if err := f.Refine(ctx, e, model.Sources{Left: src}); err != nil {
		t.Fatal(err)
	}
	if err := orthogonalityError(factors(t, f.Model, f.Left, x)); !(err <= 1e-12) {
		t.Errorf("max|UᵀU−I| = %g", err)
	}
	m, _ := reload(t, f.Model)
	if diff := cmp.Diff(factors(t, f.Model, f.Left, x), factors(t, m, m.Left, x)); diff != "" {
		t.Error("the embedding changed on its way")
	}
}

// TestRPCholeskyPlan: a plan has one pass and the memory of the factor.
func TestRPCholeskyPlan(t *testing.T) {
	t.Parallel()
	for _, m := range []RPCholesky{{Rank: 10, Seed: 1}, {Rank: 30, Landmarks: 120, Seed: 1}} {
		p, err := m.Plan(stream.Engine{}, model.Size{Rows: 6000, Columns: 3}, kernelgen.RBF(20))
		if err != nil {
			t.Fatal(err)
		}
		if p.SourcePasses != 1 || p.Memory.Total() < model.RuntimeBytes+8*6000*int64(m.landmarks(6000)) {
			t.Errorf("%+v: plan %+v", m, p)
		}
	}
}

// TestRPCholeskyNasty runs this method, and those that truncate, on degenerate and extreme rows.
func TestRPCholeskyNasty(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	for _, c := range nastyCases() {
		for _, landmarks := range []int{10, 30} {
			t.Run(fmt.Sprintf("%s/rpcholesky/%d", c.name, landmarks), func(t *testing.T) {
				nasty(t, c.x, c.k, c.refuse, func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
					f, err := RPCholesky{Rank: 10, Landmarks: landmarks, Seed: 1}.Fit(ctx, e, model.Sources{Left: s}, k)
					if err != nil {
						return nil, err
					}
					if !(f.TraceResidual >= 0 && f.TraceResidual <= 1) && len(f.Values) > 0 {
						t.Errorf("trace residual %g", f.TraceResidual)
					}
					return f, nil
				})
			})
		}
		t.Run(c.name+"/nystrom", func(t *testing.T) {
			nasty(t, c.x, c.k, c.refuse, func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
				return Nystrom{Rank: 10, Landmarks: 30, Seed: 1}.Fit(ctx, e, model.Sources{Left: s}, k)
			})
		})
		t.Run(c.name+"/landmark", func(t *testing.T) {
			nasty(t, c.x, c.k, c.refuse, func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
				return Landmark{Rank: 10, Landmarks: 30, Seed: 1, Shift: ShiftNone}.Fit(ctx, e, model.Sources{Left: s}, k)
			})
		})
	}
}

// TestRPCholeskyNotFinite: an error names the place of a bad number, or the row whose kernel overflows.
func TestRPCholeskyNotFinite(t *testing.T) {
	t.Parallel()
	for value, k := range map[float64]kernelgen.Kernel{math.Inf(1): kernelgen.RBF(1), 1e200: kernelgen.Linear()} {
		x := clusters(2500, 3, 8)
		x.Data[1777*3+1] = value
		_, err := RPCholesky{Rank: 5}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
		var place *stream.DataError
		if !errors.As(err, &place) || place.Row != 1777 {
			t.Errorf("%v: error %v does not name row 1777", value, err)
		}
	}
}
