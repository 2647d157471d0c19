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

// Priority keeps the rows with the highest priorities. With priorities w/u for weights w and
// uniform u in (0, 1), it is a sample without replacement that almost surely includes rows of large
// weight (N. Duffield, C. Lund and M. Thorup 2007, "Priority sampling for estimation of arbitrary
// subset sums").
//
// Add takes O(keep) time for each row that enters the sample.
type Priority struct {
	keep, cols int
	rows       []priorityRow // descending by priority
}

// priorityRow is a row of the sample.
type priorityRow struct {
	priority float64
	number   int64
	row      []float64
}

// compare orders rows by descending priority, then by number.
func (p priorityRow) compare(q priorityRow) int {
	return cmp.Or(cmp.Compare(q.priority, p.priority), cmp.Compare(p.number, q.number))
}

// NewPriority returns an accumulator of at most keep rows with cols columns.
func NewPriority(keep, cols int) *Priority {
	if keep < 0 || cols < 0 {
		panic(fmt.Sprintf("sketch: NewPriority of %d rows with %d columns", keep, cols))
	}
	return &Priority{keep: keep, cols: cols}
}

// Reset removes all rows.
func (p *Priority) Reset() { p.rows = nil }

// Rows returns the numbers of the kept rows, ascending, and the rows themselves.
func (p *Priority) Rows() ([]int64, blas64.General) {
	kept := slices.SortedFunc(slices.Values(p.rows), func(a, b priorityRow) int { return cmp.Compare(a.number, b.number) })
	numbers, rows := make([]int64, len(kept)), matrix.New(len(kept), p.cols)
	for i, k := range kept {
		numbers[i] = k.number
		copy(matrix.Row(rows, i), k.row)
	}
	return numbers, rows
}

// Add offers the rows of a block; the first row has number start. Rows with priority ≤ 0 are never
// kept.
func (p *Priority) Add(start int64, priority []float64, block blas64.General) error {
	checkShape("the block of Priority.Add", block, len(priority), p.cols)
	if err := CheckFinite(block); err != nil {
		return err
	}
	if i := simd.FirstNotFinite(priority); i >= 0 {
		return fmt.Errorf("row %d has the priority %v", start+int64(i), priority[i])
	}
	for i, v := range priority {
		if next := (priorityRow{priority: v, number: start + int64(i)}); v > 0 && p.accepts(next) {
			next.row = slices.Clone(matrix.Row(block, i))
			p.insert(next)
		}
	}
	return nil
}

// accepts reports whether the sample takes the row.
func (p *Priority) accepts(next priorityRow) bool {
	return len(p.rows) < p.keep || p.keep > 0 && next.compare(p.rows[p.keep-1]) < 0
}

// insert inserts a row in order and drops the last one if the sample is full.
func (p *Priority) insert(next priorityRow) {
	at, _ := slices.BinarySearchFunc(p.rows, next, priorityRow.compare)
	if len(p.rows) == p.keep {
		p.rows = p.rows[:p.keep-1]
	}
	p.rows = slices.Insert(p.rows, at, next)
}

// Merge offers the rows of later.
func (p *Priority) Merge(later *Priority) error {
	if later.keep != p.keep || later.cols != p.cols {
		return fmt.Errorf("cannot merge %d kept rows with %d columns with %d rows with %d", p.keep, p.cols, later.keep, later.cols)
	}
	for _, next := range later.rows {
		if !p.accepts(next) {
			break
		}
		p.insert(next)
	}
	return nil
}

// Name identifies states of this accumulator, independently of the Go type.
func (p *Priority) Name() string { return "priority" }

// MarshalBinary writes keep, cols and the number of kept rows, and for each row its priority,
// number and entries.
func (p *Priority) MarshalBinary() ([]byte, error) {
	data := newState(kindPriority, uint64(p.keep), uint64(p.cols), uint64(len(p.rows)))
	for _, k := range p.rows {
		data = appendFloats(data, []float64{k.priority, float64(k.number)})
		data = appendFloats(data, k.row)
	}
	return data, nil
}

// UnmarshalBinary reads a state with the same keep and cols that MarshalBinary wrote.
func (p *Priority) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindPriority, 3)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkCount("rows to keep", shape[0], p.keep), checkCount("columns", shape[1], p.cols)); err != nil {
		return err
	}
	if shape[2] > uint64(p.keep) {
		return fmt.Errorf("the state keeps %d rows of at most %d", shape[2], p.keep)
	}
	if err := values.checkLength(int(shape[2]) * (2 + p.cols)); err != nil {
		return err
	}
	rows := make([]priorityRow, shape[2])
	for i := range rows {
		if rows[i], err = readPriorityRow(values, p.cols); err != nil {
			return err
		}
		if i > 0 && rows[i-1].compare(rows[i]) >= 0 {
			return fmt.Errorf("the rows of the state are not in the order of their priorities")
		}
	}
	p.rows = rows
	return nil
}

// readPriorityRow reads one row of a state.
func readPriorityRow(values *floatReader, cols int) (priorityRow, error) {
	head, row := make([]float64, 2), make([]float64, cols)
	if err := cmp.Or(values.read(head), values.read(row)); err != nil {
		return priorityRow{}, err
	}
	priority, number := head[0], head[1]
	if priority <= 0 || math.Signbit(number) || number > maxCount || number != math.Trunc(number) {
		return priorityRow{}, fmt.Errorf("the state has a row with the number %v and the priority %v", number, priority)
	}
	return priorityRow{priority, int64(number), row}, nil
}
