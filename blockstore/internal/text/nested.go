package text

import (
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// appendNested appends value i of a nested column, which is not null, as JSON: lists as arrays,
// structures and maps as objects. NaN becomes null; infinite numbers are errors.
func appendNested(line []byte, c *stream.Column, i int) ([]byte, error) {
	from := logical.NewCursor(c.Strings[i])
	w := jsonWriter{from: &from}
	line = w.append(line, c.Type)
	if w.failed == nil {
		w.failed = from.Err()
	}
	return line, w.failed
}

// jsonWriter formats the parts of a nested value.
type jsonWriter struct {
	from   *logical.Cursor
	failed error
}

// append appends the next value, of type t and not null.
func (w *jsonWriter) append(line []byte, t logical.Type) []byte {
	switch t.Class {
	case logical.Struct:
		return w.members(line, t)
	case logical.List:
		n := w.from.Count()
		valid := w.from.Validity(n)
		line = append(line, '[')
		for i := range n {
			line = w.appendOrNull(comma(line, i), t.Members[0].Type, valid.Has(i))
		}
		return append(line, ']')
	case logical.Map:
		return w.pairs(line, t)
	}
	return w.scalar(line, t)
}

// members appends a structure.
func (w *jsonWriter) members(line []byte, t logical.Type) []byte {
	valid := w.from.Validity(len(t.Members))
	line = append(line, '{')
	for i, m := range t.Members {
		line = append(appendQuoted(comma(line, i), m.Name), ':')
		line = w.appendOrNull(line, m.Type, valid.Has(i))
	}
	return append(line, '}')
}

// pairs appends a map. Keys other than text are formatted as text, as JSON requires.
func (w *jsonWriter) pairs(line []byte, t logical.Type) []byte {
	keys := make([]string, w.from.Count())
	for i := range keys {
		keys[i] = string(w.append(nil, t.Members[0].Type))
	}
	valid := w.from.Validity(len(keys))
	line = append(line, '{')
	for i, key := range keys {
		if line = comma(line, i); !strings.HasPrefix(key, `"`) {
			line = appendQuoted(line, key)
		} else {
			line = append(line, key...)
		}
		line = w.appendOrNull(append(line, ':'), t.Members[1].Type, valid.Has(i))
	}
	return append(line, '}')
}

func (w *jsonWriter) appendOrNull(line []byte, t logical.Type, valid bool) []byte {
	if !valid {
		return append(line, "null"...)
	}
	return w.append(line, t)
}

// scalar appends a value without parts.
func (w *jsonWriter) scalar(line []byte, t logical.Type) []byte {
	c := stream.FieldOf("", t).Column()
	c.TakeScalar(w.from)
	switch {
	case t.Class == logical.Float && math.IsNaN(c.Floats[0]):
		return append(line, "null"...)
	case t.Class == logical.Float && !matrix.IsFinite(c.Floats[0]):
		w.failed = errJSONInfinite
		return line
	case !isWord(&c):
		return appendTyped(line, &c, 0)
	case t.Class == logical.Unmarked && !utf8.ValidString(c.Strings[0]):
		c.Type.Class = logical.Bytes
	}
	return appendQuoted(line, string(appendTyped(nil, &c, 0)))
}

// appendQuoted appends a text in quotes.
func appendQuoted(line []byte, s string) []byte {
	var out strings.Builder
	quoter := json.NewEncoder(&out)
	quoter.SetEscapeHTML(false)
	quoter.Encode(s) // encoding a string cannot fail
	return append(line, strings.TrimSuffix(out.String(), "\n")...)
}

// comma appends the separator before element i.
func comma(line []byte, i int) []byte {
	if i > 0 {
		return append(line, ',')
	}
	return line
}
