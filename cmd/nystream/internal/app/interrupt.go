package app

import (
	"context"
	"io"
)

// interruptible is a reader whose reads end when the context does, although
// the read underneath may wait for ever, as that of a terminal. It belongs to
// one goroutine.
type interruptible struct {
	ctx    context.Context
	in     io.Reader
	chunks chan chunk // starts with the first read
	rest   []byte
	failed error
}

// chunk is what one read gave.
type chunk struct {
	bytes []byte
	err   error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if r.chunks == nil {
		r.chunks = make(chan chunk)
		go r.pump()
	}
	if len(r.rest) == 0 && r.failed == nil {
		select {
		case c := <-r.chunks:
			r.rest, r.failed = c.bytes, c.err
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx)
		}
	}
	if len(r.rest) == 0 {
		return 0, r.failed
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// pump reads on, one chunk ahead, with two buffers in turn.
func (r *interruptible) pump() {
	var buffers [2][64 << 10]byte
	for i := 0; ; i = (i + 1) % len(buffers) {
		n, err := r.in.Read(buffers[i][:])
		select {
		case r.chunks <- chunk{buffers[i][:n], err}:
		case <-r.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
