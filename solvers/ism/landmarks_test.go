package ism

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// TestBetween: entries computed by panels equal those of a single tile, for any number of threads and every kernel, of
// its slope and its value.
func TestBetween(t *testing.T) {
	const n = 3*basis.PanelRows + 1
	x := normals(n, 3, 1)
	for _, kernels := range combinations() {
		for _, term := range mustTerms(t, textOf(kernels)) {
			anchored, _ := term.values(true)
			plain, _ := term.values(false)
			for _, k := range []*tiles.Tiles{term.slopes(), anchored, plain} {
				marks := &tiles.Rows{Dense: dense.PickRows(x, []int{0, 3, 5, 60, 61, 70, n - 1})}
				wide := matrix.New(n, marks.Count()+1) // with padding
				k.FillDense(matrix.Columns(wide, 0, marks.Count()), x, marks, nil)
				want := matrix.Clone(matrix.Columns(wide, 0, marks.Count()))
				l := &landmarks{tiles: k, rows: marks}
				for _, threads := range []int{1, 3} {
					got, err := l.between(ctx, stream.Engine{Threads: threads}, x)
					if err != nil || !slices.Equal(got.Data, want.Data) {
						t.Errorf("%v, %d threads: entries differ from those of one tile, error %v", term.Kernel, threads, err)
					}
				}
			}
		}
	}
}

// TestLandmarksEndWithContext: the choice of landmarks stops when its context ends.
func TestLandmarksEndWithContext(t *testing.T) {
	reason := errors.New("enough")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(reason)
	term := mustTerms(t, "gaussian(sigma=2)")[0]
	if _, err := newLandmarks(ctx, term.slopes(), normals(50, 3, 1), 20, 0); !errors.Is(err, reason) {
		t.Errorf("error %v, want %v", err, reason)
	}
}
