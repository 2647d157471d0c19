package arrow

import (
	"bufio"
	"io"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// worthPieces reports whether a buffer of size bytes is unpacked in pieces, with holds bytes of
// memory. Smaller buffers are unpacked as a whole, which is slightly faster. It is a variable for
// the tests.
var worthPieces = func(size, holds int64) bool {
	return size >= 4<<20 && holds <= size/2
}

// pieces unpacks a compressed buffer while it is read, from front to back. Seeking backwards
// restarts.
type pieces struct {
	frame      *io.SectionReader
	input      *bufio.Reader
	reader     compression.FrameReader
	size       int64
	start      int64  // offset of data in the buffer
	data       []byte // the bytes read last
	endChecked bool   // the end was verified
}

// begin starts a frame that unpacks to size bytes.
func (p *pieces) begin(frame *io.SectionReader, size int64) error {
	if p.input == nil {
		p.input = bufio.NewReaderSize(nil, 32<<10)
	}
	p.frame, p.size = frame, size
	return p.rewind()
}

func (p *pieces) rewind() error {
	if _, err := p.frame.Seek(0, io.SeekStart); err != nil {
		return err
	}
	p.input.Reset(p.frame)
	p.start, p.data, p.endChecked = 0, p.data[:0], false
	return p.reader.Reset(p.input)
}

// read returns n bytes starting at from, valid until the next read.
func (p *pieces) read(from, n int64) ([]byte, error) {
	if from < p.start {
		if err := p.rewind(); err != nil {
			return nil, err
		}
	}
	if past := from - p.start; past < int64(len(p.data)) {
		p.data = p.data[:copy(p.data, p.data[past:])]
	} else {
		past -= int64(len(p.data))
		p.data = p.data[:0]
		if _, err := io.CopyN(io.Discard, p.reader, past); err != nil {
			return nil, p.fault(err)
		}
	}
	p.start = from
	if have := len(p.data); int64(have) < n {
		p.data = slices.Grow(p.data, int(n)-have)[:n]
		if _, err := io.ReadFull(p.reader, p.data[have:]); err != nil {
			p.data = p.data[:have]
			return nil, p.fault(err)
		}
	}
	if from+n == p.size && !p.endChecked {
		if err := p.end(); err != nil {
			return nil, p.fault(err)
		}
	}
	return p.data[:n], nil
}

// end checks that nothing follows, which also makes the frame verify its checksum.
func (p *pieces) end() error {
	var more [1]byte
	switch n, err := io.ReadFull(p.reader, more[:]); {
	case n > 0:
		return compression.ErrSize
	case err != io.EOF:
		return err
	}
	p.endChecked = true
	return nil
}

// fault describes why a frame cannot be unpacked.
func (p *pieces) fault(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = compression.ErrSize
	}
	return fault.New("it cannot be unpacked: %w", compression.Failed(err))
}
