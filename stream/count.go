package stream

import (
	"context"
	"sync/atomic"
)

// Counted is a source that counts what is asked of it, so that a method can
// report, and a test assert, how many passes it took.
type Counted struct {
	Source
	opened atomic.Int64
}

// NewCounted counts the passes over src.
func NewCounted(src Source) *Counted { return &Counted{Source: src} }

// Open starts a pass and counts it.
func (c *Counted) Open(ctx context.Context) (Reader, error) {
	c.opened.Add(1)
	return c.Source.Open(ctx)
}

// Gather fetches rows by number. It counts as a pass only if the source has to
// be skimmed for it.
func (c *Counted) Gather(ctx context.Context, rows []int64, dst *Batch) error {
	if canGather(c.Source) {
		return Gather(ctx, c.Source, rows, dst)
	}
	return skim(ctx, c, rows, dst)
}

// Passes is the number of passes so far, with the scans that opening took.
func (c *Counted) Passes() int { return int(c.opened.Load()) + c.Info().Scans }
