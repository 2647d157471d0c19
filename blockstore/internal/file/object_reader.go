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
	// aheadChunks is the number of chunks fetched while the previous one is used.
	aheadChunks = 1
	// smallBytes is the size up to which an object is fetched as a whole. A smaller range costs
	// little less.
	smallBytes = leastChunk
	// pieceBytes is the minimal range within a large object: a page header.
	pieceBytes = 4 << 10
)

// chunkSize returns the chunk size, a power of two, for a reader of the given number of places. An
// object that a reader may hold as a whole has the same chunk size for all readers.
func (o *Object) chunkSize(places int) int64 {
	size := int64(mostChunk)
	for o.Size > readerBytes && size > leastChunk && size*int64(places+spareChunks) > readerBytes {
		size /= 2
	}
	return size
}

// ReaderBytes returns the memory of a reader of the given number of places.
func (o *Object) ReaderBytes(places int) int64 {
	return min(o.chunkSize(places)*int64(places+spareChunks), o.Size)
}

// objectReader reads an object at any offset, like io.ReaderAt. It is safe for concurrent use.
type objectReader struct {
	object *Object
	ctx    context.Context // of the fetches
	size   int64           // of a chunk; 0 if chunks are as small as reads
	places int

	mu     sync.Mutex
	seen   []int64 // the chunks used last
	closed bool
}

// Edges returns a reader of magic numbers, footers and page headers until ctx ends. It fetches
// ranges about as small as the reads.
func (o *Object) Edges(ctx context.Context) *objectReader {
	return &objectReader{object: o, ctx: ctx, closed: true}
}

// edge returns the key of a chunk that contains n bytes at offset.
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

// Reader returns a reader of the given number of places at the same time, until ctx ends.
func (o *Object) Reader(ctx context.Context, places int) *objectReader {
	places = max(1, places)
	o.chunks.allow(o.ReaderBytes(places))
	return &objectReader{object: o, ctx: ctx, size: o.chunkSize(places), places: places}
}

// Close releases the memory of the reader. Fetches in progress continue: another reader will read
// the following rows.
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

// chunk returns the key of the chunk that contains the start of a range of n bytes.
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
		if err != errGivenUp { // the filling reader was closed
			return 0, fault.Reading(objectError(ctx, key.object.Name, err))
		}
	}
}

// wait returns a chunk once it has its bytes.
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
	beat := time.NewTicker(time.Second) // retries may take longer than the pass waits for a read
	defer beat.Stop()
	for {
		select {
		case <-ch.ready:
			return result(ch)
		case <-beat.C:
			stream.Heartbeat(ctx)
		case <-ctx.Done():
			chunks.leave(ch)
			return nil, context.Cause(ctx)
		}
	}
}

// result returns a filled chunk or its error.
func result(ch *chunk) (*chunk, error) {
	if ch.err != nil {
		ch.key.object.chunks.leave(ch)
		return nil, ch.err
	}
	return ch, nil
}

// ahead starts fetching the chunks of a read of several chunks, or the chunk after that of a
// sequentially read place.
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

// begin fetches a chunk in the background unless it is in memory.
func (r *objectReader) begin(index int64) {
	key, chunks := r.chunk(index*r.size, 1), r.object.chunks
	if key.length <= 0 || chunks.has(key) {
		return
	}
	ch, empty := chunks.acquire(key)
	chunks.leave(ch) // the filling goroutine uses it
	if empty {
		go chunks.fill(r.ctx, ch)
	}
}
