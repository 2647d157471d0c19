package lowrank

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// calibrationCase is a fit of random data by a random method.
type calibrationCase struct {
	name        string
	left, right blas64.General
	kernel      kernelgen.Kernel
	method      Method
}

// randomCase draws the data, the width of the kernel, the method and its rank.
func randomCase(t *testing.T, number uint64) calibrationCase {
	r := rand.New(rand.NewPCG(number, 2))
	n := 400 + r.IntN(1100)
	data, x := randomRows(r, n)
	k, text := randomKernel(t, r, x)
	c := 4 + r.IntN(min(56, n/25))
	name, method, two := randomMethod(r, c, number, k)
	one := calibrationCase{fmt.Sprintf("%d: %s n=%d %s %s c=%d", number, data, n, text, name, c), x, blas64.General{}, k, method}
	if two {
		split := n/2 + r.IntN(n/8)
		one.left, one.right = matrix.Rows(x, 0, split), matrix.Rows(x, split, n-split)
	}
	return one
}

// randomRows draws rows of one of several kinds, with the name of the kind.
func randomRows(r *rand.Rand, n int) (string, blas64.General) {
	d := []int{1, 2, 3, 8, 20}[r.IntN(5)]
	x := matrix.New(n, d)
	kinds := []string{"uniform", "clusters", "heavy tails", "far rows", "repeated rows", "yes and no", "thin"}
	kind := kinds[r.IntN(len(kinds))]
	centres := matrix.New(3+r.IntN(30), d)
	for i := range centres.Data {
		centres.Data[i] = r.NormFloat64()
	}
	spread := math.Exp(-4 * r.Float64())
	for i := range n {
		row, centre := matrix.Row(x, i), matrix.Row(centres, r.IntN(centres.Rows))
		for j := range row {
			switch kind {
			case "uniform":
				row[j] = r.Float64()
			case "clusters":
				row[j] = centre[j] + spread*r.NormFloat64()
			case "heavy tails":
				row[j] = r.NormFloat64() / math.Sqrt(math.Abs(r.NormFloat64())+0.01)
			case "far rows":
				row[j] = r.Float64()
				if i%50 == 7 {
					row[j] = 1000 * r.NormFloat64()
				}
			case "repeated rows":
				row[j] = centre[j] + float64(i%2)*spread
			case "yes and no":
				row[j] = float64(r.IntN(2)) + 0.001*r.NormFloat64()
			case "thin":
				row[j] = r.NormFloat64() * math.Exp(-float64(j))
			}
		}
	}
	return fmt.Sprintf("%s d=%d", kind, d), x
}

// randomKernel draws a kernel for the rows.
func randomKernel(t *testing.T, r *rand.Rand, x blas64.General) (kernelgen.Kernel, string) {
	text := []string{"rbf(sigma=median)", "rbf(sigma=median)", "laplace(gamma=median)", "matern32(length=median)", "imq(length=median)", "poly(degree=2, gamma=0.1)"}[r.IntN(6)]
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	narrow := math.Exp(2 * r.Float64())
	scaled := matrix.New(x.Rows, x.Cols)
	for i, v := range x.Data {
		scaled.Data[i] = v / narrow
	}
	if k, err = k.Resolve(scaled); err != nil {
		t.Fatal(err)
	}
	return k, k.String()
}

// randomMethod draws a method of rank c; two means that it needs two sources.
func randomMethod(r *rand.Rand, c int, seed uint64, k kernelgen.Kernel) (name string, method Method, two bool) {
	switch r.IntN(12) {
	case 0, 1:
		return "landmark", Landmark{Rank: c, Seed: seed}, false
	case 2:
		return "landmark fitted", Landmark{Rank: c, Seed: seed, Shift: ShiftFitted}, false
	case 3:
		return "s3spsd", S3SPSD{Rank: c, Seed: seed}, false
	case 4:
		return "ssrsvd", SSRSVD{Rank: c, Seed: seed}, r.IntN(2) == 0
	case 5:
		return "nystrom", Nystrom{Rank: c, Seed: seed}, false
	case 6:
		return "nystrom rpc", Nystrom{Rank: c, Seed: seed, Landmarks: 3 * c, Rule: RulePivoted}, false
	case 7:
		return "unshifted", unshiftedLandmark(c, seed), false
	case 8:
		return "s3spsd paper", S3SPSD{Rank: c, Seed: seed, Shift: ShiftPaper}, false
	case 9:
		return "rpcholesky", RPCholesky{Rank: c, Seed: seed}, false
	case 10:
		if _, err := k.SpectralMeasure(); err == nil {
			return "rff", RFF{Rank: c, Seed: seed}, false
		}
		return "landmark dpp", Landmark{Rank: c, Seed: seed, Rule: RuleDeterminantal}, false
	}
	return "landmark", Landmark{Rank: c, Seed: seed}, true
}

// calibration compares the estimates of a fit with the truth.
type calibration struct {
	name                 string
	spectral, frobenius  float64 // truth over estimate
	trueNorm, trueSquare float64
	doubted              bool // the fit warns that the estimate may be too low
}

func (c calibrationCase) run(t *testing.T) (calibration, bool) {
	ctx := context.Background()
	left, right := stream.Gatherer(stream.FromMatrix("left", c.left)), stream.Source(nil)
	y := c.left
	if c.right.Rows > 0 {
		right, y = stream.FromMatrix("right", c.right), c.right
	}
	f, err := c.method.Fit(ctx, stream.Engine{}, model.Sources{Left: left, Right: right}, c.kernel)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	a := kernelMatrix(c.kernel, c.left, y)
	u := factors(t, f.Model, f.Left, c.left)
	v := u
	if !f.Symmetric() {
		v = factors(t, f.Model, f.Right, y)
	}
	rest := difference(a, approximation(f.Model, u, v))
	norm, square := quickNorm(t, a), dense.Frobenius(a)
	restNorm, restSquare := quickNorm(t, rest), dense.Frobenius(rest)
	out := calibration{c.name, restNorm / norm / f.EstimateIn(NormSpectral), restSquare / square / f.EstimateIn(NormFrobenius), restNorm / norm, restSquare / square, f.doubted()}
	return out, restNorm/norm > 1e-11 // below, both errors are rounding
}

// doubted reports whether a warning says that the estimates may be too low.
func (f *Fit) doubted() bool {
	return slices.ContainsFunc(f.Warnings, func(warning string) bool { return strings.Contains(warning, "estimate may be too low") })
}

// quickNorm returns the spectral norm to about 1 %.
func quickNorm(t *testing.T, a blas64.General) float64 {
	t.Helper()
	_, high, err := krylov.Outermost(context.Background(), krylov.Gram{General: a}, a.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return math.Sqrt(math.Max(0, high))
}

var calibrationCases = flag.Int("cases", 10, "how many cases TestEstimateCalibration draws without -short; the README tells of 200")

// TestEstimateCalibration: in 95 % of random cases the true error is within a factor of two of the estimate, and it
// never exceeds three times the estimate.
func TestEstimateCalibration(t *testing.T) {
	t.Parallel()
	cases := fewer(*calibrationCases, 4)
	var all []calibration
	for number := uint64(1); len(all) < cases; number++ {
		if c, counts := randomCase(t, number).run(t); counts {
			all = append(all, c)
		}
	}
	doubted := 0
	for _, c := range all {
		if c.doubted {
			doubted++
		}
	}
	if doubted > len(all)/10 {
		t.Errorf("%d of %d estimates of ordinary data are doubted", doubted, len(all))
	}
	calibrationTable(t, "spectral", all, func(c calibration) (float64, float64) { return c.spectral, c.trueNorm })
	calibrationTable(t, "Frobenius", all, func(c calibration) (float64, float64) { return c.frobenius, c.trueSquare })
}

// calibrationTable logs quantiles of the ratios in one norm, and checks their limits.
func calibrationTable(t *testing.T, norm string, all []calibration, of func(calibration) (ratio, truth float64)) {
	var ratios []float64
	within := 0
	for _, c := range all {
		v, truth := of(c)
		ratios = append(ratios, v)
		if v >= 0.5 && v <= 2 {
			within++
		} else {
			t.Logf("%s: true error %.3g is %.2f of the estimate: %s", norm, truth, v, c.name)
		}
		if !(v <= 3) {
			t.Errorf("%s: true error %.3g is %.2f times the estimate: %s", norm, truth, v, c.name)
		}
	}
	slices.Sort(ratios)
	at := func(p float64) float64 { return ratios[int(p*float64(len(ratios)-1))] }
	t.Logf("%s: truth over estimate: least %.2f, 2.5 %% %.2f, median %.2f, 97.5 %% %.2f, most %.2f; %d of %d within a factor of 2",
		norm, ratios[0], at(0.025), at(0.5), at(0.975), ratios[len(ratios)-1], within, len(all))
	if float64(within) < 0.95*float64(len(all)) {
		t.Errorf("%s: only %d of %d within a factor of 2", norm, within, len(all))
	}
}
