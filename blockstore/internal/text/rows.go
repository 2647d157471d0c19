package text

import (
	"context"
	"io"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// mark is the position of the start of a line.
type mark struct {
	offset int64 // in bytes
	line   int64 // counted from 1
}

// markBytes is the initial size of the cells of a rowIndex. Each cell of the file has a mark, at
// the first record that starts in it, so gathering a row costs about a cell.
const markBytes = 1 << 10

// maxMarks bounds the marks of a rowIndex: 3 MiB.
const maxMarks = 1 << 17

// indexedBytes is the memory of a mark with the number of its record.
const indexedBytes = 24

// rowIndex holds the positions of some records of a text file, so that a row can be gathered
// without reading all rows before it. Beyond maxMarks its cells grow.
type rowIndex struct {
	marks   []mark
	numbers []int64 // of the records at the marks
	cell    int64   // in bytes; 0 for markBytes
	records int64
	header  int64 // number of leading records that are not rows: 0 or 1
	unknown bool  // records come from a pipe, and their number is unknown
}

// add counts one more record, which starts at m.
func (x *rowIndex) add(m mark) {
	x.keep(m, x.records, maxMarks)
	x.records++
}

// keep adds a mark unless its cell has one. It enlarges the cells if the index exceeds limit.
func (x *rowIndex) keep(m mark, number int64, limit int) {
	n, cell := len(x.marks), x.cellBytes()
	if n > 0 && m.offset/cell == x.marks[n-1].offset/cell {
		return
	}
	x.marks, x.numbers = append(x.marks, m), append(x.numbers, number)
	if n < limit {
		return
	}
	x.cell = 2 * cell
	marks, numbers := x.marks, x.numbers
	x.marks, x.numbers = marks[:0], numbers[:0]
	for i := range marks {
		x.keep(marks[i], numbers[i], limit)
	}
}

// cellBytes returns the size of a cell.
func (x *rowIndex) cellBytes() int64 { return max(x.cell, markBytes) }

// bytes returns the memory of the index.
func (x *rowIndex) bytes() int64 { return int64(len(x.marks)) * indexedBytes }

// seekCost returns the maximal number of records between two marks, at least 1.
func (x *rowIndex) seekCost() int64 {
	most, next := int64(1), x.records
	for _, number := range slices.Backward(x.numbers) {
		most, next = max(most, next-number), number
	}
	return most
}

// cellOf returns the number of bytes between a mark and the next one.
func (x *rowIndex) cellOf(m int) int64 {
	if m+1 < len(x.marks) {
		return x.marks[m+1].offset - x.marks[m].offset
	}
	return x.cellBytes()
}

// join adds the records of a later part of the file, which begins on the given line.
func (x *rowIndex) join(part *rowIndex, line int64) {
	for i, m := range part.marks {
		m.line += line - 1
		x.keep(m, part.numbers[i]+x.records, maxMarks)
	}
	x.records += part.records
}

// before returns the last mark at or before a record.
func (x *rowIndex) before(record int64) int {
	m, found := slices.BinarySearch(x.numbers, record)
	if !found {
		m--
	}
	return m
}

// rows returns the number of rows.
func (x *rowIndex) rows() int64 { return x.records - x.header }

// textCursor iterates over the records of a text file. Its methods return plain errors, or those of
// inColumn; textPass adds the file and the row.
type textCursor interface {
	// seek moves the cursor before the record that starts at m. The first read has about near
	// bytes, or fills the buffer if near is 0.
	seek(m mark, near int64)
	// next moves to the next record. It returns io.EOF after the last.
	next() error
	// store stores the chosen values of the current record in row i of dst.
	store(dst *stream.Batch, i int) error
}

// inColumn adds the column to an error about one value.
func inColumn(column string, err error) error { return fault.Cell("", stream.NoRow, column, "%w", err) }

// textSource returns a source of the rows of a text file. cursor returns a cursor over an open
// file, before any position: seek follows.
func textSource(c column.Choice, x *rowIndex, stamp file.Stamp,
	cursor func(in io.ReaderAt) textCursor) stream.Gatherer {
	return column.NewSource(c, stamp, func(ctx context.Context, f file.File, ahead bool) column.Pass {
		return &textPass{info: c.Info(), index: x, file: f, cursor: cursor(file.NewReaderAt(ctx, f)), at: -1, ahead: ahead}
	})
}

// textPass reads the rows of a text file.
type textPass struct {
	info   stream.Info
	index  *rowIndex
	file   file.File
	cursor textCursor
	at     int64 // the next record of the cursor; -1 before the first seek
	ahead  bool  // rows are read sequentially
}

// Next implements column.Pass.
func (p *textPass) Next(dst *stream.Batch, at int) (int, error) {
	if p.at == p.index.records {
		return 0, io.EOF
	}
	n := int(min(p.atOnce(), int64(dst.X.Rows-at), p.index.records-p.at))
	for i := range n {
		if err := p.row(dst, at+i); err != nil {
			return i, err // possibly file.ErrPause
		}
	}
	return n, nil
}

// atOnce bounds the rows per call of Next: few wide ones, since the caller checks for cancellation
// after each call.
func (p *textPass) atOnce() int64 {
	if p.index.unknown {
		return liveRows
	}
	const most, mostRows = 1 << 20, 1 << 10 // numbers
	width := int64(len(p.info.Columns) + len(p.info.Kept))
	return max(1, min(mostRows, most/max(1, width)))
}

// liveRows bounds the rows of a pipe per call of Next: few, since the caller checks how long they
// have waited.
const liveRows = 32

// SkipTo implements column.Pass: it seeks to the mark before the row, unless the cursor is past it.
func (p *textPass) SkipTo(row int64) error {
	record := row + p.index.header
	if m := p.index.before(record); p.at < 0 || p.index.numbers[m] > p.at {
		near := int64(0)
		if !p.ahead {
			near = p.index.cellOf(m)
		}
		p.cursor.seek(p.index.marks[m], near)
		p.at = p.index.numbers[m]
	}
	for p.at < record {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the cursor to the next record, which the index promises.
func (p *textPass) advance() error {
	err := p.cursor.next()
	if err == file.ErrPause || err == io.EOF && p.index.unknown {
		return err
	}
	if err == io.EOF {
		err = fault.New("the file ends before this row, but had %d rows when it was opened", p.info.Rows).WithRemedy("was it changed meanwhile?")
	}
	if err != nil {
		return p.fail(p.at, err)
	}
	p.at++
	return nil
}

// row stores the next row in row i of dst.
func (p *textPass) row(dst *stream.Batch, i int) error {
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.cursor.store(dst, i); err != nil {
		return p.fail(p.at-1, err)
	}
	return nil
}

// Close closes the file.
func (p *textPass) Close() error { return p.file.Close() }

// fail adds the file and the row to an error of the cursor.
func (p *textPass) fail(record int64, err error) error {
	return fault.Cell(p.info.Name, record-p.index.header, "", "%w", err)
}

// fileStart is the position of the first line.
var fileStart = mark{offset: 0, line: 1}
