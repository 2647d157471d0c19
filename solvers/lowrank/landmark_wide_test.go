package lowrank

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestWidePass: a wide pass gives FᵀF, tr(A) and the rows of high leverage of an ordinary one, up to rounding.
func TestWidePass(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{Threads: 2, BlockRows: 128}
	src := stream.FromMatrix("clusters", clusters(1500, 4, 3))
	f, err := Landmark{Rank: 30, Seed: 1}.stream(ctx, e, src, kernelgen.RBF(2))
	if err != nil {
		t.Fatal(err)
	}
	landmarks, u, err := basis.Whiten(ctx, e, f.tiles, f.landmarks)
	if err != nil {
		t.Fatal(err)
	}
	by, err := sketch.NewWhitening(u)
	if err != nil {
		t.Fatal(err)
	}
	f.landmarks = landmarks
	s, err := basis.NewLeverage(ctx, e, &basis.Map{Tiles: f.tiles, Landmarks: landmarks}, f.core, "clusters", landmarks.Number, f.points.scouted, 1, "scout")
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.streamGram(ctx, e, src, s, by)
	if err != nil {
		t.Fatal(err)
	}
	before := f.tiles.Entries.Load()
	got, err := f.streamWide(ctx, e, src, s, by)
	if err != nil {
		t.Fatal(err)
	}
	if n := f.tiles.Entries.Load() - before; n != 1500*int64(f.landmarks.Rows.Rows) {
		t.Errorf("%d kernel entries are counted", n)
	}
	a, b := want.A.Matrix(), got.A.Matrix()
	if e := dense.Frobenius(difference(a, b)) / dense.Frobenius(a); !(e <= 1e-14) {
		t.Errorf("FᵀF is %g away", e)
	}
	if a, b := want.B.A.Totals()[0], got.B.A.Totals()[0]; math.Abs(a-b) > 1e-14*a {
		t.Errorf("the trace is %v, and %v in a wide pass", a, b)
	}
	rows, _ := want.B.B.Rows()
	wideRows, _ := got.B.B.Rows()
	if len(rows) == 0 || !slices.Equal(rows, wideRows) {
		t.Errorf("rows %v are found, and %v in a wide pass", rows, wideRows)
	}
}

// TestWideSameBits: fits with 512 landmarks have the same bytes for any number of threads and any read size. Their
// plans hold fewer states than those with fewer landmarks, for any number of threads.
func TestWideSameBits(t *testing.T) {
	t.Parallel()
	m, k := Landmark{Rank: 10, Landmarks: wideFrom, Core: wideFrom, Rule: RuleUniform, Seed: 1}, kernelgen.RBF(2)
	gatherer := stream.FromMatrix("clusters", clusters(700, 4, 3))
	var want string
	for i, threads := range []int{1, 2, 7} {
		src := choppy{gatherer, [][]int{{1 << 20}, {1, 7, 300, 513}, {130}}[i]}
		f, err := m.Fit(context.Background(), stream.Engine{Threads: threads}, model.Sources{Left: src}, k)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = saved(f.Model)
		} else if saved(f.Model) != want {
			t.Errorf("%d threads: the models differ", threads)
		}
	}
	state := func(landmarks, threads int) int64 {
		m.Landmarks = landmarks
		p, err := m.Plan(stream.Engine{Threads: threads}, model.Size{Rows: 1e7, Columns: 20}, k)
		if err != nil {
			t.Fatal(err)
		}
		return p.StateBytes
	}
	for _, threads := range []int{1, 2, 16} {
		most := 8 * 8 * int64(wideFrom*(wideFrom+1)/2+2*wideFrom*22)
		if got := state(wideFrom, threads); got > most || got >= state(wideFrom-1, threads) {
			t.Errorf("%d threads: states of %d bytes, of one landmark less %d", threads, got, state(wideFrom-1, threads))
		}
	}
}
