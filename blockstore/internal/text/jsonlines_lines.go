package text

import (
	"bytes"
	"io"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// jsonLines iterates over the lines of a file of JSON lines.
type jsonLines struct {
	lines  *lineReader
	line   []byte
	start  mark
	until  int64 // no line starts here or later; 0: no limit
	arrays bool  // the lines are arrays
	begun  bool
	key    []byte
}

var errMixedLines = fault.New("some lines are objects and some are arrays").
	WithRemedy("write all rows in one of the two ways")

// next moves to the next line that is not blank.
func (l *jsonLines) next() error {
	for {
		l.start = l.lines.here()
		if l.until > 0 && l.start.offset >= l.until {
			return io.EOF
		}
		line, err := l.lines.next()
		if err != nil {
			return atLine(err, l.start.line)
		}
		if l.start.offset == 0 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		if l.line = trimBlanks(line); len(l.line) > 0 {
			return nil
		}
	}
}

// atLine adds a line number to an error if there is one.
func atLine(err error, line int64) error {
	if err == nil {
		return nil
	}
	return AtLine(err, line)
}

// checkEvery is the number of members of a line between checks for cancellation.
const checkEvery = 1 << 14

// watched returns visit with periodic checks for cancellation.
func (l *jsonLines) watched(visit func(key []byte, v jsonValue) error) func(key []byte, v jsonValue) error {
	n := 0
	return func(key []byte, v jsonValue) error {
		if n++; n%checkEvery == 0 {
			if err := file.Stopped(l.lines.in); err != nil {
				return err
			}
		}
		return visit(key, v)
	}
}

// members calls visit for the values of the line with their names. The names of array elements are
// their numbers.
func (l *jsonLines) members(visit func(key []byte, v jsonValue) error) error {
	visit = l.watched(visit)
	p := jsonParser{rest: l.line}
	array := l.line[0] == '['
	if l.begun && array != l.arrays {
		return errMixedLines
	}
	l.begun, l.arrays = true, array
	var err error
	switch {
	case array && len(l.line) == 1 || array && bytes.HasPrefix(trimBlanks(l.line[1:]), []byte{'{'}):
		return fault.New("it is one JSON array, not JSON lines").WithRemedy("put each element on a line of its own: jq -c '.[]'")
	case array:
		n := 0
		err = p.elements(func(v jsonValue) error {
			l.key = strconv.AppendInt(l.key[:0], int64(n), 10)
			n++
			return visit(l.key, v)
		})
	case l.line[0] == '{':
		err = p.members(func(raw []byte, v jsonValue) error {
			key, err := unquoted(raw)
			if err != nil {
				return err
			}
			return visit(key, v)
		})
	default:
		return fault.New("%q is no JSON object", fault.Shorten(l.line)).WithRemedy("write one on each line")
	}
	if err != nil {
		return err
	}
	return p.end()
}
