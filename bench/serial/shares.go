package main

import (
	"fmt"
	"strings"
	"time"
)

// shares are CPU seconds of a fit.
type shares struct {
	all float64
	// outside passes, on the goroutine that makes the fit: opening files, fetching rows,
	// small algebra, the last merges.
	outside float64
	// reader is of a goroutine that reads for all workers, collector of the one that
	// takes what they made.
	reader, collector float64
}

// allowed returns the speed-up on so many cores if all but the longest chain is divided among
// them. Reader and collector work at the same time.
func (s shares) allowed(cores float64) float64 {
	chain := s.outside + max(s.reader, s.collector)
	return s.all / (chain + (s.all-chain)/cores)
}

// over returns the shares of one of so many equal fits.
func (s shares) over(fits float64) shares {
	return shares{s.all / fits, s.outside / fits, s.reader / fits, s.collector / fits}
}

// divide adds up the samples of "go tool pprof -traces": each trace begins with a time
// and a function, and goes on with those that called it.
func divide(traces string) (s shares, err error) {
	for _, trace := range strings.Split(traces, "-----------+-------------------------------------------------------")[1:] {
		fields := strings.Fields(trace)
		if len(fields) < 2 {
			continue
		}
		d, err := time.ParseDuration(fields[0])
		if err != nil {
			return s, fmt.Errorf("a trace that begins with %q", fields[0])
		}
		s.add(d.Seconds(), trace)
	}
	return s, nil
}

func (s *shares) add(seconds float64, trace string) {
	has := func(names ...string) bool {
		for _, name := range names {
			if strings.Contains(trace, name) {
				return true
			}
		}
		return false
	}
	s.all += seconds
	switch {
	case has("stream.work", "stream.(*reading).readRun", "stream.(*pairPass).work"):
	case has("stream.(*reading).produce", "stream.(*pass).produce"):
		s.reader += seconds
	case has("stream.collectInOrder"):
		s.collector += seconds
	case has("main.main"):
		s.outside += seconds
	}
}
