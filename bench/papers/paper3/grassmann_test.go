package paper3

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

func columnsOf(t *testing.T, d, q int, seed uint64) blas64.General {
	t.Helper()
	w, err := orthonormalBeside(stream.NewMatrix(d, 0), randomColumns(d, q, seed))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestGrassmannClimbs: a step never lowers J, W stays orthonormal, and the ascent ends
// where the one on the Stiefel manifold does, in fewer steps.
func TestGrassmannClimbs(t *testing.T) {
	o := smallObjective(t, gaussianTerm(2.5))
	last := math.Inf(-1)
	for rounds := range 12 {
		r, err := grassmann(background, o, 2, ascent{1e-9, rounds}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.value < last {
			t.Errorf("%v after %d steps, %v before", r.value, rounds, last)
		}
		if g := dense.Mul(blas.Trans, r.w, blas.NoTrans, r.w); math.Abs(g.Data[0]-1)+math.Abs(g.Data[1])+math.Abs(g.Data[3]-1) > 1e-12 {
			t.Errorf("after %d steps WᵀW is %v", rounds, g.Data)
		}
		last = r.value
	}
	stop := ascent{1e-6, 1000}
	gm, err := grassmann(background, o, 2, stop, 1)
	if err != nil {
		t.Fatal(err)
	}
	sm, err := stiefel(background, o, 2, stop, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(gm.value-sm.value) > 1e-9*sm.value || !gm.settled || gm.rounds >= sm.rounds {
		t.Errorf("J is %v after %d steps, on the Stiefel manifold %v after %d", gm.value, gm.rounds, sm.value, sm.rounds)
	}
	if angle, err := largestAngle(gm.w, sm.w); err != nil || angle > 1e-4 {
		t.Errorf("the subspaces are %v apart (%v)", angle, err)
	}
}

// TestGrassmannRotations: from W·R the ascent visits the subspaces that it visits from W.
func TestGrassmannRotations(t *testing.T) {
	o := smallObjective(t, gaussianTerm(2.5), term{0.01, false, polynomialTerm(2, 1).f})
	w := columnsOf(t, 6, 3, 4)
	turned := dense.Mul(blas.NoTrans, w, blas.NoTrans, columnsOf(t, 3, 3, 9))
	for _, rounds := range []int{0, 1, 3, 8} {
		a, err := ascent{1e-9, rounds}.conjugate(background, o, w)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ascent{1e-9, rounds}.conjugate(background, o, turned)
		if err != nil {
			t.Fatal(err)
		}
		p, q := dense.Mul(blas.NoTrans, a.w, blas.Trans, a.w), dense.Mul(blas.NoTrans, b.w, blas.Trans, b.w)
		dense.Add(-1, p, q)
		if off := dense.Frobenius(q); off > 1e-8 || math.Abs(a.value-b.value) > 1e-10*a.value {
			t.Errorf("after %d steps the projections are %v apart, J is %v and %v", rounds, off, a.value, b.value)
		}
	}
}

// TestGeodesic: it begins at W along its direction, its points are orthonormal, and
// transport keeps inner products and gives tangents of where it ends.
func TestGeodesic(t *testing.T) {
	w := columnsOf(t, 7, 2, 1)
	tangents := make([]blas64.General, 2)
	for i := range tangents {
		tangents[i] = randomColumns(7, 2, uint64(20+i))
		removeSpan(tangents[i], w)
	}
	p, err := newGeodesic(w, tangents[0])
	if err != nil {
		t.Fatal(err)
	}
	p.length = 0.4
	const h = 1e-6
	start := p.at(h)
	dense.Add(-1, p.at(-h), start)
	end := p.at(p.length)
	a, b := p.transported(tangents[0]), p.transported(tangents[1])
	ahead := p.at(p.length + h)
	dense.Add(-1, p.at(p.length-h), ahead)
	for i := range start.Data {
		if v := start.Data[i] / (2 * h); math.Abs(v-tangents[0].Data[i]) > 1e-8 {
			t.Errorf("entry %d leaves W at %v, not %v", i, v, tangents[0].Data[i])
		}
		if v := ahead.Data[i] / (2 * h); math.Abs(v-a.Data[i]) > 1e-8 {
			t.Errorf("entry %d of the transported direction is %v, the curve's %v", i, a.Data[i], v)
		}
	}
	if off := inner(a, b) - inner(tangents[0], tangents[1]); math.Abs(off) > 1e-12 {
		t.Errorf("transport changes an inner product by %v", off)
	}
	if along := dense.Frobenius(dense.Mul(blas.Trans, end, blas.NoTrans, b)); along > 1e-12 {
		t.Errorf("a transported tangent has %v along W", along)
	}
	g := dense.Mul(blas.Trans, end, blas.NoTrans, end)
	if math.Abs(g.Data[0]-1)+math.Abs(g.Data[1])+math.Abs(g.Data[3]-1) > 1e-12 {
		t.Errorf("WᵀW is %v", g.Data)
	}
}
