package stream

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"github.com/nystream/nystream/internal/matrix"
)

// FromSeq returns a source of the rows of a sequence of batches. X of a batch has len(info.Columns)
// columns, and Kept has a column for each of info.Kept, with a value for each row. A batch must not
// change until the sequence continues.
//
// seq is called once per reader, with a context that ends with the reader or the pass. A sequence
// that waits for rows, for example on a channel, should return when the context ends. Otherwise its
// goroutine leaks; reads do not wait for it. Set info.OnePass if seq can be called only once, and
// info.Rows to -1 if the number of rows is unknown. A sequence that can be called again is
// abandoned if one batch takes longer than Engine.Stall, see [Heartbeat].
//
// Large batches are faster: each costs a switch between goroutines, some microseconds. A pass
// collects [Engine].BlockRows rows before it continues. With info.Live, [Map] delivers the results
// of a batch before it requests the next.
func FromSeq(info Info, seq func(ctx context.Context) iter.Seq2[Batch, error]) Source {
	return &seqSource{info: info, seq: seq}
}

type seqSource struct {
	info   Info
	seq    func(ctx context.Context) iter.Seq2[Batch, error]
	opened atomic.Bool
}

func (s *seqSource) Info() Info { return s.info }

func (s *seqSource) Open(ctx context.Context, first int64) (Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	if s.opened.Swap(true) && s.info.OnePass {
		return nil, fmt.Errorf("%s %w", s.info.Name, ErrReadOnce)
	}
	r := &seqReader{info: s.info, seq: s.seq, batches: make(chan seqBatch), requests: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return s.info.Skip(r, first), nil
}

// seqReader runs a sequence on a separate goroutine, so that a read ends with its context even if
// the sequence does not. The sequence and the reader take turns.
type seqReader struct {
	info      Info
	seq       func(ctx context.Context) iter.Seq2[Batch, error]
	ctx       context.Context
	cancel    context.CancelFunc
	batches   chan seqBatch // closed when the sequence ends
	requests  chan struct{} // requests the next batch
	failed    error         // error of the sequence; set before batches is closed
	started   bool
	batch     Batch // the current batch
	delivered int   // rows of it already delivered
}

// seqBatch is one item of a sequence.
type seqBatch struct {
	batch Batch
	err   error
}

// Read returns the rest of the current batch. It does not wait for the next batch to fill dst.
func (r *seqReader) Read(dst *Batch) (n int, err error) {
	for r.delivered == r.batch.X.Rows {
		if err := r.pull(); err != nil {
			return 0, err
		}
	}
	n = min(r.batch.X.Rows-r.delivered, dst.X.Rows)
	matrix.Copy(dst.X, matrix.Rows(r.batch.X, r.delivered, n))
	resetKept(dst.Kept)
	for k := range dst.Kept {
		dst.Kept[k].Append(&r.batch.Kept[k], r.delivered, r.delivered+n)
	}
	r.delivered += n
	return n, nil
}

// pull waits for the next batch of the sequence.
func (r *seqReader) pull() error {
	if r.started {
		select {
		case r.requests <- struct{}{}:
		case <-r.batches:
		case <-r.ctx.Done():
		}
	} else {
		r.started = true
		go r.run()
	}
	select {
	case b, ok := <-r.batches:
		if !ok {
			rethrow(r.failed)
			if r.failed == nil {
				return io.EOF
			}
			return r.failed
		}
		if b.err != nil {
			return b.err
		}
		r.batch, r.delivered = b.batch, 0
		return r.check()
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// run sends the batches of the sequence to the reader until the reader is closed.
func (r *seqReader) run() {
	defer close(r.batches)
	r.failed = errExited
	r.failed = recovered(func() error {
		for batch, err := range r.seq(r.ctx) {
			select {
			case r.batches <- seqBatch{batch, err}:
			case <-r.ctx.Done():
				return nil
			}
			select {
			case <-r.requests:
			case <-r.ctx.Done():
				return nil
			}
		}
		return nil
	})
}

// check returns an error unless the batch matches the Info of the source.
func (r *seqReader) check() error {
	b := &r.batch
	if b.X.Cols != len(r.info.Columns) {
		return fmt.Errorf("%s: a batch has %d columns, not %d", r.info.Name, b.X.Cols, len(r.info.Columns))
	}
	if err := checkMatrix(b.X); err != nil {
		return fmt.Errorf("%s: a batch is %w", r.info.Name, err)
	}
	if len(b.Kept) != len(r.info.Kept) {
		return fmt.Errorf("%s: a batch has %d kept columns, not %d", r.info.Name, len(b.Kept), len(r.info.Kept))
	}
	for k := range b.Kept {
		if err := b.Kept[k].check(r.info.Kept[k], b.X.Rows); err != nil {
			return fmt.Errorf("%s: a batch: %w", r.info.Name, err)
		}
	}
	return nil
}

// Close ends the sequence. It waits only briefly for a sequence that ignores its context.
func (r *seqReader) Close() error {
	r.cancel()
	if !r.started {
		return nil
	}
	limit := time.NewTimer(abandonAfter)
	defer limit.Stop()
	for {
		select {
		case _, ok := <-r.batches:
			if !ok {
				rethrow(r.failed)
				return nil
			}
		case <-limit.C:
			return nil
		}
	}
}
