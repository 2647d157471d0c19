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
	// Pause is how long an input gives nothing until rows that were read leave without waiting for more.
	Pause = 5 * time.Millisecond
	// Patience is the longest time that a row waits for others to come, and the pause that ends the head of a text.
	Patience = 200 * time.Millisecond
)

// ErrPause reports that the input gives nothing for some time. The same call may be repeated.
var ErrPause = errors.New("the input pauses")

// Live is an input that is read once, from front to back, as it comes. A goroutine reads one chunk ahead, so that a
// pause is noticed; bytes that somebody may still want are in a window in memory. One goroutine uses a Live at a time.
type Live struct {
	pieces  chan piece    // from the goroutine that reads
	done    chan struct{} // closed by Close
	close   func() error
	opened  atomic.Bool
	total   atomic.Int64 // bytes that were read of the input
	stopped sync.Once

	buf    []byte // buf[start:] is the window
	start  int
	offset int64     // of the window in the input
	err    error     // in which the input ended
	came   time.Time // when bytes came last
	wait   time.Duration
	timer  *time.Timer
}

// piece is what one read of the input gave.
type piece struct {
	data []byte
	err  error
}

const chunkBytes = 64 << 10

// NewLive starts to read in. Close calls closeInput if it is not nil, and does not wait for a read that hangs.
func NewLive(in io.Reader, closeInput func() error) *Live {
	l := &Live{pieces: make(chan piece), done: make(chan struct{}), close: closeInput, came: time.Now(), wait: Pause, timer: time.NewTimer(0)}
	go l.readAhead(in)
	return l
}

// readAhead sends chunks until the input ends. A chunk is used until the next one is received.
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

// Await returns the bytes at hand from offset from on, which are at least n and valid until the next call. It forgets
// those before from, which no later call may ask for. With fewer than n bytes it returns [ErrPause] if
// nothing came for a while, or the error in which the input ended, io.EOF as a rule.
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

// Reserve makes room for a window of n bytes at once: the window of a large n would have up to twice the room otherwise,
// and be copied as it grows.
func (l *Live) Reserve(n int) {
	if n += chunkBytes; n > cap(l.buf) {
		l.buf, l.start = append(make([]byte, 0, n), l.buf[l.start:]...), 0
	}
}

// forget drops what is in the window before an offset.
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
		if len(l.buf)+len(p.data) > cap(l.buf) { // what is kept goes to the front
			l.buf = l.buf[:copy(l.buf, l.buf[l.start:])]
			l.start = 0
		}
		l.buf = append(l.buf, p.data...)
		l.err, l.came, l.wait = p.err, time.Now(), Pause
		return nil
	case <-l.timer.C:
		l.wait = min(2*l.wait, Patience) // who waits long need not look so often
		return ErrPause
	}
}

// Head returns the first bytes of the input: most of them, or what is there when the input ends, or pauses for
// [Patience]. It waits on, for more than most too, until enough is true of them. whole reports that nothing follows.
// Nothing may be forgotten before.
func (l *Live) Head(ctx context.Context, most int, enough func(head []byte) bool) (head []byte, whole bool, err error) {
	for have := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, false, context.Cause(ctx)
		}
		l.wait = min(l.wait, max(Pause, Patience-time.Since(l.came)))
		head, err := l.Await(0, have+1)
		have = max(have, len(head))
		switch {
		case err == io.EOF:
			return head, true, nil
		case err != nil && err != ErrPause:
			return nil, false, err
		case (have >= most || time.Since(l.came) >= Patience) && enough(head):
			return head, false, nil
		}
	}
}

// ReadAt implements io.ReaderAt but for one thing: it returns what is at hand, at least a byte, without waiting for as
// much as p takes. Offsets only grow. The error may be [ErrPause].
func (l *Live) ReadAt(p []byte, offset int64) (int, error) {
	window, err := l.Await(offset, 1)
	if len(window) > 0 {
		return copy(p, window), nil
	}
	return 0, err
}

// Reader returns the bytes from the first one on, which nobody may have forgotten. It waits through pauses.
func (l *Live) Reader(ctx context.Context) io.Reader { return &liveReader{ctx: ctx, in: l} }

// liveReader reads a Live on.
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

// Stop ends reading ahead. The input stays open.
func (l *Live) Stop() {
	l.timer.Stop()
	l.stopped.Do(func() { close(l.done) })
}

// Close ends reading ahead, and closes the input.
func (l *Live) Close() error {
	l.Stop()
	if l.close == nil {
		return nil
	}
	return l.close()
}

// Stamp returns the stamp under which sources open the input, once. Messages call it path.
func (l *Live) Stamp(path string, size int64) Stamp { return Stamp{path: path, Size: size, live: l} }

// open hands the input to its only reader.
func (l *Live) open(path string) (File, error) {
	if l.opened.Swap(true) {
		return nil, fmt.Errorf("%s %w", path, stream.ErrReadOnce)
	}
	return l, nil
}
