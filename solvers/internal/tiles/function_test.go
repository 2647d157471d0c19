package tiles

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
)

// parsed parses a kernel.
func parsed(t *testing.T, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestLogs compares tiles of log k/ε and of k^(1/ε) with formulas. The last row is so far away that rbf is 0 there, but
// its logarithm is finite.
func TestLogs(t *testing.T) {
	x, z := randomMatrix(5, 3, 1), randomMatrix(4, 3, 2)
	z.Data[len(z.Data)-1] = 100
	for _, c := range []struct {
		kernel  kernelgen.Kernel
		log     func(square float64) float64
		epsilon float64
		power   bool
	}{
		{kernelgen.RBF(0.5), func(s float64) float64 { return -s / 2 }, 0.25, true},
		{kernelgen.Cauchy(1), func(s float64) float64 { return -math.Log1p(s) }, 0.25, false},
		{kernelgen.Cauchy(1), func(s float64) float64 { return -math.Log1p(s) }, 1, true},
	} {
		logs, power, err := Logs(c.kernel, c.epsilon)
		if err != nil || (power != nil) != c.power {
			t.Fatalf("%s: power %v, error %v", c.kernel, power, err)
		}
		rows, got := &Rows{Dense: z}, matrix.New(x.Rows, z.Rows)
		check := func(k *Tiles, value func(log float64) float64) {
			k.FillDense(got, x, rows, nil)
			for i := range x.Rows {
				for j, v := range matrix.Row(got, i) {
					want := value(c.log(squared(matrix.Row(x, i), matrix.Row(z, j))) / c.epsilon)
					if !(math.Abs(v-want) <= 1e-12*math.Max(1, math.Abs(want))) {
						t.Errorf("%s, ε %v: entry %d, %d is %v, want %v", c.kernel, c.epsilon, i, j, v, want)
					}
				}
			}
		}
		check(logs, func(log float64) float64 { return log })
		if c.power {
			check(power, math.Exp)
		}
	}
	if _, _, err := Logs(parsed(t, "sne(gamma=1)"), 1); err == nil {
		t.Error("a normalised kernel has logarithms")
	}
}

// TestForCurve compares anchored tiles of multiquadratic() with the formula, and their diagonal with that of a tile.
func TestForCurve(t *testing.T) {
	terms, err := parsed(t, "multiquadratic()").Terms()
	if err != nil {
		t.Fatal(err)
	}
	x := randomMatrix(6, 3, 1)
	f := terms[0].Value.WithoutFactor()
	anchored, got, diagonal := ForCurve(terms[0].Base, f, true), matrix.New(6, 6), make([]float64, 6)
	anchored.FillDense(got, x, &Rows{Dense: x}, nil)
	anchored.Diagonal(diagonal, x)
	for i := range x.Rows {
		a := matrix.Row(x, i)
		for j, v := range matrix.Row(got, i) {
			b := matrix.Row(x, j)
			want := f.At(dense.Dot(a, a)) + f.At(dense.Dot(b, b)) - f.At(squared(a, b)) - f.At(0)
			if math.Abs(v-want) > 1e-12 {
				t.Errorf("entry %d, %d is %v, want %v", i, j, v, want)
			}
		}
		if v := matrix.Row(got, i)[i]; math.Abs(diagonal[i]-v) > 1e-12 {
			t.Errorf("diagonal entry %d is %v, want %v", i, diagonal[i], v)
		}
	}
}
