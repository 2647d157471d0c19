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
func scanInParts(ctx context.Context, f io.ReaderAt, stamp file.Stamp, l layout, threads int) (*csvScan, error) {
	in := file.NewReaderAt(ctx, f)
	whole := func() (*csvScan, error) {
		scan := &csvScan{records: newRecords(in, l)}
		return scan, scan.run()
	}
	length := partLength(stamp)
	if stamp.Size < 2*length {
		return whole()
	}
	head := &csvScan{records: newRecords(in, l)}
	if cells, err := head.records.Next(); err != nil || head.add(cells) != nil {
		return whole()
	}
	head.index.add(head.records.start)
	starts, err := partStarts(in, head.records.lines.here().offset, length)
	if err != nil {
		return whole()
	}
	parts := make([]*csvScan, len(starts))
	err = stream.Each(ctx, threads, len(parts), func(i int) error {
		parts[i] = head.part(in, starts, i)
		return parts[i].runPart(i+1 < len(parts))
	})
	if err != nil {
		return whole()
	}
	line := head.records.lines.line
	for _, p := range parts {
		head.join(p, line)
		line += p.records.lines.line - 1
	}
	return head, nil
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

// part returns the scan of a part, which knows the first record.
func (s *csvScan) part(in io.ReaderAt, starts []int64, i int) *csvScan {
	p := &csvScan{records: newRecords(in, s.records.layout), first: s.first,
		others: make([]cellKinds, len(s.first)), badLine: make([]int64, len(s.first)), within: true}
	p.records.lines.seek(mark{starts[i], 1})
	if i+1 < len(starts) {
		p.records.until = starts[i+1]
	}
	return p
}

// runPart reads the records of a part, behind which another begins if there are more.
func (s *csvScan) runPart(more bool) error {
	if err := s.records.each(s.record); err != nil {
		return err
	}
	if more && s.records.lines.here().offset != s.records.until {
		return errWithin
	}
	return nil
}

// join adds what a later part has found, which begins on the given line.
func (s *csvScan) join(p *csvScan, line int64) {
	for j := range s.others {
		if s.others[j].other == 0 && p.others[j].other > 0 {
			s.badLine[j] = p.badLine[j] + line - 1
		}
		p.others[j].lossy.moveBy(line-1, s.index.records)
		s.others[j].join(p.others[j])
	}
	s.records.doubtful = s.records.doubtful || p.records.doubtful
	s.index.join(&p.index, line)
}
