package sketch

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// ColumnSums accumulates the sum of each column of a matrix that is seen in blocks of
// rows. Sums carry what rounding takes from them, so they stay accurate to a few ulps of
// the largest partial sum when the terms cancel.
type ColumnSums struct {
	columns []sum
}

// NewColumnSums returns the sums of a matrix of no rows and so many columns, at least 1.
func NewColumnSums(cols int) *ColumnSums {
	if cols < 1 {
		panic(fmt.Sprintf("sketch: NewColumnSums of %d columns", cols))
	}
	return &ColumnSums{columns: make([]sum, cols)}
}

// Reset forgets everything seen.
func (s *ColumnSums) Reset() { clear(s.columns) }

// Totals returns the sums.
func (s *ColumnSums) Totals() []float64 {
	totals := make([]float64, len(s.columns))
	for j := range s.columns {
		totals[j] = s.columns[j].total()
	}
	return totals
}

// Add takes in the entries of a block of rows.
func (s *ColumnSums) Add(block blas64.General) error {
	checkShape("the block of ColumnSums.Add", block, block.Rows, len(s.columns))
	if err := CheckFinite(block); err != nil {
		return err
	}
	for i := range block.Rows {
		for j, v := range matrix.Row(block, i) {
			s.columns[j].add(v)
		}
	}
	return s.checkOverflow()
}

// Merge takes in what later has seen. later must not be used afterwards.
func (s *ColumnSums) Merge(later *ColumnSums) error {
	if len(later.columns) != len(s.columns) {
		return fmt.Errorf("cannot merge sums of %d columns with those of %d", len(s.columns), len(later.columns))
	}
	for j := range s.columns {
		s.columns[j].merge(later.columns[j])
	}
	return s.checkOverflow()
}

// checkOverflow returns an error if a sum is beyond float64.
func (s *ColumnSums) checkOverflow() error {
	for j := range s.columns {
		if !s.columns[j].finite() {
			return fmt.Errorf("a sum of entries exceeds %.2g, the largest float64: scale the data down", math.MaxFloat64)
		}
	}
	return nil
}

// Name names the states of this accumulator, whatever its type is called.
func (s *ColumnSums) Name() string { return "column sums" }

// MarshalBinary writes the shape, columns, and the sums, each as two numbers.
func (s *ColumnSums) MarshalBinary() ([]byte, error) {
	data := newState(kindColumnSums, uint64(len(s.columns)))
	for _, c := range s.columns {
		data = appendFloats(data, []float64{c.value, c.rest})
	}
	return data, nil
}

// UnmarshalBinary reads what MarshalBinary of ColumnSums of as many columns wrote.
func (s *ColumnSums) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindColumnSums, 1)
	if err != nil {
		return err
	}
	if err := sameShape("columns", shape[0], len(s.columns)); err != nil {
		return err
	}
	if err := values.need(2 * len(s.columns)); err != nil {
		return err
	}
	numbers := make([]float64, 2*len(s.columns))
	if err := values.read(numbers); err != nil {
		return err
	}
	for j := range s.columns {
		s.columns[j] = sum{numbers[2*j], numbers[2*j+1]}
	}
	return nil
}
