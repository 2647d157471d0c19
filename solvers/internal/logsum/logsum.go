// Package logsum adds numbers given by their logarithms, without overflow or underflow of terms and sums.
package logsum

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/kernelgen"
)

// Sum is a sum of exponentials, exp(Max)·Scaled. The zero value is an empty sum, and so is [Zero], with Max −Inf.
type Sum struct {
	Max, Scaled float64
	nonEmpty    bool // Max is valid
}

// Zero returns an empty sum.
func Zero() Sum { return Sum{Max: math.Inf(-1), nonEmpty: true} }

// Log returns the logarithm of the sum, −Inf if it is empty.
func (s Sum) Log() float64 { return s.Max + math.Log(s.Scaled) }

// Value returns the sum itself, +Inf on overflow.
func (s Sum) Value() float64 { return math.Exp(s.Max) * s.Scaled }

// AddLog adds a number given by its logarithm.
func (s *Sum) AddLog(log float64) {
	if math.IsInf(log, -1) {
		return
	}
	s.Raise(log) // a NaN makes Scaled NaN
	s.Scaled += math.Exp(log - s.Max)
}

// Add adds numbers given by their logarithms, which it replaces by the numbers divided by exp(s.Max). A NaN among them
// makes the sum NaN.
func (s *Sum) Add(logs []float64) {
	if s.exponentiate(logs) {
		s.Scaled += floats.Sum(logs)
	}
}

// AddWeighted is Add with weights; nil means weights of 1.
func (s *Sum) AddWeighted(logs, weights []float64) {
	if weights == nil {
		s.Add(logs)
	} else if s.exponentiate(logs) {
		s.Scaled += floats.Dot(logs, weights)
	}
}

// exponentiate replaces logarithms by their numbers divided by exp(s.Max). It reports whether any is not zero.
func (s *Sum) exponentiate(logs []float64) bool {
	s.Raise(largest(logs))
	if math.IsInf(s.Max, -1) && !slices.ContainsFunc(logs, math.IsNaN) {
		clear(logs) // all terms so far are zero
		return false
	}
	floats.AddConst(-s.Max, logs)
	Exponentials(logs)
	return true
}

// Exponentials replaces each number by its exponential.
func Exponentials(v []float64) { exponential.Apply(v, v) }

// Raise makes Max at least as large as log.
func (s *Sum) Raise(log float64) {
	if s.nonEmpty && !(log > s.Max) {
		return
	}
	if s.Scaled != 0 {
		s.Scaled *= math.Exp(s.Max - log)
	}
	s.Max, s.nonEmpty = log, true
}

// largest returns the largest number, ignoring NaN, or −Inf if there is none. Four independent comparisons run at a
// time.
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
