package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// subspaceFit fits the rows of x.
func subspaceFit(t *testing.T, m Subspace, x blas64.General, k kernelgen.Kernel) *Fit {
	t.Helper()
	f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// denseEigen returns the eigendecomposition of a kernel matrix.
func denseEigen(t *testing.T, a blas64.General) *eigen {
	t.Helper()
	e, err := newEigen("test matrix", a)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSubspaceEigen: for a decaying spectrum, after three passes the values are eigenvalues to 1e-6 and U spans the
// eigenvectors.
func TestSubspaceEigen(t *testing.T) {
	t.Parallel()
	const c = 20
	for _, n := range []int{130, 256, 600} {
		x := clusters(n, 4, 3)
		k := kernelgen.RBF(2)
		a := kernelMatrix(k, x, x)
		eig := denseEigen(t, a)
		f := subspaceFit(t, Subspace{Rank: c, Seed: 1, Shift: ShiftNone}, x, k)
		for j, v := range f.Values {
			if math.Abs(v-eig.Values[j]) > 1e-6*eig.Values[j] {
				t.Errorf("n = %d: value %d is %.10g, the eigenvalue %.10g", n, j, v, eig.Values[j])
			}
		}
		if f.Shift != 0 || len(f.Values) != c {
			t.Errorf("n = %d: shift %g, %d values", n, f.Shift, len(f.Values))
		}
		u := factors(t, f.Model, f.Left, x)
		if e := orthogonalityError(u); e > 1e-9 {
			t.Errorf("n = %d: max|UᵀU−I| = %g", n, e)
		}
		cosines, err := newSVD("angles", dense.Mul(blas.Trans, u, blas.NoTrans, matrix.Columns(eig.Vectors, 0, c)))
		if err != nil {
			t.Fatal(err)
		}
		if s := cosines.S[c-1]; s < 1-1e-6 {
			t.Errorf("n = %d: the cosine of the largest angle to the eigenvectors is %.10g", n, s)
		}
	}
}

// TestSubspaceFloor: three passes come within 10 % of the best error of rank c without a shift, and within 0.65 of it
// with one, also for a slow spectrum.
func TestSubspaceFloor(t *testing.T) {
	t.Parallel()
	x := clusters(280, 4, 3)
	for _, gamma := range []float64{5, 40, 1, 400}[:fewer(4, 2)] {
		k := kernelgen.RBF(gamma)
		a := kernelMatrix(k, x, x)
		norm, floor := spectralNorm(t, a), bestRank(t, a, 25)
		for shift, most := range map[ShiftRule]float64{ShiftNone: 1.1, ShiftMidpoint: 0.65} {
			f := subspaceFit(t, Subspace{Rank: 25, Seed: 1, Shift: shift}, x, k)
			e := denseError(t, f.Model, x, a, norm)
			t.Logf("gamma %g: floor %.4g, %.3f of it with shift %.3g; residual %.2g, trace residual %.3g", gamma, floor, e/floor, f.Shift, f.Residual(), f.TraceResidual)
			if e > most*floor {
				t.Errorf("gamma %g, shift rule %d: error %g is %.3f times the floor", gamma, shift, e, e/floor)
			}
		}
	}
}

// TestSubspaceResiduals: residuals and the trace residual equal dense computations, after one pass, where much is left,
// and after several.
func TestSubspaceResiduals(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	k := kernelgen.RBF(20)
	a := kernelMatrix(k, x, x)
	eig := denseEigen(t, a)
	previous := math.Inf(1)
	for passes := 1; passes <= 4; passes++ {
		f := subspaceFit(t, Subspace{Rank: 15, Passes: passes, Seed: 1, Shift: ShiftNone}, x, k)
		if f.ExactPasses != passes || len(f.Residuals) != 15 {
			t.Fatalf("%d passes, %d residuals", f.ExactPasses, len(f.Residuals))
		}
		if r := f.Residual(); r >= previous {
			t.Errorf("%d passes: residual %g, before %g", passes, r, previous)
		} else {
			previous = r
		}
		// An eigenvalue is within the residual of each Ritz value, and the final projection brings it closer.
		for j, v := range f.Values {
			nearest := math.Inf(1)
			for _, w := range eig.Values {
				nearest = math.Min(nearest, math.Abs(v-w))
			}
			if nearest > (f.Residual()+1e-13)*eig.Values[0] {
				t.Errorf("%d passes: value %d is %g from an eigenvalue, residual %g", passes, j, nearest, f.Residuals[j])
			}
		}
		u := factors(t, f.Model, f.Left, x)
		rest := difference(a, approximation(f.Model, u, u))
		if want := dense.Trace(rest) / dense.Trace(a); math.Abs(want-f.TraceResidual) > 1e-10 {
			t.Errorf("%d passes: trace residual %.12g, dense %.12g", passes, f.TraceResidual, want)
		}
		// Â ≤ A, so the remainder has no negative eigenvalue.
		if least := denseEigen(t, rest).Values[299]; least < -1e-9*eig.Values[0] {
			t.Errorf("%d passes: A−Â has the eigenvalue %g", passes, least)
		}
		if want := dense.Frobenius(rest) / dense.Frobenius(a); f.EstimateIn(NormFrobenius) < want/1.5 || f.EstimateIn(NormFrobenius) > 1.5*want {
			t.Errorf("%d passes: error estimate %g, dense %g", passes, f.EstimateIn(NormFrobenius), want)
		}
	}
}

// TestSubspaceStops: the passes end at an invariant space, or with small residuals.
func TestSubspaceStops(t *testing.T) {
	t.Parallel()
	x := clusters(500, 4, 3)
	f := subspaceFit(t, Subspace{Rank: 10, Passes: 9, Seed: 1}, x, kernelgen.Linear())
	if f.ExactPasses > 3 || len(f.Values) != 4 || f.Residual() > 1e-12 {
		t.Errorf("rank 4: %d passes, %d values, residual %g", f.ExactPasses, len(f.Values), f.Residual())
	}
	f = subspaceFit(t, Subspace{Rank: 10, Passes: 9, ResidualTol: 1e-2, Seed: 1}, x, kernelgen.RBF(2))
	if f.ExactPasses >= 9 || f.Residual() > 1e-2 || len(f.Notes) > 0 {
		t.Errorf("tolerance 1e-2: %d passes, residual %g, notes %q", f.ExactPasses, f.Residual(), f.Notes)
	}
	// The basis cannot outgrow the space.
	f = subspaceFit(t, Subspace{Rank: 15, Passes: 30, ResidualTol: 1e-300, Seed: 1}, clusters(60, 4, 3), kernelgen.RBF(400))
	if f.ExactPasses > 10 || f.Residual() > 1e-10 {
		t.Errorf("60 rows: %d passes, residual %g", f.ExactPasses, f.Residual())
	}
}

// TestSubspaceIndefinite: for an indefinite kernel the eigenvalues of largest magnitude are kept, with their signs.
func TestSubspaceIndefinite(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	k, err := kernelgen.Parse("sigmoid(gamma=4,coef0=-2)")
	if err != nil {
		t.Fatal(err)
	}
	if k, err = k.Resolve(x); err != nil {
		t.Fatal(err)
	}
	if k.PositiveSemiDefinite() {
		t.Fatal("the kernel is definite")
	}
	const c = 12
	a := kernelMatrix(k, x, x)
	eig := denseEigen(t, a)
	f := subspaceFit(t, Subspace{Rank: c, Passes: 6, Seed: 1, Shift: ShiftNone}, x, k)
	negative := 0
	for _, v := range f.Values {
		nearest := math.Inf(1)
		for _, w := range eig.Values {
			nearest = math.Min(nearest, math.Abs(v-w))
		}
		if nearest > 1e-5*math.Abs(v) {
			t.Errorf("value %g is no eigenvalue: %g away", v, nearest)
		}
		if v < 0 {
			negative++
		}
	}
	values := singularValues(t, a)
	e := denseError(t, f.Model, x, a, values[0])
	t.Logf("%d of %d values are negative, error %.3g, floor %.3g", negative, len(f.Values), e, values[c]/values[0])
	if negative == 0 || e > 1.1*values[c]/values[0] {
		t.Errorf("%d negative values, error %g, floor %g", negative, e, values[c]/values[0])
	}
	centred := subspaceFit(t, Subspace{Rank: c, Passes: 6, Seed: 1, Shift: ShiftMidpoint}, x, k)
	if with := denseError(t, centred.Model, x, a, values[0]); with > 1.01*e {
		t.Errorf("error %g with the shift, %g without", with, e)
	}
}

// TestSubspacePlan: planned memory grows with rows and passes.
func TestSubspacePlan(t *testing.T) {
	t.Parallel()
	const n = 1500
	e := stream.Engine{Threads: 2}
	m := Subspace{Rank: 10, Seed: 1}
	p, err := m.Plan(e, model.Size{Rows: n, Columns: 3}, kernelgen.RBF(20))
	if err != nil {
		t.Fatal(err)
	}
	m.Passes = 6
	more, err := m.Plan(e, model.Size{Rows: 100 * n, Columns: 3}, kernelgen.RBF(20))
	if err != nil {
		t.Fatal(err)
	}
	if p.SourcePasses != 1 || more.Memory.Total() < 2*8*100*n*22*6 {
		t.Errorf("%d passes, %d bytes", p.SourcePasses, more.Memory.Total())
	}
	for _, bad := range []Subspace{{Rank: 0}, {Rank: 1, Passes: -1}, {Rank: 1, ResidualTol: math.NaN()}} {
		if _, err := bad.Plan(e, model.Size{Rows: n, Columns: 3}, kernelgen.RBF(1)); err == nil {
			t.Errorf("%+v was planned", bad)
		}
	}
}

// TestSubspaceFarRows: the random columns find rows far from all others and from every landmark.
func TestSubspaceFarRows(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const n = 1200
	x := clusters(n, 3, 3)
	for i := n - 10; i < n; i++ { // ten equal rows have an eigenvalue of 10
		for j := range 3 {
			x.Data[i*3+j] = 1000
		}
	}
	k := kernelgen.RBF(0.5)
	for seed := range uint64(5) {
		f := subspaceFit(t, Subspace{Rank: 15, Seed: seed, Shift: ShiftNone}, x, k)
		u := factors(t, f.Model, f.Left, x)
		own := 0.0
		for j, v := range f.Values {
			own += v * matrix.Row(u, n-5)[j] * matrix.Row(u, n-5)[j]
		}
		if math.Abs(own-1) > 0.01 {
			t.Errorf("seed %d: the diagonal of Â at a far row is %g, that of A is 1", seed, own)
		}
	}
}

// TestSubspaceNasty runs the method on degenerate and extreme rows.
func TestSubspaceNasty(t *testing.T) {
	t.Parallel()
	for _, c := range nastyCases() {
		t.Run(c.name, func(t *testing.T) {
			nasty(t, c.x, c.k, c.refuse, func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
				f, err := Subspace{Rank: 10, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: s}, k)
				if err != nil {
					return nil, err
				}
				if r := f.Residual(); !(r >= 0) || math.IsInf(r, 0) {
					t.Errorf("residual %g", r)
				}
				return f, nil
			})
		})
	}
}

// TestSubspaceOrthogonality: the bound on max|UᵀU−I| holds, up to a modest factor.
func TestSubspaceOrthogonality(t *testing.T) {
	t.Parallel()
	x := clusters(500, 4, 3)
	for _, gamma := range []float64{0.05, 1, 40} {
		f := subspaceFit(t, Subspace{Rank: 30, Seed: 1}, x, kernelgen.RBF(gamma))
		e := orthogonalityError(factors(t, f.Model, f.Left, x))
		t.Logf("gamma %g: max|UᵀU−I| = %.2g, bound %.2g", gamma, e, f.OrthogonalityBound())
		if e > 50*f.OrthogonalityBound() {
			t.Errorf("gamma %g: max|UᵀU−I| = %g, bound %g", gamma, e, f.OrthogonalityBound())
		}
	}
}

// TestSubspaceMoreThanRows: a rank above the number of rows gives all eigenpairs.
func TestSubspaceMoreThanRows(t *testing.T) {
	t.Parallel()
	x := clusters(60, 4, 3)
	k := kernelgen.RBF(40)
	f := subspaceFit(t, Subspace{Rank: 100, Seed: 1}, x, k)
	if e := denseError(t, f.Model, x, kernelMatrix(k, x, x), 1); len(f.Values) != 60 || e > 1e-12 || len(f.Notes) != 1 {
		t.Errorf("%d values, error %g, notes %q", len(f.Values), e, f.Notes)
	}
}

// TestSubspaceCancelled: a cancelled fit ends with the cause.
func TestSubspaceCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	e := stream.Engine{Progress: func(p stream.Event) {
		if p.Pass == "exact pass" {
			cancel(stop)
		}
	}}
	_, err := Subspace{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: stream.FromMatrix("x", clusters(1500, 3, 8))}, kernelgen.RBF(1))
	if !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

// BenchmarkSubspacePass times one exact pass: 3000²/2 entries, times a block.
func BenchmarkSubspacePass(b *testing.B) {
	x := clusters(3000, 16, 3)
	block := filled(3000, 74, func(i, j int) float64 { return math.Sin(float64(i*74 + j)) })
	for b.Loop() {
		rows := &tiles.Rows{Dense: x}
		op := tiles.Symmetric{Grid: tiles.Plain(kernelgen.RBF(1)).NewGrid(stream.Engine{}, [2]string{"x", "x"}, rows, rows)}
		s, err := krylov.NewSpace(op, matrix.Clone(block), 1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Run(context.Background(), krylov.Iteration{Rank: 50, Passes: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSubspaceOfManyColumns: if the space has nearly as many columns as rows, the error is that of the best matrix of
// rank c.
func TestSubspaceOfManyColumns(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	sigmoid, err := kernelgen.Parse("sigmoid(gamma=4,coef0=-2)")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kernelgen.Kernel{kernelgen.RBF(2), sigmoid} {
		a := kernelMatrix(k, x, x)
		values := singularValues(t, a)
		for _, c := range []int{26, 40, 290} {
			m := Subspace{Rank: c, Seed: 1, Shift: ShiftNone}
			f := subspaceFit(t, m, x, k)
			if e, floor := denseError(t, f.Model, x, a, values[0]), values[c]/values[0]; e > floor+1e-7 {
				t.Errorf("%s, rank %d: error %g, the best is %g", k, c, e, floor)
			}
			if c == 290 && (f.Residual() > 1e-12 || f.NotConverged || f.ExactPasses != 1) {
				t.Errorf("%s, rank %d: residual %g after %d passes, unsettled %v", k, c, f.Residual(), f.ExactPasses, f.NotConverged)
			}
			p, err := m.Plan(stream.Engine{}, model.Size{Rows: 300, Columns: 4}, k)
			if err != nil {
				t.Fatal(err)
			}
			if r := float64(f.KernelEntries) / float64(p.KernelEntries); r < 0.7 || r > 1 {
				t.Errorf("%s, rank %d: %d entries planned, %d evaluated", k, c, p.KernelEntries, f.KernelEntries)
			}
		}
	}
}

// TestSubspaceSameBits: the model has the same bits for any number of threads. Very large or small kernels have the
// scaled values of ordinary ones.
func TestSubspaceSameBits(t *testing.T) {
	t.Parallel()
	x := clusters(500, 3, 5)
	run := func(threads int) string {
		f, err := Subspace{Rank: 200, Seed: 1}.Fit(context.Background(), stream.Engine{Threads: threads}, model.Sources{Left: stream.FromMatrix("x", x)}, kernelgen.RBF(3))
		if err != nil {
			t.Fatal(err)
		}
		return saved(f.Model) + fmt.Sprint(f.EstimateIn(NormFrobenius), f.Residuals)
	}
	want := run(1)
	for _, threads := range []int{2, 8} {
		if run(threads) != want {
			t.Errorf("%d threads: the models differ", threads)
		}
	}
	plain := subspaceFit(t, Subspace{Rank: 60}, x, kernelgen.RBF(3))
	for _, scale := range []string{"1e-150", "1e150"} {
		k, err := kernelgen.Parse(scale + "*rbf(gamma=3)")
		if err != nil {
			t.Fatal(err)
		}
		f := subspaceFit(t, Subspace{Rank: 60}, x, k)
		for j, v := range f.Values {
			var by float64
			fmt.Sscan(scale, &by)
			if math.Abs(v/by-plain.Values[j]) > 1e-9*plain.Values[0] {
				t.Errorf("%s: value %d is %g, of the plain kernel %g", k, j, v, plain.Values[j])
			}
		}
	}
}
