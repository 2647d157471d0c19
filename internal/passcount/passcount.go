// Package passcount counts passes over a source.
package passcount

import (
	"context"
	"sync/atomic"

	"github.com/nystream/nystream/internal/opening"
	"github.com/nystream/nystream/stream"
)

// Source counts the passes over a source, so that a command can report, and a test assert, how many
// a method takes.
type Source struct {
	stream.Source
	opened atomic.Int64
}

// New returns src with a counter of passes.
func New(src stream.Source) *Source { return &Source{Source: src} }

// Open opens the source. It counts a pass once, even if the pass opens the source at several rows.
func (c *Source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if opening.IsNew(ctx, c) {
		c.opened.Add(1)
	}
	return c.Source.Open(ctx, first)
}

// Gather implements [stream.Gatherer]. It counts a pass only if the source must be skimmed.
func (c *Source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if c.Info().SeekCost > 0 {
		return stream.Gather(ctx, c.Source, rows, dst)
	}
	return stream.Gather(ctx, withoutGather{c}, rows, dst)
}

// withoutGather hides the Gather method of a source.
type withoutGather struct{ stream.Source }

// Passes returns the number of passes so far, including those that opening the source took.
func (c *Source) Passes() int { return int(c.opened.Load()) + c.Info().PassesToOpen }
