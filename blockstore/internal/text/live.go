package text

import (
	"bytes"
	"math"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Live turns a table of the head of a pipe into a table of the whole input. Its columns are those
// of the head, and its number of rows is unknown. A later value that does not fit the kind of its
// column is an error, so that rows are either the same as from a file or absent. Columns with the
// given names are kept as text.
func Live(t column.Table, words []string) {
	about := t.About()
	about.Live, about.Rows, about.PassesToOpen, about.SeekCost = true, -1, 0, 0
	_, sparse := t.(*libsvmTable) // its features are never null
	for j := range about.Columns {
		c := &about.Columns[j]
		c.NoNulls = c.NoNulls && sparse
		if slices.Contains(words, c.Name) && c.Width == 1 && c.Kind != column.Vector {
			c.Kind, c.Meaning, c.ZeroPadded = column.Text, column.Plain, false
			delete(about.NearlyNumeric, j)
		}
	}
	switch t := t.(type) {
	case *csvTable:
		t.dialect.partial = false
		t.dialect.later = len(t.Columns) == 1
		t.index.live()
	case *jsonTable:
		t.index.live()
	case *libsvmTable:
		t.index.live()
	}
}

// live converts the index of a head to one of an unknown number of records.
func (x *rowIndex) live() {
	x.marks, x.numbers = x.marks[:1], x.numbers[:1]
	x.records, x.unknown = math.MaxInt64, true
}

// EnoughLines reports whether the head of a text has the given number of nonblank lines after
// skipped ones.
func EnoughLines(head []byte, lines int, o CSVOptions) bool {
	for n := -o.Skip; n < lines; {
		line, after, ended := bytes.Cut(head, []byte{'\n'})
		if !ended {
			return false
		}
		if n < 0 || len(trimBlanks(line)) > 0 && (o.Comment == 0 || !beginsWith(line, o.Comments())) {
			n++
		}
		head = after
	}
	return true
}

// WholeLines returns the head without its incomplete last line.
func WholeLines(head []byte) []byte { return head[:bytes.LastIndexByte(head, '\n')+1] }

// headFile presents the first lines of a pipe as a file.
type headFile struct{ *bytes.Reader }

func (headFile) Close() error { return nil }

// LiveInput returns an input of the first lines of a pipe, with the stamp of the pipe.
func LiveInput(path string, head []byte, in *file.Live) Input {
	return Input{Path: path, File: headFile{bytes.NewReader(head)}, Stamp: in.Stamp(path, int64(len(head)))}
}

// keptValueError returns the error for the last value of a kept column, whose text is cell: err, or that
// the value does not occur in the head of the pipe, so that the column of a file might have another
// kind. A column with a given type accepts what it would in a file.
func keptValueError(t *column.TableInfo, j int, c *stream.Column, cell []byte, err error) error {
	info := &t.Columns[j]
	if info.Given {
		return err
	}
	if err == nil && !c.Null(c.Len()-1) {
		err = checkLikeHead(info, c, cell, t.Exact)
	}
	return unlikeHeadError(t, err)
}

// checkLikeHead returns an error for values that would change the type of a column in a file: anything
// but a plain integer in an integer column, and anything but plain numbers in a column without
// values, or any value there if the rows are exact.
func checkLikeHead(info *column.Info, c *stream.Column, cell []byte, exact bool) error {
	empty, integers := info.Empty && info.Kind != column.Text, c.Kind == stream.Int64 && c.Type.Class == logical.None
	padded := len(cell) > 1 && cell[0] == '0' && cell[1] != '.' && cell[1]|0x20 != 'e'
	switch {
	case empty && (exact || padded || !IsNumber(cell)):
		return fault.New("%q is the first value of its column", fault.Shorten(cell))
	case integers && (padded || len(cell) > 1 && string(cell[:2]) == "-0"):
		return fault.New("%q is no integer like those before it", fault.Shorten(cell)).WithRemedy("mend it")
	}
	return nil
}

// unlikeHeadError explains why a value is rejected that a file of the same text may have.
func unlikeHeadError(t *column.TableInfo, err error) error {
	switch {
	case err == nil:
		return nil
	case t.Exact:
		return fault.New("%w", err).AddRemedy("the first lines of a pipe decide what its columns hold: name the column in `Options.Types`, or save the pipe to a file")
	}
	return fault.New("%w", err).AddRemedy("the first lines of a pipe decide what its columns hold: save it to a file, of which all lines do")
}
