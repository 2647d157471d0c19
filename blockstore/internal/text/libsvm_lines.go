package text

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// libsvmLines parses a libsvm file: a label, then index:value pairs. Blank lines, comments (from #
// to the end of the line) and query numbers (qid:7) are skipped.
type libsvmLines struct {
	lines *lineReader
	until int64  // no line starts here or later; 0: no limit
	start mark   // where the line starts
	label []byte // the label, empty if there is none
	rest  []byte // the remaining pairs
	query bool   // a line had a query number
	least int    // the smallest index allowed: 0 or 1
	last  int    // the last index parsed, -1 for none
}

// next moves to the next line that is not blank.
func (l *libsvmLines) next() error {
	for {
		if l.start = l.lines.here(); l.until > 0 && l.start.offset >= l.until {
			return io.EOF
		}
		line, err := l.lines.next()
		if err != nil {
			return AtLine(err, l.start.line)
		}
		if l.start.offset == 0 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		if l.rest = trimBlanks(line); len(l.rest) > 0 {
			l.begin()
			return nil
		}
	}
}

// begin parses the label and the query number of the line.
func (l *libsvmLines) begin() {
	l.last, l.label = -1, nil
	if token, rest := cutToken(l.rest); bytes.IndexByte(token, ':') < 0 {
		l.label, l.rest = token, rest
	}
	if token, rest := cutToken(l.rest); bytes.HasPrefix(token, []byte("qid:")) {
		l.rest, l.query = rest, true
	}
}

// cutToken splits the first word off a line that does not begin with a blank.
func cutToken(line []byte) (token, rest []byte) {
	i := 0
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	token = line[:i]
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return token, line[i:]
}

// pair parses the next pair of the line. It returns io.EOF after the last.
func (l *libsvmLines) pair() (index int, value float64, err error) {
	if len(l.rest) == 0 {
		return 0, 0, io.EOF
	}
	token, rest := cutToken(l.rest)
	l.rest = rest
	colon := bytes.IndexByte(token, ':')
	if colon < 0 {
		return 0, 0, AtLine(fault.New("%q is not a pair index:value", fault.Shorten(token)).
			WithRemedy("mend the line, or name the format of the file if it is another"), l.start.line)
	}
	index, err = strconv.Atoi(string(token[:colon]))
	if err == nil {
		err = l.checkIndex(index)
	}
	if err != nil {
		return 0, 0, l.errorf("feature index %q: %w", fault.Shorten(token[:colon]), withoutPrefix(err))
	}
	value, ok := ParseNumber(token[colon+1:])
	if !ok {
		return 0, 0, l.errorf("feature %d: %w", index, errNotNumber(token[colon+1:]))
	}
	if err := checkRange(token[colon+1:], value); err != nil {
		return 0, 0, l.errorf("feature %d: %w", index, err)
	}
	l.last = index
	return index, value, nil
}

// checkIndex returns an error if the index of the next pair is invalid.
func (l *libsvmLines) checkIndex(index int) error {
	switch {
	case index < 0:
		return fault.New("the index is negative").WithRemedy("number features from 0 or 1")
	case index < l.least:
		return fault.New("%w", baseError{"indices start at 1"}).
			WithRemedy("set `Options.IndexBase 0` if those of the file start at 0")
	case index > column.Max:
		return errFeatures()
	case index <= l.last:
		return fault.New("indices must ascend, but %d comes before", l.last).
			WithRemedy("sort the line and remove doubles")
	}
	return nil
}

// errFeatures reports too many features.
func errFeatures() error {
	return fault.New("rows are dense in memory and have at most %d features", column.Max).WithRemedy("drop or hash the rare ones")
}

// nextChecked moves to the next line, checks all its pairs and returns the
// first and the last index, -1 if there is none.
func (l *libsvmLines) nextChecked() (first, last int, err error) {
	if err := l.next(); err != nil {
		return 0, 0, err
	}
	first = -1
	for err == nil {
		if _, _, err = l.pair(); first < 0 {
			first = l.last
		}
	}
	if err != io.EOF {
		return 0, 0, err
	}
	return first, l.last, nil
}

// errorf returns an error that begins with the line number.
func (l *libsvmLines) errorf(format string, args ...any) error {
	return AtLine(fault.New(format, args...), l.start.line)
}

// withoutPrefix removes the prefix that package strconv adds to its errors.
func withoutPrefix(err error) error {
	var number *strconv.NumError
	if errors.As(err, &number) {
		return number.Err
	}
	return err
}
