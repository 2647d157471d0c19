package text

import (
	"bytes"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// MaxLine is the longest line, or quoted record, of a text file that is read.
// A longer one means that the file is no text, or that a quote is never closed.
const MaxLine = 16 << 20

var errLongLine = fault.New("the line is longer than 16 MiB").Do("is this a text file?")

// lineReader cuts a file into lines and knows where each one starts. It reads
// through one buffer, which grows to the longest line.
type lineReader struct {
	in     io.ReaderAt
	buf    []byte // the window of the file that is in memory
	start  int    // buf[start:] is not yet given out
	offset int64  // place of buf[start] in the file
	line   int64  // number of the next line, counted from 1
	eof    bool   // buf ends where the file ends
	near   int64  // bytes of the next read, if few are needed; 0 for a buffer

	largest int64 // the largest buffer of readers of other parts
}

// lineBuffer is the size of a buffer for lines that are not long.
const lineBuffer = 64 << 10

// newLineReader reads in from m on.
func newLineReader(in io.ReaderAt, m mark) *lineReader {
	return &lineReader{in: in, buf: make([]byte, 0, lineBuffer), offset: m.offset, line: m.line}
}

// seek continues at m, keeping the buffer. The first read is of near bytes, and each one after it of twice as many; all are
// of a buffer if near is 0.
func (r *lineReader) seek(m mark, near int64) {
	r.buf, r.start, r.eof, r.near = r.buf[:0], 0, false, near
	r.offset, r.line = m.offset, m.line
}

// readerBytes returns the memory of the buffer, or of the largest one among all parts.
func (r *lineReader) readerBytes() int64 { return max(r.largest, int64(cap(r.buf))) }

// beyondBuffer returns how much of so many bytes is more than the I/O buffers of any reader.
func beyondBuffer(bytes int64) int64 { return max(0, bytes-2*lineBuffer) }

// here returns the place of the next line.
func (r *lineReader) here() mark { return mark{r.offset, r.line} }

// next returns the next line without its newline, valid until the next call.
// A carriage return stays. The last line need not end in a newline. After file.ErrPause it is called again.
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

// nextWaiting is next, through pauses of the input.
func (r *lineReader) nextWaiting() (line []byte, err error) {
	for {
		if line, err = r.next(); err != file.ErrPause {
			return line, err
		}
	}
}

// cut hands out n bytes and skips the newline behind them.
func (r *lineReader) cut(n, newline int) []byte {
	line := r.buf[r.start : r.start+n : r.start+n]
	r.start += n + newline
	r.offset += int64(n + newline)
	r.line++
	return line
}

// fill moves what is left to the front of the buffer and reads behind it.
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
