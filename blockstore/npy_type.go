package blockstore

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// npyType is the type of the values of an NPY file.
type npyType struct {
	kind  byte // 'f' float, 'i' integer, 'u' unsigned integer, 'b' bool
	size  int  // bytes
	order binary.ByteOrder
}

// npyTypes are the types that are read, without their byte order.
const npyTypes = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1"

// parseNPYType reads a type such as "<f8". '|' and '=' stand for the order of
// the machine.
func parseNPYType(descr string) (npyType, error) {
	t := npyType{order: binary.NativeEndian}
	if len(descr) < 2 {
		return t, fmt.Errorf("the type %q is no NumPy type", descr)
	}
	order, name := descr[0], descr[1:]
	switch {
	case name[0] == 'O':
		return t, fmt.Errorf("the array holds Python objects, which only Python can read; save it with a.astype(float)")
	case order == '<':
		t.order = binary.LittleEndian
	case order == '>':
		t.order = binary.BigEndian
	case order != '|' && order != '=':
		return t, fmt.Errorf("the type %q has no byte order; save the array with numpy.save", descr)
	}
	switch name {
	case "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		t.kind, t.size = name[0], int(name[1]-'0')
		return t, nil
	}
	return t, fmt.Errorf("values of type %q are not read (%s are); save the array with a.astype(float)", descr, npyTypes)
}

// values reads the values at the given offsets into row.
func (t npyType) values(row []float64, from []byte, offsets []int) {
	switch {
	case t.kind == 'f' && t.size == 8 && t.order == binary.LittleEndian:
		for p, offset := range offsets {
			row[p] = math.Float64frombits(binary.LittleEndian.Uint64(from[offset:]))
		}
	case t.kind == 'f' && t.size == 4 && t.order == binary.LittleEndian:
		for p, offset := range offsets {
			row[p] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[offset:])))
		}
	default:
		for p, offset := range offsets {
			row[p] = t.value(from[offset:])
		}
	}
}

// bits reads the bits of the first value of p.
func (t npyType) bits(p []byte) uint64 {
	switch t.size {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(t.order.Uint16(p))
	case 4:
		return uint64(t.order.Uint32(p))
	}
	return t.order.Uint64(p)
}

// value reads the first value of p.
func (t npyType) value(p []byte) float64 {
	if t.kind == 'f' {
		return t.float(t.bits(p))
	}
	if v, ok := t.integer(p); ok {
		return float64(v)
	}
	return float64(t.bits(p))
}

// float makes a number of the bits of a float.
func (t npyType) float(b uint64) float64 {
	switch t.size {
	case 2:
		return halfFloat(uint16(b))
	case 4:
		return float64(math.Float32frombits(uint32(b)))
	}
	return math.Float64frombits(b)
}

// integer reads the first value of p, an integer or a bool; false if it is
// beyond the largest int64.
func (t npyType) integer(p []byte) (int64, bool) {
	b := t.bits(p)
	switch t.kind {
	case 'b':
		return int64(min(b, 1)), true
	case 'i':
		shift := 64 - 8*t.size
		return int64(b) << shift >> shift, true
	}
	return int64(b), b <= math.MaxInt64
}

// text writes the first value of p, an integer, in decimal.
func (t npyType) text(p []byte) string {
	if v, ok := t.integer(p); ok {
		return strconv.FormatInt(v, 10)
	}
	return strconv.FormatUint(t.bits(p), 10)
}

// halfFloat widens an IEEE 754 binary16 number.
func halfFloat(h uint16) float64 {
	exponent, fraction := int(h>>10&0x1f), float64(h&0x3ff)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 0x1f && fraction == 0:
		v = math.Inf(1)
	case exponent == 0x1f:
		v = nan
	}
	if h>>15 == 1 {
		v = -v
	}
	return v
}
