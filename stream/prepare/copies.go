package prepare

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Copies are the rows that weights represent: a row of weight k counts as k rows, and a row of
// weight 0 is dropped. If the smallest positive weight is below 1, it counts as one row: weights
// may be shares.
type Copies struct {
	src    stream.Source
	column int       // index of the weights among the kept columns
	list   []float64 // the weights, if in memory
	copies rowWeights
}

// CopiesOf counts the copies for weights in memory, which must be finite and nonnegative.
func CopiesOf(weights []float64) *Copies {
	c := &Copies{list: weights}
	c.eachInMemory(func(_ int64, w float64) { c.copies.add(w) })
	return c
}

// CountCopies counts the copies for the weights in a kept column. It returns an error if a weight is missing, negative
// or not finite, or if all are 0. Cost: one pass.
func CountCopies(ctx context.Context, e stream.Engine, src stream.Source, weights string) (*Copies, error) {
	place, err := weightsIndex(src.Info(), weights)
	if err != nil {
		return nil, err
	}
	c := &Copies{src: src, column: place}
	err = c.each(ctx, e, func(_ int64, w float64) { c.copies.add(w) })
	if err == nil && c.copies.Total == 0 {
		err = stream.NewDataError(src.Info().Name, "all weights are 0")
	}
	return c, err
}

// Count returns the number of copies.
func (c *Copies) Count() int64 { return c.copies.count() }

// Rows returns the row number of the copy at each position. Positions ascend within [0, Count()). Cost: one pass unless
// the weights are in memory.
func (c *Copies) Rows(ctx context.Context, e stream.Engine, positions []int64) ([]int64, error) {
	rows, unit, end, last := make([]int64, 0, len(positions)), c.copies.unit(), 0.0, int64(-1)
	err := c.each(ctx, e, func(row int64, w float64) {
		for end += w; len(rows) < len(positions) && (float64(positions[len(rows)])+0.5)*unit < end; {
			rows = append(rows, row)
		}
		last = row
	})
	if err == nil && last < 0 {
		err = errors.New("all weights are 0 now: the file changed")
	}
	for err == nil && len(rows) < len(positions) { // the sum of weights is rounded
		rows = append(rows, last)
	}
	return rows, err
}

// eachInMemory calls f for each positive weight in memory, in row order.
func (c *Copies) eachInMemory(f func(row int64, w float64)) {
	for i, w := range c.list {
		if w > 0 {
			f(int64(i), w)
		}
	}
}

// each calls f for each row of positive weight, in row order. It fails at the first invalid weight.
func (c *Copies) each(ctx context.Context, e stream.Engine, f func(row int64, w float64)) error {
	if c.src == nil {
		c.eachInMemory(f)
		return nil
	}
	e.Run, e.Part, e.Parts = nil, 0, 0
	nothing := func(blas64.General, *stream.Block) error { return nil }
	return stream.Map(ctx, e, "weights", c.src, 1, true, func() func(blas64.General, *stream.Block) error { return nothing },
		func(b *stream.Block, _ blas64.General) error {
			for i := range b.X.Rows {
				w, reason := weightOf(&b.Kept[c.column], i)
				if reason != "" {
					return weightError(c.src.Info(), c.column, b.Start+int64(i), reason)
				}
				if w > 0 {
					f(b.Start+int64(i), w)
				}
			}
			return nil
		})
}
