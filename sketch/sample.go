package sketch

import (
	"fmt"
	"slices"
)

// Sample is a uniform sample of row numbers without replacement: the operator whose columns are
// unit vectors. The fields must not be changed.
type Sample struct {
	Rows    int64 // size of the population
	Seed    uint64
	Purpose string // use of the random numbers, see NewRandom

	positions []int64
}

// NewSample draws k of the numbers 0..rows-1. It returns an error unless 1 ≤ k ≤ rows. Time is
// O(k·log k) and memory O(k), independent of rows.
func NewSample(rows int64, k int, seed uint64, purpose string) (*Sample, error) {
	if k < 1 || int64(k) > rows {
		return nil, fmt.Errorf("a sample of %d out of %d rows: must be 1 to %d", k, rows, max(1, rows))
	}
	positions := NewRandom(seed, purpose).Choose(rows, k)
	slices.Sort(positions)
	return &Sample{Rows: rows, Seed: seed, Purpose: purpose, positions: positions}, nil
}

// Positions returns the drawn numbers, ascending. The caller must not modify them.
func (s *Sample) Positions() []int64 { return s.positions }
