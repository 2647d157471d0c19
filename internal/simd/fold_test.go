package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
)

// eachPath runs the test on every path of the machine.
func eachPath(t *testing.T, f func(t *testing.T)) {
	for _, p := range Available() {
		t.Run(p.String(), func(t *testing.T) {
			defer Use(p)()
			f(t)
		})
	}
}

// Folded tiles have the same bits as the reference, for all shapes.
func TestFoldEqualsReference(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 1))
		for _, c := range []int{0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 50} {
			for _, slots := range []int{0, 1, 2, 4, 5} {
				for _, rows := range []int{0, 1, 3, 4, 6, 300} {
					checkFold(t, rng, rows, c, slots)
				}
			}
		}
	})
}

// checkFold compares one shape: rows of c slots each.
func checkFold(t *testing.T, rng *rand.Rand, rows, c, slots int) {
	t.Helper()
	tile := randomMatrix(rng, rows, c*slots, 3)
	signs := make([]float64, c*slots)
	for i := range signs {
		signs[i] = 1 - 2*float64(rng.IntN(2))
	}
	dst, all := guarded(rows, c, 2)
	Fold(dst, tile, signs, 0.5)
	checkGuards(t, dst, all)
	for i := range rows {
		for j := range c {
			want := 0.0
			for s := range slots {
				want += signs[s*c+j] * matrix.Row(tile, i)[s*c+j]
			}
			if got := matrix.Row(dst, i)[j]; got != want*0.5 {
				t.Fatalf("%d rows, %d columns, %d slots: [%d,%d] = %v, want %v", rows, c, slots, i, j, got, want*0.5)
			}
		}
	}
}
