package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// partBytes is about how long the parts are in which a file is scanned. It is a variable
// for the tests.
var partBytes int64 = 4 << 20

// errWithin reports that a part of a file begins within a record.
var errWithin = errors.New("a part of the file begins within a record")

// scanInParts scans a file, parts of it at the same time. A part begins after a newline,
// which may be one of a quoted cell: then the record before it, which is cut right since
// all parts before were, ends in another place than the part begins, and the file is
// scanned from one end to the other. So it is where anything is wrong, for the first
// error and its line.
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
	if cells, err := head.records.Next(); err != nil || head.add(cells) != nil {
		return whole()
	}
	head.index.add(head.records.start)
	if scanParts(ctx, parts{head.reader(), stamp.Size, length, threads, head.readerBytes()}, head.part, head.join) != nil {
		return whole()
	}
	return head, nil
}

// parts says how a file is divided and scanned.
type parts struct {
	head         *lineReader // of what comes before the first part
	size, length int64       // of the file and of a part
	threads      int
	holds        int64 // estimate of the memory of one scan
}

// partScan is the scan of a part of a file.
type partScan interface {
	run() error
	reader() *lineReader
}

// scanBytes is the most memory that the scans of parts may take together.
const scanBytes = 16 << 20

// errWide reports that scans of several parts at the same time would take too much memory.
var errWide = errors.New("the scans of parts take too much memory")

// scanParts scans the parts of a file, and calls join with each scan in their order as soon as
// it is done. line is where the part begins.
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
		line += s.reader().line - 1
		p.head.largest = max(p.head.largest, s.reader().readerBytes())
		return join(s, begin)
	})
}

// partLength returns how long the parts of a file are. Of an object a whole chunk is
// fetched to see where one begins.
func partLength(stamp file.Stamp) int64 {
	if stamp.IsRemote() {
		return 16 * partBytes
	}
	return partBytes
}

// partStarts returns where parts of such a length begin, the first at the given place.
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

// lineAfter returns where the first line begins after a place that is not the last; io.EOF
// if there is none.
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

// lastText returns where the last byte of a file stands that is no blank and ends no line.
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

// part returns the scan of a part, which knows the first record.
func (s *csvScan) part(in io.ReaderAt, from mark, until int64) *csvScan {
	p := &csvScan{records: newRecords(in, s.records.dialect), first: s.first,
		others: make([]cellKinds, len(s.first)), badLine: make([]int64, len(s.first)), within: true}
	p.records.lines.seek(from, 0)
	p.records.until = until
	return p
}

func (s *csvScan) reader() *lineReader { return s.records.lines }

// csvColumnBytes is what a scan, or a reader, holds of each column: its kinds and its cell.
const csvColumnBytes = 96

// readerBytes estimates the memory of a scan.
func (s *csvScan) readerBytes() int64 {
	return s.reader().readerBytes() + int64(len(s.first))*csvColumnBytes
}

// join adds what a later part has found, which begins on the given line.
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
