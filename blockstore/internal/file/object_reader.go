package file

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

const (
	// readerBytes is about the memory of a reader, whatever the object.
	readerBytes = 64 << 20
	// mostChunk and leastChunk bound the bytes of a request. A smaller request costs little less
	// than one of leastChunk.
	mostChunk, leastChunk = 4 << 20, 256 << 10
	// spareChunks is the number of chunks being fetched, besides one for each place.
	spareChunks = 3
	// aheadChunks are fetched while the one before is used.
	aheadChunks = 1
	// smallBytes is the size of an object that is fetched as a whole. A smaller range costs
	// little less.
	smallBytes = leastChunk
	// pieceBytes is the least length of a range within a large object: a page header.
	pieceBytes = 4 << 10
)

// chunkSize returns the bytes of a chunk for a reader of so many places: a power of two. That
// of an object which a reader may hold as a whole is the same for all readers.
func (o *Object) chunkSize(places int) int64 {
	size := int64(mostChunk)
	for o.Size > readerBytes && size > leastChunk && size*int64(places+spareChunks) > readerBytes {
		size /= 2
	}
	return size
}

// ReaderBytes returns how many bytes a reader of so many places holds.
func (o *Object) ReaderBytes(places int) int64 {
	return min(o.chunkSize(places)*int64(places+spareChunks), o.Size)
}

// objectReader gives the bytes of an object anywhere, as io.ReaderAt does, to several goroutines.
type objectReader struct {
	object *Object
	ctx    context.Context // of what the reader fetches
	size   int64           // of a chunk; 0 where chunks are as small as reads
	places int

	mu     sync.Mutex
	seen   []int64 // chunks that were used, the last ones
	closed bool
}

// Edges returns a reader of first bytes, footers and page headers until ctx ends: it fetches
// ranges about as small as those it is asked for.
func (o *Object) Edges(ctx context.Context) *objectReader {
	return &objectReader{object: o, ctx: ctx, closed: true}
}

// edge returns the key of a chunk that has n bytes.
func (o *Object) edge(offset, n int64) chunkKey {
	switch head, tail := o.head(), o.tail(); {
	case offset+n <= head.length && (o.Size > smallBytes || o.chunks.has(head)):
		return head
	case o.Size <= smallBytes:
		return chunkKey{o, 0, o.Size}
	case offset >= tail.offset:
		return tail
	}
	return chunkKey{o, offset, min(max(n, pieceBytes), o.Size-offset)}
}

// Reader returns a reader that goes through so many places at the same time, until ctx ends.
func (o *Object) Reader(ctx context.Context, places int) *objectReader {
	places = max(1, places)
	o.chunks.allow(o.ReaderBytes(places))
	return &objectReader{object: o, ctx: ctx, size: o.chunkSize(places), places: places}
}

// Close takes its part of the memory back. What is on its way stays so: the rows behind are
// read next, by another reader.
func (r *objectReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.object.chunks.allow(-r.object.ReaderBytes(r.places))
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (r *objectReader) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("%s: reading at %d", r.object.Name, offset)
	}
	rest := p[:max(0, min(int64(len(p)), r.object.Size-offset))]
	if len(rest) > 0 && r.size > 0 {
		r.ahead(offset/r.size, (offset+int64(len(rest))-1)/r.size)
	}
	for n < len(rest) {
		m, err := copyChunk(r.ctx, r.chunk(offset+int64(n), int64(len(rest)-n)), rest[n:], offset+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// chunk returns the key of the chunk that begins a range of n bytes.
func (r *objectReader) chunk(offset, n int64) chunkKey {
	if r.size == 0 {
		return r.object.edge(offset, n)
	}
	offset -= offset % r.size
	return chunkKey{r.object, offset, min(r.size, r.object.Size-offset)}
}

// copyChunk copies the beginning of p from one chunk.
func copyChunk(ctx context.Context, key chunkKey, p []byte, offset int64) (int, error) {
	for {
		ch, err := wait(ctx, key)
		if err == nil {
			n := copy(p, ch.data[offset-key.offset:])
			key.object.chunks.leave(ch)
			return n, nil
		}
		if ctx.Err() != nil {
			return 0, fault.Reading(context.Cause(ctx))
		}
		if err != errGivenUp { // by another reader
			return 0, fault.Reading(objectError(ctx, key.object.Name, err))
		}
	}
}

// wait returns a chunk with its bytes.
func wait(ctx context.Context, key chunkKey) (*chunk, error) {
	chunks := key.object.chunks
	ch, empty := chunks.acquire(key)
	if empty {
		go chunks.fill(ctx, ch)
	}
	select {
	case <-ch.ready:
		return result(ch)
	default:
	}
	beat := time.NewTicker(time.Second) // repeated requests may take longer than a pass waits
	defer beat.Stop()
	for {
		select {
		case <-ch.ready:
			return result(ch)
		case <-beat.C:
			stream.Beat(ctx)
		case <-ctx.Done():
			chunks.leave(ch)
			return nil, context.Cause(ctx)
		}
	}
}

// result returns a chunk whose bytes are there, or why they are not.
func result(ch *chunk) (*chunk, error) {
	if ch.err != nil {
		ch.key.object.chunks.leave(ch)
		return nil, ch.err
	}
	return ch, nil
}

// ahead begins to fetch what a read of several chunks needs, and what follows a chunk of
// a place that goes on.
func (r *objectReader) ahead(first, last int64) {
	for i := first; i <= min(last, first+spareChunks) && last > first; i++ {
		r.begin(i)
	}
	goesOn := false
	r.mu.Lock()
	for i := first; i <= last; i++ {
		if slices.Contains(r.seen, i) {
			continue
		}
		goesOn = goesOn || slices.Contains(r.seen, i-1)
		if r.seen = append(r.seen, i); len(r.seen) > 2*r.places+8 {
			r.seen = slices.Delete(r.seen, 0, 1)
		}
	}
	r.mu.Unlock()
	if goesOn {
		for i := last + 1; i <= last+aheadChunks; i++ {
			r.begin(i)
		}
	}
}

// begin fetches a chunk that is not there in the background.
func (r *objectReader) begin(index int64) {
	key, chunks := r.chunk(index*r.size, 1), r.object.chunks
	if key.length <= 0 || chunks.has(key) {
		return
	}
	ch, empty := chunks.acquire(key)
	chunks.leave(ch) // who fills it uses it
	if empty {
		go chunks.fill(r.ctx, ch)
	}
}
