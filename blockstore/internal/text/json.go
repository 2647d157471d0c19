package text

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// jsonKind is the type of a JSON value.
type jsonKind uint8

const (
	jsonNull    jsonKind = iota
	jsonFalse            // false
	jsonTrue             // true
	jsonNumber           // also NaN, Infinity and -Infinity, which Python writes
	jsonString           // with its quotes
	jsonNumbers          // an array of numbers and nulls
	jsonOther            // an object, or another array
)

// jsonValue is a JSON value with its text.
type jsonValue struct {
	kind   jsonKind
	raw    []byte
	length int  // of an array of numbers
	floats bool // the array has numbers that are not integers
}

// jsonParser parses one line of JSON (RFC 8259, 2017).
type jsonParser struct {
	rest  []byte
	depth int
}

// maxDepth bounds the nesting of values.
const maxDepth = 1000

var errJSONEnds = fault.New("the line ends within a value").WithRemedy("write each value on one line, as jq -c . does")

// skip skips white space and returns the next byte, 0 at the end.
func (p *jsonParser) skip() byte {
	for len(p.rest) > 0 {
		if c := p.rest[0]; c != ' ' && c != '\t' && c != '\r' {
			return c
		}
		p.rest = p.rest[1:]
	}
	return 0
}

// expect skips a byte that must come next.
func (p *jsonParser) expect(c byte) error {
	switch got := p.skip(); {
	case got == c:
		p.rest = p.rest[1:]
		return nil
	case len(p.rest) == 0:
		return errJSONEnds
	}
	return fault.New("%q where %q should be", fault.Shorten(p.rest), c).WithRemedy("mend the line")
}

// end returns an error if anything follows the value.
func (p *jsonParser) end() error {
	if p.skip(); len(p.rest) > 0 {
		return fault.New("%q follows the value", fault.Shorten(p.rest)).WithRemedy("write one value on each line")
	}
	return nil
}

// members calls visit for each member of an object.
func (p *jsonParser) members(visit func(key []byte, v jsonValue) error) error {
	if err := p.expect('{'); err != nil {
		return err
	}
	if p.skip() == '}' {
		p.rest = p.rest[1:]
		return nil
	}
	for {
		p.skip()
		key, err := p.quoted()
		if err == nil {
			err = p.expect(':')
		}
		if err != nil {
			return err
		}
		v, err := p.value()
		if err == nil {
			err = visit(key, v)
		}
		if err != nil {
			return err
		}
		if p.skip() != ',' {
			return p.expect('}')
		}
		p.rest = p.rest[1:]
	}
}

// elements calls visit for each element of an array.
func (p *jsonParser) elements(visit func(v jsonValue) error) error {
	if err := p.expect('['); err != nil {
		return err
	}
	if p.skip() == ']' {
		p.rest = p.rest[1:]
		return nil
	}
	for {
		v, err := p.value()
		if err == nil {
			err = visit(v)
		}
		if err != nil {
			return err
		}
		if p.skip() != ',' {
			return p.expect(']')
		}
		p.rest = p.rest[1:]
	}
}

// value parses a value of any kind.
func (p *jsonParser) value() (v jsonValue, err error) {
	c := p.skip()
	start := p.rest
	switch {
	case c == '"':
		v.kind = jsonString
		_, err = p.quoted()
	case c == '{' || c == '[':
		if p.depth++; p.depth > maxDepth {
			return v, fault.New("values are more than %d deep in each other", maxDepth).WithRemedy("write flat rows")
		}
		if v.kind = jsonOther; c == '{' {
			err = p.members(func([]byte, jsonValue) error { return nil })
		} else {
			err = p.array(&v)
		}
		p.depth--
	default:
		v.kind, err = p.word()
	}
	v.raw = start[:len(start)-len(p.rest)]
	return v, err
}

// array parses an array, and counts its elements if all are numbers or null.
func (p *jsonParser) array(array *jsonValue) error {
	array.kind = jsonNumbers
	return p.elements(func(v jsonValue) error {
		array.length++
		switch {
		case v.kind == jsonNumber:
			array.floats = array.floats || !IsInteger(v.raw)
		case v.kind != jsonNull:
			array.kind = jsonOther
		}
		return nil
	})
}

// word parses a number or a name.
func (p *jsonParser) word() (jsonKind, error) {
	n := 0
	for n < len(p.rest) && !endsWord(p.rest[n]) {
		n++
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	switch string(word) {
	case "":
		if len(p.rest) == 0 {
			return 0, errJSONEnds
		}
		return 0, fault.New("%q where a value should be", fault.Shorten(p.rest)).WithRemedy("mend the line")
	case "null":
		return jsonNull, nil
	case "false":
		return jsonFalse, nil
	case "true":
		return jsonTrue, nil
	case "NaN", "Infinity", "-Infinity":
		return jsonNumber, nil
	}
	if !isJSONNumber(word) {
		return 0, fault.New("%q is no value of JSON", fault.Shorten(word)).WithRemedy("mend the line")
	}
	return jsonNumber, nil
}

// endsWord reports whether a byte ends a number or a name.
func endsWord(c byte) bool {
	switch c {
	case ',', ']', '}', ':', ' ', '\t', '\r':
		return true
	}
	return false
}

// isJSONNumber reports whether a word is a number in JSON syntax.
func isJSONNumber(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte{'-'})
	digits := func() int {
		n := digitRun(word)
		word = word[n:]
		return n
	}
	zero := len(word) > 0 && word[0] == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return false
	}
	if len(word) > 0 && word[0] == '.' {
		if word = word[1:]; digits() == 0 {
			return false
		}
	}
	if len(word) > 0 && word[0]|0x20 == 'e' {
		if word = word[1:]; len(word) > 0 && (word[0] == '+' || word[0] == '-') {
			word = word[1:]
		}
		if digits() == 0 {
			return false
		}
	}
	return len(word) == 0
}

// quoted parses a string and returns it with its quotes.
func (p *jsonParser) quoted() ([]byte, error) {
	if len(p.rest) == 0 {
		return nil, errJSONEnds
	}
	if p.rest[0] != '"' {
		return nil, fault.New("%q where a name in quotes should be", fault.Shorten(p.rest)).WithRemedy("mend the line")
	}
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\\':
			i++
		case c == '"':
			text := p.rest[:i+1]
			p.rest = p.rest[i+1:]
			return text, nil
		case c < ' ':
			return nil, fault.New("the byte %#02x stands in a string as it is", c).WithRemedy("write it with a backslash, as JSON does")
		}
	}
	return nil, errJSONEnds
}

// unquoted returns the content of a string. Invalid UTF-8 is unchanged.
func unquoted(raw []byte) ([]byte, error) {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	if err := checkText(inner); err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, fault.New("%q is no string of JSON, for what stands behind a backslash", fault.Shorten(raw)).WithRemedy("mend the line")
	}
	return []byte(text), nil
}

// number returns the value as a number, NaN for null. floats is as in exactNumber.
func (v jsonValue) number(floats bool, inexact column.Inexact) (float64, error) {
	switch v.kind {
	case jsonNull:
		return math.NaN(), nil
	case jsonFalse:
		return 0, nil
	case jsonTrue:
		return 1, nil
	}
	return exactNumber(v.raw, floats, inexact)
}
