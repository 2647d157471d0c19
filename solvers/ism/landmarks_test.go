package ism

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nystream/nystream/stream"
)

// TestBetween: entries by panels are those of one tile, for any threads and every kernel,
// of its slope and of its value.
func TestBetween(t *testing.T) {
	const n = 3*betweenPanel + 1
	x := normals(n, 3, 1)
	rows := points{x: x, sigma: naiveScales(x, 3)}
	for _, kernels := range combinations() {
		for _, term := range mustTerms(t, textOf(kernels)) {
			for _, k := range []entries{term.entriesOf(term.Slope, true), term.entriesOf(term.Value, false)} {
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

// TestLandmarksAreLeft: the choice of landmarks ends with its context, for both kinds of
// kernels.
func TestLandmarksAreLeft(t *testing.T) {
	reason := errors.New("enough")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(reason)
	term := mustTerms(t, "gaussian(sigma=2)")[0]
	for _, positive := range []bool{true, false} {
		k := term.entriesOf(term.Value, false)
		k.psd = positive
		t.Run(fmt.Sprint("positive ", positive), func(t *testing.T) {
			if _, err := newLandmarks(ctx, stream.Engine{}, k, points{x: normals(50, 3, 1)}, 20, 0); !errors.Is(err, reason) {
				t.Errorf("error %v, want %v", err, reason)
			}
		})
	}
}
