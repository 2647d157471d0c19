package lowrank

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg" // of the colours
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var rectangularCases = flag.Int("rectangular", 8, "how many cases TestRectangularCalibration has")

// rectCase is a fit of the kernel matrix between two sources.
type rectCase struct {
	name            string
	x, y            blas64.General
	kernel          kernelgen.Kernel
	rank, nnz, core int
	seed            uint64
}

// rectKinds are the kinds of data.
var rectKinds = []struct {
	name string
	rows func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string)
}{
	{"autumn, woods", pixelsOf("autumn.jpg", "woods.jpg")},
	{"woods, autumn", pixelsOf("woods.jpg", "autumn.jpg")},
	{"day, sunset", pixelsOf("ocean_day.jpg", "ocean_sunset.jpg")},
	{"sunset, day", pixelsOf("ocean_sunset.jpg", "ocean_day.jpg")},
	{"uniform", func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string) {
		d := []int{1, 2, 3, 8, 20}[r.IntN(5)]
		draw := func(int) float64 { return r.Float64() }
		return drawRows(m, d, draw), drawRows(n, d, draw), smoothKernels
	}},
	{"counts", func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string) {
		d := 50 + r.IntN(150)
		return zipfCounts(r, m, d), zipfCounts(r, n, d), []string{"rbf(sigma=median)", "laplace(gamma=median)", "poly(degree=2, gamma=1)", "cosine"}
	}},
	{"normal, heavy tails", func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string) {
		d := 1 + r.IntN(6)
		tails := func(int) float64 { return r.NormFloat64() / math.Sqrt(math.Abs(r.NormFloat64())+0.01) }
		return drawRows(m, d, func(int) float64 { return r.NormFloat64() }), drawRows(n, d, tails), smoothKernels
	}},
	{"uniform, clusters", func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string) {
		d, spread := 1+r.IntN(6), 0.3*r.Float64()
		centres := drawRows(12, d, func(int) float64 { return 1.5 * r.Float64() })
		x = drawRows(m, d, func(int) float64 { return r.Float64() })
		y = drawRows(n, d, func(int) float64 { return spread * r.NormFloat64() })
		for i := range n {
			matrix.Axpy(1, matrix.Row(centres, r.IntN(12)), matrix.Row(y, i))
		}
		return x, y, smoothKernels
	}},
}

var smoothKernels = []string{"rbf(sigma=median)", "rbf(sigma=median)", "laplace(gamma=median)", "matern32(length=median)", "imq(length=median)"}

// drawRows returns rows of independent entries.
func drawRows(n, d int, draw func(j int) float64) blas64.General {
	x := matrix.New(n, d)
	for i := range x.Data {
		x.Data[i] = draw(i % d)
	}
	return x
}

// zipfCounts returns rows of word counts, divided by their norms. Word k occurs 1/k times as often as the first.
func zipfCounts(r *rand.Rand, n, d int) blas64.General {
	x, words := matrix.New(n, d), rand.NewZipf(r, 1.1, 1, uint64(d-1))
	for i := range n {
		row := matrix.Row(x, i)
		for range 5 + r.IntN(60) {
			row[words.Uint64()]++
		}
		blas64.Scal(1/dense.Norm(row), dense.Vector(row))
	}
	return x
}

// pixelsOf returns a function that draws colours of two images, in [0, 1], with the kernel of Xie et al. (2023), §IV-A.
// It returns no rows if the images are absent.
func pixelsOf(left, right string) func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string) {
	return func(r *rand.Rand, m, n int) (x, y blas64.General, kernels []string) {
		return pixels(r, left, m), pixels(r, right, n), []string{"rbf(gamma=10)"}
	}
}

// pixels draws colours from an image in the folder NYSTREAM_DATA.
func pixels(r *rand.Rand, name string, n int) blas64.General {
	f, err := os.Open(filepath.Join(cmp.Or(os.Getenv("NYSTREAM_DATA"), "../../../shared/data"), name))
	if err != nil {
		return blas64.General{}
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		return blas64.General{}
	}
	size := m.Bounds().Size()
	x := matrix.New(n, 3)
	for i := range n {
		red, green, blue, _ := m.At(r.IntN(size.X), r.IntN(size.Y)).RGBA()
		copy(matrix.Row(x, i), []float64{float64(red) / 0xffff, float64(green) / 0xffff, float64(blue) / 0xffff})
	}
	return x
}

// newRectCase draws a case of the kind given by its number.
func newRectCase(t *testing.T, number int) rectCase {
	r := rand.New(rand.NewPCG(uint64(number), 3))
	kind := rectKinds[number%len(rectKinds)]
	m, n := 700+r.IntN(700), 700+r.IntN(700)
	c := rectCase{nnz: 1 + r.IntN(4), seed: uint64(number)}
	c.rank = 10 + r.IntN(min(91, min(m, n)/(2*c.nnz)-9))
	c.core = min(int(float64(c.rank)*(1.5+8.5*r.Float64())), min(m, n)/c.nnz)
	var kernels []string
	c.x, c.y, kernels = kind.rows(r, m, n)
	k, err := kernelgen.Parse(kernels[r.IntN(len(kernels))])
	if err != nil {
		t.Fatal(err)
	}
	if c.x.Rows == 0 {
		return c
	}
	if c.kernel, err = k.Resolve(c.x); err != nil {
		t.Fatal(err)
	}
	c.name = fmt.Sprintf("%d: %s %d×%d×%d %s c=%d z=%d s=%d", number, kind.name, m, n, c.x.Cols, c.kernel, c.rank, c.nnz, c.core)
	return c
}

// rectErrors holds the relative errors of a fit and their estimates.
type rectErrors struct{ spectral, frobenius, spectralEstimate, frobeniusEstimate float64 }

// errors fits and measures. spectral and frobenius are the norms of a.
func (c rectCase) errors(t *testing.T, method Method, a blas64.General, spectral, frobenius float64) rectErrors {
	d := model.Sources{Left: stream.FromMatrix("left", c.x), Right: stream.FromMatrix("right", c.y)}
	f, err := method.Fit(context.Background(), stream.Engine{}, d, c.kernel)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	rest := difference(a, approximation(f.Model, factors(t, f.Model, f.Left, c.x), factors(t, f.Model, f.Right, c.y)))
	return rectErrors{quickNorm(t, rest) / spectral, dense.Frobenius(rest) / frobenius, f.EstimateIn(NormSpectral), f.EstimateIn(NormFrobenius)}
}

// TestRectangularCalibration compares the landmark method between two sources with the dense
// truth, and with SSRSVD at the same cost: the same rank, the same number of kernel entries
// for each row of a pass, z·c, and as many core points. With z = 1 both have the same range, and
// differ in the core alone: by a tenth either way counts as the same. All cases:
//
//	go test -v -run TestRectangularCalibration ./solvers/lowrank -rectangular 200
func TestRectangularCalibration(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const (
		rounding = 1e-9 // below, errors come from cutoffs
		tie      = 1.1
	)
	cases := *rectangularCases
	var spectral, frobenius, gains []float64
	for number := 0; len(gains) < cases; number++ {
		c := newRectCase(t, number)
		if c.x.Rows == 0 {
			t.Logf("%s: no such images in NYSTREAM_DATA", rectKinds[number%len(rectKinds)].name)
			if number%len(rectKinds) == 0 {
				cases--
			}
			continue
		}
		a := kernelMatrix(c.kernel, c.x, c.y)
		norm, square := quickNorm(t, a), dense.Frobenius(a)
		core := c.nnz*c.core + leveragePerColumn*c.rank
		ours := c.errors(t, Landmark{Rank: c.rank, Landmarks: c.nnz * c.rank, Core: core, Seed: c.seed}, a, norm, square)
		theirs := c.errors(t, SSRSVD{Rank: c.rank, Sketch: c.core, NNZ: c.nnz, Seed: c.seed}, a, norm, square)
		t.Logf("%s: spectral %.2e (%.2f of the estimate), Frobenius %.2e (%.2f), ssrsvd %.2e %.2e", c.name,
			ours.spectral, ours.spectral/ours.spectralEstimate, ours.frobenius, ours.frobenius/ours.frobeniusEstimate, theirs.spectral, theirs.frobenius)
		if ours.spectral > math.Max(tie*theirs.spectral, rounding) || ours.frobenius > math.Max(tie*theirs.frobenius, rounding) {
			t.Errorf("%s: worse than ssrsvd: %.3g against %.3g, Frobenius %.3g against %.3g", c.name, ours.spectral, theirs.spectral, ours.frobenius, theirs.frobenius)
		}
		gains = append(gains, theirs.spectral/ours.spectral)
		if ours.frobenius > rounding {
			spectral = append(spectral, ours.spectral/ours.spectralEstimate)
			frobenius = append(frobenius, ours.frobenius/ours.frobeniusEstimate)
		}
	}
	spread(t, "ssrsvd's spectral error over the landmark method's", gains)
	for what, values := range map[string][]float64{"spectral": spectral, "Frobenius": frobenius} {
		if within := spread(t, what+", truth over estimate", values); float64(within) < 0.95*float64(len(values)) {
			t.Errorf("%s: only %d of %d within a factor of 2", what, within, len(values))
		}
	}
}

// spread logs quantiles, and returns the number of values between 1/2 and 2.
func spread(t *testing.T, what string, values []float64) (within int) {
	slices.Sort(values)
	at := func(p float64) float64 { return values[int(p*float64(len(values)-1))] }
	for _, v := range values {
		if v >= 0.5 && v <= 2 {
			within++
		}
	}
	t.Logf("%s: least %.2f, 2.5 %% %.2f, median %.2f, 97.5 %% %.2f, most %.2f; %d of %d between 1/2 and 2",
		what, at(0), at(0.025), at(0.5), at(0.975), at(1), within, len(values))
	return within
}
