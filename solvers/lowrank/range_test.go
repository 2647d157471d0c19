package lowrank

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestGuidedRange: with a guide, Q = Y·R⁻¹ is as orthonormal for the R that the rows have
// by reflections and updates as the fit says, for sketches of every condition.
func TestGuidedRange(t *testing.T) {
	t.Parallel()
	const n, columns = 4000, 40
	ctx, e := context.Background(), stream.Engine{}
	x := clusters(n, 3, 1)
	src := stream.FromMatrix("x", x)
	for _, c := range []struct {
		gamma, condition float64 // at least
	}{{1000, 1}, {20, 10}, {1, 1e3}, {3e-2, 1e13}} {
		tl := newTiles(kernelgen.RBF(c.gamma), Float64)
		points, err := Landmark{Rank: columns / 4, Seed: 1}.points(n, "C", "S")
		if err != nil {
			t.Fatal(err)
		}
		panels, err := tl.gatherSets(ctx, src, rowSet{numbers: points.landmarks}, rowSet{numbers: points.core})
		if err != nil {
			t.Fatal(err)
		}
		plain := sketchPass{tiles: tl, rows: panels[0]}
		guided, err := plain.guided(ctx, e, n, panels[1])
		if err != nil || guided.guide == nil {
			t.Fatalf("γ = %v: guide %v, %v", c.gamma, guided.guide, err)
		}
		want, err := plain.stream(ctx, e, src)
		if err != nil {
			t.Fatal(err)
		}
		got, err := guided.streamTrace(ctx, e, src)
		if err != nil {
			t.Fatal(err)
		}
		condition := triangularCondition(want)
		if condition < c.condition {
			t.Errorf("γ = %v: condition %.1e, the test wants more", c.gamma, condition)
		}
		// ‖(R·R₀⁻¹)ᵀ(R·R₀⁻¹) − I‖
		q := dense.Mul(blas.NoTrans, got.factor, blas.NoTrans, triangularInverse(want))
		g := dense.Mul(blas.Trans, q, blas.NoTrans, q)
		for i := range g.Rows {
			dense.Row(g, i)[i]--
		}
		if off, bound := dense.Frobenius(g), 64*orthogonalityBound(math.Max(condition, got.loss), false); !(off <= bound) {
			t.Errorf("γ = %v: off by %.1e, allowed %.1e; condition %.1e, loss %.1e", c.gamma, off, bound, condition, got.loss)
		}
		if !(got.loss <= math.Max(guideLoss, 4*condition)) {
			t.Errorf("γ = %v: loss %.1e at condition %.1e", c.gamma, got.loss, condition)
		}
	}
}

// guideLoss is what a guide may lose whatever the condition.
const guideLoss = 4 * 64 * 64
