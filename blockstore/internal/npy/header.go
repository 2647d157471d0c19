package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 64 << 10
)

// Header is the header of an NPY array.
type Header struct {
	dtype   valueType
	fortran bool
	Shape   []int64
	size    int64 // of the header: the offset of the numbers
}

// ReadHeader reads the header of an NPY array and leaves r at its numbers.
func ReadHeader(r io.Reader) (Header, error) {
	text, size, err := headerText(r)
	if err != nil {
		return Header{}, err
	}
	p := parser{rest: text}
	head, err := p.header()
	head.size = size
	if err != nil {
		err = fault.New("the NPY header cannot be used: %w", err)
	}
	return head, err
}

// PlainKind returns the kind of the values, 'f' or 'i', if they have 8 bytes, in little-endian and
// C order; otherwise 0.
func (h Header) PlainKind() byte {
	if h.fortran || h.dtype.size != 8 || h.dtype.order != binary.LittleEndian || h.dtype.kind != 'f' && h.dtype.kind != 'i' {
		return 0
	}
	return h.dtype.kind
}

// CheckSize compares the size of the file of a vector or a matrix with the header.
func (h Header) CheckSize(file int64) error {
	m := layout{head: h, count: h.Shape[0], width: 1}
	if len(h.Shape) == 2 {
		m.width = h.Shape[1]
	}
	return m.checkSize(file)
}

// CheckNumbers returns an error for an array of texts.
func (h Header) CheckNumbers() error {
	if h.dtype.isText() {
		return errType(h.dtype.descr)
	}
	return nil
}

// headerText returns the text of the header, and its size including the preamble.
func headerText(r io.Reader) (text string, size int64, err error) {
	var fixed [12]byte
	if err := readHead(r, fixed[:10]); err != nil && err != errEnds {
		return "", 0, err
	} else if err != nil || string(fixed[:6]) != magic {
		return "", 0, fault.New("the file does not begin like an NPY file").
			WithRemedy("is it another format, or cut short?")
	}
	size, length := 10, int64(binary.LittleEndian.Uint16(fixed[8:]))
	switch version := fixed[6]; {
	case version == 2 || version == 3:
		if err := readHead(r, fixed[10:]); err != nil {
			return "", 0, err
		}
		size, length = 12, int64(binary.LittleEndian.Uint32(fixed[8:]))
	case version != 1:
		return "", 0, fmt.Errorf("NPY version %d is not known, 1 to 3 are", version)
	}
	if length > maxHeader {
		return "", 0, fault.New("the NPY header has %d bytes, more than %d: it is damaged, or no plain array", length, maxHeader).
			WithKind(stream.Damaged).WithRemedy("make or fetch the file again")
	}
	p := make([]byte, length)
	if err := readHead(r, p); err != nil {
		return "", 0, err
	}
	return string(p), size + length, nil
}

var errEnds = errors.New("the file ends within its header")

// readHead fills p with the next bytes of the header.
func readHead(r io.Reader, p []byte) error {
	switch _, err := io.ReadFull(r, p); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errEnds
	case err != nil:
		return fault.New("reading its header: %w", err)
	}
	return nil
}

// parser parses the text of a header, a Python dictionary with the grammar
//
//	header = "{" [ entry { "," entry } [ "," ] ] "}"
//	entry  = "'descr'" ":" string | "'fortran_order'" ":" ("True" | "False")
//	       | "'shape'" ":" "(" [ number { "," number } [ "," ] ] ")"
//
// with blanks between any two symbols, and each entry exactly once.
type parser struct {
	rest string
}

// header parses the whole text.
func (p *parser) header() (head Header, err error) {
	if err := p.expect("{"); err != nil {
		return head, err
	}
	seen := map[string]bool{}
	for !p.accept("}") {
		key, err := p.quoted()
		if err == nil && seen[key] {
			err = fmt.Errorf("%q appears twice", key)
		}
		if err == nil {
			err = p.entry(key, &head)
		}
		if err != nil {
			return head, err
		}
		seen[key] = true
		if !p.accept(",") && !strings.HasPrefix(p.rest, "}") {
			return head, p.unexpected()
		}
	}
	if p.skip(); p.rest != "" {
		return head, p.unexpected()
	}
	if len(seen) != 3 {
		return head, errors.New("one of descr, fortran_order and shape is missing")
	}
	return head, nil
}

// entry parses the value of a key.
func (p *parser) entry(key string, head *Header) (err error) {
	if err := p.expect(":"); err != nil {
		return err
	}
	switch key {
	case "descr":
		head.dtype, err = p.descr()
	case "fortran_order":
		head.fortran = p.accept("True")
		if !head.fortran {
			err = p.expect("False")
		}
	case "shape":
		head.Shape, err = p.shape()
	default:
		err = fmt.Errorf("%q is not known", key)
	}
	return err
}

// descr parses the type of the values.
func (p *parser) descr() (valueType, error) {
	if p.accept("[") {
		return valueType{}, fault.New("the array has named fields").WithRemedy("save its numbers with numpy.lib.recfunctions.structured_to_unstructured")
	}
	text, err := p.quoted()
	if err != nil {
		return valueType{}, err
	}
	return parseType(text)
}

// shape parses a tuple of sizes.
func (p *parser) shape() (shape []int64, err error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for !p.accept(")") {
		n, err := p.number()
		if err != nil {
			return nil, err
		}
		shape = append(shape, n)
		if !p.accept(",") && !strings.HasPrefix(p.rest, ")") {
			return nil, p.unexpected()
		}
	}
	return shape, nil
}

// number parses a size. Python 2 appends an L to large ones.
func (p *parser) number() (int64, error) {
	p.skip()
	end := strings.IndexFunc(p.rest, func(c rune) bool { return c < '0' || c > '9' })
	if end <= 0 {
		return 0, p.unexpected()
	}
	n, err := strconv.ParseInt(p.rest[:end], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the size %s is out of range", p.rest[:end])
	}
	p.rest = strings.TrimPrefix(p.rest[end:], "L")
	p.skip()
	return n, nil
}

// quoted parses a string in single or double quotes, without escapes.
func (p *parser) quoted() (string, error) {
	p.skip()
	for _, quote := range []string{"'", `"`} {
		if after, ok := strings.CutPrefix(p.rest, quote); ok {
			text, rest, found := strings.Cut(after, quote)
			if !found || strings.ContainsAny(text, "\\\n") {
				return "", p.unexpected()
			}
			p.rest = rest
			return text, nil
		}
	}
	return "", p.unexpected()
}

// skip skips blanks.
func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept skips a symbol, with blanks around it, if it comes next.
func (p *parser) accept(symbol string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, symbol)
	if p.rest = rest; ok {
		p.skip()
	}
	return ok
}

// expect skips a symbol that must come next.
func (p *parser) expect(symbol string) error {
	if !p.accept(symbol) {
		return p.unexpected()
	}
	return nil
}

// unexpected reports a syntax error at the current position.
func (p *parser) unexpected() error {
	return fmt.Errorf("%q is not expected", fault.Shorten([]byte(p.rest)))
}

// HeaderBytes returns the header of a float64 (or int64) array in C order. Sizes are padded, so
// that the header of a matrix has the same length for any number of rows and can be corrected
// later.
func HeaderBytes(descr string, shape ...int64) []byte {
	const digits = 19 // of the largest int64
	var sizes strings.Builder
	spare := 0
	for i, n := range shape {
		text := strconv.FormatInt(n, 10)
		sizes.WriteString(text + ",")
		if i == 0 {
			spare = digits - len(text)
		}
		if i+1 < len(shape) {
			sizes.WriteByte(' ')
		}
	}
	tuple := sizes.String()
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	length := len(magic) + 4 + len(text) + spare + 1
	padding := spare + (64-length%64)%64
	head := append([]byte(magic), 1, 0, 0, 0)
	binary.LittleEndian.PutUint16(head[8:], uint16(len(text)+padding+1))
	return append(append(append(head, text...), strings.Repeat(" ", padding)...), '\n')
}
