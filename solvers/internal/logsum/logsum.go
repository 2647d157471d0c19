// Package logsum adds numbers that are given by their logarithms, so that neither they nor
// their sums overflow or vanish.
package logsum

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/kernelgen"
)

// Sum is a sum of exponentials, exp(Most)·Rest. The zero value is the sum of nothing, and so is
// [Zero], whose Most is −Inf.
type Sum struct {
	Most, Rest float64
	begun      bool // Most is that of what was added
}

// Zero returns the sum of nothing.
func Zero() Sum { return Sum{Most: math.Inf(-1), begun: true} }

// Log returns the logarithm of the sum: −Inf of nothing.
func (s Sum) Log() float64 { return s.Most + math.Log(s.Rest) }

// Plain returns the sum itself, not its logarithm; +Inf if float64 cannot hold it.
func (s Sum) Plain() float64 { return math.Exp(s.Most) * s.Rest }

// AddLog adds a number given by its logarithm.
func (s *Sum) AddLog(log float64) {
	if math.IsInf(log, -1) {
		return
	}
	s.Raise(log) // a NaN makes Rest NaN
	s.Rest += math.Exp(log - s.Most)
}

// Add adds numbers given by their logarithms, and puts them divided by exp(s.Most) in their
// place. A NaN among them makes the sum NaN.
func (s *Sum) Add(logs []float64) {
	if s.take(logs) {
		s.Rest += floats.Sum(logs)
	}
}

// AddWeighted is Add of the numbers times their weights; nil weights are 1.
func (s *Sum) AddWeighted(logs, weights []float64) {
	if weights == nil {
		s.Add(logs)
	} else if s.take(logs) {
		s.Rest += floats.Dot(logs, weights)
	}
}

// take puts numbers divided by exp(s.Most) in the place of their logarithms. It reports whether
// any is not zero.
func (s *Sum) take(logs []float64) bool {
	s.Raise(largest(logs))
	if math.IsInf(s.Most, -1) && !slices.ContainsFunc(logs, math.IsNaN) {
		clear(logs) // nothing but zeros so far
		return false
	}
	floats.AddConst(-s.Most, logs)
	Exponentials(logs)
	return true
}

// Exponentials puts the exponentials of numbers in their place.
func Exponentials(v []float64) { exponential.Apply(v, v) }

// Raise makes Most at least as large as log.
func (s *Sum) Raise(log float64) {
	if s.begun && !(log > s.Most) {
		return
	}
	if s.Rest != 0 {
		s.Rest *= math.Exp(s.Most - log)
	}
	s.Most, s.begun = log, true
}

// largest returns the largest of the numbers but for NaN, −Inf if there are none. Comparisons of
// four at a time do not wait for each other.
func largest(v []float64) float64 {
	low := math.Inf(-1)
	a, b, c, d := low, low, low, low
	for ; len(v) >= 4; v = v[4:] {
		if v[0] > a {
			a = v[0]
		}
		if v[1] > b {
			b = v[1]
		}
		if v[2] > c {
			c = v[2]
		}
		if v[3] > d {
			d = v[3]
		}
	}
	for _, x := range v {
		if x > a {
			a = x
		}
	}
	return max(a, b, c, d)
}

var exponential = func() kernelgen.ElementMap {
	m, err := kernelgen.ParseElementMap("exp")
	if err != nil {
		panic("logsum: " + err.Error())
	}
	return m
}()
