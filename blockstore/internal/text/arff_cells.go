package text

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// arffCell is a value as it is written in an ARFF file.
type arffCell struct {
	text   []byte
	quoted bool
}

// missing reports whether the cell stands for no value.
func (c arffCell) missing() bool {
	return !c.quoted && (len(c.text) == 1 && c.text[0] == '?' || len(c.text) == 0)
}

var errARFFQuote = errors.New(`the quotes of this line do not match; mend the line`)

// cutARFF takes the first value off a line, up to a comma, and to a blank too if blanks
// separate values. More says that a separator followed.
func cutARFF(line []byte, blanks bool) (c arffCell, rest []byte, more bool, err error) {
	line = bytes.TrimLeft(line, " \t\r")
	if len(line) > 0 && (line[0] == '\'' || line[0] == '"') {
		if c.text, rest, err = cutARFFQuote(line); err != nil {
			return c, nil, false, err
		}
		c.quoted = true
		rest = bytes.TrimLeft(rest, " \t\r")
		switch {
		case len(rest) == 0:
			return c, nil, false, nil
		case rest[0] == ',':
			return c, rest[1:], true, nil
		case blanks:
			return c, rest, true, nil
		}
		return c, nil, false, fmt.Errorf("%q follows a closing quote; mend the line", fault.Shorten(rest))
	}
	end := bytes.IndexByte(line, ',')
	if blanks {
		end = bytes.IndexAny(line, ", \t")
	}
	if end < 0 {
		c.text = trimBlanks(line)
		return c, nil, false, nil
	}
	c.text, rest = trimBlanks(line[:end]), bytes.TrimLeft(line[end+1:], " \t\r")
	return c, rest, !blanks || len(rest) > 0, nil
}

// cutARFFQuote takes a text in quotes off a line.
func cutARFFQuote(line []byte) (text, rest []byte, err error) {
	quote, escaped := line[0], false
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			escaped = true
			i++
		case line[i] == quote && escaped:
			return unescapeARFF(line[1:i]), line[i+1:], nil
		case line[i] == quote:
			return line[1:i], line[i+1:], nil
		}
	}
	return nil, nil, errARFFQuote
}

// unescapeARFF undoes backslashes.
func unescapeARFF(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			switch c = text[i]; c {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			}
		}
		out = append(out, c)
	}
	return out
}

// arffRow reads the values of one line into cells, which begin as those of a row of which
// nothing is said. It returns the numbers of the values that the line names.
type arffRow struct {
	cells  []arffCell
	sparse []arffCell // what a sparse row does not name
	dense  bool
	named  []int // by the sparse row
}

// read reads a line.
func (r *arffRow) read(line []byte) error {
	for _, i := range r.named {
		r.cells[i] = r.sparse[i]
	}
	r.named = r.named[:0]
	if line[0] == '{' {
		if r.dense {
			copy(r.cells, r.sparse)
			r.dense = false
		}
		return r.readSparse(line)
	}
	r.dense = true
	blanks := len(r.cells) > 1 && bytes.IndexByte(line, ',') < 0
	n := 0
	for more := true; more; n++ {
		var c arffCell
		var err error
		if c, line, more, err = cutARFF(line, blanks); err != nil {
			return err
		}
		if n < len(r.cells) {
			r.cells[n] = c
		}
	}
	if n != len(r.cells) {
		return fmt.Errorf("%d values, but there are %d attributes; mend the line", n, len(r.cells))
	}
	return nil
}

// readSparse reads a line of pairs of numbers of attributes, from 0, and values.
func (r *arffRow) readSparse(line []byte) error {
	inner, ok := bytes.CutSuffix(line[1:], []byte{'}'})
	if !ok {
		return errors.New("a sparse row should end with }, and weights of rows are not read; mend the line")
	}
	last := -1
	for more := len(trimBlanks(inner)) > 0; more; {
		inner = trimBlanks(inner)
		end := bytes.IndexAny(inner, " \t")
		if end < 0 {
			return fmt.Errorf("%q is not the number of an attribute and a value; mend the line", fault.Shorten(inner))
		}
		i, err := strconv.Atoi(string(inner[:end]))
		if err != nil || i <= last || i >= len(r.cells) {
			return fmt.Errorf("%q should be the number of an attribute, ascending from 0 to %d; mend the line", fault.Shorten(inner[:end]), len(r.cells)-1)
		}
		r.named = append(r.named, i)
		if r.cells[i], inner, more, err = cutARFF(inner[end:], false); err != nil {
			return err
		}
		last = i
	}
	return nil
}
