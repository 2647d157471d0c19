package text

import (
	"bytes"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// MaxLine bounds the length of a line, or of a quoted record, of a text file. A longer one means
// that the file is not text, or that a quote is never closed.
const MaxLine = 16 << 20

var errLongLine = fault.New("the line is longer than 16 MiB").WithRemedy("is this a text file?")

// lineReader splits a file into lines and tracks their positions. It reads through one buffer,
// which grows to the longest line.
type lineReader struct {
	in     io.ReaderAt
	buf    []byte // window of the file in memory
	start  int    // buf[start:] is not yet returned
	offset int64  // offset of buf[start] in the file
	line   int64  // number of the next line, counted from 1
	eof    bool   // buf ends where the file ends
	near   int64  // size of the next read if few bytes are needed; 0 for a full buffer

	largest int64 // the largest buffer of the readers of other parts
}

// lineBuffer is the initial size of the buffer.
const lineBuffer = 64 << 10

// newLineReader returns a reader of in from m on.
func newLineReader(in io.ReaderAt, m mark) *lineReader {
	return &lineReader{in: in, buf: make([]byte, 0, lineBuffer), offset: m.offset, line: m.line}
}

// seek continues at m, keeping the buffer. The first read has near bytes, and each one after it
// twice as many; if near is 0 all reads fill the buffer.
func (r *lineReader) seek(m mark, near int64) {
	r.buf, r.start, r.eof, r.near = r.buf[:0], 0, false, near
	r.offset, r.line = m.offset, m.line
}

// readerBytes returns the memory of the buffer, or of the largest one among all parts.
func (r *lineReader) readerBytes() int64 { return max(r.largest, int64(cap(r.buf))) }

// beyondBuffer returns the part of bytes that exceeds the I/O buffers of any reader.
func beyondBuffer(bytes int64) int64 { return max(0, bytes-2*lineBuffer) }

// here returns the position of the next line.
func (r *lineReader) here() mark { return mark{r.offset, r.line} }

// next returns the next line without its newline, valid until the next call. It keeps a carriage
// return. The last line need not end in a newline. After file.ErrPause it may be called again.
func (r *lineReader) next() ([]byte, error) {
	for searched := 0; ; {
		rest := r.buf[r.start:]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 {
			return r.cut(searched+i, 1), nil
		}
		searched = len(rest)
		switch {
		case r.eof && searched == 0:
			return nil, io.EOF
		case r.eof:
			return r.cut(searched, 0), nil
		case searched >= MaxLine:
			return nil, errLongLine
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// nextWaiting is next, but waits through pauses of the input.
func (r *lineReader) nextWaiting() (line []byte, err error) {
	for {
		if line, err = r.next(); err != file.ErrPause {
			return line, err
		}
	}
}

// cut returns the next n bytes as a line and skips the newline after them.
func (r *lineReader) cut(n, newline int) []byte {
	line := r.buf[r.start : r.start+n : r.start+n]
	r.start += n + newline
	r.offset += int64(n + newline)
	r.line++
	return line
}

// fill moves the remaining bytes to the front of the buffer and reads more.
func (r *lineReader) fill() error {
	n := copy(r.buf[:cap(r.buf)], r.buf[r.start:])
	r.buf, r.start = r.buf[:n], 0
	if n == cap(r.buf) {
		r.buf = append(make([]byte, 0, 2*n), r.buf...)
	}
	end := cap(r.buf)
	if r.near > 0 {
		end = int(min(int64(end), int64(n)+r.near))
		r.near *= 2
	}
	got, err := r.in.ReadAt(r.buf[n:end], r.offset+int64(n))
	r.buf = r.buf[:n+got]
	if err == io.EOF {
		r.eof, err = true, nil
	}
	return err
}
