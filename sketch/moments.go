package sketch

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Moments accumulates simple figures of a matrix that is seen in blocks of rows:
// the sum of each column, the Frobenius norm, the largest magnitude, and the
// trace. Sums carry what rounding takes from them, so they stay accurate to a
// few ulps of the largest partial sum when the terms cancel. The Frobenius norm
// is computed from scaled entries: it does not overflow before its value does.
type Moments struct {
	rows     int64
	columns  []sum
	trace    sum
	diagonal int64   // number of diagonal entries in trace
	norm     float64 // Frobenius
	largest  float64 // magnitude
}

// NewMoments returns the moments of a matrix of no rows and so many columns, at
// least 1.
func NewMoments(cols int) *Moments {
	if cols < 1 {
		panic(fmt.Sprintf("sketch: NewMoments of %d columns", cols))
	}
	return &Moments{columns: make([]sum, cols)}
}

// Reset forgets everything seen.
func (m *Moments) Reset() {
	clear(m.columns)
	*m = Moments{columns: m.columns}
}

// Rows returns the number of rows seen.
func (m *Moments) Rows() int64 { return m.rows }

// Entries returns the number of entries seen, diagonal ones given to
// AddDiagonal not counted.
func (m *Moments) Entries() float64 { return float64(m.rows) * float64(len(m.columns)) }

// Trace returns the sum of the entries given to AddDiagonal, and their number.
func (m *Moments) Trace() (sum float64, entries int64) { return m.trace.total(), m.diagonal }

// Frobenius returns the root of the sum of the squares of all entries.
func (m *Moments) Frobenius() float64 { return m.norm }

// MaxAbs returns the largest magnitude of an entry, 0 before the first.
func (m *Moments) MaxAbs() float64 { return m.largest }

// ColumnSums puts the sums of the columns into dst, one for each. For a
// symmetric matrix they are the row sums.
func (m *Moments) ColumnSums(dst []float64) {
	for j := range m.columns {
		dst[j] = m.columns[j].total()
	}
}

// Sum returns the sum of all entries.
func (m *Moments) Sum() float64 {
	var all sum
	for _, c := range m.columns {
		all.merge(c)
	}
	return all.total()
}

// Add takes in the entries of a block of rows. Cost about ten operations an
// entry.
func (m *Moments) Add(block blas64.General) error {
	checkShape("the block of Moments.Add", block, block.Rows, len(m.columns))
	if err := CheckFinite(block); err != nil {
		return err
	}
	for i := range block.Rows {
		for j, v := range row(block, i) {
			m.columns[j].add(v)
		}
	}
	norm, largest := frobenius(block)
	m.rows += int64(block.Rows)
	m.norm = math.Hypot(m.norm, norm)
	m.largest = max(m.largest, largest)
	return m.checkOverflow()
}

// AddDiagonal takes in entries of the diagonal, for the trace only.
func (m *Moments) AddDiagonal(entries []float64) error {
	if j := firstNonFinite(entries); j >= 0 {
		return &NonFiniteError{Row: j, Col: j, Value: entries[j]}
	}
	for _, v := range entries {
		m.trace.add(v)
	}
	m.diagonal += int64(len(entries))
	return m.checkOverflow()
}

// frobenius returns the Frobenius norm and the largest magnitude of a block.
// Entries are scaled by a power of two that brings the largest near 1.
func frobenius(block blas64.General) (norm, largest float64) {
	for i := range block.Rows {
		for _, v := range row(block, i) {
			largest = max(largest, math.Abs(v))
		}
	}
	_, exponent := math.Frexp(largest)
	exponent = max(exponent, -1000) // 2^-exponent must be finite
	scale, squares := math.Ldexp(1, -exponent), 0.0
	for i := range block.Rows {
		for _, v := range row(block, i) {
			squares += (v * scale) * (v * scale)
		}
	}
	return math.Ldexp(math.Sqrt(squares), exponent), largest
}

// Merge takes in what later has seen. later must not be used afterwards.
func (m *Moments) Merge(later *Moments) error {
	if len(later.columns) != len(m.columns) {
		return fmt.Errorf("sketch: cannot merge moments of %d columns with those of %d", len(m.columns), len(later.columns))
	}
	for j := range m.columns {
		m.columns[j].merge(later.columns[j])
	}
	m.trace.merge(later.trace)
	m.rows += later.rows
	m.diagonal += later.diagonal
	m.norm = math.Hypot(m.norm, later.norm)
	m.largest = max(m.largest, later.largest)
	return m.checkOverflow()
}

// checkOverflow returns an error if a figure is beyond float64.
func (m *Moments) checkOverflow() error {
	finite := m.trace.finite() && firstNonFinite([]float64{m.norm}) < 0
	for j := range m.columns {
		finite = finite && m.columns[j].finite()
	}
	if !finite {
		return fmt.Errorf("sketch: a sum of entries exceeds %.2g, the largest float64: scale the data down", math.MaxFloat64)
	}
	return nil
}

// MarshalBinary writes shape columns, rows, diagonal entries, and the values
// norm, largest, trace and column sums, each sum as two numbers.
func (m *Moments) MarshalBinary() ([]byte, error) {
	data := newState(kindMoments, uint64(len(m.columns)), uint64(m.rows), uint64(m.diagonal))
	data = appendFloats(data, []float64{m.norm, m.largest, m.trace.value, m.trace.rest})
	for _, c := range m.columns {
		data = appendFloats(data, []float64{c.value, c.rest})
	}
	return data, nil
}

// UnmarshalBinary reads what MarshalBinary of Moments of as many columns wrote.
func (m *Moments) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindMoments, 3)
	if err != nil {
		return err
	}
	if err := sameShape("columns", shape[0], len(m.columns)); err != nil {
		return err
	}
	if shape[1] > maxCount || shape[2] > maxCount {
		return fmt.Errorf("sketch: the state counts %d rows and %d diagonal entries", shape[1], shape[2])
	}
	if err := values.need(4 + 2*len(m.columns)); err != nil {
		return err
	}
	numbers := make([]float64, 4+2*len(m.columns))
	if err := values.read(numbers); err != nil {
		return err
	}
	if numbers[0] < 0 || numbers[1] < 0 {
		return fmt.Errorf("sketch: the state has norm %v and largest magnitude %v", numbers[0], numbers[1])
	}
	m.rows, m.diagonal = int64(shape[1]), int64(shape[2])
	m.norm, m.largest = numbers[0], numbers[1]
	m.trace = sum{numbers[2], numbers[3]}
	for j := range m.columns {
		m.columns[j] = sum{numbers[4+2*j], numbers[5+2*j]}
	}
	return nil
}
