package simd

import (
	"testing"
)

// calibrated are the profiles that bench/roofline calibrates; each maps [0, 1]
// into itself and away from zero, so that repeating it stays harmless.
var calibrated = map[string]Profile{
	"exp":  Exponential(-0.5),
	"root": ExponentialOfRoot(-2, -1, 1.0/3),
	"cube": Power(0.5, 0.25, 3),
}

// TestPeakProfileComputesTheProfile shows that the calibration does the work of
// a tile: n rounds on registers have the bits of n applications to a slice.
func TestPeakProfileComputesTheProfile(t *testing.T) {
	for _, p := range Available() {
		t.Run(p.String(), func(t *testing.T) {
			defer Use(p)()
			for name, f := range calibrated {
				t.Run(name+"/float64", func(t *testing.T) { checkPeakProfile[float64](t, p, f) })
				t.Run(name+"/float32", func(t *testing.T) { checkPeakProfile[float32](t, p, f) })
			}
		})
	}
}

func checkPeakProfile[T Float](t *testing.T, p Path, f Profile) {
	for _, n := range []int{1, 2, profileRounds, 2*profileRounds + 1} {
		var got peakRegisters
		want := spread[T](&got)
		lanes := repeatProfile[T](p, f, n, &got) / n
		for range n {
			apply(f, want[:lanes])
		}
		compareLanes(t, peakLanes[T](&got), want, n)
	}
}

// spread fills the registers with different numbers in (0, 1), and returns a
// copy.
func spread[T Float](r *peakRegisters) []T {
	lanes := peakLanes[T](r)
	for i := range lanes {
		lanes[i] = (T(i) + 0.5) / T(len(lanes))
	}
	return append([]T(nil), lanes...)
}

// compareLanes wants equal bits, also of the lanes that took no part.
func compareLanes[T Float](t *testing.T, got, want []T, n int) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("lane %d after %d rounds: %v, want %v", i, n, got[i], want[i])
		}
	}
}

// TestPeakSumsComputeTheSums checks the recurrences with numbers for which every
// operation is exact.
func TestPeakSumsComputeTheSums(t *testing.T) {
	for _, p := range Available() {
		t.Run(p.String()+"/float64", func(t *testing.T) { checkPeakSums[float64](t, p) })
		t.Run(p.String()+"/float32", func(t *testing.T) { checkPeakSums[float32](t, p) })
	}
}

func checkPeakSums[T Float](t *testing.T, p Path) {
	// The value of a lane that began with s, after n rounds with a = −1, b = 1.
	product := func(s T, n int) T {
		if n%2 == 1 {
			return 1 - s
		}
		return s
	}
	if p == NEON { // s + a·b, exact as long as s keeps its last bit
		product = func(s T, n int) T { return s - T(n) }
	}
	absolute := func(s T, n int) T { return s + 2*T(n) }
	most := sumRounds + 1 // two calls of the assembly
	if p == Go {          // |−1−s| + |0−s| + |1−s| + …, exact for so many
		most = 100
		absolute = func(s T, n int) T { return s + (1 + s) + s + T(n-2)*(T(n-1)/2-s) }
	}
	for base, want := range map[Base]func(s T, n int) T{Product: product, Absolute: absolute} {
		for _, n := range []int{2, 7, most} {
			var got peakRegisters
			values := spread[T](&got)
			lanes := repeatSums[T](p, base, -1, 1, n, &got) / n
			for i := range lanes {
				values[i] = want(values[i], n)
			}
			compareLanes(t, peakLanes[T](&got), values, n)
		}
	}
}

// TestPeaksCountTheirWork holds the counts to the numbers of lanes.
func TestPeaksCountTheirWork(t *testing.T) {
	for _, p := range Available() {
		wide, narrow := PeakFMA[float64](p, 10), PeakFMA[float32](p, 10)
		if p == Go && (wide != 2*10*goSums || narrow != wide) {
			t.Errorf("%v: %d and %d operations", p, wide, narrow)
		}
		if p != Go && narrow != 2*wide {
			t.Errorf("%v: %d operations in float64 and %d in float32, want twice as many", p, wide, narrow)
		}
		if got := PeakProfile[float64](p, Exponential(-1), 20); got != 2*PeakProfile[float64](p, Exponential(-1), 10) {
			t.Errorf("%v: %d values in 20 rounds, not twice those of 10", p, got)
		}
	}
}

func TestPeakPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"rounds":   func() { PeakFMA[float64](Go, 0) },
		"negative": func() { PeakAbsolute[float32](Go, -1) },
		"identity": func() { PeakProfile[float64](Go, Profile{}, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func TestPeaksDoNotAllocate(t *testing.T) {
	for _, p := range Available() {
		if n := testing.AllocsPerRun(10, func() {
			PeakFMA[float64](p, 1)
			PeakProfile[float32](p, Exponential(-1), 1)
		}); n != 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	}
}
