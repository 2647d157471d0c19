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

// Open opens the source and counts a pass, which may open it at several rows.
func (c *Counted) Open(ctx context.Context, first int64) (Reader, error) {
	if isNew(ctx, c) {
		c.opened.Add(1)
	}
	return c.Source.Open(ctx, first)
}

// Gather fetches rows by number. It counts as a pass only if the source has to
// be skimmed for it.
func (c *Counted) Gather(ctx context.Context, rows []int64, dst *Batch) error {
	if c.Info().Lead > 0 {
		return Gather(ctx, c.Source, rows, dst)
	}
	return skim(ctx, c, rows, dst)
}

// Passes returns the number of passes so far, with the scans that opening took.
func (c *Counted) Passes() int { return int(c.opened.Load()) + c.Info().Scans }

// isNew reports whether c has not counted the pass that opens it. Outside a pass every opening
// counts, but for a look at a few rows.
func isNew(ctx context.Context, c *Counted) bool {
	o := openingOf(ctx)
	if o.pass == nil {
		return !o.look
	}
	_, seen := o.pass.seen.LoadOrStore(c, true)
	return !seen
}
