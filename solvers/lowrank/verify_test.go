package lowrank

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// mixedModels returns models of one matrix by different methods, ranks and shifts.
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
	side.Projection, side.Refinement = matrix.Columns(side.Projection, 0, 0), blas64.General{}
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

// verified verifies a model on the rows of src.
func verified(t *testing.T, threads int, m *Model, src stream.Source, sample int) *model.Verification {
	t.Helper()
	v, err := m.Verify(context.Background(), stream.Engine{Threads: threads}, model.Sources{Left: src}, sample, 4)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVerifyAgainstDense compares the norms of A and E with singular values of dense matrices. The spectrum of E is
// dense near its end, where Lanczos stops at its tolerance: a lower bound, slightly too small.
func TestVerifyAgainstDense(t *testing.T) {
	t.Parallel()
	x := clusters(400, 4, 3) // blocks of 256 and 144 rows
	src, k := stream.FromMatrix("clusters", x), kernelgen.RBF(2)
	a := kernelMatrix(k, x, x)
	norm := spectralNorm(t, a)
	for _, m := range mixedModels(t, src, k) {
		v := verified(t, 0, m, src, 0)
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
		if kept := 1 - dense.Trace(e)/dense.Trace(a); math.Abs(v.TraceKept-kept) > 1e-9 {
			t.Errorf("%s: %.12g of the trace, dense %.12g", m.Method, v.TraceKept, kept)
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

// TestVerifyProducts: a pass multiplies by A and E, or their transposes, like a dense product: over half of the tiles,
// over all of them, and between two sources.
func TestVerifyProducts(t *testing.T) {
	t.Parallel()
	x, y := clusters(600, 4, 3), clusters(300, 4, 5)
	src, k := stream.FromMatrix("clusters", x), kernelgen.RBF(2)
	models := mixedModels(t, src, k)
	other, err := SSRSVD{Rank: 9, Seed: 3}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src, Right: stream.FromMatrix("y", y)}, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m      *Model
		right  blas64.General
		half   bool
		weight float64
	}{
		{models[0], x, true, 1}, {models[0], x, true, 0.25}, {models[2], x, true, 0.25}, {models[2], x, false, 0.25}, {models[4], x, true, 1},
		{other.Model, y, false, 1},
	} {
		m := c.m
		two := c.right.Rows != x.Rows
		v := &verifier{tiles: m.tiles(m.Left), embeds: m.tiles(m.Left), oneSource: !two, half: c.half, symmetric: m.Symmetric()}
		v.left = v.sideOf(t, x, m.Left)
		v.right = v.left
		if !m.Symmetric() {
			v.right = v.sideOf(t, c.right, m.Right)
		}
		v.grid = v.tiles.NewGrid(stream.Engine{}, [2]string{"x", "y"}, v.left.Cols, v.right.Cols)
		v.weighted = scaledColumns(v.left.u, m.Values)
		if v.oneSource {
			v.measureDiagonal(m.Shift)
			v.weight = c.weight
		}
		a := kernelMatrix(k, x, c.right)
		e := difference(a, approximation(m, factors(t, m, m.Left, x), factors(t, m, m.right(), c.right)))
		for _, transposed := range []bool{false, true} {
			n := c.right.Rows
			if transposed {
				n, a, e = x.Rows, matrix.Transpose(a), matrix.Transpose(e)
			}
			vectors := filled(2, n, func(i, j int) float64 { return math.Sin(float64(i + 2*j)) })
			p, q, err := v.multiply(context.Background(), matrix.Row(vectors, 0), matrix.Row(vectors, 1), transposed)
			if err != nil {
				t.Fatal(err)
			}
			checkProduct(t, "A", a, c.weight, matrix.Row(vectors, 0), p)
			checkProduct(t, m.Method, e, c.weight, matrix.Row(vectors, 1), q)
		}
	}
}

// sideOf returns the side of a verifier for rows x.
func (v *verifier) sideOf(t *testing.T, x blas64.General, side *Embedding) *verifySide {
	t.Helper()
	out, err := v.side(context.Background(), stream.FromMatrix("x", x), side, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkProduct compares y with a·x, with the diagonal of a multiplied by weight.
func checkProduct(t *testing.T, name string, a blas64.General, weight float64, x, y []float64) {
	t.Helper()
	for i := range y {
		want := dense.Dot(matrix.Row(a, i), x)
		if a.Rows == a.Cols {
			want -= (1 - weight) * matrix.Row(a, i)[i] * x[i]
		}
		if math.Abs(y[i]-want) > 1e-11 {
			t.Fatalf("%s, weight %g: entry %d of the product is %g, dense %g", name, weight, i, y[i], want)
		}
	}
}

// TestVerifySameBits: errors have the same bits for any number of threads, on all rows and on a sample.
func TestVerifySameBits(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	src, k := stream.FromMatrix("clusters", clusters(600, 4, 3)), kernelgen.RBF(2)
	for _, m := range mixedModels(t, src, k) {
		for _, sample := range []int{0, 350} {
			if diff := cmp.Diff(verified(t, 1, m, src, sample), verified(t, 3, m, src, sample)); diff != "" {
				t.Errorf("%s, sample %d: %s", m.Method, sample, diff)
			}
		}
	}
}

// TestVerifyUnits: models with their own unit, for a kernel whose squares overflow.
func TestVerifyUnits(t *testing.T) {
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
	for i, m := range models[:2] {
		v := verified(t, 0, m, src, 0)
		least := s.S[i+1] * s.S[i+1] / (s.S[0] * s.S[0])
		if !(v.SpectralError > 0.999*least && v.SpectralError < 3*least) {
			t.Errorf("rank %d: error %g, the least is %g", i+1, v.SpectralError, least)
		}
		if want := s.S[0] * s.S[0]; math.Abs(v.Norm*1e-180/want-1) > 1e-6 {
			t.Errorf("norm %g, want %ge180", v.Norm, want)
		}
	}
	if v := verified(t, 0, models[2], src, 0); v.SpectralError > 1e-12 || v.FrobeniusError > 1e-12 {
		t.Errorf("rank 3 of 3: errors %g and %g", v.SpectralError, v.FrobeniusError)
	}
}

// TestVerifyEdges: one row, no rows, rows of another dimension.
func TestVerifyEdges(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	src := stream.FromMatrix("clusters", clusters(300, 3, 8))
	f, err := Landmark{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if v := verified(t, 0, nothing(f.Model), stream.FromMatrix("one", clusters(1, 3, 9)), 0); v.SpectralError != 1 || v.FrobeniusError != 1 || v.Norm != 1 || !v.Converged {
		t.Errorf("Â = 0 on one row: %+v", v)
	}
	for _, bad := range []stream.Source{stream.FromMatrix("empty", matrix.New(0, 3)), stream.FromMatrix("wide", clusters(20, 4, 1))} {
		if _, err := f.Verify(ctx, e, model.Sources{Left: bad}, 0, 1); err == nil {
			t.Errorf("%s: no error", bad.Info().Name)
		}
	}
	x := clusters(300, 3, 8)
	x.Data[77*3] = math.NaN()
	if _, err := nothing(f.Model).Verify(ctx, e, model.Sources{Left: stream.FromMatrix("NaN", x)}, 0, 1); err == nil {
		t.Error("NaN in the rows: no error")
	}
}

// TestVerifyPlan: a plan counts the rows and their packed copy, but no blocks of a pass, since rows are gathered.
func TestVerifyPlan(t *testing.T) {
	const n, d = 1000, 5000
	x := matrix.New(20, d)
	for i := range x.Data {
		x.Data[i] = float64(i%17) / 17
	}
	fit, err := Landmark{Rank: 2, Seed: 1}.Fit(t.Context(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, kernelgen.RBF(1e-3))
	if err != nil {
		t.Fatal(err)
	}
	rows := stream.FromSeq(stream.Info{Name: "rows", Columns: stream.NumberedColumns(d), Rows: n}, nil)
	p := fit.VerifyPlan(stream.Engine{Threads: 2}, model.Sources{Left: rows}, 4096)
	if need, least := p.Memory.Total(), int64(model.RuntimeBytes+2*8*n*d); need < least || need > least*5/4 {
		t.Errorf("%d bytes are planned; the rows take %d", need, least)
	}
}
