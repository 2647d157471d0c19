package stream

import (
	"context"
	"sync"
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

// counting is what the readers of one pass have in common: the sources that have
// counted it. It travels in their context, through sources that wrap others.
type counting struct {
	seen sync.Map
	none bool // it is no pass
}

type countingKey struct{}

// asOnePass returns the context with which the readers of one pass are opened.
func asOnePass(ctx context.Context) context.Context {
	return context.WithValue(ctx, countingKey{}, new(counting))
}

// uncounted returns the context with which a few rows are read.
func uncounted(ctx context.Context) context.Context {
	return context.WithValue(ctx, countingKey{}, &counting{none: true})
}

// isNew reports whether c has not counted the pass that opens it. Without a pass
// every opening counts.
func isNew(ctx context.Context, c *Counted) bool {
	pass, ok := ctx.Value(countingKey{}).(*counting)
	if !ok {
		return true
	}
	_, seen := pass.seen.LoadOrStore(c, true)
	return !seen && !pass.none
}
