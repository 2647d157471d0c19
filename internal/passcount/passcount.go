// Package passcount counts passes over a source.
package passcount

import (
	"context"
	"sync/atomic"

	"github.com/nystream/nystream/internal/opening"
	"github.com/nystream/nystream/stream"
)

// Source is a source that counts what is asked of it, so that a command can report, and a test assert, how many passes
// a method took.
type Source struct {
	stream.Source
	opened atomic.Int64
}

// New counts the passes over src.
func New(src stream.Source) *Source { return &Source{Source: src} }

// Open opens the source and counts a pass, which may open it at several rows.
func (c *Source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if opening.IsNew(ctx, c) {
		c.opened.Add(1)
	}
	return c.Source.Open(ctx, first)
}

// Gather fetches rows by number. It counts as a pass only if the source has to
// be skimmed for it.
func (c *Source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if c.Info().SeekCost > 0 {
		return stream.Gather(ctx, c.Source, rows, dst)
	}
	return stream.Gather(ctx, skimmed{c}, rows, dst)
}

// skimmed hides the Gather of a source.
type skimmed struct{ stream.Source }

// Passes returns the number of passes so far, with the scans that opening took.
func (c *Source) Passes() int { return int(c.opened.Load()) + c.Info().PassesToOpen }
