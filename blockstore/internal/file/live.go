package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nystream/nystream/stream"
)

const (
	// Pause is the time without input after which available rows are passed on.
	Pause = 5 * time.Millisecond
	// Patience bounds the time that a row waits for more rows. It is also the pause that ends the
	// head of a text.
	Patience = 200 * time.Millisecond
)

// ErrPause reports that no input has arrived for some time. The same call may be repeated.
var ErrPause = errors.New("the input pauses")

// Live is an input that is read once, sequentially, as it arrives. A goroutine reads one chunk
// ahead, so that pauses can be detected. Bytes that may still be needed are in a window in memory.
// One goroutine uses a Live at a time.
type Live struct {
	pieces  chan piece    // from the reading goroutine
	done    chan struct{} // closed by Close
	close   func() error
	opened  atomic.Bool
	total   atomic.Int64 // bytes that were read of the input
	stopped sync.Once

	buf         []byte // buf[start:] is the window
	start       int
	offset      int64     // of the window in the input
	err         error     // the error that ended the input
	lastArrival time.Time // arrival of the last bytes
	wait        time.Duration
	timer       *time.Timer
}

// piece is the result of one read of the input.
type piece struct {
	data []byte
	err  error
}

const chunkBytes = 64 << 10

// NewLive starts reading in. Close calls closeInput unless it is nil, and does not wait for a
// blocked read.
func NewLive(in io.Reader, closeInput func() error) *Live {
	l := &Live{pieces: make(chan piece), done: make(chan struct{}), close: closeInput, lastArrival: time.Now(), wait: Pause, timer: time.NewTimer(0)}
	go l.readAhead(in)
	return l
}

// readAhead sends chunks until the input ends. A chunk stays valid until the next one is received.
func (l *Live) readAhead(in io.Reader) {
	chunk, other := make([]byte, chunkBytes), make([]byte, chunkBytes)
	for {
		n, err := in.Read(chunk)
		l.total.Add(int64(n))
		select {
		case l.pieces <- piece{chunk[:n], err}:
		case <-l.done:
			return
		}
		if err != nil {
			return
		}
		chunk, other = other, chunk
	}
}

// Await returns the available bytes from offset from on, at least n, valid until the next call. It
// discards those before from, which no later call may request. With fewer than n bytes it returns
// [ErrPause] if nothing arrived for a while, or the error that ended the input, usually io.EOF.
func (l *Live) Await(from int64, n int) ([]byte, error) {
	for {
		l.forget(from)
		window := l.buf[l.start:]
		switch {
		case l.offset == from && len(window) >= n:
			return window, nil
		case l.err != nil && l.offset < from:
			return nil, l.err
		case l.err != nil:
			return window, l.err
		}
		if err := l.more(); err != nil {
			return window, err
		}
	}
}

// Reserve allocates a window of n bytes at once. Otherwise a large window would be copied as it
// grows, to up to twice the capacity.
func (l *Live) Reserve(n int) {
	if n += chunkBytes; n > cap(l.buf) {
		l.buf, l.start = append(make([]byte, 0, n), l.buf[l.start:]...), 0
	}
}

// forget discards the bytes of the window before an offset.
func (l *Live) forget(from int64) {
	if from < l.offset {
		panic("file: bytes of a pipe that were forgotten")
	}
	n := int(min(from-l.offset, int64(len(l.buf)-l.start)))
	l.start += n
	l.offset += int64(n)
}

// more adds the next chunk to the window.
func (l *Live) more() error {
	l.timer.Reset(l.wait)
	select {
	case p := <-l.pieces:
		if len(l.buf)+len(p.data) > cap(l.buf) { // move the retained bytes to the front
			l.buf = l.buf[:copy(l.buf, l.buf[l.start:])]
			l.start = 0
		}
		l.buf = append(l.buf, p.data...)
		l.err, l.lastArrival, l.wait = p.err, time.Now(), Pause
		return nil
	case <-l.timer.C:
		l.wait = min(2*l.wait, Patience) // poll less often during long pauses
		return ErrPause
	}
}

// Head returns the first bytes of the input: at least most of them, or all available ones when the
// input ends or pauses for [Patience]. It keeps waiting, even beyond most bytes, until enough
// returns true. whole reports that nothing follows. It must be called before anything is discarded.
func (l *Live) Head(ctx context.Context, most int, enough func(head []byte) bool) (head []byte, whole bool, err error) {
	for have := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, false, context.Cause(ctx)
		}
		l.wait = min(l.wait, max(Pause, Patience-time.Since(l.lastArrival)))
		head, err := l.Await(0, have+1)
		have = max(have, len(head))
		switch {
		case err == io.EOF:
			return head, true, nil
		case err != nil && err != ErrPause:
			return nil, false, err
		case (have >= most || time.Since(l.lastArrival) >= Patience) && enough(head):
			return head, false, nil
		}
	}
}

// ReadAt is like io.ReaderAt, but returns the available bytes, at least one, without filling p.
// Offsets must ascend. The error may be [ErrPause].
func (l *Live) ReadAt(p []byte, offset int64) (int, error) {
	window, err := l.Await(offset, 1)
	if len(window) > 0 {
		return copy(p, window), nil
	}
	return 0, err
}

// Reader returns a reader of the whole input, of which nothing may have been discarded. It waits
// through pauses.
func (l *Live) Reader(ctx context.Context) io.Reader { return &liveReader{ctx: ctx, in: l} }

// liveReader reads a Live sequentially.
type liveReader struct {
	ctx context.Context
	in  *Live
	at  int64
}

// Read implements io.Reader.
func (r *liveReader) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		if n, err = r.in.ReadAt(p, r.at); err != nil && err != ErrPause {
			return 0, err
		}
	}
	r.at += int64(n)
	return n, nil
}

// Stop stops reading ahead. The input stays open.
func (l *Live) Stop() {
	l.timer.Stop()
	l.stopped.Do(func() { close(l.done) })
}

// Close stops reading ahead and closes the input.
func (l *Live) Close() error {
	l.Stop()
	if l.close == nil {
		return nil
	}
	return l.close()
}

// Stamp returns the stamp by which sources open the input, once. path is its name in messages.
func (l *Live) Stamp(path string, size int64) Stamp { return Stamp{path: path, Size: size, live: l} }

// open passes the input to its only reader.
func (l *Live) open(path string) (File, error) {
	if l.opened.Swap(true) {
		return nil, fmt.Errorf("%s %w", path, stream.ErrReadOnce)
	}
	return l, nil
}
