package askls

import (
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/split"
)

// TestFactorSumsConformance tests the factors of a pass over both sides, and over the sources alone. Some folds have no
// sample in some blocks.
func TestFactorSumsConformance(t *testing.T) {
	for _, both := range []bool{true, false} {
		l := &lowRank{fit: &fit{targets: matrix.New(9, 2), folds: make([]split.Split, 3)}, k: &ksvd.Fit{Model: &ksvd.Model{Values: []float64{2, 1}}}}
		conformance.Run(t, l.newSums, func(block int64) *factorSums {
			r, sums := rand.New(rand.NewPCG(uint64(block), 0)), l.newSums()
			for k := range l.folds {
				x := matrix.New((int(block)+k)%3*4, 1+l.k.Rank()+l.targets.Cols)
				for i := range x.Data {
					x.Data[i] = r.NormFloat64()
				}
				if err := sums.A[k].Add(x); err != nil {
					t.Fatal(err)
				}
				if !both {
					continue
				}
				if err := sums.B[k].Add(x); err != nil {
					t.Fatal(err)
				}
			}
			return sums
		}, 7)
	}
}
