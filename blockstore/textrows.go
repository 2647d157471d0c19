package blockstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/stream"
)

// mark is a place in a text file where a line starts.
type mark struct {
	offset int64 // in bytes
	line   int64 // counted from 1
}

// markEvery is the distance in rows between two marks of a rowIndex.
const markEvery = 1024

// rowIndex knows where every markEvery-th record of a text file starts, so that
// a row can be fetched without reading all rows before it.
type rowIndex struct {
	marks   []mark
	records int64
	header  int64 // how many records at the beginning are no rows: 0 or 1
}

// add counts one more record, which starts at m.
func (x *rowIndex) add(m mark) {
	if x.records%markEvery == 0 {
		x.marks = append(x.marks, m)
	}
	x.records++
}

// rows is the number of rows.
func (x *rowIndex) rows() int64 { return x.records - x.header }

// textCursor walks over the records of a text file. Its methods return plain
// errors or a cellError; textReader adds the file and the row.
type textCursor interface {
	// seek puts the cursor before the record that starts at m.
	seek(m mark)
	// next moves to the next record. It returns io.EOF after the last.
	next() error
	// store puts the chosen values of the current record into row i of dst.
	store(dst *stream.Batch, i int) error
}

// cellError is an error about one value, on its way to a DataError.
type cellError struct {
	column string
	err    error
}

func (e *cellError) Error() string { return e.column + ": " + e.err.Error() }
func (e *cellError) Unwrap() error { return e.err }

// textSource yields rows of a text file through a textCursor.
type textSource struct {
	info  stream.Info
	index *rowIndex
	// cursor makes a cursor over the file that stands nowhere: seek follows.
	cursor func(in io.ReaderAt) textCursor
}

// Info describes the source.
func (s *textSource) Info() stream.Info { return s.info }

// Open starts a pass at the first row.
func (s *textSource) Open(ctx context.Context) (stream.Reader, error) {
	f, err := os.Open(s.info.Name)
	if err != nil {
		return nil, err
	}
	return &textReader{ctx: ctx, src: s, file: f, cursor: s.cursor(f), at: -1}, nil
}

// Gather fetches rows by number: from the mark before each wanted row it reads
// forward, at most markEvery rows.
func (s *textSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	mustGather(s.info, rows, dst)
	f, err := os.Open(s.info.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	truncateKept(dst, s.info.Kept)
	r := textReader{ctx: ctx, src: s, cursor: s.cursor(f), at: -1}
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.moveTo(row); err != nil {
			return err
		}
		if err := r.row(dst, i); err != nil {
			return err
		}
	}
	return nil
}

// textReader reads the rows of a textSource in order.
type textReader struct {
	ctx    context.Context
	src    *textSource
	file   *os.File
	cursor textCursor
	at     int64 // the record that the cursor gives next; -1 before the first seek
}

// Read fills dst with the next rows.
func (r *textReader) Read(dst *stream.Batch) (int, error) {
	mustFit(r.src.info, dst)
	truncateKept(dst, r.src.info.Kept)
	if r.at < 0 && dst.X.Rows > 0 && r.src.info.Rows > 0 {
		if err := r.moveTo(0); err != nil {
			return 0, err
		}
	}
	for i := range dst.X.Rows {
		if r.at < 0 || r.at >= r.src.index.records {
			return i, io.EOF
		}
		if i%markEvery == 0 && r.ctx.Err() != nil {
			return i, r.ctx.Err()
		}
		if err := r.row(dst, i); err != nil {
			return i, err
		}
	}
	return dst.X.Rows, nil
}

// moveTo puts the cursor before the given row.
func (r *textReader) moveTo(row int64) error {
	record := row + r.src.index.header
	if m := record / markEvery; r.at < 0 || m > r.at/markEvery {
		r.cursor.seek(r.src.index.marks[m])
		r.at = m * markEvery
	}
	for r.at < record {
		if err := r.advance(); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the cursor over one record that the index has promised.
func (r *textReader) advance() error {
	err := r.cursor.next()
	if err == io.EOF {
		err = fmt.Errorf("the file ends before this row, but had %d rows when it was opened; was it changed meanwhile?", r.src.info.Rows)
	}
	if err != nil {
		return r.fail(r.at, err)
	}
	r.at++
	return nil
}

// row puts the next row into row i of dst.
func (r *textReader) row(dst *stream.Batch, i int) error {
	if err := r.advance(); err != nil {
		return err
	}
	if err := r.cursor.store(dst, i); err != nil {
		return r.fail(r.at-1, err)
	}
	return nil
}

// Close closes the file.
func (r *textReader) Close() error { return r.file.Close() }

// fail adds the file and the row to an error of the cursor.
func (r *textReader) fail(record int64, err error) error {
	e := &DataError{Path: r.src.info.Name, Row: record - r.src.index.header, Err: err}
	var cell *cellError
	if errors.As(err, &cell) {
		e.Column, e.Err = cell.column, cell.err
	}
	return e
}

// fileStart is where a text file begins.
var fileStart = mark{offset: 0, line: 1}
