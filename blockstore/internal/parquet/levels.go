package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// errShortValues reports that a page has fewer values than its header states.
var errShortValues = errors.New("the page ends before its values do")

// hybrid decodes the mix of run-length encoding and bit packing that Parquet uses for levels,
// dictionary indexes and booleans:
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
type hybrid struct {
	data   []byte
	pos    int
	width  uint
	run    int    // values left in the run
	value  uint32 // value of the run
	packed int    // values left in the packed sequence
	bit    int    // position of the next one, in bits from data[pos]
	next   int    // end of the packed sequence
}

// newHybrid returns a decoder of values of width bits, at most 32.
func newHybrid(data []byte, width uint) hybrid { return hybrid{data: data, width: width} }

// levelWidth returns the bit width of levels up to maximum.
func levelWidth(maximum int) uint { return uint(bits.Len(uint(maximum))) }

// decodeHybrid fills dst with the next values.
func decodeHybrid[T uint8 | uint32](h *hybrid, dst []T) error {
	for len(dst) > 0 {
		switch {
		case h.run > 0:
			n := min(h.run, len(dst))
			for i := range dst[:n] {
				dst[i] = T(h.value)
			}
			h.run -= n
			dst = dst[n:]
		case h.packed > 0:
			n := min(h.packed, len(dst))
			unpackHybrid(h, dst[:n])
			h.packed -= n
			dst = dst[n:]
		default:
			if err := h.nextRun(); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpackHybrid decodes values of a packed sequence.
func unpackHybrid[T uint8 | uint32](h *hybrid, dst []T) {
	mask := uint64(1)<<h.width - 1
	bit := h.bit
	for i := range dst {
		dst[i] = T(load64(h.data, h.pos+bit>>3) >> (bit & 7) & mask)
		bit += int(h.width)
	}
	h.bit = bit
}

// nextRun parses the header of a run (Parquet format, Encodings, RLE/bit-packing hybrid): an odd one counts groups of 8
// packed values, an even one repetitions of a value. A truncated packed sequence holds the values that are complete.
func (h *hybrid) nextRun() error {
	h.pos = max(h.pos, h.next)
	head, n := binary.Uvarint(h.data[h.pos:])
	if n <= 0 || head>>1 > 1<<40 {
		return errShortValues
	}
	h.pos += n
	count, rest := int(head>>1), len(h.data)-h.pos
	if head&1 == 0 {
		size := int(h.width+7) / 8
		if size > rest {
			return errShortValues
		}
		h.value = uint32(load64(h.data, h.pos) & (1<<(8*size) - 1))
		h.run = count
		h.pos += size
		h.next = h.pos
		return nil
	}
	size := count * int(h.width)
	h.packed = count * 8
	if size > rest {
		size = rest
		h.packed = rest * 8 / int(h.width)
		if h.packed == 0 {
			return errShortValues
		}
	}
	h.bit = 0
	h.next = h.pos + size
	return nil
}

// load64 reads 8 bytes from b[i:], padded with zeros.
func load64(b []byte, i int) uint64 {
	if len(b)-i >= 8 {
		return binary.LittleEndian.Uint64(b[i:])
	}
	var v uint64
	for k := len(b) - 1; k >= i; k-- {
		v = v<<8 | uint64(b[k])
	}
	return v
}
