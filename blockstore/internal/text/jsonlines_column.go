package text

import (
	"bytes"
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream/logical"
)

// jsonColumn collects the types of the values of one column.
type jsonColumn struct {
	cellKinds
	rows     int64 // number of rows read when the column last had a value
	booleans bool
	width    int    // of the first array of numbers, 0 if there is none
	scalars  bool   // some values are not arrays
	unread   string // description of values that cannot be read
	badLine  int64
}

// observe adds one value.
func (c *jsonColumn) observe(v jsonValue, line int64) error {
	c.scalars = c.scalars || v.kind > jsonNull && v.kind <= jsonString
	switch v.kind {
	case jsonNull:
	case jsonFalse, jsonTrue:
		c.booleans = true
		c.numeric++
	case jsonNumber:
		c.number(v.raw)
	case jsonNumbers:
		c.array(v)
	case jsonString:
		if _, err := unquoted(v.raw); err != nil && bytes.IndexByte(v.raw, '\\') >= 0 {
			return err
		}
		if c.text = true; c.other == 0 {
			c.bad, c.badLine = string(fault.Shorten(v.raw)), line
		}
		c.other++
		if text, err := unquoted(v.raw); err == nil {
			c.shape(text)
		}
	default:
		c.unread = "objects, or arrays that have not only numbers"
	}
	return nil
}

// array adds an array of numbers.
func (c *jsonColumn) array(v jsonValue) {
	if v.length == 0 || v.length > column.MaxWidth {
		c.unread = fmt.Sprintf("empty arrays, or arrays of more than %d numbers", column.MaxWidth)
		return
	}
	c.sameWidth(v.length)
	c.floats = c.floats || v.floats
}

// sameWidth records an array of another length than the first one.
func (c *jsonColumn) sameWidth(width int) {
	if c.width == 0 {
		c.width = width
	}
	if width != c.width {
		c.unread = "arrays of different lengths"
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

// join adds the values of a later part of the file, which begins on the given line.
func (c *jsonColumn) join(p *jsonColumn, line int64) {
	if c.other == 0 && p.badLine > 0 {
		c.badLine = p.badLine + line - 1
	}
	c.scalars = c.scalars || p.scalars
	if p.width > 0 {
		c.sameWidth(p.width)
	}
	if c.unread == "" {
		c.unread = p.unread
	}
	c.booleans = c.booleans || p.booleans
	c.cellKinds.join(p.cellKinds)
}

// info describes the column.
func (c *jsonColumn) info(name string) column.Info {
	info := column.Info{Name: name, Kind: c.kind(), Width: 1, HasFloats: c.floats}
	info.Empty = c.empty() && c.unread == "" && c.width == 0
	switch {
	case c.unread != "":
		info.Kind, info.Why = column.Other, c.unread
	case c.width > 0 && c.scalars:
		info.Kind, info.Why = column.Other, "arrays and other values"
	case c.width > 0:
		info.Kind, info.Width = column.Vector, c.width
	case info.Kind == column.Text:
		if info.Found = c.found(); c.booleans {
			info.Found = nil
		}
	case c.booleans && !c.text && !c.numbers:
		if info.Kind = column.Integer; !c.integers {
			info.Meaning, info.Type = column.Boolean, logical.Type{Class: logical.Bool}
		}
	}
	return info
}
