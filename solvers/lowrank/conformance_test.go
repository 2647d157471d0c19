package lowrank

import (
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
)

// The accumulators of the solvers pass the suite of all accumulators: any
// split, any order of merging, serialised in the middle, gives the same bits.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("both", func(t *testing.T) {
		newAcc := func() *rangeState { return &rangeState{sketch.NewPairQR(3), sketch.NewMoments(1)} }
		conformance.Run(t, newAcc, func(block int64) *rangeState {
			acc := newAcc()
			x := clusters(20, 3, uint64(block))
			if err := acc.a.Add(x, []int{1}, clusters(1, 3, 99)); err != nil {
				t.Fatal(err)
			}
			if err := acc.b.AddDiagonal(dense.Row(x, 0)); err != nil {
				t.Fatal(err)
			}
			return acc
		}, 11)
	})
	t.Run("matrix sum", func(t *testing.T) {
		conformance.Run(t, func() *matrixSum { return newMatrixSum(4, 3) }, func(block int64) *matrixSum {
			return &matrixSum{clusters(4, 3, uint64(block)), block}
		}, 11)
	})
	t.Run("factor set", func(t *testing.T) {
		sides := []*Embedding{{Projection: clusters(5, 2, 1)}, {Projection: clusters(5, 4, 1)}}
		newAcc := func() *factorSet { return newFactorSet(sides) }
		conformance.Run(t, newAcc, func(block int64) *factorSet {
			acc := newAcc()
			for _, f := range acc.factors {
				if err := f.Add(clusters(9, f.Cols(), uint64(block))); err != nil {
					t.Fatal(err)
				}
			}
			return acc
		}, 11)
	})
}
