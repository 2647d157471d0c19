package sketch

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Sum is a matrix and a count to which the caller adds a term for every block. Nothing checks that
// the entries stay finite.
type Sum struct {
	blas64.General // contiguous: Stride == Cols
	Count          int64
}

// NewSum returns a zero sum of the given shape.
func NewSum(rows, cols int) *Sum {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("sketch: a sum of %d×%d numbers", rows, cols))
	}
	return &Sum{General: matrix.New(rows, cols)}
}

// Merge adds the sum of later blocks.
func (s *Sum) Merge(later *Sum) error {
	if later.Rows != s.Rows || later.Cols != s.Cols {
		return fmt.Errorf("cannot merge a sum of %d×%d numbers with one of %d×%d", s.Rows, s.Cols, later.Rows, later.Cols)
	}
	for i, v := range later.Data {
		s.Data[i] += v
	}
	s.Count += later.Count
	return nil
}

// Reset sets the matrix and the count to zero.
func (s *Sum) Reset() {
	clear(s.Data)
	s.Count = 0
}

// Name identifies states of this accumulator, independently of the Go type.
func (s *Sum) Name() string { return "sum" }

// MarshalBinary writes the shape, the count and the entries.
func (s *Sum) MarshalBinary() ([]byte, error) {
	return appendFloats(newState(kindSum, uint64(s.Rows), uint64(s.Cols), uint64(s.Count)), s.Data), nil
}

// UnmarshalBinary reads a state of the same shape that MarshalBinary wrote.
func (s *Sum) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindSum, 3)
	if err != nil {
		return err
	}
	if err := checkCount("rows", shape[0], s.Rows); err != nil {
		return err
	}
	if err := checkCount("columns", shape[1], s.Cols); err != nil {
		return err
	}
	if shape[2] > math.MaxInt64 {
		return fmt.Errorf("the state counts %d", shape[2])
	}
	if err := values.checkLength(len(s.Data)); err != nil {
		return err
	}
	s.Count = int64(shape[2])
	values.copy(s.Data)
	return nil
}
