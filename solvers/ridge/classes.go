package ridge

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Classes holds the levels of a kept column of labels.
type Classes struct {
	Label  string        // name of the column
	Levels stream.Column // its distinct values, ascending
	Counts []int64       // rows of each level, see [Data.FindClasses]

	sums   []float64 // total weight of each level; nil without weights
	absent int64     // rows with weight 0
}

// mostLevels is the largest number of levels that can be counted.
const mostLevels = 1 << 16

// FindClasses is [Data.FindClasses] without weights.
func FindClasses(ctx context.Context, e stream.Engine, src stream.Source, label string) (*Classes, error) {
	return (&Data{Rows: src}).FindClasses(ctx, e, label)
}

// FindClasses finds the levels of a kept column of d.Rows, and counts the rows of each level. Rows of weight 0 are
// ignored. It fails if any other label is missing or not finite, or if there are more than 65,536 levels.
// Cost: one pass, and memory for the levels.
func (d *Data) FindClasses(ctx context.Context, e stream.Engine, label string) (*Classes, error) {
	info, weights := d.Rows.Info(), -1
	place, err := find(info, label, "`FindClasses.label`")
	if err == nil && d.Weights != "" {
		weights, err = findNumbers(info, d.Weights, "`Data.Weights`")
	}
	if err != nil {
		return nil, err
	}
	c := &Classes{Label: label, Levels: stream.Column{Kind: info.Kept[place].Kind}}
	at := labelColumns{info, place, weights}
	switch c.Levels.Kind {
	case stream.Int64:
		c.Levels.Ints, err = levels(ctx, e, d.Rows, at, c, func(c *stream.Column) []int64 { return c.Ints })
	case stream.Float64:
		c.Levels.Floats, err = levels(ctx, e, d.Rows, at, c, func(c *stream.Column) []float64 { return c.Floats })
	default:
		c.Levels.Strings, err = levels(ctx, e, d.Rows, at, c, func(c *stream.Column) []string { return c.Strings })
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// labelColumns holds the indices of the kept columns of labels and weights, -1 for none.
type labelColumns struct {
	info            stream.Info
	labels, weights int
}

// level holds the counts of one label.
type level struct {
	rows   int64
	weight exactSum
}

// levels returns the distinct labels, and stores the counts of their rows in c.
func levels[T cmp.Ordered](
	ctx context.Context, e stream.Engine, src stream.Source, at labelColumns, c *Classes, values func(*stream.Column) []T,
) (list []T, err error) {
	var lock sync.Mutex
	total := make(map[T]*level)
	count := func(_ blas64.General, b *stream.Block) error {
		labels, own, absent := &b.Kept[at.labels], make(map[T]*level), int64(0)
		for i, v := range values(labels) {
			weight := 1.0
			if at.weights >= 0 {
				if reason := whyUnusable(&b.Kept[at.weights], i, "`Data.Weights`"); reason != "" {
					return badValue(at.info, b.Start+int64(i), at.weights, reason)
				}
				weight = numberOf(&b.Kept[at.weights], i)
			}
			if weight == 0 {
				absent++
				continue
			}
			if reason := whyUnusable(labels, i, "`Classes.Label`"); reason != "" {
				return badValue(at.info, b.Start+int64(i), at.labels, reason)
			}
			if own[v] == nil {
				own[v] = new(level)
			}
			own[v].rows++
			if at.weights >= 0 {
				own[v].weight.add(weight)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		c.absent += absent
		for v, n := range own {
			if total[v] == nil {
				total[v] = new(level)
			}
			total[v].rows += n.rows
			total[v].weight.join(&n.weight)
		}
		if len(total) > mostLevels {
			return stream.NewDataError(at.info.Name, "column %s has more than %d different values", at.info.Kept[at.labels].Name, mostLevels).
				WithRemedy("labels are classes; measured numbers are `Data.Targets`")
		}
		return nil
	}
	err = stream.Map(ctx, e, "labels", src, 0, true,
		func() func(blas64.General, *stream.Block) error { return count },
		func(*stream.Block, blas64.General) error { return nil })
	list = slices.Sorted(maps.Keys(total))
	for _, v := range list {
		c.Counts = append(c.Counts, total[v].rows)
		if at.weights >= 0 {
			c.sums = append(c.sums, total[v].weight.value())
		}
	}
	return list, err
}

// exactSum is a sum without rounding, so it does not depend on the order of blocks.
type exactSum struct{ sum *big.Float }

// sumBits is a precision sufficient for the exact sum of any 2^60 finite numbers.
const sumBits = 2200

// add adds a weight.
func (s *exactSum) add(v float64) {
	if matrix.IsFinite(v) { // the fit reports other values as errors
		s.join(&exactSum{big.NewFloat(v)})
	}
}

// join adds another sum.
func (s *exactSum) join(other *exactSum) {
	if other.sum == nil {
		return
	}
	if s.sum == nil {
		s.sum = new(big.Float).SetPrec(sumBits)
	}
	s.sum.Add(s.sum, other.sum)
}

// value returns the sum, rounded once.
func (s *exactSum) value() float64 {
	if s.sum == nil {
		return 0
	}
	v, _ := s.sum.Float64()
	return v
}

// Names returns the levels as words.
func (c *Classes) Names() (names []string) {
	for _, v := range c.Levels.Ints {
		names = append(names, strconv.FormatInt(v, 10))
	}
	for _, v := range c.Levels.Floats {
		if v == 0 {
			v = 0 // -0 and 0 are one level
		}
		names = append(names, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return append(names, c.Levels.Strings...)
}

// count returns the number of levels; c may be nil.
func (c *Classes) count() int {
	if c == nil {
		return 0
	}
	return len(c.Counts)
}

// rows returns the total number of rows.
func (c *Classes) rows() (n int64) {
	for _, count := range c.Counts {
		n += count
	}
	return n
}

// countIn returns the classes with counts and weights recomputed from rows.
func (c *Classes) countIn(rows *responses) *Classes {
	out := *c
	out.Counts, out.sums, out.absent = make([]int64, len(c.Counts)), make([]float64, len(c.Counts)), 0
	for i, class := range rows.class {
		if w := rows.rowWeight[i]; w > 0 {
			out.Counts[class]++
			out.sums[class] += w
		} else {
			out.absent++
		}
	}
	return &out
}

// check fails unless at least two classes have rows of positive weight.
func (c *Classes) check(name string) error {
	if c.occurring() >= 2 {
		return nil
	}
	return stream.NewDataError(name, "all rows with a weight are of one class").
		WithRemedy("at least two classes are needed")
}

// masses returns the total weight of each level, or its number of rows if weights were not counted.
func (c *Classes) masses() []float64 {
	if c.sums != nil {
		return c.sums
	}
	masses := make([]float64, len(c.Counts))
	for class, n := range c.Counts {
		masses[class] = float64(n)
	}
	return masses
}

// occurring returns the number of levels with rows.
func (c *Classes) occurring() (k int) {
	for _, n := range c.Counts {
		if n > 0 {
			k++
		}
	}
	return k
}

// of returns the index of the level of value i of a column.
func (c *Classes) of(column *stream.Column, i int) (place int, found bool) {
	switch c.Levels.Kind {
	case stream.Int64:
		return slices.BinarySearch(c.Levels.Ints, column.Ints[i])
	case stream.Float64:
		return slices.BinarySearch(c.Levels.Floats, column.Floats[i])
	}
	return slices.BinarySearch(c.Levels.Strings, column.Strings[i])
}
