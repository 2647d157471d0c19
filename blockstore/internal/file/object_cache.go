package file

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// chunkKey identifies a chunk: a range of bytes of an object.
type chunkKey struct {
	object         *Object
	offset, length int64
}

// edgeBytes is the length of the ranges at both ends of an object that are fetched before its
// format is known: magic numbers and footers.
const edgeBytes = 16 << 10

// head returns the chunk of the first bytes.
func (o *Object) head() chunkKey { return chunkKey{o, 0, min(edgeBytes, o.Size)} }

// tail returns the chunk of the last bytes.
func (o *Object) tail() chunkKey {
	n := min(edgeBytes, o.Size)
	return chunkKey{o, o.Size - n, n}
}

// chunk is a part of an object, in memory or being fetched.
type chunk struct {
	key         chunkKey
	data        []byte
	ready       chan struct{} // closed when data or err is set
	err         error
	done        bool          // data is set
	users       int           // number of users that need it
	idleElement *list.Element // in the list of idle chunks
}

// cache holds chunks of the objects of a session. All readers share it.
type cache struct {
	sync.Mutex
	chunks    map[chunkKey]*chunk
	idle      list.List // unused chunks, the most recently used in front
	heldBytes int64     // bytes of all chunks
	limit     int64     // limit for the readers that are open
	free      [][]byte  // memory of evicted chunks
}

// leastBytes stays in memory without an open reader, for the next one: footers, first pages.
const leastBytes = 16 << 20

// allow changes the memory limit by the given number of bytes.
func (c *cache) allow(bytes int64) {
	c.Lock()
	defer c.Unlock()
	c.limit += bytes
}

// acquire returns a chunk for use. empty reports that the caller must have it filled.
func (c *cache) acquire(key chunkKey) (ch *chunk, empty bool) {
	c.Lock()
	defer c.Unlock()
	if ch = c.chunks[key]; ch == nil {
		if c.chunks == nil {
			c.chunks = make(map[chunkKey]*chunk)
		}
		ch = &chunk{key: key, data: c.memory(key.length), ready: make(chan struct{})}
		c.chunks[key], empty = ch, true
		ch.users++ // for the goroutine that fills it
	} else if ch.idleElement != nil {
		c.idle.Remove(ch.idleElement)
		ch.idleElement = nil
	}
	ch.users++
	return ch, empty
}

// has reports whether a chunk is in memory or being fetched.
func (c *cache) has(key chunkKey) bool {
	c.Lock()
	defer c.Unlock()
	return c.chunks[key] != nil
}

// put stores the bytes of a chunk.
func (c *cache) put(key chunkKey, data []byte) {
	ch, empty := c.acquire(key)
	defer c.leave(ch)
	if empty {
		if copy(ch.data, data) < len(ch.data) {
			ch.err = errGivenUp // they are already being fetched
		}
		c.filled(ch)
	}
}

// copy copies the bytes of a chunk in memory that belong to p, which starts at offset, and returns
// the range of p that it filled.
func (c *cache) copy(key chunkKey, p []byte, offset int64) (from, to int64) {
	c.Lock()
	defer c.Unlock()
	ch := c.chunks[key]
	if ch == nil || !ch.done {
		return 0, 0
	}
	from, to = max(key.offset, offset), min(key.offset+key.length, offset+int64(len(p)))
	if from >= to {
		return 0, 0
	}
	copy(p[from-offset:to-offset], ch.data[from-key.offset:])
	return from - offset, to - offset
}

// memory returns n bytes, and evicts chunks if too many are in memory.
func (c *cache) memory(n int64) []byte {
	for c.heldBytes+n > max(c.limit, leastBytes) && c.idle.Len() > 0 {
		c.drop(c.idle.Back().Value.(*chunk))
	}
	c.heldBytes += n
	for i, p := range c.free {
		if int64(cap(p)) >= n && int64(cap(p)) < 2*n {
			last := len(c.free) - 1
			c.free[i], c.free = c.free[last], c.free[:last]
			return p[:n]
		}
	}
	c.free = nil
	return make([]byte, n)
}

// drop evicts an unused chunk.
func (c *cache) drop(ch *chunk) {
	c.idle.Remove(ch.idleElement)
	delete(c.chunks, ch.key)
	c.heldBytes -= int64(len(ch.data))
	if len(c.free) < 8 {
		c.free = append(c.free, ch.data)
	}
}

// errGivenUp reports that the reader which requested a chunk is closed.
var errGivenUp = errors.New("the reader is closed")

// fill fetches a chunk for those who wait for it, except the bytes that the edges in memory have.
func (c *cache) fill(ctx context.Context, ch *chunk) {
	key, begin, end := ch.key, int64(0), ch.key.length
	if from, to := c.copy(key.object.head(), ch.data, key.offset); from == 0 {
		begin = to
	}
	if from, to := c.copy(key.object.tail(), ch.data, key.offset); to == end {
		end = max(begin, from)
	}
	ch.err = key.object.fetch(ctx, ch.data[begin:end], key.offset+begin)
	if ch.err != nil && ctx.Err() != nil {
		ch.err = errGivenUp
	}
	c.filled(ch)
}

// filled publishes a chunk. A failed chunk is removed, so that the next user tries again.
func (c *cache) filled(ch *chunk) {
	defer c.leave(ch)
	c.Lock()
	defer c.Unlock()
	ch.done = ch.err == nil
	if ch.err != nil && c.chunks[ch.key] == ch {
		delete(c.chunks, ch.key)
		c.heldBytes -= int64(len(ch.data))
	}
	close(ch.ready)
}

// leave releases a chunk.
func (c *cache) leave(ch *chunk) {
	c.Lock()
	defer c.Unlock()
	if ch.users--; ch.users == 0 && c.chunks[ch.key] == ch {
		ch.idleElement = c.idle.PushFront(ch)
	}
}
