package file

import (
	"context"
	"io"

	"github.com/nystream/nystream/stream"
)

// NewReaderAt returns in with reads that fail once ctx is done. Reads report progress to the pass
// that opened the file with ctx.
func NewReaderAt(ctx context.Context, in io.ReaderAt) io.ReaderAt {
	return contextReaderAt{ctx, in}
}

// contextReaderAt stops reading when the context is done.
type contextReaderAt struct {
	ctx context.Context
	in  io.ReaderAt
}

// ReadAt reads unless the context is done.
func (r contextReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	stream.Heartbeat(r.ctx)
	return r.in.ReadAt(p, offset)
}

// Stopped returns the error of the context of a reader from NewReaderAt, or nil. Loops that process
// data in memory call it.
func Stopped(in io.ReaderAt) error {
	if r, ok := in.(contextReaderAt); ok {
		return r.ctx.Err()
	}
	return nil
}

// NewReader returns in with reads that fail once ctx is done.
func NewReader(ctx context.Context, in io.Reader) io.Reader { return &contextReader{ctx, in} }

// contextReader stops reading when the context is done.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

// Read reads unless the context is done.
func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
