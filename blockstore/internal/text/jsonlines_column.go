package text

import (
	"bytes"
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// jsonColumn collects what the values of one column are.
type jsonColumn struct {
	cellKinds
	rows     int64 // that were seen when the column last had a value
	booleans bool
	width    int   // of the first array of numbers, 0 without one
	vectors  int64 // the line of that array
	scalars  int64 // the line of the first value that is no array, 0 without one
	unread   jsonUnread
	badLine  int64
}

// jsonUnread is the first value that makes a column one that is not read.
type jsonUnread struct {
	line int64 // 0 without one
	why  string
}

// note adds a value.
func (u *jsonUnread) note(line int64, format string, args ...any) {
	if u.line == 0 || line < u.line {
		*u = jsonUnread{line, fmt.Sprintf(format, args...)}
	}
}

// see adds one value.
func (c *jsonColumn) see(v jsonValue, line, record int64) error {
	if c.scalars == 0 && v.kind > jsonNull && v.kind <= jsonString {
		c.scalars = line
	}
	switch v.kind {
	case jsonNull:
	case jsonFalse, jsonTrue:
		c.booleans = true
		c.numeric++
	case jsonNumber:
		c.number(v.raw)
		c.checkExact(v.raw, line, record)
	case jsonNumbers:
		return c.array(v, line, record)
	case jsonString:
		if _, err := unquoted(v.raw); err != nil && bytes.IndexByte(v.raw, '\\') >= 0 {
			return err
		}
		if c.text = true; c.other == 0 {
			c.bad, c.badLine = string(fault.Shorten(v.raw)), line
		}
		c.other++
	default:
		what := "an array that has not only numbers"
		if v.raw[0] == '{' {
			what = "an object"
		}
		c.unread.note(line, "%s", what)
	}
	return nil
}

// array adds an array of numbers.
func (c *jsonColumn) array(v jsonValue, line, record int64) error {
	switch {
	case v.length == 0:
		c.unread.note(line, "an empty array")
		return nil
	case v.length > column.MaxWidth:
		c.unread.note(line, "an array of more than %d numbers", column.MaxWidth)
		return nil
	case c.width == 0:
		c.width, c.vectors = v.length, line
	default:
		c.sameWidth(v.length, line)
	}
	c.floats = c.floats || v.floats
	if !v.long {
		return nil
	}
	p := jsonParser{rest: v.raw}
	return p.elements(func(e jsonValue) error {
		c.checkExact(e.raw, line, record)
		return nil
	})
}

// sameWidth notes an array of another length than the first one.
func (c *jsonColumn) sameWidth(width int, line int64) {
	if width != c.width {
		c.unread.note(line, "an array of %d numbers, and the first one has %d", width, c.width)
	}
}

// number adds a number.
func (c *jsonColumn) number(raw []byte) {
	c.numeric++
	if !IsInteger(raw) {
		c.numbers, c.floats = true, true
		return
	}
	c.integers = true
	if v, ok := parseInt(raw); !ok || v == 0 && raw[0] == '-' {
		c.numbers = true // beyond 64 bits, or -0: a float
		c.floats = c.floats || ok
	}
}

// join adds the values of a later part of the file, which begins on the given line, after
// so many records.
func (c *jsonColumn) join(p *jsonColumn, line, records int64) {
	p.moveBy(line-1, records)
	if c.other == 0 {
		c.badLine = p.badLine
	}
	if c.scalars == 0 {
		c.scalars = p.scalars
	}
	switch {
	case p.width == 0:
	case c.width == 0:
		c.width, c.vectors = p.width, p.vectors
	default:
		c.sameWidth(p.width, p.vectors)
	}
	if p.unread.line > 0 {
		c.unread.note(p.unread.line, "%s", p.unread.why)
	}
	c.booleans = c.booleans || p.booleans
	c.cellKinds.join(p.cellKinds)
}

// moveBy moves all values down.
func (c *jsonColumn) moveBy(lines, records int64) {
	c.lossy.moveBy(lines, records)
	for _, line := range []*int64{&c.badLine, &c.scalars, &c.vectors, &c.unread.line} {
		if *line > 0 {
			*line += lines
		}
	}
}

// info describes the column.
func (c *jsonColumn) info(name string) column.Info {
	info := column.Info{Name: name, Kind: c.kind(), Width: 1, Empty: c.empty() && c.unread.line == 0 && c.vectors == 0}
	unread := c.unread
	if c.scalars > 0 && c.vectors > c.scalars {
		unread.note(c.vectors, "an array, and line %d a value that is none", c.scalars)
	} else if c.vectors > 0 && c.scalars > c.vectors {
		unread.note(c.scalars, "a value that is no array, and line %d an array", c.vectors)
	}
	switch {
	case unread.line > 0:
		info.Kind, info.Why = column.Other, fmt.Sprintf("in line %d %s", unread.line, unread.why)
	case c.vectors > 0:
		info.Kind, info.Width = column.Vector, c.width
	case c.booleans && !c.text && !c.numbers:
		if info.Kind = column.Integer; !c.integers {
			info.Meaning = column.Boolean
		}
	}
	return info
}
