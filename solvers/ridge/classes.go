package ridge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Classes are the levels of a kept column of labels.
type Classes struct {
	Label  string        // name of the column
	Levels stream.Column // its different values, ascending
	Counts []int64       // rows of each level
}

// mostLevels is the largest number of levels that are counted.
const mostLevels = 1 << 16

// FindClasses finds the levels of a kept column of src. It fails if a value is missing or not finite, or
// if there are more than 65,536 levels. Cost: one pass; memory of the levels.
func FindClasses(ctx context.Context, e stream.Engine, src stream.Source, label string) (*Classes, error) {
	place, err := find(src.Info(), label, "label")
	if err != nil {
		return nil, err
	}
	c := &Classes{Label: label, Levels: stream.Column{Kind: src.Info().Kept[place].Kind}}
	switch c.Levels.Kind {
	case stream.Int64:
		c.Levels.Ints, c.Counts, err = levels(ctx, e, src, place, func(c *stream.Column) []int64 { return c.Ints })
	case stream.Float64:
		c.Levels.Floats, c.Counts, err = levels(ctx, e, src, place, func(c *stream.Column) []float64 { return c.Floats })
	default:
		c.Levels.Strings, c.Counts, err = levels(ctx, e, src, place, func(c *stream.Column) []string { return c.Strings })
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// levels counts the different values of a kept column.
func levels[T cmp.Ordered](
	ctx context.Context, e stream.Engine, src stream.Source, place int, values func(*stream.Column) []T,
) (list []T, counts []int64, err error) {
	info := src.Info()
	var lock sync.Mutex
	total := make(map[T]int64)
	count := func(_ blas64.General, b *stream.Block) error {
		c, own := &b.Kept[place], make(map[T]int64)
		for i, v := range values(c) {
			if reason := unusable(c, i, "label"); reason != "" {
				return badValue(info, b.Start+int64(i), place, reason)
			}
			own[v]++
		}
		lock.Lock()
		defer lock.Unlock()
		for v, n := range own {
			total[v] += n
		}
		if len(total) > mostLevels {
			const what = "%s: column %s has more than %d different values; labels are classes, measured numbers a `target`"
			return &model.DataError{Err: fmt.Errorf(what, info.Name, info.Kept[place].Name, mostLevels)}
		}
		return nil
	}
	err = stream.Map(ctx, e, "labels", src, 0, true,
		func() func(blas64.General, *stream.Block) error { return count },
		func(*stream.Block, blas64.General) error { return nil })
	list = slices.Sorted(maps.Keys(total))
	for _, v := range list {
		counts = append(counts, total[v])
	}
	return list, counts, err
}

// Names returns the levels as words.
func (c *Classes) Names() (names []string) {
	for _, v := range c.Levels.Ints {
		names = append(names, strconv.FormatInt(v, 10))
	}
	for _, v := range c.Levels.Floats {
		if v == 0 {
			v = 0 // -0 is the same level
		}
		names = append(names, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return append(names, c.Levels.Strings...)
}

// count returns the number of levels, 0 for nil.
func (c *Classes) count() int {
	if c == nil {
		return 0
	}
	return len(c.Counts)
}

// rows returns the number of rows of all levels.
func (c *Classes) rows() (n int64) {
	for _, count := range c.Counts {
		n += count
	}
	return n
}

// occurring returns the number of levels that have rows.
func (c *Classes) occurring() (k int) {
	for _, n := range c.Counts {
		if n > 0 {
			k++
		}
	}
	return k
}

// of returns the place of value i of a column among the levels.
func (c *Classes) of(column *stream.Column, i int) (place int, found bool) {
	switch c.Levels.Kind {
	case stream.Int64:
		return slices.BinarySearch(c.Levels.Ints, column.Ints[i])
	case stream.Float64:
		return slices.BinarySearch(c.Levels.Floats, column.Floats[i])
	}
	return slices.BinarySearch(c.Levels.Strings, column.Strings[i])
}
