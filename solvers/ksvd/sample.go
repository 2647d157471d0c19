package ksvd

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/sketch"
)

// sample are rows of one side, drawn uniformly without replacement, and how many rows each stands
// for. The sample of fewer rows is part of the sample of more.
type sample struct {
	number []int64 // ascending
	weight []float64
}

func ascending(v []int64) []int64 {
	slices.Sort(v)
	return v
}

// uniformSample draws k of n rows.
func uniformSample(n int64, k int, seed uint64, purpose string) sample {
	s := sample{number: ascending(sketch.NewRandom(seed, purpose).Choose(n, k)), weight: make([]float64, k)}
	for i := range s.weight {
		s.weight[i] = float64(n) / float64(k)
	}
	return s
}

// uniform draws uniform samples. Two fits that are compared have samples that are
// independent: nested ones would agree in what both have wrong.
func (f *nystrom) uniform(n, m int) (rows, cols sample) {
	s := f.data.Shape()
	which := ""
	if f.Tolerance > 0 {
		which = fmt.Sprintf(" %d", f.round)
	}
	rows = uniformSample(s.Rows, n, f.Seed, "ksvd rows"+which)
	if f.Paired {
		return rows, rows
	}
	return rows, uniformSample(s.Cols, m, f.Seed, "ksvd columns"+which)
}
