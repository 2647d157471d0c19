package ism

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// spread accumulates the least, the largest and the sum of each column.
type spread struct {
	rows           int64
	low, high, sum []float64
}

func newSpread(d int) *spread {
	s := &spread{low: make([]float64, d), high: make([]float64, d), sum: make([]float64, d)}
	s.Reset()
	return s
}

func (s *spread) add(x blas64.General) {
	s.rows += int64(x.Rows)
	for i := range x.Rows {
		for j, v := range dense.Row(x, i) {
			s.low[j], s.high[j] = min(s.low[j], v), max(s.high[j], v)
			s.sum[j] += v
		}
	}
}

// Merge takes in what later has seen.
func (s *spread) Merge(later *spread) error {
	s.rows += later.rows
	for j := range s.sum {
		s.low[j], s.high[j] = min(s.low[j], later.low[j]), max(s.high[j], later.high[j])
		s.sum[j] += later.sum[j]
	}
	return nil
}

// Reset forgets everything.
func (s *spread) Reset() {
	s.rows = 0
	clear(s.sum)
	for j := range s.low {
		s.low[j], s.high[j] = math.Inf(1), math.Inf(-1)
	}
}

// Name names the states of this accumulator, whatever its type is called.
func (s *spread) Name() string { return "spread" }

// MarshalBinary writes the number of rows and the columns.
func (s *spread) MarshalBinary() ([]byte, error) {
	out := binary.LittleEndian.AppendUint64(nil, uint64(s.rows))
	return appendFloats(appendFloats(appendFloats(out, s.low), s.high), s.sum), nil
}

// UnmarshalBinary reads what MarshalBinary of as many columns wrote.
func (s *spread) UnmarshalBinary(data []byte) error {
	d := len(s.sum)
	if len(data) != 8+24*d || int64(binary.LittleEndian.Uint64(data)) < 0 {
		return fmt.Errorf("ism: %d bytes for the spreads of %d columns", len(data), d)
	}
	s.rows = int64(binary.LittleEndian.Uint64(data))
	readFloats(s.low, data[8:])
	readFloats(s.high, data[8+8*d:])
	readFloats(s.sum, data[8+16*d:])
	return nil
}

func appendFloats(out []byte, v []float64) []byte {
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

func readFloats(dst []float64, data []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
}
