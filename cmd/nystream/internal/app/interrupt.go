package app

import (
	"context"
	"io"
)

// interruptible is a reader whose reads end when the context does, even if the underlying read blocks forever, as on a
// terminal. It must not be used concurrently.
type interruptible struct {
	ctx      context.Context
	in       io.Reader
	chunks   chan chunk // created by the first read
	buffered []byte
	readErr  error
}

// chunk is the result of one read.
type chunk struct {
	bytes []byte
	err   error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if r.chunks == nil {
		r.chunks = make(chan chunk)
		go r.pump()
	}
	if len(r.buffered) == 0 && r.readErr == nil {
		select {
		case c := <-r.chunks:
			r.buffered, r.readErr = c.bytes, c.err
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx)
		}
	}
	if len(r.buffered) == 0 {
		return 0, r.readErr
	}
	n := copy(p, r.buffered)
	r.buffered = r.buffered[n:]
	return n, nil
}

// pump reads one chunk ahead, with two alternating buffers.
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
