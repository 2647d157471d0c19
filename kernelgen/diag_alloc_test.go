//go:build !race

package kernelgen

import (
	"math/rand/v2"
	"testing"
)

// This test is not built with the race detector, which makes pools drop items.
func TestDiagAllocatesNothingOnceWarm(t *testing.T) {
	x, dst := normal(rand.New(rand.NewPCG(1, 2)), 50, 3, 0), make([]float64, 50)
	for _, ref := range references {
		k := mustParse(t, ref.text)
		k.Diag(dst, x)
		if n := testing.AllocsPerRun(20, func() { k.Diag(dst, x) }); n > 0 {
			t.Errorf("%s: %v allocations a call", ref.text, n)
		}
	}
}
