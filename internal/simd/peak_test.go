package simd

import (
	"math"
	"testing"
)

// TestPeakLoop checks the recurrence with numbers for which every operation is exact: a round halves
// the lanes of the path, and touches no others.
func TestPeakLoop(t *testing.T) {
	const first = 1 << 20
	for _, p := range Available() {
		for _, n := range []int{1, 2, 100, 1000} {
			s := &peakSums{a: -0.5}
			for i := range s.sums {
				s.sums[i] = float64(first + i)
			}
			lanes := s.repeat(p, n)
			for i, got := range s.sums {
				want := float64(first + i)
				if i < lanes {
					want = math.Ldexp(want, -n)
				}
				if got != want {
					t.Fatalf("%v, %d rounds: lane %d of %d is %v, want %v", p, n, i, lanes, got, want)
				}
			}
		}
	}
}

// TestPeakLoopBeyondOneCall checks that long loops are split into calls of the assembly: a round
// negates the lanes.
func TestPeakLoopBeyondOneCall(t *testing.T) {
	for _, p := range Available() {
		for _, n := range []int{peakRounds, peakRounds + 1, 3*peakRounds + 2} {
			s := &peakSums{a: -2, sums: [peakLanes]float64{1}}
			if s.repeat(p, n); s.sums[0] != float64(1-2*(n%2)) {
				t.Errorf("%v, %d rounds: %v", p, n, s.sums[0])
			}
		}
	}
}

func TestPeakLoopPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for 0 rounds")
		}
	}()
	new(peakSums).repeat(Go, 0)
}
