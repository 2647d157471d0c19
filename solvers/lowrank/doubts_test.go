package lowrank

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// twoCircles returns n rows on two concentric circles, with the circle of each.
func twoCircles(n int, seed uint64) (x blas64.General, of []int) {
	x, of = matrix.New(n, 2), make([]int, n)
	random := sketch.NewRandom(seed, "circles")
	for i := range n {
		draws := random.At(uint64(i))
		of[i] = i % 2
		radius, angle := []float64{1, 0.5}[of[i]], 2*math.Pi*draws.Float64()
		x.Data[2*i] = radius*math.Cos(angle) + 0.05*draws.Normal()
		x.Data[2*i+1] = radius*math.Sin(angle) + 0.05*draws.Normal()
	}
	return x, of
}

// TestCoarseClusters: a fit warns if its rank is too small to separate clusters, in any unit of the kernel, and does
// not if the rank suffices.
func TestCoarseClusters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		made   func(int, uint64) (blas64.General, []int)
		k      int
		kernel string
		rank   int
		coarse bool
	}{
		{"circles", twoCircles, 2, "rbf(gamma=50)", 10, true},
		{"circles", twoCircles, 2, "1e150*rbf(gamma=50)", 10, true},
		{"circles", twoCircles, 2, "rbf(gamma=50)", 50, false},
		{"circles", twoCircles, 2, "1e-150*rbf(gamma=50)", 50, false},
		{"rings", rings, 3, "rbf(gamma=8)", 12, true},
		{"rings", rings, 3, "rbf(gamma=8)", 60, false},
		{"blobs", blobs, 3, "rbf(gamma=0.5)", 5, false},
		{"blobs", blobs, 3, "rbf(gamma=5)", 20, false},
	} {
		x, of := c.made(900, 1)
		k, err := kernelgen.Parse(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Sampled{Method: Landmark{Rank: c.rank}, Clusters: c.k}.Fit(t.Context(), stream.Engine{},
			model.Sources{Left: stream.FromMatrix("x", x)}, k)
		if err != nil {
			t.Fatal(c.name, c.kernel, c.rank, err)
		}
		warned := slices.ContainsFunc(f.Warnings, func(s string) bool { return strings.Contains(s, "too coarse to tell") })
		if apart := separated(ask(t, f.Model, x, model.Class).Data, of); warned != c.coarse || apart == c.coarse {
			t.Errorf("%s, %s, rank %d: told apart %v, warnings %q", c.name, c.kernel, c.rank, apart, f.Warnings)
		}
	}
}

// separated reports whether clusters equal the sets, up to a fiftieth of the rows.
func separated(clusters []float64, of []int) bool {
	counts := map[[2]int]int{}
	for i, c := range clusters {
		counts[[2]int{int(c), of[i]}]++
	}
	most := map[int]int{}
	for pair, n := range counts {
		most[pair[0]] = max(most[pair[0]], n)
	}
	sum := 0
	for _, n := range most {
		sum += n
	}
	return sum*50 >= 49*len(of) && len(most) > 1
}

// unevenClusters returns rows in clusters of different sizes, some of which a few landmarks miss.
func unevenClusters(n int, seed uint64) blas64.General {
	x, random := matrix.New(n, 8), sketch.NewRandom(seed, "uneven")
	for i := range n {
		draws := random.At(uint64(i))
		cluster := int(12 * math.Pow(draws.Float64(), 2))
		for j := range 8 {
			x.Data[8*i+j] = 0.3*draws.Normal() + 2*math.Sin(float64(cluster*(j+1)))
		}
	}
	return x
}

// TestNoveltyShares: of new rows like those of the fit, about the requested share is marked, whatever landmarks the
// method draws.
func TestNoveltyShares(t *testing.T) {
	t.Parallel()
	const fitted, fresh = 500, 1500
	for name, method := range map[string]func(seed uint64) Method{
		"nystrom":    func(seed uint64) Method { return Nystrom{Rank: 12, Seed: seed} },
		"rpcholesky": func(seed uint64) Method { return RPCholesky{Rank: 12, Seed: seed} },
		"pca":        func(seed uint64) Method { return PCA{Rank: 12, Seed: seed} },
	} {
		var shares [2][]float64
		for seed := range uint64(6) {
			x := unevenClusters(fitted+fresh, seed)
			f, err := Sampled{Method: method(seed), Novelty: true, Seed: seed}.Fit(t.Context(), stream.Engine{},
				model.Sources{Left: stream.FromMatrix("x", matrix.Rows(x, 0, fitted))}, kernelgen.RBF(0.3))
			if err != nil {
				t.Fatal(err)
			}
			told := ask(t, f.Model, matrix.Rows(x, fitted, fresh), model.Novelty)
			for k, share := range []float64{0.05, 0.1} {
				marked := 0
				for i := range told.Rows {
					if matrix.Row(told, i)[2] <= share {
						marked++
					}
				}
				shares[k] = append(shares[k], float64(marked)/fresh)
			}
		}
		t.Logf("%s: %.4f, %.4f", name, shares[0], shares[1])
		for k, share := range []float64{0.05, 0.1} {
			sum := 0.0
			for _, v := range shares[k] {
				sum += (v - share) * (v - share)
			}
			// Quantiles of 500 rows alone are off by a fifth and a seventh of the share.
			if off := math.Sqrt(sum / float64(len(shares[k]))); off > 0.4*share {
				t.Errorf("%s: %.4f of new rows are marked, for %g", name, shares[k], share)
			}
		}
	}
}

// TestSameRank tests the map between ranks at its ends and with ties.
func TestSameRank(t *testing.T) {
	from, to := []float64{0, 0, 1, 2, 2, 4}, []float64{1, 2, 3, 5, 6, 8}
	for d, want := range map[float64]float64{-1: 1, 0: 1, 0.5: 2.5, 1: 3, 1.5: 4, 2: 5, 3: 7, 4: 8, 8: 16} {
		if got := sameRank(d, from, to); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g is mapped to %g, want %g", d, got, want)
		}
	}
	if got := sameRank(3, []float64{0}, []float64{0}); got != 3 {
		t.Errorf("beyond 0: %g", got)
	}
}
