// Package logsum adds numbers that are given by their logarithms, so that neither they nor
// their sums overflow or vanish.
package logsum

import (
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
)

// Sum is a sum of exponentials, exp(Most)·Rest. [Zero] is where it begins.
type Sum struct{ Most, Rest float64 }

// Zero returns the sum of nothing.
func Zero() Sum { return Sum{Most: math.Inf(-1)} }

// Log returns the logarithm of the sum: −Inf of nothing.
func (s Sum) Log() float64 { return s.Most + math.Log(s.Rest) }

// AddLog adds a number given by its logarithm.
func (s *Sum) AddLog(log float64) {
	if math.IsInf(log, -1) {
		return
	}
	s.raise(log)
	s.Rest += math.Exp(log - s.Most)
}

// Add adds numbers given by their logarithms, and puts them divided by exp(s.Most) in their
// place. A NaN among them makes the sum NaN.
func (s *Sum) Add(logs []float64) {
	s.raise(largest(logs))
	if math.IsInf(s.Most, -1) {
		clear(logs) // nothing but zeros so far
		return
	}
	for j := range logs {
		logs[j] -= s.Most
	}
	exponential.Apply(logs, logs)
	s.Rest += dense.Sum(logs)
}

// raise makes Most at least as large as log; NaN stays NaN.
func (s *Sum) raise(log float64) {
	if !(log > s.Most) && log == log {
		return
	}
	if s.Rest != 0 {
		s.Rest *= math.Exp(s.Most - log)
	}
	s.Most = log
}

// largest returns the largest of the numbers, −Inf if there are none, NaN if there is one.
func largest(v []float64) float64 {
	most := math.Inf(-1)
	for _, x := range v {
		most = max(most, x)
	}
	return most
}

var exponential = func() kernelgen.Map {
	m, err := kernelgen.ParseMap("exp")
	if err != nil {
		panic("logsum: " + err.Error())
	}
	return m
}()
