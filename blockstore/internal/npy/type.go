package npy

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream/logical"
)

// valueType is the type of the values of an NPY file.
type valueType struct {
	column.NumberFormat
	descr string
	kind  byte // 'f' float, 'i' integer, 'u' unsigned integer, 'b' bool, 'U' text, 'S' bytes of text
	size  int  // bytes
	order binary.ByteOrder
}

// typeNames lists the supported types, without byte order.
const typeNames = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1"

// parseType parses a type such as "<f8". '|' and '=' mean native byte order.
func parseType(descr string) (valueType, error) {
	t := valueType{descr: descr, order: binary.NativeEndian}
	if len(descr) < 2 {
		return t, fmt.Errorf("the type %q is no NumPy type", descr)
	}
	order, name := descr[0], descr[1:]
	switch {
	case name[0] == 'O':
		return t, fault.New("the array holds Python objects, which only Python can read").WithRemedy("save it with a.astype(float)")
	case order == '<':
		t.order = binary.LittleEndian
	case order == '>':
		t.order = binary.BigEndian
	case order != '|' && order != '=':
		return t, fault.New("the type %q has no byte order", descr).WithRemedy("save the array with numpy.save")
	}
	switch name {
	case "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		t.kind, t.size = name[0], int(name[1]-'0')
		t.NumberFormat = t.numbers()
		return t, nil
	}
	if t.kind, t.size = name[0], textSize(name); t.size > 0 {
		return t, nil
	}
	return t, errType(descr)
}

// errType reports values of a type that is not numeric.
func errType(descr string) error {
	return fault.New("values of type %q are not read (%s are)", descr, typeNames).WithRemedy("save the array with a.astype(float)")
}

// numbers returns the number format of the values.
func (t valueType) numbers() column.NumberFormat {
	switch {
	case t.kind == 'i':
		return column.NumberFormat{Form: column.SignedForm, Bits: 8 * t.size}
	case t.kind != 'f':
		return column.NumberFormat{Form: column.UnsignedForm}
	case t.size == 2:
		return column.NumberFormat{Form: column.Float16Form}
	case t.size == 4:
		return column.NumberFormat{Form: column.Float32Form}
	}
	return column.NumberFormat{Form: column.Float64Form}
}

// column returns the kind of the columns of a matrix of such values.
func (t valueType) column() column.Kind {
	switch {
	case t.kind == 'f':
		return column.Number
	case t.isText():
		return column.Text
	}
	return column.Integer
}

// logicalType returns the logical type of the values.
func (t valueType) logicalType() logical.Type {
	bits := uint8(8 * t.size)
	switch t.kind {
	case 'f':
		return logical.Type{Class: logical.Float, Bits: bits}
	case 'i':
		return logical.Type{Class: logical.Int, Bits: bits}
	case 'u':
		return logical.Type{Class: logical.Uint, Bits: bits}
	case 'b':
		return logical.Type{Class: logical.Bool}
	}
	return logical.String
}

// values stores the values at the given offsets in the slots of a row. It returns the index of the
// first integer that float64 cannot represent, or -1.
func (t valueType) values(row []float64, slots []int, from []byte, offsets []int) int {
	switch {
	case t.kind == 'f' && t.size == 8 && t.order == binary.LittleEndian:
		for p, offset := range offsets {
			row[slots[p]] = math.Float64frombits(binary.LittleEndian.Uint64(from[offset:]))
		}
	case t.kind == 'f' && t.size == 4 && t.order == binary.LittleEndian:
		for p, offset := range offsets {
			row[slots[p]] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[offset:])))
		}
	default:
		for p, offset := range offsets {
			v, ok := t.Float(t.word(from[offset:]))
			if !ok {
				return p
			}
			row[slots[p]] = v
		}
	}
	return -1
}

// littleEndian reports whether this machine is little-endian.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// native reports whether values are float64 in native byte order.
func (t valueType) native() bool {
	return t.kind == 'f' && t.size == 8 && littleEndian == (t.order.Uint16([]byte{1, 0}) == 1)
}

// word returns the bits of the first value of p. A nonzero bool becomes 1.
func (t valueType) word(p []byte) uint64 {
	switch {
	case t.kind == 'b':
		return uint64(min(p[0], 1))
	case t.size == 1:
		return uint64(p[0])
	case t.size == 2:
		return uint64(t.order.Uint16(p))
	case t.size == 4:
		return uint64(t.order.Uint32(p))
	}
	return t.order.Uint64(p)
}
