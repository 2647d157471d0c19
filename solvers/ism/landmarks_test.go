package ism

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nystream/nystream/stream"
)

// TestBetween: entries by panels are those of one tile, for any threads and every kernel,
// of its slope and of its value.
func TestBetween(t *testing.T) {
	const n = 3*betweenPanel + 1
	x := normals(n, 3, 1)
	rows := points{x: x}
	for _, kernels := range combinations() {
		for _, term := range mustTerms(t, textOf(kernels)) {
			for _, k := range []entries{term.entriesOf(term.Slope), term.entriesOf(term.Value)} {
				marks := k.pack(rows.at([]int{0, 3, 5, 60, 61, 70, n - 1}))
				want := stream.NewMatrix(n, marks.x.Rows)
				k.fill(want, rows, marks, nil)
				for _, threads := range []int{1, 3} {
					got, err := k.between(ctx, stream.Engine{Threads: threads}, rows, marks)
					if err != nil || !slices.Equal(got.Data, want.Data) {
						t.Errorf("%v, %d threads: entries differ from those of one tile, error %v", term.Kernel, threads, err)
					}
				}
			}
		}
	}
}

// TestLandmarksAreLeft: the choice of landmarks ends with its context.
func TestLandmarksAreLeft(t *testing.T) {
	reason := errors.New("enough")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(reason)
	term := mustTerms(t, "gaussian(sigma=2)")[0]
	if _, err := newLandmarks(ctx, term.entriesOf(term.Value), points{x: normals(50, 3, 1)}, 20, 0); !errors.Is(err, reason) {
		t.Errorf("error %v, want %v", err, reason)
	}
}
