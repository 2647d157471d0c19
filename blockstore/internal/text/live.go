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

// Live makes of a table of the head of a pipe one of all that the pipe gives: its columns are those of the head, and
// the number of its rows is not known. A later value that the kind of its column does not hold is an error, so that
// rows are the same as those of a file, or there are none. Columns with the given names are kept as text.
func Live(t column.Table, words []string) {
	about := t.About()
	about.Live, about.Rows, about.PassesToOpen, about.SeekCost = true, -1, 0, 0
	_, sparse := t.(*libsvmTable) // whose features are never null
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

// live makes the index of a head one of records whose number is not known.
func (x *rowIndex) live() {
	x.marks, x.numbers = x.marks[:1], x.numbers[:1]
	x.records, x.unknown = math.MaxInt64, true
}

// EnoughLines reports whether the head of a text has so many lines with something in them, behind those that are
// passed over.
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

// WholeLines returns the head without the line that it ends in.
func WholeLines(head []byte) []byte { return head[:bytes.LastIndexByte(head, '\n')+1] }

// headFile is the first lines of a pipe, as a file.
type headFile struct{ *bytes.Reader }

func (headFile) Close() error { return nil }

// LiveInput returns the input that is opened in place of a pipe: the lines of its head. The stamp is that of the pipe.
func LiveInput(path string, head []byte, in *file.Live) Input {
	return Input{Path: path, File: headFile{bytes.NewReader(head)}, Stamp: in.Stamp(path, int64(len(head)))}
}

// keepLive returns the error of the last value of a kept column, whose text is cell: its own, or that the head of the
// pipe shows nothing like it, so that the column of a file might be of another kind. A column whose type is given holds
// what it would in a file.
func keepLive(t *column.TableInfo, j int, c *stream.Column, cell []byte, err error) error {
	info := &t.Columns[j]
	if info.Given {
		return err
	}
	if err == nil && !c.Null(c.Len()-1) {
		err = unlikeHead(info, c, cell, t.Exact)
	}
	return asInHead(t, err)
}

// unlikeHead refuses what is no plain integer in a column of integers, of which a file would make floats or text, and
// values that are no plain numbers in a column without values, or all of them if the rows are exact.
func unlikeHead(info *column.Info, c *stream.Column, cell []byte, exact bool) error {
	empty, integers := info.Empty && info.Kind != column.Text, c.Kind == stream.Int64 && c.Type.Class == logical.None
	padded := len(cell) > 1 && cell[0] == '0' && cell[1] != '.' && cell[1]|0x20 != 'e'
	switch {
	case empty && (exact || padded || !IsNumber(cell)):
		return fault.New("%q is the first value of its column", fault.Shorten(cell))
	case integers && (padded || len(cell) > 1 && string(cell[:2]) == "-0"):
		return fault.New("%q is no integer like those before it", fault.Shorten(cell)).Do("mend it")
	}
	return nil
}

// asInHead says why a value is refused that a file of the same text may have.
func asInHead(t *column.TableInfo, err error) error {
	switch {
	case err == nil:
		return nil
	case t.Exact:
		return fault.New("%w", err).Also("the first lines of a pipe decide what its columns hold: name the column in `Options.Types`, or save the pipe to a file")
	}
	return fault.New("%w", err).Also("the first lines of a pipe decide what its columns hold: save it to a file, of which all lines do")
}
