package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// A tileKernel is a base with a profile that suits rows drawn uniformly from [0,1]^d.
type tileKernel struct {
	name    string
	base    Base
	profile func(d float64) Profile
}

var tileKernels = []tileKernel{
	{"product", Product, func(float64) Profile { return Profile{} }},
	{"rbf", Square, func(d float64) Profile { return Exponential(-6 / d) }},
	{"laplace", Absolute, func(d float64) Profile { return Exponential(-3 / d) }},
	{"poly", Product, func(d float64) Profile { return Power(4/d, 1, 3) }},
	{"matern52", Square, func(d float64) Profile { return ExponentialOfRoot(-math.Sqrt(30/d), -1, 1.0/3) }},
}

// The shape of a typical tile: strips of rows against the landmarks of a sketch with 50 columns and 4 nonzeros in each.
const (
	benchRows      = 32
	benchColumns   = 50
	benchLandmarks = 4 * benchColumns
)

// BenchmarkTile reports, per entry of a strip, the least time of the tile alone and with its fold into a sketch. It
// also reports the largest relative error of sampled entries.
func BenchmarkTile(b *testing.B) {
	for _, p := range Available() {
		for _, k := range tileKernels {
			for _, d := range []int{3, 20, 128, 784} {
				b.Run(fmt.Sprintf("%v/%s/d=%d", p, k.name, d), func(b *testing.B) { benchmarkTile(b, p, k, d) })
			}
		}
	}
}

func benchmarkTile(b *testing.B, p Path, k tileKernel, d int) {
	defer Use(p)()
	rng := rand.New(rand.NewPCG(1, 2))
	x, rows := uniformFloats(rng, benchRows, d), uniformFloats(rng, benchLandmarks, d)
	tile, folded := uniformFloats(rng, benchRows, benchLandmarks), uniformFloats(rng, benchRows, benchColumns)
	signs := make([]float64, benchLandmarks)
	for i := range signs {
		signs[i] = float64(1 - 2*(i%2))
	}
	f, packed := k.profile(float64(d)), Pack(rows)
	var fill, both time.Duration
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		Fill(tile, x, packed, k.base, f)
		middle := time.Since(began)
		Fold(folded, tile, signs, 0.5)
		if end := time.Since(began); n == 0 || end < both {
			both = end
		}
		if n == 0 || middle < fill {
			fill = middle
		}
	}
	entry := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / (benchRows * benchLandmarks) }
	b.ReportMetric(0, "ns/op") // of both, with pauses
	b.ReportMetric(entry(fill), "ns/entry")
	b.ReportMetric(entry(both), "ns/folded")
	b.ReportMetric(k.largestError(x, rows, tile, f)/epsilon, "max-err/ε")
}

// largestError returns the largest relative error of sampled entries of a tile. The reference sums the base with
// compensation (Kahan 1965) and applies the profile in plain Go.
func (k tileKernel) largestError(x, rows, tile blas64.General, f Profile) (worst float64) {
	for n := range 64 {
		i, j := n%benchRows, n*37%benchLandmarks
		var sum, lost float64
		for c, a := range matrix.Row(x, i) {
			y := matrix.Row(rows, j)[c]
			term := [...]float64{Product: a * y, Square: (a - y) * (a - y), Absolute: math.Abs(a - y)}[k.base] - lost
			next := sum + term
			sum, lost = next, (next-sum)-term
		}
		want := f.at(sum)
		worst = max(worst, math.Abs(matrix.Row(tile, i)[j]-want)/want)
	}
	return worst
}

// epsilon is the distance from 1 to the next larger number.
const epsilon = 0x1p-52

// uniformFloats returns a matrix with entries drawn uniformly from [0,1).
func uniformFloats(rng *rand.Rand, rows, cols int) blas64.General {
	m := matrix.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = float64(rng.Float64())
	}
	return m
}
