package transport

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// formed returns the dense K̃ of a solution: the low-rank kernel, with exact entries in repaired rows and columns.
func formed(t *testing.T, p *lowRankIteration, k kernelgen.Kernel, x, y blas64.General) blas64.General {
	t.Helper()
	embed := func(side model.Side, rows blas64.General) blas64.General {
		if p.factors.Right == nil {
			side = model.Left
		}
		out := matrix.New(rows.Rows, len(p.factors.Values))
		err := p.factors.Transform(context.Background(), stream.Engine{}, stream.FromMatrix("rows", rows), model.Request{Side: side}, func(b *stream.Block, u blas64.General) error {
			for i := range u.Rows {
				copy(matrix.Row(out, int(b.Start)+i), matrix.Row(u, i))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	u := embed(model.Left, x)
	dense.ScaleColumns(u, p.factors.Values)
	low := dense.Mul(blas.NoTrans, u, blas.Trans, embed(model.Right, y))
	exact := matrix.New(x.Rows, y.Rows)
	k.Fill(exact, x, k.Pack(y), nil)
	for i := range low.Rows {
		for j := range low.Cols {
			if slices.Contains(p.left.number, int64(i)) || slices.Contains(p.right.number, int64(j)) {
				low.Data[i*low.Stride+j] = exact.Data[i*exact.Stride+j]
			}
		}
	}
	return low
}

// plainSinkhorn runs Sinkhorn rounds on a dense matrix, by definition.
func plainSinkhorn(k blas64.General, a, b []float64, exponent float64, rounds int) (u, v []float64) {
	u, v = make([]float64, len(a)), append([]float64(nil), b...)
	scale := func(dst, mass, product []float64) {
		for i, p := range product {
			dst[i] = 0
			if mass[i] > 0 {
				dst[i] = mass[i] / math.Pow(p, exponent)
			}
		}
	}
	for range rounds {
		scale(u, a, dense.MulVector(blas.NoTrans, k, v))
		scale(v, b, dense.MulVector(blas.Trans, k, u))
	}
	return u, v
}

// TestLowRankKernel: the iteration equals that on the dense low-rank kernel with exact entries in repaired rows. Few
// landmarks force repairs. Factors are in memory or not; masses are equal, or partly zero, or relaxed.
func TestLowRankKernel(t *testing.T) {
	t.Parallel()
	const m, n = 330, 270
	ctx, e := context.Background(), stream.Engine{BlockRows: 100}
	x, y := colours(m, 1), colours(n, 2)
	k := kernelgen.RBF(20)
	repaired := 0
	for _, c := range []struct {
		name  string
		rank  int
		held  bool
		relax float64
		zeros bool
	}{{"held", 20, true, 0, false}, {"not held", 20, false, 0, false}, {"few", 6, true, 0, false}, {"few, not held, zeros", 8, false, 0, true}, {"relaxed", 10, false, 0.5, true}} {
		t.Run(c.name, func(t *testing.T) {
			d := dataOf(x, y)
			if c.zeros {
				d.LeftWeights, d.RightWeights = uniform(m), uniform(n)
				for i := range 100 {
					d.LeftWeights[3*i] *= float64(i % 3)
					d.RightWeights[2*i] *= float64(i % 4)
				}
			}
			s, err := Sinkhorn{Iterations: 5, MarginalTol: 1e-300, MarginalPenalty: c.relax}.settings()
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := lowrank.Landmark{Rank: c.rank, Landmarks: 2 * c.rank, Seed: 3}.Fit(ctx, e, d.Sources, k)
			if err != nil {
				t.Fatal(err)
			}
			p, err := newLowRankIteration(ctx, e, s, d, fitted.Model)
			if err != nil {
				t.Fatal(err)
			}
			if !c.held {
				p.left.factor, p.right.factor = fitted.Model.Factor(model.Left), fitted.Model.Factor(model.Right)
			}
			p.limit = 1000
			f, err := p.solve(ctx)
			if err != nil {
				t.Fatal(err)
			}
			f.Kernel = k
			repaired += len(p.left.number) + len(p.right.number)
			t.Logf("%d and %d rows repaired; %v", len(p.left.number), len(p.right.number), f.Notes)
			a, _ := d.masses(model.Left)
			b, _ := d.masses(model.Right)
			massA, massB := make([]float64, m), make([]float64, n)
			for i := range massA {
				massA[i] = a.at(int64(i))
			}
			for j := range massB {
				massB[j] = b.at(int64(j))
			}
			kernel := formed(t, p, k, x, y)
			u, w := plainSinkhorn(kernel, massA, massB, s.exponent(), 5)
			plan := matrix.Clone(kernel)
			dense.ScaleRows(plan, u)
			dense.ScaleColumns(plan, w)
			want, got := dense.Mul(blas.NoTrans, plan, blas.NoTrans, y), images(t, f, model.Left, x)
			low, high := bounds(y)
			for i := range m {
				mass := dense.Sum(matrix.Row(plan, i))
				if mass == 0 || slices.Contains(p.left.number, int64(i)) { // the map of new rows makes no repairs
					continue
				}
				dense.Scale(1/mass, matrix.Rows(want, i, 1))
				for j, v := range matrix.Row(want, i) {
					if inside := v >= low[j] && v <= high[j]; !inside {
						copy(matrix.Row(want, i), matrix.Row(got, i)) // it has the nearest displacement
					}
				}
				for j, v := range matrix.Row(got, i) {
					near(t, "an image", v, matrix.Row(want, i)[j], 1e-6)
				}
			}
			for side, want := range map[model.Side][]float64{model.Left: u, model.Right: w} {
				logs, err := p.scalings(ctx, e, side)
				if err != nil {
					t.Fatal(err)
				}
				for i, log := range logs {
					if d := math.Abs(math.Exp(log) - want[i]); !(d <= 1e-6*want[i]) {
						t.Fatalf("scaling %d of the %v side is %g, not %g", i, side, math.Exp(log), want[i])
					}
				}
			}
			cost := 0.0
			logs := logRBF(20, 1, x, y)
			for i, q := range plan.Data {
				cost -= q * logs.Data[i]
			}
			near(t, "the cost", f.Cost, cost, 1e-7*(1+math.Abs(cost)))
		})
	}
	if repaired == 0 {
		t.Error("no row was repaired: the test looks at nothing")
	}
}

// TestNotPositive: a kernel that cannot be repaired is refused at once.
func TestNotPositive(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x, y := colours(500, 1), colours(400, 2)
	k := kernelgen.RBF(2000)
	hard := LowRank{Sinkhorn: Sinkhorn{Iterations: 20}, Rank: 2}
	_, err := hard.Fit(ctx, e, dataOf(x, y), k)
	if !errors.Is(err, errTooCoarse) || !strings.Contains(err.Error(), "raise `Rank` or `Epsilon`") {
		t.Fatalf("a hopeless kernel gives %v", err)
	}
}

// TestTooCoarse: a kernel for which each repair reveals more rows without a positive sum is refused after few passes.
func TestTooCoarse(t *testing.T) {
	t.Parallel()
	var src [2]*passcount.Source
	for i := range src {
		x := matrix.New(400, 2)
		sketch.NewRandom(uint64(i), "coarse").Normals(x)
		for j := range x.Data {
			x.Data[j] = 0.4*x.Data[j] + 0.1*float64(i)
		}
		src[i] = passcount.New(stream.FromMatrix("x", x))
	}
	_, err := LowRank{Rank: 25}.Fit(context.Background(), stream.Engine{}, &Data{Sources: model.Sources{Left: src[0], Right: src[1]}}, gamma10)
	if err == nil || !strings.Contains(err.Error(), "is too coarse: after 10 repairs") {
		t.Errorf("error %v", err)
	}
	if passes := max(src[0].Passes(), src[1].Passes()); passes > 200 {
		t.Errorf("%d passes before the error", passes)
	}
}

// TestLowRankPlan: a plan counts the rows of the maps, which a finished fit holds.
func TestLowRankPlan(t *testing.T) {
	const n, d = 1000, 2000
	k := kernelgen.RBF(1e-3)
	s := model.Size{Rows: n, Columns: d}
	p, err := LowRank{Rank: 1}.Plan(stream.Engine{Threads: 1}, s, k)
	if err != nil {
		t.Fatal(err)
	}
	if maps := int64(4 * 8 * n * d); p.Memory.Total() < model.RuntimeBytes+maps {
		t.Errorf("%d bytes are planned, and the maps have %d", p.Memory.Total(), maps)
	}
}
