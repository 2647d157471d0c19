package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
)

func TestSquaredNorms(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	specials := []float64{1e200, 1e308, 5e-324, math.Inf(1), math.NaN(), 0}
	for _, path := range Available() {
		defer Use(path)()
		for n := range 14 {
			for _, d := range []int{0, 1, 2, 7, 40} {
				x := randomMatrix(rng, n, d, rng.IntN(3))
				for i := range n {
					if r := matrix.Row(x, i); len(r) > 0 && i%3 == 0 {
						r[rng.IntN(d)] = specials[rng.IntN(len(specials))]
					}
				}
				all := []float64{guard, guard}
				for range n {
					all = append(all, guard)
				}
				got, want := all[1:n+1], randomMatrix(rng, n, n, 0)
				SquaredNorms(got, x)
				products(want, x, Pack(x))
				for i, v := range got {
					if !near(v, matrix.Row(want, i)[i], 0) {
						t.Errorf("%v: norm %d of %d×%d is %v, in a tile %v", path, i, n, d, v, matrix.Row(want, i)[i])
					}
				}
				if all[0] != guard || all[n+1] != guard {
					t.Fatalf("%v: a word outside %d norms was overwritten", path, n)
				}
			}
		}
	}
}

func TestSquaredNormsPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	SquaredNorms(make([]float64, 2), randomMatrix(rand.New(rand.NewPCG(1, 1)), 3, 2, 0))
}
