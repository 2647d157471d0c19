package lowrank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// both folds blocks into two accumulators at once.
type both[A stream.Accumulator[A], B stream.Accumulator[B]] struct {
	a A
	b B
}

// Merge merges each part.
func (s *both[A, B]) Merge(later *both[A, B]) error {
	return errors.Join(s.a.Merge(later.a), s.b.Merge(later.b))
}

// MarshalBinary writes the length of the first part, and both parts.
func (s *both[A, B]) MarshalBinary() ([]byte, error) {
	a, errA := s.a.MarshalBinary()
	b, errB := s.b.MarshalBinary()
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(a)))
	return append(append(out, a...), b...), errors.Join(errA, errB)
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *both[A, B]) UnmarshalBinary(data []byte) error {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return errors.New("lowrank: accumulator state is cut short")
	}
	n := 8 + binary.LittleEndian.Uint64(data)
	return errors.Join(s.a.UnmarshalBinary(data[8:n]), s.b.UnmarshalBinary(data[n:]))
}

// matrixSum is a small matrix to which every block adds something.
type matrixSum struct{ blas64.General }

func newMatrixSum(rows, cols int) *matrixSum { return &matrixSum{stream.NewMatrix(rows, cols)} }

// Merge adds the sum over later blocks.
func (s *matrixSum) Merge(later *matrixSum) error {
	for i, v := range later.Data {
		s.Data[i] += v
	}
	return nil
}

// MarshalBinary writes the numbers, whose count both sides know.
func (s *matrixSum) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, 8*len(s.Data))
	for _, v := range s.Data {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote into a sum of the same shape.
func (s *matrixSum) UnmarshalBinary(data []byte) error {
	if len(data) != 8*len(s.Data) {
		return fmt.Errorf("lowrank: a sum of %d×%d numbers cannot have %d bytes", s.Rows, s.Cols, len(data))
	}
	for i := range s.Data {
		s.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return nil
}
