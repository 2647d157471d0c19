package main

import (
	"slices"
	"time"

	"github.com/nystream/nystream/internal/simd"
)

// A load is work that every thread of a crew repeats on its own buffers.
type load struct {
	path simd.Path // in use while it runs
	// run does a piece of work on a thread, and returns its size in units of
	// its own: operations, values, entries, bytes.
	run func(thread int) (units int)
	// once says that one piece is long enough and costly to repeat: it runs in
	// the first repetition only.
	once bool
}

// samples are nanoseconds a unit, one for each repetition.
type samples []float64

// measure runs the loads in turns, each for about the given time in every one
// of reps repetitions, after a run to warm up.
func (c *crew) measure(loads []load, reps int, sample time.Duration) []samples {
	pieces := make([]int, len(loads))
	for i, l := range loads {
		if pieces[i] = 1; !l.once {
			pieces[i] = c.piecesIn(l, sample)
		}
	}
	out := make([]samples, len(loads))
	for r := range reps {
		for i, l := range loads {
			if l.once && r > 0 {
				out[i] = append(out[i], out[i][0])
				continue
			}
			out[i] = append(out[i], c.sample(l, pieces[i]))
		}
	}
	return out
}

// piecesIn returns how many pieces take about that time.
func (c *crew) piecesIn(l load, sample time.Duration) int {
	defer simd.Use(l.path)()
	c.run(func(thread int) { l.run(thread) })
	n := 1
	for n < 1<<20 {
		took := c.run(func(thread int) { repeat(l, thread, n) })
		if 4*took > sample {
			return max(1, int(float64(n)*float64(sample)/float64(took)))
		}
		n *= 4
	}
	return n
}

// sample returns nanoseconds a unit over n pieces on every thread.
func (c *crew) sample(l load, n int) float64 {
	defer simd.Use(l.path)()
	units := make([]int, len(c.work))
	took := c.run(func(thread int) { units[thread] = repeat(l, thread, n) })
	total := 0
	for _, u := range units {
		total += u
	}
	return float64(took.Nanoseconds()) / float64(total)
}

func repeat(l load, thread, n int) (units int) {
	for range n {
		units += l.run(thread)
	}
	return units
}

// median returns the middle sample, the mean of the two middle ones of an even
// number.
func (s samples) median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// over returns the quotients s/t of the same repetitions.
func (s samples) over(t samples) samples {
	return s.combine(t, func(a, b float64) float64 { return a / b })
}

// combine returns f of two samples of the same repetition.
func (s samples) combine(t samples, f func(a, b float64) float64) samples {
	c := make(samples, len(s))
	for i := range s {
		c[i] = f(s[i], t[i])
	}
	return c
}
