package arrow

import (
	"encoding/binary"
	"fmt"
)

// flatTable is a table of a FlatBuffer, the encoding of Arrow metadata:
// https://flatbuffers.dev/internals. Positions outside the bytes panic; callers are guarded.
type flatTable struct {
	b   []byte
	pos int
}

// flatRoot returns the root table of b.
func flatRoot(b []byte) flatTable {
	return flatTable{b, int(binary.LittleEndian.Uint32(b))}
}

// at returns the position of field i, or 0 if it is absent.
func (t flatTable) at(i int) int {
	fields := t.pos - int(int32(binary.LittleEndian.Uint32(t.b[t.pos:])))
	slot := 4 + 2*i
	if slot+2 > int(binary.LittleEndian.Uint16(t.b[fields:])) {
		return 0
	}
	offset := int(binary.LittleEndian.Uint16(t.b[fields+slot:]))
	if offset == 0 {
		return 0
	}
	return t.pos + offset
}

// int64 returns field i, 0 if it is absent.
func (t flatTable) int64(i int) int64 {
	if at := t.at(i); at > 0 {
		return int64(binary.LittleEndian.Uint64(t.b[at:]))
	}
	return 0
}

// int16 returns field i, 0 if it is absent.
func (t flatTable) int16(i int) int {
	if at := t.at(i); at > 0 {
		return int(int16(binary.LittleEndian.Uint16(t.b[at:])))
	}
	return 0
}

// byte returns field i, 0 if it is absent.
func (t flatTable) byte(i int) byte {
	if at := t.at(i); at > 0 {
		return t.b[at]
	}
	return 0
}

// table returns the table in field i.
func (t flatTable) table(i int) (flatTable, bool) {
	at := t.at(i)
	if at == 0 {
		return flatTable{}, false
	}
	return flatTable{t.b, at + int(binary.LittleEndian.Uint32(t.b[at:]))}, true
}

// vector returns the vector in field i, whose elements have size bytes.
func (t flatTable) vector(i, size int) flatVector {
	at := t.at(i)
	if at == 0 {
		return flatVector{}
	}
	at += int(binary.LittleEndian.Uint32(t.b[at:]))
	n := int(binary.LittleEndian.Uint32(t.b[at:]))
	at += 4
	if n > (len(t.b)-at)/size {
		panic(fmt.Sprintf("a vector of %d elements in %d bytes", n, len(t.b)-at))
	}
	return flatVector{t.b, at, n, size}
}

// flatVector is a vector of a FlatBuffer.
type flatVector struct {
	b       []byte
	at      int
	n, size int
}

// int64 returns the integer at a byte offset in element k.
func (v flatVector) int64(k, offset int) int64 {
	return int64(binary.LittleEndian.Uint64(v.b[v.at+k*v.size+offset:]))
}

// table returns element k of a vector of tables.
func (v flatVector) table(k int) flatTable {
	at := v.at + k*v.size
	return flatTable{v.b, at + int(binary.LittleEndian.Uint32(v.b[at:]))}
}
