package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// partBytes is about the length of the parts in which a file is scanned. It is a variable for the
// tests.
var partBytes int64 = 4 << 20

// errWithin reports that a part of a file begins inside a record.
var errWithin = errors.New("a part of the file begins within a record")

// scanInParts scans parts of a file in parallel. A part begins after a newline, which may be inside
// a quoted cell. Then the previous part, split correctly since all parts before it were, ends
// elsewhere than the part begins, and the file is scanned sequentially instead. It is also scanned
// sequentially after any error, to find the first error and its line.
func scanInParts(ctx context.Context, f io.ReaderAt, stamp file.Stamp, l dialect, threads int) (*csvScan, error) {
	in := file.NewReaderAt(ctx, f)
	whole := func() (*csvScan, error) {
		scan := &csvScan{records: newRecords(in, l), size: stamp.Size}
		return scan, scan.run()
	}
	length := partLength(stamp)
	if stamp.Size < 2*length {
		return whole()
	}
	head := &csvScan{records: newRecords(in, l), size: stamp.Size}
	// The first record has the number of columns, by which all parts are checked.
	if cells, err := head.records.Next(); err != nil || head.add(cells) != nil {
		return whole()
	}
	head.index.add(head.records.start)
	if scanParts(ctx, parts{head.reader(), stamp.Size, length, threads, head.readerBytes()}, head.part, head.join) != nil {
		return whole()
	}
	return head, nil
}

// parts configures the parallel scan of a file.
type parts struct {
	head         *lineReader // before the first part
	size, length int64       // of the file and of a part
	threads      int
	holds        int64 // estimate of the memory of one scan
}

// partScan is the scan of a part of a file.
type partScan interface {
	run() error
	reader() *lineReader
}

// scanBytes bounds the memory of all parallel scans together.
const scanBytes = 16 << 20

// errWide reports that parallel scans would take too much memory.
var errWide = errors.New("the scans of parts take too much memory")

// scanParts scans the parts of a file, and calls join with each finished scan in order. line is the
// line on which the part begins.
func scanParts[S partScan](ctx context.Context, p parts, scan func(in io.ReaderAt, from mark, until int64) S, join func(s S, line int64) error) error {
	threads := min(int64(stream.Engine{Threads: p.threads}.Workers()), scanBytes/p.holds-2)
	if threads < 1 {
		return errWide
	}
	starts, err := partStarts(p.head.in, p.head.offset, p.length)
	if err != nil {
		return err
	}
	starts = append(starts, p.size)
	line := p.head.line
	return stream.Collect(ctx, int(threads), len(starts)-1, func(i int) (S, error) {
		s := scan(p.head.in, mark{starts[i], 1}, starts[i+1])
		return s, s.run()
	}, func(s S) error {
		begin := line
		// A part counts lines from 1. join gets the line on which it begins.
		line += s.reader().line - 1
		p.head.largest = max(p.head.largest, s.reader().readerBytes())
		return join(s, begin)
	})
}

// partLength returns the length of the parts of a file. For an object, finding the beginning of a
// part fetches a whole chunk, so parts are longer.
func partLength(stamp file.Stamp) int64 {
	if stamp.IsRemote() {
		return 16 * partBytes
	}
	return partBytes
}

// partStarts returns the offsets of parts of the given length; the first begins at first.
func partStarts(in io.ReaderAt, first, length int64) ([]int64, error) {
	starts := []int64{first}
	for {
		at, err := lineAfter(in, starts[len(starts)-1]+length)
		if err == io.EOF {
			return starts, nil
		}
		if err != nil {
			return nil, err
		}
		starts = append(starts, at)
	}
}

// lineAfter returns the offset of the first line after at, or io.EOF if there is none.
func lineAfter(in io.ReaderAt, at int64) (int64, error) {
	window := make([]byte, 4<<10)
	for {
		n, err := in.ReadAt(window, at)
		if i := bytes.IndexByte(window[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if err != nil {
			return 0, err
		}
		at += int64(n)
	}
}

// lastText returns the offset of the last byte of a file that is neither a blank nor a line end.
func lastText(in io.ReaderAt, size int64) (int64, error) {
	window := make([]byte, 4<<10)
	for size > 0 {
		n := min(size, int64(len(window)))
		if _, err := in.ReadAt(window[:n], size-n); err != nil && err != io.EOF {
			return 0, err
		}
		size -= n
		if i := len(bytes.TrimRight(window[:n], " \t\r\n")); i > 0 {
			return size + int64(i) - 1, nil
		}
	}
	return 0, nil
}

// part returns the scan of a part. It shares the first record.
func (s *csvScan) part(in io.ReaderAt, from mark, until int64) *csvScan {
	p := &csvScan{records: newRecords(in, s.records.dialect), first: s.first,
		others: make([]cellKinds, len(s.first)), badLine: make([]int64, len(s.first)), within: true}
	p.records.lines.seek(from, 0)
	p.records.until = until
	return p
}

func (s *csvScan) reader() *lineReader { return s.records.lines }

// csvColumnBytes is the memory per column of a scan or a reader: its types and its cell.
const csvColumnBytes = 96

// readerBytes estimates the memory of a scan.
func (s *csvScan) readerBytes() int64 {
	return s.reader().readerBytes() + int64(len(s.first))*csvColumnBytes
}

// join adds the result of a later part, which begins on the given line.
func (s *csvScan) join(p *csvScan, line int64) error {
	for j := range s.others {
		if s.others[j].other == 0 && p.others[j].other > 0 {
			s.badLine[j] = p.badLine[j] + line - 1
		}
		s.others[j].join(p.others[j])
	}
	s.records.doubtful = s.records.doubtful || p.records.doubtful
	s.index.join(&p.index, line)
	return nil
}
