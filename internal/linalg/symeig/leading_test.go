package symeig

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// Leading pairs equal those of a complete decomposition.
func TestLeading(t *testing.T) {
	for _, n := range []int{1, 2, 3, 33, 64, 130} {
		for name, a := range matrices(n) {
			for _, k := range []int{0, 1, min(n, 7), n / 2} {
				t.Run(fmt.Sprint(name, n, " ", k), func(t *testing.T) { checkLeading(t, a, k) })
			}
		}
	}
}

// checkLeading compares the k leading pairs of a with the complete decomposition.
func checkLeading(t *testing.T, a blas64.General, k int) {
	n := a.Rows
	all, _, err := Decompose(a)
	if err != nil {
		t.Fatal(err)
	}
	random, v := rand.New(rand.NewPCG(3, 4)), matrix.New(n, k)
	for i := range v.Data {
		v.Data[i] = random.NormFloat64()
	}
	values, ok, err := Leading(a, v)
	if err != nil || !ok || len(values) != k {
		t.Fatalf("%d of %d values, found %t, %v", len(values), k, ok, err)
	}
	unit, _ := largest(a)
	unit = conquer.PowerOfTwo(unit)
	norm := math.Max(math.Abs(all[0]), math.Abs(all[n-1])) / unit
	scaled := filled(n, func(i, j int) float64 { return a.Data[i*a.Stride+j] / unit })
	limit, subnormal := 16*float64(n)*conquer.Epsilon, 0x1p-1074/unit*float64(n)
	product, gram := dense.Mul(blas.NoTrans, scaled, blas.NoTrans, v), dense.Mul(blas.Trans, v, blas.NoTrans, v)
	for j, value := range values {
		if !(math.Abs(value-all[j])/unit <= limit*norm+subnormal) {
			t.Errorf("value %d is %.17g, not %.17g", j, value, all[j])
		}
		residual := 0.0
		for i := range n {
			residual = math.Hypot(residual, product.Data[i*k+j]-v.Data[i*k+j]*(value/unit))
		}
		if !(residual <= limit*norm+subnormal) {
			t.Errorf("pair %d has the residual %.3g·‖A‖, limit %.3g", j, residual/norm, limit)
		}
		gram.Data[j*k+j]--
	}
	if skew := dense.MaxAbs(gram); skew > limit {
		t.Errorf("orthonormal to %.3g, limit %.3g", skew, limit)
	}
}

// A NaN in the matrix is an error.
func TestLeadingOfNoNumbers(t *testing.T) {
	a := random(40, 5)
	a.Data[25*40+7] = math.NaN()
	if _, ok, err := Leading(a, matrix.New(40, 2)); err != ErrNotFinite || ok {
		t.Errorf("found %t, %v", ok, err)
	}
	if _, ok, err := Leading(random(40, 5), matrix.New(40, 2)); err != nil || ok {
		t.Errorf("a start of zeros: found %t, %v", ok, err)
	}
}
