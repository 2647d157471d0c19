package baselines

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

var _ lowrank.Method = FastSPSDLeverage{}

func matDense(m blas64.General) *mat.Dense {
	m = dense.Clone(m)
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// leverageOf returns the leverage scores of the rows of c, by Householder reflections.
func leverageOf(c blas64.General) []float64 {
	var qr mat.QR
	qr.Factorize(matDense(c))
	var q mat.Dense
	qr.QTo(&q)
	scores := make([]float64, c.Rows)
	for i := range scores {
		row := q.RawRowView(i)[:c.Cols]
		scores[i] = dense.Dot(row, row)
	}
	return scores
}

// TestFastSPSDLeverage holds the fit against C·(SᵀC)⁺·(SᵀKS)·(CᵀS)⁺·Cᵀ by QR
// factorisations, with S drawn by their scores.
func TestFastSPSDLeverage(t *testing.T) {
	t.Parallel()
	const n, c, seed = 300, 12, 5
	x, k := clusters(n, 4, 3), kernelgen.RBF(2)
	f, err := FastSPSDLeverage{Rank: c, Seed: seed}.Fit(background, stream.Engine{}, sources(x), k)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := sketch.NewSample(n, c, seed, "C")
	if err != nil {
		t.Fatal(err)
	}
	columns := between(k, x, dense.PickRows(x, indices(sample.Positions())))
	priority, random := leverageOf(columns), sketch.NewRandom(seed, "leverage")
	for i := range priority {
		draws := random.At(uint64(i))
		priority[i] /= 1 - draws.Float64()
	}
	picked := map[int]bool{}
	for range 5 * c {
		best := 0
		for i, p := range priority {
			if p > priority[best] {
				best = i
			}
		}
		picked[best], priority[best] = true, 0
	}
	for _, i := range sample.Positions() {
		picked[int(i)] = true
	}
	var core []int
	for i := range n {
		if picked[i] {
			core = append(core, i)
		}
	}
	var half, u, left, want mat.Dense // half = (SᵀC)⁺·SᵀKS, u = half·(CᵀS)⁺
	s := dense.PickRows(x, core)
	sc, all := matDense(dense.PickRows(columns, core)), matDense(columns)
	if err := half.Solve(sc, matDense(between(k, s, s))); err != nil {
		t.Fatal(err)
	}
	if err := u.Solve(sc, half.T()); err != nil {
		t.Fatal(err)
	}
	left.Mul(all, u.T())
	want.Mul(&left, all.T())
	basis, got := approximation(t, f, x)
	if e := relative(want.RawMatrix(), got); !(e <= 1e-9) {
		t.Errorf("%g away from the dense formula, with %d core points", e, len(core))
	}
	if f.KernelEntries != int64(n*c+len(core)*len(core)) || f.Shift != 0 || len(f.Values) != c {
		t.Errorf("%d entries for %d core points, shift %g, %d values", f.KernelEntries, len(core), f.Shift, len(f.Values))
	}
	for i := range c {
		for j := range c {
			sum := 0.0
			for r := range n {
				sum += dense.Row(basis, r)[i] * dense.Row(basis, r)[j]
			}
			if i == j {
				sum--
			}
			if !(sum < 1e-9 && sum > -1e-9) {
				t.Fatalf("UᵀU − I has %g at %d, %d", sum, i, j)
			}
		}
	}
}

// TestFastSPSDLeverageDrawsByScores: a row that alone has an entry in a column of C is in
// the core, whatever the seed, and one that has none never is.
func TestFastSPSDLeverageDrawsByScores(t *testing.T) {
	t.Parallel()
	u := stream.NewMatrix(400, 2)
	for i := range 399 {
		u.Data[2*i] = 0.05
	}
	u.Data[2*7], u.Data[2*399+1] = 0, 1
	for seed := range uint64(50) {
		core, err := FastSPSDLeverage{Rank: 2, Seed: seed}.core(u, []int64{11, 12})
		if err != nil {
			t.Fatal(err)
		}
		last := core[len(core)-1]
		for _, i := range core {
			if i == 7 {
				t.Errorf("seed %d draws a row without leverage", seed)
			}
		}
		if last != 399 || len(core) < 10 || len(core) > 12 {
			t.Errorf("seed %d draws %v", seed, core)
		}
	}
}

// TestFastSPSDLeverageFewRows: with all rows as landmarks Â is A; more of them are refused.
func TestFastSPSDLeverageFewRows(t *testing.T) {
	t.Parallel()
	x, k := clusters(12, 3, 4), kernelgen.RBF(3)
	f, err := FastSPSDLeverage{Rank: 12, Seed: 1}.Fit(background, stream.Engine{}, sources(x), k)
	if err != nil {
		t.Fatal(err)
	}
	if _, a := approximation(t, f, x); relative(kernelMatrix(k, x), a) > 1e-9 {
		t.Errorf("error %g", relative(kernelMatrix(k, x), a))
	}
	for _, c := range []int{0, 13} {
		if _, err := (FastSPSDLeverage{Rank: c}).Fit(background, stream.Engine{}, sources(x), k); err == nil {
			t.Errorf("rank %d is taken", c)
		}
	}
}
