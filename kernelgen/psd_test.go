package kernelgen

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// relativeSmallest returns the smallest eigenvalue of the kernel matrix, relative to the largest magnitude.
func relativeSmallest(t *testing.T, k Kernel, x blas64.General) float64 {
	a := tile(k, x, x)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(a.Rows, a.Data), false) {
		t.Fatalf("%v: no eigenvalues", k)
	}
	values := eig.Values(nil)
	return values[0] / max(values[len(values)-1], -values[0])
}

func TestClaimsOfPositiveSemiDefiniteness(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, ref := range references {
		negative := false
		for range 12 {
			d := 1 + rng.IntN(5)
			x := normal(rng, 30, d, 0)
			k, err := mustParse(t, ref.text).Resolve(x)
			if err != nil {
				t.Fatal(err)
			}
			least := relativeSmallest(t, k, x)
			negative = negative || least < -1e-6
			if k.PositiveSemiDefinite() && least < -1e-12 {
				t.Errorf("%s claims to be psd, but has the relative eigenvalue %g", ref.text, least)
			}
			if d == 5 && k.PositiveSemiDefinite() != ref.psd {
				t.Errorf("%s: PositiveSemiDefinite() = %v", ref.text, !ref.psd)
			}
		}
		// The test has power: most kernels not known to be definite are indefinite.
		if k := mustParse(t, ref.text); len(k.terms[0].factors) == 1 && !ref.psd && !negative && k.bases()[InnerProduct] {
			t.Errorf("%s: no negative eigenvalue seen", ref.text)
		}
	}
}

func TestCompactSupportIsPSDInFewColumnsOnly(t *testing.T) {
	k := CompactRBF(10, 3, 3)
	if k.PositiveSemiDefinite() {
		t.Error("psd claimed before the number of columns is known")
	}
	for d := 1; d <= 8; d++ {
		resolved, err := k.Resolve(blas64.General{Cols: d, Stride: d})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := resolved.PositiveSemiDefinite(), d <= 5; got != want {
			t.Errorf("%d columns: %v, want %v", d, got, want)
		}
		if got := Sum(resolved, resolved).PositiveSemiDefinite(); got != (d <= 5) {
			t.Errorf("%d columns: the sum forgets the number of columns", d)
		}
	}
	auto := mustParse(t, "csrbf(sigma2=10)")
	if !auto.PositiveSemiDefinite() {
		t.Error("v=auto is psd for every number of columns")
	}
}
