package logical

import (
	"encoding/binary"
	"errors"
)

// A nested value is a string of bytes whose layout its type determines. A list of numbers takes at
// most a few bytes more than the numbers. The layout preserves every null and every bit:
//
//	struct     a validity of its members, then the members that are not null
//	list       its length, a validity of its elements, then those that are not null
//	map        its length, its keys, a validity of its values, then those that are not null
//	validity   the byte 0 if nothing is null; else the byte 1, and a bit for each value, lowest bit first
//	bool       one byte
//	numbers    integers and floats in their width, least significant byte first; a float16 is a float32
//	times      dates, times, timestamps and durations in 8 bytes
//	others     a length, and the bytes of text, of a UUID, of the unscaled integer of a decimal
//
// Lengths are unsigned varints.

// AppendCount appends the length of a list or map.
func AppendCount(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

// AppendValidity appends a validity of n values; valid reports whether value i is not null.
func AppendValidity(b []byte, n int, valid func(i int) bool) []byte {
	at := len(b)
	b = append(b, 0)
	for i := range n {
		if valid(i) {
			continue
		}
		if b[at] == 0 {
			b[at] = 1
			for k := 0; k < n; k += 8 {
				b = append(b, 0xff)
			}
		}
		b[at+1+i>>3] &^= 1 << (i & 7)
	}
	return b
}

// AppendWord appends the bits of a value of a fixed-width type.
func AppendWord(b []byte, t Type, word uint64) []byte {
	switch t.width() {
	case 1:
		return append(b, byte(word))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(word))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(word))
	}
	return binary.LittleEndian.AppendUint64(b, word)
}

// AppendBytes appends a value of a variable-width type.
func AppendBytes(b []byte, value string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}

// width returns the size in bytes of numbers and times, 0 for other types.
func (t Type) width() int {
	switch t.Class {
	case Bool:
		return 1
	case Int, Uint:
		return int(t.Bits) / 8
	case Float:
		return max(4, int(t.Bits)/8)
	case Date, Time, Timestamp, Duration:
		return 8
	}
	return 0
}

// Cursor decodes a nested value from front to back. Missing parts of a damaged value read as zero,
// and Err reports them.
type Cursor struct {
	rest    string
	damaged bool
}

// NewCursor returns a cursor at the start of a value.
func NewCursor(value string) Cursor { return Cursor{rest: value} }

var errValue = errors.New("a nested value is damaged")

// Err returns an error if the value is damaged, or if anything is left after it. Call it at the end
// of the value.
func (c *Cursor) Err() error {
	if c.damaged || c.rest != "" {
		return errValue
	}
	return nil
}

// take returns the next n bytes.
func (c *Cursor) take(n int) string {
	if n < 0 || n > len(c.rest) {
		c.rest, c.damaged = "", true
		return ""
	}
	taken := c.rest[:n]
	c.rest = c.rest[n:]
	return taken
}

// uvarint reads an unsigned varint of at most 32 bits.
func (c *Cursor) uvarint() int {
	v := uint64(0)
	for i := 0; i < min(5, len(c.rest)); i++ {
		b := c.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.rest = c.rest[i+1:]
			return int(v)
		}
	}
	c.take(-1)
	return 0
}

// Count reads the length of a list or map. It rejects lengths with less than one bit per element.
func (c *Cursor) Count() int {
	n := c.uvarint()
	if n > 8*len(c.rest) {
		c.take(-1)
		return 0
	}
	return n
}

// Validity records which values are not null.
type Validity struct{ bits string }

// All reports whether no value is null.
func (v Validity) All() bool { return v.bits == "" }

// Has reports whether value i is not null.
func (v Validity) Has(i int) bool { return v.bits == "" || v.bits[i>>3]>>(i&7)&1 != 0 }

// Validity reads a validity of n values.
func (c *Cursor) Validity(n int) Validity {
	if c.take(1) != "\x01" {
		return Validity{}
	}
	return Validity{c.take((n + 7) / 8)}
}

// Word reads the bits of a value of a fixed-width type. Signed integers are sign-extended.
func (c *Cursor) Word(t Type) uint64 {
	size := t.width()
	s := c.take(size)
	v := uint64(0)
	switch len(s) {
	case 4:
		v = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
	case 8:
		v = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	default:
		for i := range len(s) {
			v |= uint64(s[i]) << (8 * i)
		}
	}
	if t.Class == Int {
		shift := 64 - 8*size
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

// Bytes reads a value of a variable-width type.
func (c *Cursor) Bytes() string { return c.take(c.uvarint()) }

// Check returns an error unless value is a valid value of the nested type t.
func Check(t Type, value string) error {
	c := NewCursor(value)
	c.skip(t)
	return c.Err()
}

// skip skips a value of type t.
func (c *Cursor) skip(t Type) {
	switch t.Class {
	case Struct:
		valid := c.Validity(len(t.Members))
		for i, m := range t.Members {
			if valid.Has(i) {
				c.skip(m.Type)
			}
		}
	case List:
		n := c.Count()
		if t.Size > 0 && n != int(t.Size) {
			c.take(-1)
		}
		c.skipAll(t.Members[0].Type, n)
	case Map:
		n := c.Count()
		for range n {
			c.skip(t.Members[0].Type)
		}
		c.skipAll(t.Members[1].Type, n)
	default:
		if t.width() > 0 {
			c.take(t.width())
		} else if !t.fits(len(c.Bytes())) {
			c.take(-1)
		}
	}
}

// fits reports whether a variable-width value may have the given number of bytes.
func (t Type) fits(bytes int) bool {
	switch t.Class {
	case UUID:
		return bytes == 16
	case Decimal:
		return bytes <= 32
	}
	return t.Size == 0 || bytes == int(t.Size)
}

// skipAll skips a validity and its n values.
func (c *Cursor) skipAll(t Type, n int) {
	valid := c.Validity(n)
	for i := 0; i < n && !c.damaged; i++ {
		if valid.Has(i) {
			c.skip(t)
		}
	}
}
