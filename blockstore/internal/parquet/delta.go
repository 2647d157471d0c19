package parquet

import (
	"encoding/binary"
	"errors"
)

// delta decodes DELTA_BINARY_PACKED integers:
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#DELTAENC
//
//	block size, miniblocks per block, number of values, first value
//	blocks of: smallest delta, bit widths of the miniblocks, miniblocks
type delta struct {
	data    []byte
	pos     int
	total   int // number of values in the header
	left    int // values not yet decoded
	mini    int // values per miniblock
	minis   int // miniblocks per block
	first   bool
	last    uint64
	least   uint64
	widths  []byte // of the remaining miniblocks of this block
	inMini  int    // values left in the miniblock
	width   int
	bit     int // position of the next one, in bits from data[pos]
	miniEnd int
}

var errDelta = errors.New("the header of the delta encoding is damaged")

// newDelta parses the header of DELTA_BINARY_PACKED data (Parquet format, Encodings): block size, miniblocks of a
// block, number of values and first value. The limits keep a hostile header from claiming more.
func newDelta(data []byte) (*delta, error) {
	d := &delta{data: data, first: true}
	block, err := d.uvarint(1 << 20)
	if err != nil {
		return nil, err
	}
	if d.minis, err = d.uvarint(block); err != nil {
		return nil, err
	}
	if d.total, err = d.uvarint(1 << 31); err != nil {
		return nil, err
	}
	// Miniblocks of a multiple of 8 values end at a byte. The specification asks for multiples of 32.
	if block == 0 || d.minis == 0 || block%d.minis != 0 || block/d.minis%8 != 0 {
		return nil, errDelta
	}
	d.mini = block / d.minis
	d.left = d.total
	d.last, err = d.zigzag()
	return d, err
}

// decode fills dst with the next values, as 64-bit two's complement.
func (d *delta) decode(dst []uint64) error {
	if len(dst) > d.left {
		return errShortValues
	}
	d.left -= len(dst)
	if d.first && len(dst) > 0 {
		d.first = false
		dst[0] = d.last
		dst = dst[1:]
	}
	for len(dst) > 0 {
		if d.inMini == 0 {
			if err := d.nextMini(); err != nil {
				return err
			}
		}
		n := min(d.inMini, len(dst))
		if (d.bit+n*d.width+7)/8 > d.miniEnd-d.pos {
			return errShortValues
		}
		d.unpack(dst[:n])
		dst = dst[n:]
	}
	return nil
}

// unpack decodes values of one miniblock.
func (d *delta) unpack(dst []uint64) {
	for i := range dst {
		d.last += d.least + bitsAt(d.data[d.pos:], d.bit, d.width)
		d.bit += d.width
		dst[i] = d.last
	}
	d.inMini -= len(dst)
}

// bitsAt reads width bits, at most 64, at a bit position.
func bitsAt(b []byte, bit, width int) uint64 {
	if width == 0 {
		return 0
	}
	i, shift := bit>>3, bit&7
	v := load64(b, i) >> shift
	if shift+width > 64 && i+8 < len(b) {
		v |= uint64(b[i+8]) << (64 - shift)
	}
	return v << (64 - width) >> (64 - width)
}

// nextMini starts the next miniblock. It reads a block header before the first one of a block.
func (d *delta) nextMini() error {
	d.pos = max(d.pos, d.miniEnd)
	if len(d.widths) == 0 {
		if err := d.nextBlock(); err != nil {
			return err
		}
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errDelta
	}
	d.inMini, d.bit = d.mini, 0
	d.miniEnd = min(d.pos+d.mini*d.width/8, len(d.data))
	return nil
}

// nextBlock parses a block header.
func (d *delta) nextBlock() (err error) {
	if d.least, err = d.zigzag(); err != nil {
		return err
	}
	if len(d.data)-d.pos < d.minis {
		return errShortValues
	}
	d.widths = d.data[d.pos : d.pos+d.minis]
	d.pos += d.minis
	return nil
}

// rest returns the bytes after the values, once all of them are decoded.
func (d *delta) rest() []byte { return d.data[max(d.pos, d.miniEnd):] }

// uvarint reads an unsigned integer up to limit.
func (d *delta) uvarint(limit int) (int, error) {
	v, n := binary.Uvarint(d.data[d.pos:])
	if n <= 0 || v > uint64(limit) {
		return 0, errDelta
	}
	d.pos += n
	return int(v), nil
}

// zigzag reads a signed integer.
func (d *delta) zigzag() (uint64, error) {
	v, n := binary.Varint(d.data[d.pos:])
	if n <= 0 {
		return 0, errDelta
	}
	d.pos += n
	return uint64(v), nil
}
