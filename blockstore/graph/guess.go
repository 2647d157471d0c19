package graph

import "fmt"

// GuessedWeights describes weights in the third column, whose meaning neither an option nor a
// header gives.
type GuessedWeights struct {
	// Min and Max are the range of the weights.
	Min, Max float64
	// TimeUnit is the unit that most of the weights seem to have, such as Unix times in seconds; ""
	// for other numbers.
	TimeUnit string
}

// timeUnits are ranges of numbers that look like times, from ≤ v < to. Unix times are those of the
// years 1973 to 2128.
var timeUnits = []struct {
	from, to float64
	name     string
}{
	{1900, 2101, "years"},
	{19000101, 21010101, "dates YYYYMMDD"},
	{1e8, 5e9, "Unix times in seconds"},
	{1e11, 5e12, "Unix times in milliseconds"},
	{1e14, 5e15, "Unix times in microseconds"},
	{1e17, 5e18, "Unix times in nanoseconds"},
}

// mostTimes is the share of the weights that must lie in one of the ranges to look like times. Some
// times may be unknown.
const mostTimes = 0.9

// weightGuess collects statistics of weights whose meaning is a guess.
type weightGuess struct {
	least, most float64
	seen        int64
	times       [6]int64 // number of weights in each of timeUnits
}

// observe adds a weight.
func (w *weightGuess) observe(v float64) {
	if w.seen == 0 {
		w.least, w.most = v, v
	}
	w.least, w.most = min(w.least, v), max(w.most, v)
	w.seen++
	for i := range timeUnits {
		if u := &timeUnits[i]; v < u.from {
			break
		} else if v < u.to {
			w.times[i]++
			break
		}
	}
}

// result describes the weights, nil if there are none.
func (w *weightGuess) result() *GuessedWeights {
	if w == nil || w.seen == 0 {
		return nil
	}
	g := &GuessedWeights{Min: w.least, Max: w.most}
	for i, n := range w.times {
		if float64(n) >= mostTimes*float64(w.seen) {
			g.TimeUnit = timeUnits[i].name
		}
	}
	return g
}

// Warning returns a warning for the user if the weights look like times, else "".
func (g *GuessedWeights) Warning() string {
	if g == nil || g.TimeUnit == "" {
		return ""
	}
	return fmt.Sprintf("the third column, taken for the weights of the edges, looks like %s; leave it out with `Options.Weight -`, or confirm it with `Options.Weight 2`", g.TimeUnit)
}
