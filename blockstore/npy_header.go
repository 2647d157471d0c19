package blockstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	npyMagic     = "\x93NUMPY"
	maxNPYHeader = 64 << 10
)

// npyHeader is what stands before the numbers of an NPY array.
type npyHeader struct {
	dtype   npyType
	fortran bool
	shape   []int64
	size    int64 // of the header: where the numbers begin
}

// readNPYHeader reads the header of an NPY array and leaves r at the numbers.
func readNPYHeader(r io.Reader) (npyHeader, error) {
	text, size, err := npyHeaderText(r)
	if err != nil {
		return npyHeader{}, err
	}
	p := npyParser{rest: text}
	head, err := p.header()
	head.size = size
	if err != nil {
		err = fmt.Errorf("the NPY header cannot be used: %w", err)
	}
	return head, err
}

// plainKind is the kind of the values, 'f' or 'i', if they have 8 bytes each,
// least significant first, in C order; otherwise 0.
func (h npyHeader) plainKind() byte {
	if h.fortran || h.dtype.size != 8 || h.dtype.order != binary.LittleEndian || h.dtype.kind != 'f' && h.dtype.kind != 'i' {
		return 0
	}
	return h.dtype.kind
}

// checkSize compares the size of the file of a vector or a matrix with what the
// header promises.
func (h npyHeader) checkSize(file int64) error {
	m := npyMatrix{head: h, count: h.shape[0], width: 1}
	if len(h.shape) == 2 {
		m.width = h.shape[1]
	}
	return m.checkSize(file)
}

// npyHeaderText reads the text of the header, and its size with all before it.
func npyHeaderText(r io.Reader) (text string, size int64, err error) {
	var fixed [12]byte
	if _, err := io.ReadFull(r, fixed[:10]); err != nil || string(fixed[:6]) != npyMagic {
		return "", 0, errors.New("the file does not begin like an NPY file; is it another format, or cut short?")
	}
	size, length := 10, int64(binary.LittleEndian.Uint16(fixed[8:]))
	switch version := fixed[6]; {
	case version == 2 || version == 3:
		if _, err := io.ReadFull(r, fixed[10:]); err != nil {
			return "", 0, errors.New("the file ends within its header")
		}
		size, length = 12, int64(binary.LittleEndian.Uint32(fixed[8:]))
	case version != 1:
		return "", 0, fmt.Errorf("NPY version %d is not known, 1 to 3 are", version)
	}
	if length > maxNPYHeader {
		return "", 0, fmt.Errorf("the NPY header has %d bytes, more than %d; the file is damaged or no plain array", length, maxNPYHeader)
	}
	p := make([]byte, length)
	if _, err := io.ReadFull(r, p); err != nil {
		return "", 0, errors.New("the file ends within its header")
	}
	return string(p), size + length, nil
}

// npyParser reads the text of a header, a Python dictionary of this grammar:
//
//	header = "{" [ entry { "," entry } [ "," ] ] "}"
//	entry  = "'descr'" ":" string | "'fortran_order'" ":" ("True" | "False")
//	       | "'shape'" ":" "(" [ number { "," number } [ "," ] ] ")"
//
// with blanks between any two symbols, and each entry exactly once.
type npyParser struct {
	rest string
}

// header reads the whole text.
func (p *npyParser) header() (head npyHeader, err error) {
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

// entry reads what follows a key.
func (p *npyParser) entry(key string, head *npyHeader) (err error) {
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
		head.shape, err = p.shape()
	default:
		err = fmt.Errorf("%q is not known", key)
	}
	return err
}

// descr reads the type of the values.
func (p *npyParser) descr() (npyType, error) {
	if p.accept("[") {
		return npyType{}, errors.New("the array has named fields; save its numbers with numpy.lib.recfunctions.structured_to_unstructured")
	}
	text, err := p.quoted()
	if err != nil {
		return npyType{}, err
	}
	return parseNPYType(text)
}

// shape reads a tuple of sizes.
func (p *npyParser) shape() (shape []int64, err error) {
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

// number reads a size. Python 2 wrote an L behind large ones.
func (p *npyParser) number() (int64, error) {
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

// quoted reads a string in single or double quotes, without escapes.
func (p *npyParser) quoted() (string, error) {
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

// skip passes over blanks.
func (p *npyParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept passes over a symbol, and the blanks around it, if it comes next.
func (p *npyParser) accept(symbol string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, symbol)
	if p.rest = rest; ok {
		p.skip()
	}
	return ok
}

// expect passes over a symbol that must come next.
func (p *npyParser) expect(symbol string) error {
	if !p.accept(symbol) {
		return p.unexpected()
	}
	return nil
}

// unexpected says where the text leaves the grammar.
func (p *npyParser) unexpected() error {
	return fmt.Errorf("%q is not expected", shorten([]byte(p.rest)))
}

// npyHeaderBytes writes the header of a float64 (or int64) array in C order.
// Sizes are padded so that the header of a matrix has the same length whatever
// its number of rows: it can be corrected when the rows are counted.
func npyHeaderBytes(descr string, shape ...int64) []byte {
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
	length := len(npyMagic) + 4 + len(text) + spare + 1
	padding := spare + (64-length%64)%64
	head := append([]byte(npyMagic), 1, 0, 0, 0)
	binary.LittleEndian.PutUint16(head[8:], uint16(len(text)+padding+1))
	return append(append(append(head, text...), strings.Repeat(" ", padding)...), '\n')
}
