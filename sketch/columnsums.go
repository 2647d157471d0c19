package sketch

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// ColumnSums accumulates the sum of each column of a matrix that arrives in blocks of rows. Sums
// are compensated: even if terms cancel, they are accurate to a few ulps of the largest partial
// sum.
type ColumnSums struct {
	columns []compensatedSum
}

// NewColumnSums returns zero sums of cols columns, at least 1.
func NewColumnSums(cols int) *ColumnSums {
	if cols < 1 {
		panic(fmt.Sprintf("sketch: NewColumnSums of %d columns", cols))
	}
	return &ColumnSums{columns: make([]compensatedSum, cols)}
}

// Reset sets all sums to zero.
func (s *ColumnSums) Reset() { clear(s.columns) }

// Totals returns the sum of each column, in a new slice.
func (s *ColumnSums) Totals() []float64 {
	totals := make([]float64, len(s.columns))
	for j := range s.columns {
		totals[j] = s.columns[j].total()
	}
	return totals
}

// Add adds the rows of a block. It returns an error if an entry is not finite or a sum overflows.
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

// Merge adds the sums of later. later must not be used afterwards.
func (s *ColumnSums) Merge(later *ColumnSums) error {
	if len(later.columns) != len(s.columns) {
		return fmt.Errorf("cannot merge sums of %d columns with those of %d", len(s.columns), len(later.columns))
	}
	for j := range s.columns {
		s.columns[j].merge(later.columns[j])
	}
	return s.checkOverflow()
}

// checkOverflow returns an error if a sum has overflowed.
func (s *ColumnSums) checkOverflow() error {
	for j := range s.columns {
		if !s.columns[j].finite() {
			return fmt.Errorf("a sum of entries exceeds %.2g, the largest float64: scale the data down", math.MaxFloat64)
		}
	}
	return nil
}

// Name identifies states of this accumulator, independently of the Go type.
func (s *ColumnSums) Name() string { return "column sums" }

// MarshalBinary writes the number of columns and two float64s per sum.
func (s *ColumnSums) MarshalBinary() ([]byte, error) {
	data := newState(kindColumnSums, uint64(len(s.columns)))
	for _, c := range s.columns {
		data = appendFloats(data, []float64{c.value, c.correction})
	}
	return data, nil
}

// UnmarshalBinary reads a state of the same number of columns that MarshalBinary wrote.
func (s *ColumnSums) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindColumnSums, 1)
	if err != nil {
		return err
	}
	if err := checkCount("columns", shape[0], len(s.columns)); err != nil {
		return err
	}
	if err := values.checkLength(2 * len(s.columns)); err != nil {
		return err
	}
	numbers := make([]float64, 2*len(s.columns))
	if err := values.read(numbers); err != nil {
		return err
	}
	for j := range s.columns {
		s.columns[j] = compensatedSum{numbers[2*j], numbers[2*j+1]}
	}
	return nil
}
