package main

import (
	"math"
	"testing"
)

// The time of a cluster is that of its work and of its serial parts, by hand.
func TestTime(t *testing.T) {
	c := &costs{blockRows: 1000, rowBytes: 100, block: 0.01, replay: 0.5, fetch: 0.25, landmarks: 10, state: 1e6, join: 0.002, end: 1}
	opening := (1+sampled)*latency/requests + sampled*chunk/1e9 // one file
	fetch := 0.25 + (1+10)*latency/requests + 10*chunk/1e9
	one, serial := c.time(cluster{workers: 1, cores: 2, speed: 1e9}, 1e8)
	if want := start + fetch + 0.5 + opening + 1 + opening; math.Abs(serial-want) > 1e-9 || math.Abs(one-serial-1e5*0.01/2) > 1e-9 {
		t.Errorf("one worker: %v, serial %v, want %v", one, serial, want)
	}
	// Storage decides where it is slower than the cores: 1e8 rows of 100 bytes at 1 MB/s.
	slow, serial := c.time(cluster{workers: 1, cores: 2, speed: 1e6}, 1e8)
	if math.Abs(slow-serial-1e4) > 1e-6 {
		t.Errorf("slow storage: %v", slow-serial)
	}
	// 16 workers are one level of the tree and 17 are two.
	for workers, levels := range map[int]float64{1: 0, 2: 1, 16: 1, 17: 2, 256: 2, 257: 3} {
		on := cluster{workers: workers, cores: 2, speed: 1e9}
		if got, want := c.tree(on, 0), levels*fanIn*(0.002+0.002+2*latency/requests); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d workers: the tree takes %v, not %v", workers, got, want)
		}
	}
	many, rest := c.time(cluster{workers: 1000, cores: 2, speed: 1e9}, 1e8)
	if work := many - rest; math.Abs(work-(1e5*0.01/2)/1000*uneven) > 1e-9 {
		t.Errorf("1000 workers: %v of work", work)
	}
}
