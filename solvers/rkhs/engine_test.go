package rkhs

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// gram returns a Gram matrix entry by entry.
func gram(k func(a, b []float64) float64, x, y blas64.General) *mat.Dense {
	g := mat.NewDense(x.Rows, y.Rows, nil)
	for i := range x.Rows {
		for j := range y.Rows {
			g.Set(i, j, k(matrix.Row(x, i), matrix.Row(y, j)))
		}
	}
	return g
}

// gaussianOf returns the Gaussian kernel exp(−γ·‖x−y‖²).
func gaussianOf(gamma float64) func(a, b []float64) float64 {
	return func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += (a[i] - b[i]) * (a[i] - b[i])
		}
		return math.Exp(-gamma * s)
	}
}

// literal returns the largest singular values of ΨBΦᵀ from the matrices printed in the paper: by the eigenvalues of
// BᵀG_ΨB·G_Φ, and by the positive ones of the block matrix (7).
func literal(b, gx, gy *mat.Dense, count int) (byAuxiliary, byBlock []float64) {
	n, cols := b.Dims()
	var m mat.Dense
	m.Product(b.T(), gy, b, gx)
	for _, v := range topReal(&m, count) {
		byAuxiliary = append(byAuxiliary, math.Sqrt(math.Max(0, v)))
	}
	var upper, lower mat.Dense
	upper.Mul(b, gx)
	lower.Mul(b.T(), gy)
	whole := mat.NewDense(n+cols, n+cols, nil)
	whole.Slice(0, n, n, n+cols).(*mat.Dense).Copy(&upper)
	whole.Slice(n, n+cols, 0, n).(*mat.Dense).Copy(&lower)
	return byAuxiliary, topReal(whole, count)
}

// topReal returns the largest real parts of eigenvalues.
func topReal(m mat.Matrix, count int) []float64 {
	var e mat.Eigen
	if !e.Factorize(m, mat.EigenNone) {
		panic("no eigenvalues")
	}
	var re []float64
	for _, v := range e.Values(nil) {
		re = append(re, real(v))
	}
	slices.Sort(re)
	slices.Reverse(re)
	return re[:count]
}

// TestFormulationsAgree: the three formulations agree with each other and with the matrices of the paper. ε of the
// covariance operator corresponds to n·ε of the Gram matrix.
func TestFormulationsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	const n, ridge, gammaX, gammaY, count = 70, 1e-2, 0.3, 0.2, 6
	x, y, d := dependent(t, n, 2, 2)
	gx, gy := gram(gaussianOf(gammaX), x, x), gram(gaussianOf(gammaY), y, y)
	sameY := gram(gaussianOf(gammaX), y, y)
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1./n)
	}
	inverse := power(gx, n*ridge, -1)
	root := new(mat.Dense)
	root.Mul(power(gy, n*ridge, -0.5), power(gx, n*ridge, -0.5))
	other := kernelgen.RBF(gammaY)
	for _, c := range []struct {
		op          Operator
		kernelY     *kernelgen.Kernel
		b, from, to *mat.Dense // Gram matrices of domain and range
	}{
		{CrossCovariance{}, &other, identity, gx, gy},
		{MeanEmbedding{ridge}, &other, inverse, gx, gy},
		{CCA{ridge}, &other, root, gx, gy},
		{Koopman{ridge}, nil, inverse, sameY, gx},
	} {
		byAuxiliary, byBlock := literal(c.b, c.from, c.to, count)
		var fits []*Fit
		for _, form := range []formulation{qr, auxiliary, block} {
			s := Solver{Operator: c.op, Rank: count, KernelY: c.kernelY}
			f := fitBy(t, form, s, d, kernelgen.RBF(gammaX))
			fits = append(fits, f)
			for i := range count {
				scale := 1e-10 * f.Values[0] * math.Max(1, 1e-3*f.Values[0]/f.Values[i])
				if math.Abs(f.Values[i]-byAuxiliary[i]) > scale || math.Abs(f.Values[i]-byBlock[i]) > scale || math.Abs(f.Values[i]-fits[0].Values[i]) > scale {
					t.Errorf("%s by %s: σ_%d is %.15g; auxiliary %.15g, block %.15g, qr %.15g", c.op, form, i, f.Values[i], byAuxiliary[i], byBlock[i], fits[0].Values[i])
				}
			}
			checkOrthonormal(t, fmt.Sprintf("%s by %s", c.op, form), f)
		}
		rows := normal(9, 2, "new")
		for i, f := range fits[1:] {
			for _, pair := range [][2]*Functions{{f.Left, fits[0].Left}, {f.Right, fits[0].Right}} {
				if off := distance(t, pair[0].First(3), pair[1].First(3), rows); off > 1e-7 {
					t.Errorf("%s by formulation %d: functions differ by %g", c.op, i+1, off)
				}
			}
		}
	}
}

// checkOrthonormal requires functions of norm 1 in their RKHS.
func checkOrthonormal(t *testing.T, what string, f *Fit) {
	t.Helper()
	for _, side := range []*Functions{f.Left, f.Right} {
		g := transposedTimes(side.Coefficients, side.Coefficients)
		for i := range g.Rows {
			g.Data[i*g.Stride+i]--
		}
		if off := dense.MaxAbs(g); off > 1e-12 {
			t.Errorf("%s: singular functions are orthonormal to %g", what, off)
		}
	}
}

// distance returns the largest difference of the values of functions at some rows, up to their signs.
func distance(t *testing.T, a, b *Functions, rows blas64.General) float64 {
	t.Helper()
	u, err := a.At(t.Context(), stream.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.At(t.Context(), stream.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for j := range u.Cols {
		same, turned := 0.0, 0.0
		for i := range u.Rows {
			p, q := matrix.Row(u, i)[j], matrix.Row(v, i)[j]
			same, turned = math.Max(same, math.Abs(p-q)), math.Max(turned, math.Abs(p+q))
		}
		worst = math.Max(worst, math.Min(same, turned))
	}
	return worst
}

// TestCanonicalFunctions: from their values at the pairs, canonical functions have variance 1 including ε·norm², and
// are uncorrelated. Their cross-covariances are the singular values.
func TestCanonicalFunctions(t *testing.T) {
	const ridge = 1e-2
	x, y, d := dependent(t, 200, 2, 3)
	for _, centred := range []bool{false, true} {
		f := mustFit(t, Solver{Operator: CCA{ridge}, Rank: 4, Center: centred}, d, kernelgen.RBF(0.4))
		u, err := f.CanonicalLeft.At(t.Context(), stream.Engine{}, y)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.CanonicalRight.At(t.Context(), stream.Engine{}, x)
		if err != nil {
			t.Fatal(err)
		}
		cross := transposedTimes(u, v)
		own := transposedTimes(v, v)
		norms := transposedTimes(f.CanonicalRight.Coefficients, f.CanonicalRight.Coefficients)
		for i := range 4 {
			for j := range 4 {
				want, unit := 0.0, 0.0
				if i == j {
					want, unit = f.Values[i], 1
				}
				if got := cross.Data[i*4+j] / 200; math.Abs(got-want) > 1e-8 {
					t.Errorf("centred %v: covariance (%d, %d) is %v, want %v", centred, i, j, got, want)
				}
				if got := own.Data[i*4+j]/200 + ridge*norms.Data[i*4+j]; math.Abs(got-unit) > 1e-8 {
					t.Errorf("centred %v: variance (%d, %d) is %v, want %v", centred, i, j, got, unit)
				}
			}
		}
		if centred {
			if means := dense.ColumnMeans(v); math.Abs(means[0]) > 1e-9 {
				t.Errorf("means of centred functions are %v", means)
			}
		}
	}
}

// TestLandmarksConverge: with all rows as landmarks the fit equals that of the exact engine. Fewer landmarks come
// closer with their number.
func TestLandmarksConverge(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	_, _, d := dependent(t, 120, 2, 2)
	for _, task := range []Task{SVD, Eigen} {
		s := Solver{Operator: CCA{1e-3}, Rank: 5, Algorithm: AlgorithmExact}
		if task == Eigen {
			s.Task, s.Operator = Eigen, Koopman{1e-3}
		}
		exact := mustFit(t, s, d, kernelgen.RBF(1))
		last := math.Inf(1)
		s.Algorithm = AlgorithmLandmark
		for _, count := range []int{8, 20, 60, 240} {
			s.Landmarks = count
			f := mustFit(t, s, d, kernelgen.RBF(1))
			off := 0.0
			for i, v := range f.Eigenvalues()[:4] {
				off = math.Max(off, cmplx.Abs(v-exact.Eigenvalues()[i]))
			}
			if last < 1 && off > last+1e-9 {
				t.Errorf("%s: %d landmarks are off by %g, fewer by %g", task, count, off, last)
			}
			last = off
			if left := f.TraceResiduals[0]; count == 8 && left < 1e-3 || count == 240 && left > 1e-9 {
				t.Errorf("%s: %d landmarks leave %g of the trace", task, count, left)
			}
		}
		if last > 1e-8 {
			t.Errorf("%s: all points as landmarks are off by %g", task, last)
		}
	}
}

// TestLagged: lagged data equal two sources, and take one pass.
func TestLagged(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	path := normal(1500, 2, "path")
	for i := 5; i < path.Rows; i++ {
		for j, v := range matrix.Row(path, i-5) {
			path.Data[2*i+j] += 0.8 * v
		}
	}
	s := Solver{Operator: Koopman{1e-3}, Task: Eigen, Rank: 3, Landmarks: 20}
	for _, lag := range []int{1, 5, 600} {
		src := passcount.New(stream.FromMatrix("path", path))
		late, err := Lagged(src, int64(lag))
		if err != nil {
			t.Fatal(err)
		}
		n := path.Rows - lag
		a := mustFit(t, s, late, kernelgen.RBF(0.1))
		b := mustFit(t, s, pairs(t, matrix.Rows(path, 0, n), matrix.Rows(path, lag, n)), kernelgen.RBF(0.1))
		if !slices.Equal(a.Values, b.Values) || a.Lag != int64(lag) || a.Pairs != int64(n) {
			t.Errorf("lag %d: values %v, of two sources %v", lag, a.Values, b.Values)
		}
		if src.Passes() != 1 {
			t.Errorf("lag %d: %d passes", lag, src.Passes())
		}
	}
}

// TestWords: words of the kernel of x become numbers from rows of x, and those of y from rows of y.
func TestWords(t *testing.T) {
	x, y, _ := dependent(t, 300, 2, 2)
	for i := range y.Data {
		y.Data[i] *= 100
	}
	word, err := kernelgen.Parse("rbf(gamma=median)")
	if err != nil {
		t.Fatal(err)
	}
	f := mustFit(t, Solver{Operator: CCA{1e-3}, Rank: 2}, pairs(t, x, y), word)
	left, right := f.Left.Space.Kernel.String(), f.Right.Space.Kernel.String()
	ofX, ofY := 0.0, 0.0
	if _, err := fmt.Sscanf(right+" "+left, "rbf(gamma=%g) rbf(gamma=%g)", &ofX, &ofY); err != nil || !(ofY < 1e-3*ofX) {
		t.Errorf("kernels %s of x and %s of y, whose rows lie 100 times as far apart; %v", right, left, err)
	}
	if f.Choice.Name != "exact" {
		t.Errorf("%q was chosen", f.Choice.Name)
	}
	one := mustFit(t, Solver{Operator: Koopman{1e-3}, Rank: 2}, pairs(t, x, x), word)
	if one.Left.Space != one.Right.Space || one.Left.Space.Kernel.String() != right {
		t.Errorf("kernel %s of one space, that of x is %s", one.Left.Space.Kernel, right)
	}
}

// TestPlan: the automatic choice takes landmarks if memory is short.
func TestPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	s := Solver{Operator: CCA{1e-3}, Rank: 3, Memory: 300 << 20}
	_, _, d := dependent(t, 1200, 2, 2)
	f := mustFit(t, s, d, kernelgen.RBF(0.5))
	if f.Algorithm != AlgorithmLandmark || !strings.Contains(f.Notes[0], "MiB") {
		t.Errorf("engine %s, notes %q", f.Algorithm, f.Notes)
	}
	p, err := s.Plan(stream.Engine{}, d.Size(), kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if p.SourcePasses != f.SourcePasses || float64(f.KernelEntries) > 1.5*float64(p.KernelEntries) || 3*f.KernelEntries < p.KernelEntries {
		t.Errorf("planned %d passes and %d entries, took %d and %d", p.SourcePasses, p.KernelEntries, f.SourcePasses, f.KernelEntries)
	}
	large, err := s.Plan(stream.Engine{}, model.Size{Rows: 1e9, Cols: 1e9, Columns: 2}, kernelgen.RBF(0.5))
	if err != nil || large.Memory.Total() > 2*p.Memory.Total() {
		t.Errorf("memory of 10⁹ pairs %d, of 2000 %d; %v", large.Memory.Total(), p.Memory.Total(), err)
	}
}

// TestNotSpanned: the exact engine refuses a kernel whose features 1000 rows do not span. The automatic choice then
// takes landmarks, and counts the entries of both.
func TestNotSpanned(t *testing.T) {
	_, _, d := dependent(t, 1100, 2, 2)
	s := Solver{Operator: Covariance{}, Rank: 3, Algorithm: AlgorithmExact}
	narrow := kernelgen.RBF(1e6)
	if _, err := s.Fit(t.Context(), stream.Engine{}, d, narrow); !errors.Is(err, errNotSpanned) || !strings.Contains(err.Error(), "raise `Landmarks`") {
		t.Errorf("error %v", err)
	}
	s.Algorithm = AlgorithmLandmark
	landmark := mustFit(t, s, d, narrow)
	s.Algorithm = AlgorithmAuto
	f := mustFit(t, s, d, narrow)
	if f.Algorithm != AlgorithmLandmark || f.Choice.Name != "landmark" || !strings.Contains(f.Notes[0], "span") || f.TraceResiduals[0] < 0.5 {
		t.Errorf("engine %s, notes %q, trace residual %v", f.Algorithm, f.Notes, f.TraceResiduals)
	}
	if !slices.Equal(f.Values, landmark.Values) || f.KernelEntries <= landmark.KernelEntries {
		t.Errorf("values %v of %d entries, by landmarks %v of %d", f.Values, f.KernelEntries, landmark.Values, landmark.KernelEntries)
	}
}

// TestAllPivots: if there are no more rows than pivots, the exact engine makes all rows pivots, whatever the residual.
func TestAllPivots(t *testing.T) {
	const rows = firstPivots + 8
	_, _, d := dependent(t, rows, 2, 2)
	f := mustFit(t, Solver{Operator: Covariance{}, Rank: 3}, d, kernelgen.RBF(1e6))
	if f.Algorithm != AlgorithmExact || f.Landmarks[0] != rows {
		t.Errorf("engine %s, landmarks %v, notes %q", f.Algorithm, f.Landmarks, f.Notes)
	}
}

// TestLandmarksAfterExact: when the automatic choice falls back to landmarks it takes the requested number, and does
// not recommend the exact engine.
func TestLandmarksAfterExact(t *testing.T) {
	_, _, d := dependent(t, 300, 2, 2)
	s := Solver{Operator: Koopman{1e-3}, Task: Eigen, Rank: 3, Landmarks: 310} // of 600 rows in one space
	f := mustFit(t, s, d, kernelgen.RBF(1e6))
	if f.Algorithm != AlgorithmLandmark || f.Landmarks[0] != 310 {
		t.Errorf("engine %s, landmarks %v", f.Algorithm, f.Landmarks)
	}
	if len(f.Estimates) != 1 || !strings.Contains(f.Estimates[0].Reason, "`Landmarks`") || strings.Contains(f.Estimates[0].Reason, "Engine exact") {
		t.Errorf("errors %+v", f.Estimates)
	}
}

// TestUnknownError: a fit with landmarks reports its error as unknown. It evaluates no more entries than the choice of
// landmarks and one pass.
func TestUnknownError(t *testing.T) {
	_, _, d := dependent(t, 1500, 2, 2)
	s := Solver{Operator: Koopman{1e-3}, Task: Eigen, Rank: 3, Algorithm: AlgorithmLandmark, Landmarks: 20}
	f := mustFit(t, s, d, kernelgen.RBF(0.5))
	if len(f.Estimates) != 1 || f.Estimates[0].Quantity != model.OperatorValues || !math.IsNaN(f.Estimates[0].Value) || f.Estimates[0].Reason == "" {
		t.Errorf("errors %+v", f.Estimates)
	}
	if most := int64(20 * 1500 * 20); f.KernelEntries > most {
		t.Errorf("%d kernel entries, more than %d", f.KernelEntries, most)
	}
	s.Algorithm, s.Landmarks = AlgorithmExact, 0
	if f := mustFit(t, s, d, kernelgen.RBF(0.5)); len(f.Estimates) > 0 {
		t.Errorf("exact: errors %+v", f.Estimates)
	}
}
