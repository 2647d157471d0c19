package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// arffAttribute is a column as the header describes it.
type arffAttribute struct {
	name    string
	kind    column.Kind
	integer bool
	values  map[string]bool // of a nominal one
	first   arffCell        // the first of them, which a sparse row does not name
}

// absent returns what a sparse row stands for that does not name the attribute.
func (a *arffAttribute) absent() arffCell {
	switch {
	case a.values != nil:
		return a.first
	case a.kind == column.Text:
		return arffCell{}
	}
	return arffCell{text: []byte{'0'}}
}

// arffHeader reads the lines up to @data, and the place of the line after it.
func arffHeader(in io.ReaderAt) (list []arffAttribute, data mark, err error) {
	lines := newLineReader(in, fileStart)
	for {
		at := lines.line
		line, err := lines.next()
		if err == io.EOF {
			return nil, data, errors.New("it has no line @data, as ARFF files have; was it cut short?")
		}
		if err != nil {
			return nil, data, AtLine(err, at)
		}
		if at == 1 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		line = trimBlanks(line)
		if len(line) == 0 || line[0] == '%' {
			continue
		}
		end := bytes.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		switch word := strings.ToLower(string(line[:end])); {
		case word == "@relation":
		case word == "@attribute":
			if len(list) == column.Max {
				return nil, data, fmt.Errorf("there are more than %d attributes, the most that can be read; write fewer", column.Max)
			}
			a, err := parseAttribute(line[end:])
			if err != nil {
				return nil, data, AtLine(err, at)
			}
			list = append(list, a)
		case word == "@data" && len(list) == 0:
			return nil, data, errors.New("it has no attributes before @data; write a line @attribute NAME TYPE for each column")
		case word == "@data":
			return list, lines.here(), nil
		default:
			return nil, data, AtLine(fmt.Errorf("%q where @relation, @attribute or @data should be; mend the line", fault.Shorten(line)), at)
		}
	}
}

// parseAttribute reads what follows @attribute.
func parseAttribute(rest []byte) (a arffAttribute, err error) {
	name, rest, _, err := cutARFF(rest, true)
	if err != nil {
		return a, err
	}
	rest = trimBlanks(rest)
	if len(name.text) == 0 || len(rest) == 0 {
		return a, errors.New("an attribute is @attribute NAME TYPE; mend the line")
	}
	if i := bytes.IndexByte(name.text, '{'); i > 0 && !name.quoted { // the blank may be missing
		name.text, rest = name.text[:i], bytes.Join([][]byte{name.text[i:], rest}, []byte{' '})
	}
	if err := checkText(name.text); err != nil {
		return a, fmt.Errorf("the name of an attribute: %w", err)
	}
	a.name = string(name.text)
	if rest[0] == '{' {
		return a, a.nominal(rest)
	}
	word, _, _ := bytes.Cut(rest, []byte{' '})
	switch kind := strings.ToLower(string(trimBlanks(word))); kind {
	case "numeric", "real":
	case "integer":
		a.integer = true
	case "string", "date":
		a.kind = column.Text
	case "relational":
		return a, fmt.Errorf("attribute %q is relational, a table within the table, which is not read; save it flat", fault.Shorten(name.text))
	default:
		return a, fmt.Errorf("the type %q of attribute %q is not known; use one of numeric, real, integer, string, date and {a, b}", fault.Shorten(word), fault.Shorten(name.text))
	}
	return a, nil
}

// nominal reads the values of a nominal attribute.
func (a *arffAttribute) nominal(rest []byte) error {
	inner, ok := bytes.CutSuffix(rest[1:], []byte{'}'})
	if !ok {
		return errors.New("the values of the attribute do not end with }; mend the line")
	}
	a.kind, a.values = column.Text, make(map[string]bool)
	blanks := bytes.IndexByte(inner, ',') < 0
	for more := len(trimBlanks(inner)) > 0; more; {
		var c arffCell
		var err error
		if c, inner, more, err = cutARFF(inner, blanks); err != nil {
			return err
		}
		if len(a.values) == 0 {
			a.first = arffCell{text: bytes.Clone(c.text), quoted: true}
		}
		a.values[string(c.text)] = true
	}
	return nil
}
