package ism

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// sums accumulates a vector: whatever of a pass is a sum over rows, one behind the
// other.
type sums struct{ v []float64 }

// Merge adds what later has seen.
func (s *sums) Merge(later *sums) error {
	for i, v := range later.v {
		s.v[i] += v
	}
	return nil
}

// Reset forgets everything.
func (s *sums) Reset() { clear(s.v) }

// MarshalBinary writes the numbers.
func (s *sums) MarshalBinary() ([]byte, error) { return appendFloats(nil, s.v), nil }

// UnmarshalBinary reads what MarshalBinary of as many numbers wrote.
func (s *sums) UnmarshalBinary(data []byte) error {
	if len(data) != 8*len(s.v) {
		return fmt.Errorf("ism: %d bytes for %d sums", len(data), len(s.v))
	}
	readFloats(s.v, data)
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

// room hands out parts of a vector, in a fixed order.
type room struct {
	v    []float64
	size int // of all that was handed out
}

func (r *room) matrix(rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols)}
	if r.v != nil {
		m.Data = r.v[r.size : r.size+rows*cols]
	}
	r.size += rows * cols
	return m
}
