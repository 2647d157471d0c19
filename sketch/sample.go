package sketch

import (
	"fmt"
	"slices"
)

// Sample is a uniform choice of positions without replacement: the operator
// whose columns are columns of the identity. The fields must not be changed.
type Sample struct {
	Rows    int64 // how many there are to choose from
	Seed    uint64
	Purpose string // what the sample is for, see NewRandom

	positions []int64
}

// NewSample draws k of the numbers 0..rows-1. It needs 1 ≤ k ≤ rows. Time
// O(k·log k), memory O(k), whatever the rows.
func NewSample(rows int64, k int, seed uint64, purpose string) (*Sample, error) {
	if k < 1 || int64(k) > rows {
		return nil, fmt.Errorf("a sample of %d out of %d rows: must be 1 to %d", k, rows, max(1, rows))
	}
	positions := NewRandom(seed, purpose).Choose(rows, k)
	slices.Sort(positions)
	return &Sample{Rows: rows, Seed: seed, Purpose: purpose, positions: positions}, nil
}

// Positions returns the chosen numbers, ascending. The caller must not modify
// them.
func (s *Sample) Positions() []int64 { return s.positions }
