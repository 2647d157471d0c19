package main

import (
	"math"
	"testing"
)

const traces = `File: serial
Type: cpu
-----------+-------------------------------------------------------
     1.20s   simd.tile
             github.com/nystream/nystream/stream.work[...]
-----------+-------------------------------------------------------
      20ms   strconv.ParseFloat
             github.com/nystream/nystream/stream.(*reading).readAll
             github.com/nystream/nystream/stream.(*reading).produce.func1
-----------+-------------------------------------------------------
      30ms   sketch.merge
             github.com/nystream/nystream/stream.collectInOrder[...]
             main.main
-----------+-------------------------------------------------------
      50ms   svd.Values
             main.main
-----------+-------------------------------------------------------
     100ms   runtime.gcBgMarkWorker
`

func TestDivide(t *testing.T) {
	s, err := divide(traces)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if err != nil || !near(s.all, 1.4) || !near(s.outside, .05) || !near(s.reader, .02) || !near(s.collector, .03) {
		t.Errorf("%+v, %v", s, err)
	}
	if got, want := s.allowed(10), 1.4/(.08+1.32/10); !near(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
