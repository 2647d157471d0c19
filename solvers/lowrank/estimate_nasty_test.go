package lowrank

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
)

// nastyRows are data sets in which a sample is misleading: few rows dominate the matrix, or its part outside the model.
var nastyRows = []struct {
	name string
	row  func(r *rand.Rand, row []float64, i, few int)
}{
	{"few huge rows", func(r *rand.Rand, row []float64, i, few int) {
		normal(r, row, 1)
		if i%400 < few {
			normal(r, row, 1e4)
		}
	}},
	{"one dominating row", func(r *rand.Rand, row []float64, i, _ int) {
		normal(r, row, 1)
		if i == 333 {
			normal(r, row, 1e6)
		}
	}},
	{"few equal rows", func(r *rand.Rand, row []float64, i, few int) {
		normal(r, row, 1)
		if i%400 == 7 && i < 400*few {
			equal(row, 3)
		}
	}},
	{"all but few equal", func(r *rand.Rand, row []float64, i, few int) {
		equal(row, 0.5)
		if i%200 < few {
			normal(r, row, 1)
		}
	}},
	{"heavy tails", func(r *rand.Rand, row []float64, _, _ int) {
		normal(r, row, math.Pow(r.Float64(), -1.5))
	}},
	{"very heavy tails", func(r *rand.Rand, row []float64, _, _ int) {
		normal(r, row, math.Pow(r.Float64(), -4))
	}},
	{"one-hot", func(r *rand.Rand, row []float64, _, few int) {
		clear(row)
		row[int(float64(len(row))*math.Pow(r.Float64(), float64(few)))] = 1
	}},
	{"a far cluster", func(r *rand.Rand, row []float64, i, few int) {
		normal(r, row, 0.1)
		if i%300 < few {
			row[0] += 50
		}
	}},
	{"tiny and huge", func(r *rand.Rand, row []float64, i, few int) {
		normal(r, row, []float64{1, 1e-30, 1e30}[min(2, i%(100*few+3))])
	}},
	{"sizes of all orders", func(r *rand.Rand, row []float64, i, _ int) {
		normal(r, row, math.Pow(10, 12*r.Float64()-6))
	}},
}

// normal fills a row with normal numbers times scale.
func normal(r *rand.Rand, row []float64, scale float64) {
	for j := range row {
		row[j] = scale * r.NormFloat64()
	}
}

// equal fills a row with v.
func equal(row []float64, v float64) {
	for j := range row {
		row[j] = v
	}
}

// nastyEstimateCase draws a data set, a kernel and a method.
func nastyEstimateCase(t *testing.T, number uint64) calibrationCase {
	r := rand.New(rand.NewPCG(number, 9))
	kind := nastyRows[number%uint64(len(nastyRows))]
	n, d, few := 1200+r.IntN(600), []int{2, 5, 20}[r.IntN(3)], 1+r.IntN(4)
	x := matrix.New(n, d)
	for i := range n {
		kind.row(r, matrix.Row(x, i), i, few)
	}
	kernels := []string{"linear", "rbf(sigma=median)", "poly(degree=2, gamma=1, coef0=1)", "laplace(gamma=median)", "rbf(gamma=1)"}
	text := kernels[r.IntN(len(kernels))]
	k, err := kernelgen.Parse(text)
	if err == nil {
		k, err = k.Resolve((&basis.Panel{Rows: x, Number: upToRows(n)}).Select(evenRows(n, 1000)).Rows)
	}
	if err != nil {
		k, text = kernelgen.RBF(1), "rbf(1)"
	}
	c := 3 + r.IntN(20)
	name, method := nastyMethod(r, c, number, k)
	return calibrationCase{fmt.Sprintf("%d: %s n=%d d=%d few=%d %s %s c=%d", number, kind.name, n, d, few, text, name, c), x, blas64.General{}, k, method}
}

// upToRows returns the numbers below n.
func upToRows(n int) (all []int64) {
	for i := range n {
		all = append(all, int64(i))
	}
	return all
}

// evenRows returns about want evenly spaced numbers below n.
func evenRows(n, want int) (list []int64) {
	for i := range want {
		list = append(list, int64(i*n/want))
	}
	return list
}

// nastyMethod draws a method of rank c.
func nastyMethod(r *rand.Rand, c int, seed uint64, k kernelgen.Kernel) (string, Method) {
	switch r.IntN(8) {
	case 0:
		return "landmark", Landmark{Rank: c, Seed: seed}
	case 1:
		return "landmark uniform", Landmark{Rank: c, Seed: seed, Rule: RuleUniform}
	case 2:
		return "s3spsd", S3SPSD{Rank: c, Seed: seed}
	case 3, 4:
		return "ssrsvd", SSRSVD{Rank: c, Seed: seed}
	case 5:
		return "nystrom", Nystrom{Rank: c, Seed: seed}
	case 6:
		if _, err := k.SpectralMeasure(); err == nil {
			return "rff", RFF{Rank: c, Seed: seed}
		}
	}
	return "rpcholesky", RPCholesky{Rank: c, Seed: seed}
}

var nastyEstimates = flag.Int("nasty", 10, "how many cases TestNastyEstimates draws without -short")

// TestNastyEstimates: where a sample is misleading, estimates are at most 3 times too low, unless the fit warns of
// that.
func TestNastyEstimates(t *testing.T) {
	t.Parallel()
	counted, doubts, silent := 0, 0, 0
	var highs []float64
	for number := uint64(1); counted < fewer(*nastyEstimates, 3); number++ {
		c := nastyEstimateCase(t, number)
		got, counts := c.run(t)
		if !counts {
			continue
		}
		counted++
		if got.doubted {
			doubts++
		}
		for _, v := range []float64{got.spectral, got.frobenius} {
			highs = append(highs, 1/v)
		}
		if low := math.Max(got.spectral, got.frobenius); low > 3 {
			t.Logf("truth over estimate: spectral %.3g, Frobenius %.3g, true errors %.3g and %.3g, doubted %v: %s",
				got.spectral, got.frobenius, got.trueNorm, got.trueSquare, got.doubted, c.name)
			if !got.doubted {
				silent++
			}
		}
	}
	slices.Sort(highs)
	t.Logf("%d cases, %d of them doubted, %d silent estimates more than 3 times too low; estimate over truth: median %.2f, most %.3g",
		counted, doubts, silent, highs[len(highs)/2], highs[len(highs)-1])
	if silent > 0 {
		t.Errorf("%d estimates are more than 3 times too low, and nothing says so", silent)
	}
}
