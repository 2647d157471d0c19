package lowrank

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var (
	_ model.Transformer = (*Model)(nil)
	_ model.Verifier    = (*Model)(nil)
	_ Method            = SSRSVDMatrix{}
)

// oneFactorMethods returns the methods for symmetric matrices.
func oneFactorMethods() map[string]Method {
	return map[string]Method{
		"s3spsd": S3SPSD{Rank: 4, Seed: 1}, "landmark": Landmark{Rank: 4, Seed: 1}, "nystrom": Nystrom{Rank: 4, Seed: 1},
		"rpcholesky": RPCholesky{Rank: 4, Seed: 1}, "rff": RFF{Rank: 4, Seed: 1}, "adaptive": Adaptive{ErrorTol: 0.5, Seed: 1},
		"subspace": Subspace{Rank: 4, Seed: 1},
	}
}

// twoFactorMethods returns the methods for any matrix.
func twoFactorMethods() map[string]Method {
	return map[string]Method{"ssrsvd": SSRSVD{Rank: 4, Seed: 1}, "auto": Auto{Rank: 4, Seed: 1}}
}

// TestMethods: fits and plans follow the contract of solvers/model, and words in a kernel become the numbers of
// family.Resolve.
func TestMethods(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	d := model.Sources{Left: stream.FromMatrix("x", clusters(400, 3, 1))}
	words, err := kernelgen.Parse("rbf(sigma=median)")
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := family.Resolve(ctx, stream.Engine{}, d, words, 1)
	if err != nil {
		t.Fatal(err)
	}
	methods := oneFactorMethods()
	for name, m := range twoFactorMethods() {
		methods[name] = m
	}
	for name, m := range methods {
		p, err := m.Plan(e, d.Size(), words)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := m.Fit(ctx, e, d, words)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := m.Fit(ctx, e, d, resolved)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if saved(f.Model) != saved(again.Model) {
			t.Errorf("%s: words in a kernel are not those numbers", name)
		}
		if p.SourcePasses != f.SourcePasses || p.ExactPasses < f.ExactPasses || f.KernelEntries == 0 || len(f.Estimates) != 2 {
			t.Errorf("%s: %d passes and %d exact ones planned, fit reports %+v", name, p.SourcePasses, p.ExactPasses, f.Report)
		}
		about := f.Describe()
		if about.Method != f.Method || about.Kernel != resolved.String() || about.Subject != about.Kernel || about.Rank != len(f.Values) || about.Columns != 3 || about.TwoSided == f.Symmetric() {
			t.Errorf("%s: %+v", name, about)
		}
	}
}

// TestMethodsRefuse: only methods with two factors accept two sources and asymmetric kernels. No method accepts a
// kernel with a scale for each row.
func TestMethodsRefuse(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	src := stream.FromMatrix("x", filled(200, 3, func(i, j int) float64 { return float64(1+(i*(j+2))%7) / 10 }))
	one, two := model.Sources{Left: src}, model.Sources{Left: src, Right: src}
	refuses := func(name string, m Method, d model.Sources, k kernelgen.Kernel, says string) {
		t.Helper()
		if _, err := m.Plan(e, d.Size(), k); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the plan gives %v, want %q", name, err, says)
		}
		if _, err := m.Fit(ctx, e, d, k); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the fit gives %v, want %q", name, err, says)
		}
	}
	rbf, kl, sne, relative := kernelgen.RBF(1), parseKernel(t, "kl()"), parseKernel(t, "sne(gamma=1)"), parseKernel(t, "relative()")
	for name, m := range oneFactorMethods() {
		if name != "landmark" {
			refuses(name, m, two, rbf, "one source")
		}
		if name != "landmark" {
			refuses(name, m, one, kl, "not symmetric")
			refuses(name, m, one, sne, "not symmetric")
		}
	}
	for name, m := range twoFactorMethods() {
		refuses(name, m, one, relative, "scale for each row")
	}
	refuses("adaptive", Auto{ErrorTol: 0.1}, one, kl, "name a `Rank`")
	refuses("clusters", Sampled{Method: Landmark{Rank: 4}, Clusters: 2}, one, kl, "symmetric kernel")
	refuses("landmark", Landmark{Rank: 4, Rule: RulePivoted}, two, rbf, "`Rule rpc`")
	refuses("few landmarks", Landmark{Rank: 4, Landmarks: 3}, one, rbf, "`Landmarks 3` is below `Rank 4`")
	refuses("few landmarks of two sources", Landmark{Rank: 4, Landmarks: 3}, two, rbf, "`Landmarks 3` is below `Rank 4`")
	refuses("core", Landmark{Rank: 4, Core: -1}, one, rbf, "`Core -1`")
	if _, err := (SSRSVDMatrix{Rank: 2}).Fit(ctx, e, two, kernelgen.Kernel{}); err == nil {
		t.Error("a matrix of two sources was taken")
	}
}

// TestTransform: Both is the left side followed by the right. A missing side is an error, and so is a wrong number of
// columns.
func TestTransform(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x := clusters(300, 3, 1)
	src := stream.FromMatrix("x", x)
	f, err := SSRSVD{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	names, err := f.Outputs(model.Both, model.Coordinates)
	if want := "u0 u1 u2 u3 u4 v0 v1 v2 v3 v4"; err != nil || strings.Join(names, " ") != want {
		t.Errorf("outputs %q, %v", names, err)
	}
	sides := [][]float64{factors(t, f.Model, f.Left, x).Data, factors(t, f.Model, f.Right, x).Data}
	err = f.Transform(ctx, e, src, model.Request{Side: model.Both}, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			for j := range 10 {
				if want := sides[j/5][(int(b.Start)+i)*5+j%5]; math.Float64bits(out.Data[i*out.Stride+j]) != math.Float64bits(want) {
					t.Fatalf("row %d, column %d: %g, want %g", int(b.Start)+i, j, out.Data[i*out.Stride+j], want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	one, err := Nystrom{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := SSRSVDMatrix{Rank: 2, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.Kernel{})
	if err != nil {
		t.Fatal(err)
	}
	emitted := errors.New("emitted")
	emit := func(*stream.Block, blas64.General) error { return emitted }
	for _, m := range []*Model{one.Model, matrix.Model} {
		for _, side := range []model.Side{model.Right, model.Both} {
			_, err := m.Outputs(side, model.Coordinates)
			if pass := m.Transform(ctx, e, src, model.Request{Side: side}, emit); err == nil || pass == nil || errors.Is(pass, emitted) {
				t.Errorf("%s, %v: %v, %v", m.Describe().Subject, side, err, pass)
			}
		}
		wide := stream.FromMatrix("wide", clusters(10, 4, 1))
		if err := m.Transform(ctx, e, wide, model.Request{}, emit); err == nil || !strings.Contains(err.Error(), "4 columns") {
			t.Errorf("rows with 4 columns: %v", err)
		}
	}
	if plan := f.TransformPlan(e, src, model.Request{Side: model.Both}); plan.SourcePasses != 1 || plan.KernelEntries != 300*2*int64(f.Left.Landmarks.Rows) {
		t.Errorf("plan %+v", plan)
	}
	few, all := f.VerifyPlan(e, model.Sources{Left: src}, 100), f.VerifyPlan(e, model.Sources{Left: src}, 0)
	if few.Memory.Total() >= all.Memory.Total() {
		t.Errorf("100 rows take %d bytes, all %d", few.Memory.Total(), all.Memory.Total())
	}
	if _, err := matrix.Verify(ctx, e, model.Sources{Left: src}, 10, 1); err == nil {
		t.Error("a matrix was measured on a sample")
	}
}

// TestShifts: a method refuses the shifts of other methods, in plan and fit; methods with two factors have none.
func TestShifts(t *testing.T) {
	t.Parallel()
	ctx, e, k := context.Background(), stream.Engine{}, kernelgen.RBF(1)
	d := model.Sources{Left: stream.FromMatrix("x", clusters(120, 3, 1))}
	for name, c := range map[string]struct {
		of  func(s ShiftRule) Method
		has []ShiftRule
	}{
		"s3spsd":   {func(s ShiftRule) Method { return S3SPSD{Rank: 4, Seed: 1, Shift: s} }, []ShiftRule{ShiftFitted, ShiftNone, ShiftPaper}},
		"landmark": {func(s ShiftRule) Method { return Landmark{Rank: 4, Seed: 1, Shift: s} }, []ShiftRule{ShiftFitted, ShiftMidpoint, ShiftNone}},
		"adaptive": {func(s ShiftRule) Method { return Adaptive{ErrorTol: 0.5, Seed: 1, Shift: s} }, []ShiftRule{ShiftFitted, ShiftMidpoint, ShiftNone}},
		"subspace": {func(s ShiftRule) Method { return Subspace{Rank: 4, Seed: 1, Shift: s} }, []ShiftRule{ShiftFitted, ShiftMidpoint, ShiftNone}},
		"auto":     {func(s ShiftRule) Method { return Auto{Rank: 4, Seed: 1, Shift: s} }, []ShiftRule{ShiftFitted, ShiftMidpoint, ShiftNone}},
	} {
		for s := ShiftFitted; s <= ShiftPaper; s++ {
			_, planned := c.of(s).Plan(e, d.Size(), k)
			_, fitted := c.of(s).Fit(ctx, e, d, k)
			if has := slices.Contains(c.has, s); has != (planned == nil) || has != (fitted == nil) {
				t.Errorf("%s, shift %s: %v, %v", name, s, planned, fitted)
			}
		}
	}
	two := model.Sources{Left: d.Left, Right: d.Left}
	for _, m := range []Method{Landmark{Rank: 4, Shift: ShiftMidpoint}, Subspace{Rank: 4, Shift: ShiftMidpoint}, Auto{Rank: 4, Shift: ShiftMidpoint}} {
		_, planned := m.Plan(e, two.Size(), k)
		if _, fitted := m.Fit(ctx, e, two, k); planned == nil || fitted == nil {
			t.Errorf("%T takes a shift for two sources: %v, %v", m, planned, fitted)
		}
	}
}

// TestFittedShift: the default is the least-squares shift. The trace of Â is close to that of A, and no other multiple
// of the identity is closer to A − U·diag(values)·Uᵀ.
func TestFittedShift(t *testing.T) {
	t.Parallel()
	k, x := kernelgen.RBF(3), clusters(400, 4, 1)
	a := kernelMatrix(k, x, x)
	for name, m := range map[string]Method{"landmark": Landmark{Rank: 20, Seed: 1}, "s3spsd": S3SPSD{Rank: 20, Seed: 1}, "subspace": Subspace{Rank: 20, Seed: 1}} {
		d := model.Sources{Left: stream.FromMatrix("x", x)}
		f, err := m.Fit(context.Background(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		of := func(shift float64) float64 {
			m := *f.Model
			m.Values, m.Shift = slices.Clone(f.Values), shift
			for i := range m.Values {
				m.Values[i] += f.Shift - shift
			}
			v, err := m.Verify(context.Background(), stream.Engine{}, d, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			return v.FrobeniusError
		}
		kept := (dense.Sum(f.Values) + f.Shift*float64(a.Rows)) / dense.Trace(a)
		less, fitted, more := of(0.8*f.Shift), of(f.Shift), of(1.25*f.Shift)
		t.Logf("%s: shift %.3g, %.4f of the trace, error %.4g; with less %.4g, with more %.4g", name, f.Shift, kept, fitted, less, more)
		if !(f.Shift > 0 && kept > 0.97 && kept < 1.03 && fitted < less && fitted < more) {
			t.Errorf("%s: shift %g, %g of the trace, error %g; with less %g, with more %g", name, f.Shift, kept, fitted, less, more)
		}
	}
}
