package sketch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Priority keeps the rows of the highest priorities. With priorities w/u, u uniform
// between 0 and 1, it is a sample without replacement in which a row of great weight w is
// sure to be (N. Duffield, C. Lund and M. Thorup 2007, "Priority sampling for estimation of
// arbitrary subset sums").
//
// Add takes O(keep) for each row that is kept for a while.
type Priority struct {
	keep, cols int
	rows       []prioritised // the highest first
}

// prioritised is a row that is kept.
type prioritised struct {
	priority float64
	number   int64
	row      []float64
}

// compare orders rows from the highest priority to the lowest, and then by number.
func (p prioritised) compare(q prioritised) int {
	return cmp.Or(cmp.Compare(q.priority, p.priority), cmp.Compare(p.number, q.number))
}

// NewPriority returns an accumulator that keeps so many rows.
func NewPriority(keep, cols int) *Priority {
	if keep < 0 || cols < 0 {
		panic(fmt.Sprintf("sketch: NewPriority of %d rows with %d columns", keep, cols))
	}
	return &Priority{keep: keep, cols: cols}
}

// Reset forgets everything seen.
func (p *Priority) Reset() { p.rows = nil }

// Rows returns the numbers of the rows that are kept, ascending, and the rows.
func (p *Priority) Rows() ([]int64, blas64.General) {
	kept := slices.SortedFunc(slices.Values(p.rows), func(a, b prioritised) int { return cmp.Compare(a.number, b.number) })
	numbers, rows := make([]int64, len(kept)), matrix.New(len(kept), p.cols)
	for i, k := range kept {
		numbers[i] = k.number
		copy(matrix.Row(rows, i), k.row)
	}
	return numbers, rows
}

// Add takes in a block of rows, the first of which has the number start. A row whose
// priority is not above 0 is not kept.
func (p *Priority) Add(start int64, priority []float64, block blas64.General) error {
	checkShape("the block of Priority.Add", block, len(priority), p.cols)
	if err := CheckFinite(block); err != nil {
		return err
	}
	if i := simd.FirstNotFinite(priority); i >= 0 {
		return fmt.Errorf("row %d has the priority %v", start+int64(i), priority[i])
	}
	for i, v := range priority {
		if next := (prioritised{priority: v, number: start + int64(i)}); v > 0 && p.wants(next) {
			next.row = slices.Clone(matrix.Row(block, i))
			p.insert(next)
		}
	}
	return nil
}

// wants reports whether a row is among those to keep.
func (p *Priority) wants(next prioritised) bool {
	return len(p.rows) < p.keep || p.keep > 0 && next.compare(p.rows[p.keep-1]) < 0
}

// insert puts a row in its place.
func (p *Priority) insert(next prioritised) {
	at, _ := slices.BinarySearchFunc(p.rows, next, prioritised.compare)
	if len(p.rows) == p.keep {
		p.rows = p.rows[:p.keep-1]
	}
	p.rows = slices.Insert(p.rows, at, next)
}

// Merge takes in what later has seen.
func (p *Priority) Merge(later *Priority) error {
	if later.keep != p.keep || later.cols != p.cols {
		return fmt.Errorf("cannot merge %d kept rows with %d columns with %d rows with %d", p.keep, p.cols, later.keep, later.cols)
	}
	for _, next := range later.rows {
		if !p.wants(next) {
			break
		}
		p.insert(next)
	}
	return nil
}

// Name names the states of this accumulator, whatever its type is called.
func (p *Priority) Name() string { return "priority" }

// MarshalBinary writes how many rows are to be kept, columns and rows kept, and for each row
// its priority, its number and its entries.
func (p *Priority) MarshalBinary() ([]byte, error) {
	data := newState(kindPriority, uint64(p.keep), uint64(p.cols), uint64(len(p.rows)))
	for _, k := range p.rows {
		data = appendFloats(data, []float64{k.priority, float64(k.number)})
		data = appendFloats(data, k.row)
	}
	return data, nil
}

// UnmarshalBinary reads what MarshalBinary of an accumulator with the same numbers wrote.
func (p *Priority) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindPriority, 3)
	if err != nil {
		return err
	}
	if err := cmp.Or(sameShape("rows to keep", shape[0], p.keep), sameShape("columns", shape[1], p.cols)); err != nil {
		return err
	}
	if shape[2] > uint64(p.keep) {
		return fmt.Errorf("the state keeps %d rows of at most %d", shape[2], p.keep)
	}
	if err := values.need(int(shape[2]) * (2 + p.cols)); err != nil {
		return err
	}
	rows := make([]prioritised, shape[2])
	for i := range rows {
		if rows[i], err = readPrioritised(values, p.cols); err != nil {
			return err
		}
		if i > 0 && rows[i-1].compare(rows[i]) >= 0 {
			return fmt.Errorf("the rows of the state are not in the order of their priorities")
		}
	}
	p.rows = rows
	return nil
}

// readPrioritised reads a row.
func readPrioritised(values *floatReader, cols int) (prioritised, error) {
	head, row := make([]float64, 2), make([]float64, cols)
	if err := cmp.Or(values.read(head), values.read(row)); err != nil {
		return prioritised{}, err
	}
	priority, number := head[0], head[1]
	if priority <= 0 || math.Signbit(number) || number > maxCount || number != math.Trunc(number) {
		return prioritised{}, fmt.Errorf("the state has a row with the number %v and the priority %v", number, priority)
	}
	return prioritised{priority, int64(number), row}, nil
}
