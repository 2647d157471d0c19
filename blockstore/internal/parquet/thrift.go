package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The part of Thrift's compact protocol that is needed to skip values:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThriftDepth bounds the nesting of structures; Parquet needs about 8.
const maxThriftDepth = 32

// errThriftShort reports a truncated structure.
var errThriftShort = errors.New("the structure does not end")

// thriftLength returns the length of the structure at the start of b, without decoding it. The
// decoder of the library allocates lists before it reads their elements; this check limits such
// allocations to a multiple of len(b).
func thriftLength(b []byte) (int, error) {
	w := thriftWalk{b: b}
	err := w.structure(0)
	return w.pos, err
}

// thriftWalk is a position in a structure.
type thriftWalk struct {
	b   []byte
	pos int
}

// structure skips fields up to the stop byte.
func (w *thriftWalk) structure(depth int) error {
	if depth > maxThriftDepth {
		return errors.New("it is nested too deeply")
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field number follows
			if _, err := w.uvarint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
}

// value skips a field or an element of the Thrift compact protocol. It allocates nothing.
func (w *thriftWalk) value(kind byte, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := w.uvarint()
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftBinary:
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thriftList, thriftSet:
		return w.list(depth)
	case thriftMap:
		return w.pairs(depth)
	case thriftStruct:
		return w.structure(depth)
	}
	return fmt.Errorf("%d is no type of value", kind)
}

// list skips a list. Elements that are structures take at least 3 bytes in
// every structure of Parquet.
func (w *thriftWalk) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = w.uvarint(); err != nil {
			return err
		}
	}
	start := w.pos
	if err := w.elements(n, depth, head&15); err != nil {
		return err
	}
	if head&15 == thriftStruct && uint64(w.pos-start) < 3*n {
		return errors.New("a list of empty structures")
	}
	return nil
}

// pairs skips a map.
func (w *thriftWalk) pairs(depth int) error {
	n, err := w.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.byte()
	if err != nil {
		return err
	}
	return w.elements(n, depth, kinds>>4, kinds&15)
}

// elements skips n times one value of each kind.
func (w *thriftWalk) elements(n uint64, depth int, kinds ...byte) error {
	if n > uint64(len(w.b)-w.pos) { // each takes a byte at least
		return errThriftShort
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *thriftWalk) byte() (byte, error) {
	if w.pos >= len(w.b) {
		return 0, errThriftShort
	}
	w.pos++
	return w.b[w.pos-1], nil
}

func (w *thriftWalk) skip(n uint64) error {
	if n > uint64(len(w.b)-w.pos) {
		return errThriftShort
	}
	w.pos += int(n)
	return nil
}

func (w *thriftWalk) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.b[w.pos:])
	if n == 0 {
		return 0, errThriftShort
	}
	if n < 0 {
		return 0, errors.New("an integer is too long")
	}
	w.pos += n
	return v, nil
}
