package lowrank

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// mixedModels returns models of one matrix, of different methods, ranks and shifts.
func mixedModels(t *testing.T, src stream.Source, k kernelgen.Kernel) []*Model {
	t.Helper()
	ctx, e := context.Background(), stream.Engine{}
	var models []*Model
	for _, fit := range []func() (*Fit, error){
		func() (*Fit, error) { return Landmark{Rank: 12, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k) },
		func() (*Fit, error) { return S3SPSD{Rank: 5, Seed: 2}.Fit(ctx, e, model.Sources{Left: src}, k) },
		func() (*Fit, error) { return SSRSVD{Rank: 20, Seed: 3}.Fit(ctx, e, model.Sources{Left: src}, k) },
		func() (*Fit, error) { return Nystrom{Rank: 1, Seed: 4}.Fit(ctx, e, model.Sources{Left: src}, k) },
	} {
		f, err := fit()
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, f.Model)
	}
	return append(models, nothing(models[0]), shiftOnly(models[0]), unshifted(models[0]))
}

// nothing returns the model Â = 0.
func nothing(like *Model) *Model {
	m := *like
	side := *like.Left
	side.Projection, side.Refinement = dense.Columns(side.Projection, 0, 0), blas64.General{}
	m.Left, m.Values, m.Shift = &side, nil, 0
	return &m
}

// shiftOnly returns the model Â = 3/4·I.
func shiftOnly(like *Model) *Model {
	m := nothing(like)
	m.Shift = 0.75
	return m
}

// unshifted returns a model without its shift; it shares the embedding.
func unshifted(of *Model) *Model {
	m := *of
	m.Shift = 0
	return &m
}

func verifyAll(t *testing.T, threads int, models []*Model, src stream.Source, sample int) []*model.Verification {
	t.Helper()
	all, err := VerifyAll(context.Background(), stream.Engine{Threads: threads}, models, src, sample, 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(models) {
		t.Fatalf("%d results for %d models", len(all), len(models))
	}
	return all
}

// TestVerifyAllAgainstDense: norms of A and E against singular values of the
// formed matrices. The spectrum of E is dense near its end, where Lanczos stops
// at its tolerance: a lower bound, and little below.
func TestVerifyAllAgainstDense(t *testing.T) {
	t.Parallel()
	x := clusters(400, 4, 3) // blocks of 256 and 144 rows
	src, k := stream.FromMatrix("clusters", x), kernelgen.RBF(2)
	a := kernelMatrix(k, x, x)
	norm := spectralNorm(t, a)
	models := mixedModels(t, src, k)
	for i, v := range verifyAll(t, 0, models, src, 0) {
		m := models[i]
		e := difference(a, approximation(m, factors(t, m, m.Left, x), factors(t, m, m.right(), x)))
		spectral, frobenius := spectralNorm(t, e)/norm, dense.Frobenius(e)/dense.Frobenius(a)
		t.Logf("%s, rank %d: spectral %.6g, relative difference %.1e, %d steps", m.Method, len(m.Values), spectral, v.SpectralError/spectral-1, v.Iterations)
		if d := v.SpectralError/spectral - 1; d > 1e-6 || d < -2e-3 {
			t.Errorf("%s, rank %d: spectral error %.8g, dense %.8g", m.Method, len(m.Values), v.SpectralError, spectral)
		}
		if math.Abs(v.Norm/norm-1) > 1e-6 {
			t.Errorf("%s: norm %.8g, dense %.8g", m.Method, v.Norm, norm)
		}
		if math.Abs(v.FrobeniusError/frobenius-1) > 1e-9 {
			t.Errorf("%s: Frobenius error %.12g, dense %.12g", m.Method, v.FrobeniusError, frobenius)
		}
		if v.Rows != 400 || v.Cols != 400 || !v.Converged || v.Tolerance != verifyTolerance {
			t.Errorf("%s: %+v", m.Method, v)
		}
		passes, embedded := int64(v.Iterations), int64(m.Left.Landmarks.Rows)
		if !m.Symmetric() {
			passes, embedded = 2*passes, embedded+int64(m.Right.Landmarks.Rows)
		}
		if want := passes*(256*256+144*144+256*144) + 400*embedded; v.KernelEntries != want {
			t.Errorf("%s: %d kernel entries, want %d", m.Method, v.KernelEntries, want)
		}
	}
}

// TestVerifyAllProducts: one step multiplies by A and E as a dense product does.
func TestVerifyAllProducts(t *testing.T) {
	t.Parallel()
	x := clusters(600, 4, 3)
	src, k := stream.FromMatrix("clusters", x), kernelgen.RBF(2)
	a := kernelMatrix(k, x, x)
	models := mixedModels(t, src, k)
	for _, weight := range []float64{1, 0.25} {
		rows, err := gatherVerify(context.Background(), src, 4, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		v := &verifier{rows: rows, tiles: newTiles(k), diagonal: weight, embeddings: map[*Embedding]blas64.General{}, entry: newNorm(600, 1, "A")}
		for _, m := range models {
			found, err := v.newModel(context.Background(), m, 2)
			if err != nil {
				t.Fatal(err)
			}
			v.models = append(v.models, found)
		}
		y, err := v.multiply(context.Background(), v.models)
		if err != nil {
			t.Fatal(err)
		}
		checkProduct(t, "A", a, weight, v.entry.Vector(), y[0])
		for i, m := range models {
			e := difference(a, approximation(m, factors(t, m, m.Left, x), factors(t, m, m.right(), x)))
			checkProduct(t, m.Method, e, weight, v.models[i].vector(), y[i+1])
			if m.Symmetric() {
				continue
			}
			v.models[i].half = y[i+1]
			again, err := v.multiply(context.Background(), v.models[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			checkProduct(t, m.Method+" transposed", filled(600, 600, func(i, j int) float64 { return e.Data[j*e.Stride+i] }), weight, y[i+1], again[1])
			v.models[i].half = nil
		}
	}
}

// checkProduct compares y with a·x, after the diagonal of a was given a weight.
func checkProduct(t *testing.T, name string, a blas64.General, weight float64, x, y []float64) {
	t.Helper()
	for i := range y {
		want := dense.Dot(dense.Row(a, i), x) - (1-weight)*dense.Row(a, i)[i]*x[i]
		if math.Abs(y[i]-want) > 1e-11 {
			t.Fatalf("%s, weight %g: entry %d of the product is %g, dense %g", name, weight, i, y[i], want)
		}
	}
}

// TestVerifyAllCompanions: a model is measured alike alone and with others, on
// all rows and on a sample, for any number of threads.
func TestVerifyAllCompanions(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	src, k := stream.FromMatrix("clusters", clusters(600, 4, 3)), kernelgen.RBF(2)
	models := mixedModels(t, src, k)
	for _, sample := range []int{0, 350} {
		all := verifyAll(t, 1, models, src, sample)
		for _, threads := range []int{3} {
			if diff := cmp.Diff(all, verifyAll(t, threads, models, src, sample)); diff != "" {
				t.Errorf("sample %d, %d threads: %s", sample, threads, diff)
			}
		}
		for i, m := range models {
			alone, err := m.Verify(context.Background(), stream.Engine{}, model.Sources{Left: src}, sample, 4)
			if err != nil {
				t.Fatal(err)
			}
			if !m.Symmetric() { // measured with Lanczos on AᵀA, and the diagonal at full weight
				if d := alone.SpectralError/all[i].SpectralError - 1; math.Abs(d) > 1e-3 && sample == 0 || math.Abs(d) > 0.02 {
					t.Errorf("sample %d, %s: %g, alone %g", sample, m.Method, all[i].SpectralError, alone.SpectralError)
				}
				continue
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) })
			if diff := cmp.Diff(all[i], alone, near); diff != "" {
				t.Errorf("sample %d, model %d: %s", sample, i, diff)
			}
		}
	}
}

// TestVerifyAllUnits: models whose tiles have different units, of a kernel whose
// squares cannot be represented.
func TestVerifyAllUnits(t *testing.T) {
	t.Parallel()
	x := scaled(clusters(300, 3, 8), 1e90)
	src, k := stream.FromMatrix("large", x), kernelgen.Linear()
	var models []*Model
	for _, rank := range []int{1, 2, 3} {
		f, err := Landmark{Rank: rank, Seed: uint64(rank), Shift: ShiftNone}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, f.Model)
	}
	if unit := models[0].Left.Unit; unit == 0 || unit == 1 {
		t.Fatalf("unit %g: this tests nothing", unit)
	}
	models[2].Left.Projection = scaled(models[2].Left.Projection, models[2].Left.Unit*0x1p600) // the same, in another unit
	models[2].Left.Unit = 0x1p-600
	s, err := newSVD("the rows", scaled(x, 1e-90))
	if err != nil {
		t.Fatal(err)
	}
	all := verifyAll(t, 0, models, src, 0)
	for i, v := range all[:2] {
		least := s.S[i+1] * s.S[i+1] / (s.S[0] * s.S[0])
		if !(v.SpectralError > 0.999*least && v.SpectralError < 3*least) {
			t.Errorf("rank %d: error %g, the least is %g", i+1, v.SpectralError, least)
		}
		if want := s.S[0] * s.S[0]; math.Abs(v.Norm*1e-180/want-1) > 1e-6 {
			t.Errorf("norm %g, want %ge180", v.Norm, want)
		}
	}
	if all[2].SpectralError > 1e-12 || all[2].FrobeniusError > 1e-12 {
		t.Errorf("rank 3 of 3: errors %g and %g", all[2].SpectralError, all[2].FrobeniusError)
	}
}

// TestVerifyAllEdges: no models, one row, no rows, rows of another dimension.
func TestVerifyAllEdges(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	src := stream.FromMatrix("clusters", clusters(300, 3, 8))
	f, err := Landmark{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if all := verifyAll(t, 0, nil, src, 0); all != nil {
		t.Errorf("no models gave %v", all)
	}
	one := verifyAll(t, 0, []*Model{f.Model, nothing(f.Model)}, stream.FromMatrix("one", clusters(1, 3, 9)), 0)
	if v := one[1]; v.SpectralError != 1 || v.FrobeniusError != 1 || v.Norm != 1 || !v.Converged {
		t.Errorf("Â = 0 on one row: %+v", v)
	}
	for _, bad := range []stream.Source{stream.FromMatrix("empty", stream.NewMatrix(0, 3)), stream.FromMatrix("wide", clusters(20, 4, 1))} {
		if _, err := VerifyAll(ctx, e, []*Model{f.Model}, bad, 0, 1); err == nil {
			t.Errorf("%s: no error", bad.Info().Name)
		}
	}
	x := clusters(300, 3, 8)
	x.Data[77*3] = math.NaN()
	if _, err := VerifyAll(ctx, e, []*Model{nothing(f.Model)}, stream.FromMatrix("NaN", x), 0, 1); err == nil {
		t.Error("NaN in the rows: no error")
	}
}

// TestVerifyAllMisuse: models of different matrices are a mistake of the caller.
func TestVerifyAllMisuse(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	src := stream.FromMatrix("clusters", clusters(300, 3, 8))
	fit := func(k kernelgen.Kernel) *Model {
		f, err := Landmark{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k)
		if err != nil {
			t.Fatal(err)
		}
		return f.Model
	}
	rect, err := Landmark{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: src, Right: stream.FromMatrix("other", clusters(200, 3, 8))}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, models := range map[string][]*Model{
		"two kernels": {fit(kernelgen.RBF(1)), fit(kernelgen.RBF(2))},
		"rectangular": {rect.Model},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			_, _ = VerifyAll(ctx, e, models, src, 0, 1)
		}()
	}
}
