package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestPower compares entries of a power with powers of entries.
func TestPower(t *testing.T) {
	x := probabilities(rand.New(rand.NewPCG(3, 1)), 9, 4)
	for _, text := range []string{"rbf(gamma=0.3)", "gaussian(sigma=0.5)", "2*rbf(sigma2=0.1)", "laplace(gamma=0.4)", "0.5*expdot(scale=0.5)", "kl(a=2)"} {
		k := mustParse(t, text)
		for _, p := range []float64{0.25, 1, 3, 30} {
			power, err := k.Power(p)
			if err != nil {
				t.Fatal(err)
			}
			want, got := tile(k, x, x), tile(power, x, x)
			for i, v := range want.Data {
				if w := math.Pow(v, p); math.Abs(got.Data[i]-w) > 1e-12*p*w {
					t.Fatalf("%v to the power %v is %v: entry %d is %v, not %v", k, p, power, i, got.Data[i], w)
				}
			}
		}
	}
}

func TestNoPower(t *testing.T) {
	for _, text := range []string{"cauchy", "linear", "rbf(gamma=1) + rbf(gamma=2)"} {
		k, err := mustParse(t, text).Resolve(blas64.General{Rows: 0, Cols: 2, Stride: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Power(2); err == nil {
			t.Errorf("%v has a power", k)
		}
		if same, err := k.Power(1); err != nil || same.String() != k.String() {
			t.Errorf("%v to the power 1 is %v (%v)", k, same, err)
		}
	}
	for _, p := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-320} {
		if _, err := RBF(1e-10).Power(p); err == nil {
			t.Errorf("power %v is accepted", p)
		}
	}
}
