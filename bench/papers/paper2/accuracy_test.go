package paper2

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// TestAccuracy checks the two forms of η on vectors with known angles.
func TestAccuracy(t *testing.T) {
	turn := func(angle float64) blas64.General { // in the plane of the first two axes
		m := stream.NewMatrix(4, 2)
		m.Data[0], m.Data[1] = math.Cos(angle), -math.Sin(angle)
		m.Data[2], m.Data[3] = math.Sin(angle), math.Cos(angle)
		return m
	}
	values := []float64{3, 1}
	turned := turn(0.3)
	for i := range 2 { // sign and length do not matter
		lab.Row(turned, i)[0] *= -5
		lab.Row(turned, i)[1] *= 0.1
	}
	a := newAccuracy(turn(0), turn(0), values, turned, turn(0))
	off := 1 - math.Cos(0.3)
	if math.Abs(a.printed-(3+1)*off/2) > 1e-15 || math.Abs(a.normalised-off) > 1e-15 {
		t.Errorf("%+v, want printed %v, normalised %v", a, 2*off, off)
	}
	zero := stream.NewMatrix(4, 2)
	if a = newAccuracy(turn(0), turn(0), values, zero, turn(0)); math.Abs(a.normalised-1) > 1e-15 {
		t.Errorf("vectors of zeros: %+v", a)
	}
}

// TestAccuracyOfFewer: missing vectors count as orthogonal ones.
func TestAccuracyOfFewer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	x := stream.NewMatrix(60, 4)
	for i := range x.Data {
		x.Data[i] = random.NormFloat64()
	}
	u, _, err := sketch.CholeskyQR(x)
	if err != nil {
		t.Fatal(err)
	}
	values := []float64{4, 3, 2, 1}
	for found := range 5 {
		a := newAccuracy(u, u, values, firstColumns(u, found), firstColumns(u, found))
		missing := 0.0
		for _, v := range values[found:] {
			missing += v
		}
		for name, pair := range map[string][2]float64{
			"printed": {a.printed, 2 * missing / 4}, "normalised": {a.normalised, 2 * missing / 10}} {
			if d := pair[0] - pair[1]; d > 1e-13 || d < -1e-13 {
				t.Errorf("%d of 4 vectors: %s is %v, want %v", found, name, pair[0], pair[1])
			}
		}
	}
	// Extra vectors do not count.
	if a := newAccuracy(u, u, values[:2], u, u); a.normalised > 1e-14 {
		t.Errorf("%+v", a)
	}
}
