package moments

import (
	"math"
	"testing"
)

// Mean and deviation equal their definition in any unit, accumulated at once or merged.
func TestMomentsEqualTheirDefinition(t *testing.T) {
	number, weight := func(i int) float64 { return math.Sin(float64(i * i)) }, func(i int) float64 { return float64(1 + i%3) }
	sum, mean, squares := 0.0, 0.0, 0.0
	for i := range 100 {
		sum, mean = sum+weight(i), mean+weight(i)*number(i)
	}
	mean /= sum
	for i := range 100 {
		squares += weight(i) * (number(i) - mean) * (number(i) - mean)
	}
	deviation := math.Sqrt(squares / sum)
	for _, unit := range []float64{1, 1e-300, 1e-200, 1e200, 1e300} {
		var all, merged Moments
		for part := range 5 {
			var of Moments
			for i := part * 20; i < part*20+20; i++ {
				all.Add(unit*number(i), weight(i))
				of.Add(unit*number(i), weight(i))
			}
			merged.Merge(of)
			merged.Merge(Moments{})
		}
		for _, m := range []Moments{all, merged} {
			if m.Weight != sum || math.Abs(m.Mean/unit-mean) > 1e-14 || math.Abs(m.Deviation()/unit/deviation-1) > 1e-14 {
				t.Errorf("unit %v: %v ± %v of weight %v, want %v ± %v of %v", unit, m.Mean/unit, m.Deviation()/unit, m.Weight, mean, deviation, sum)
			}
		}
	}
}
