package arrow

import (
	"bytes"
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/file"
)

// bodyBytes is how much of a message that comes through a pipe is in memory where that is
// limited. The body of a larger one is copied to disk.
const bodyBytes = 4 << 20

// body is where the bodies of messages of a pipe go, one after the other.
type body struct {
	Limits
	name   string // of the pipe
	buffer []byte
	disk   *file.Spool // nil until it is needed
}

// read takes n bytes of r. They are there until the next read.
func (b *body) read(r io.Reader, n int64) (_ io.ReaderAt, err error) {
	if b.Memory > 0 && n > bodyBytes {
		return b.copy(r, n)
	}
	if b.buffer, err = readGrowing(r, b.buffer, n); err != nil {
		return nil, err
	}
	return bytes.NewReader(b.buffer), nil
}

// copy copies n bytes of r to disk.
func (b *body) copy(r io.Reader, n int64) (_ io.ReaderAt, err error) {
	b.close()
	if b.disk, err = file.CreateSpool(b.Spools, b.name); err != nil {
		return nil, err
	}
	b.disk.Unname()
	if err := b.disk.Expect(n); err != nil {
		return nil, err
	}
	_, err = io.CopyN(b.disk, r, n)
	return b.disk, b.disk.Settle(context.Background(), cutShort(err))
}

// holds returns how much of a body of n bytes is in memory.
func (b *body) holds(n int64) int64 {
	if b.Memory > 0 {
		return min(n, bodyBytes)
	}
	return n
}

func (b *body) close() {
	if b.disk != nil {
		_ = b.disk.Discard() // it has no name any more, or is in the folder for temporary files
		b.disk = nil
	}
}
