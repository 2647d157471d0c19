package lowrank

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
)

// TestSSRSVDFewEqualRows: a few equal rows among many distant ones make directions nearly invisible to the core. The
// published algorithm divides by them, with an error of 1e15.
func TestSSRSVDFewEqualRows(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"rbf(gamma=0.1)", "rbf(gamma=10)"} {
		for seed := uint64(1); seed <= uint64(fewer(3, 1)); seed++ {
			k, err := kernelgen.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			x := matrix.New(1000, 8)
			random := sketch.NewRandom(seed, "equal rows")
			for i := range x.Rows {
				draws := random.At(uint64(i))
				for j := range x.Cols {
					v := draws.Normal()
					if i%125 == 3 {
						v = 1
					}
					x.Data[i*x.Stride+j] = v
				}
			}
			c := calibrationCase{text, x, blas64.General{}, k, SSRSVD{Rank: 20, Seed: seed}}
			got, _ := c.run(t)
			t.Logf("%s: %+v", text, got)
			if !(got.trueNorm < 10) {
				t.Errorf("%s, seed %d: the relative error is %g", text, seed, got.trueNorm)
			}
		}
	}
}
