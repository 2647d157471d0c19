package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// wordDecoder decodes the non-null values of one page as words.
type wordDecoder interface {
	// words fills dst with the next values, or fails if there are fewer.
	words(dst []uint64) error
}

// numberDecoder is a wordDecoder that can store numbers directly, and skip values.
type numberDecoder interface {
	wordDecoder
	// numbers stores the next n values in dst[0], dst[stride], dst[2*stride] and so on. It returns
	// false, and consumes nothing, if words are needed: for values without a column.NumberFormat,
	// and for integers that float64 cannot represent.
	numbers(f column.NumberFormat, dst []float64, stride, n int) (bool, error)
	// skip skips the next n values.
	skip(n int) error
}

// newWordDecoder returns a decoder of the values in data. size is the size of a value, 0 for
// booleans.
func newWordDecoder(e format.Encoding, data []byte, size int, dict *dictionary) (wordDecoder, error) {
	switch {
	case e == format.Plain && size == 0:
		return &plainBits{data: data}, nil
	case e == format.Plain:
		return &plainWords{data: data, size: size}, nil
	case e == format.ByteStreamSplit && size > 0:
		return newSplitWords(data, size)
	case e == format.RLE && size == 0:
		return newRunBits(data)
	case e == format.DeltaBinaryPacked && (size == 4 || size == 8):
		d, err := newDelta(data)
		return &deltaWords{delta: d, narrow: size == 4}, err
	case isDictionary(e):
		indexes, err := newIndexes(data)
		return &dictWords{indexes: indexes, dictionary: dict}, err
	}
	return nil, fault.New("the encoding %s is not supported for this type", nameOf(e)).
		WithRemedy("write the file with another")
}

// isDictionary reports whether values are indexes into a dictionary. Old writers use another name
// for it.
func isDictionary(e format.Encoding) bool {
	return e == format.RLEDictionary || e == plainDictionary
}

// plainDictionary is PLAIN_DICTIONARY, which version 2 of the format split into
// PLAIN for dictionaries and RLE_DICTIONARY for pages.
const plainDictionary format.Encoding = 2

// plainWords decodes consecutive little-endian values.
type plainWords struct {
	data []byte
	size int
}

func (p *plainWords) words(dst []uint64) error {
	n := len(dst) * p.size
	if n > len(p.data) {
		return errShortValues
	}
	if p.size == int96Size {
		return p.moments(dst)
	}
	column.ReadWords(dst, p.data, p.size)
	p.data = p.data[n:]
	return nil
}

// int96Size is the size of a timestamp of Hive and Impala: 8 bytes of nanoseconds in the day, and 4
// bytes of the Julian day.
const int96Size = 12

// moments decodes 96-bit timestamps as nanoseconds since 1970.
func (p *plainWords) moments(dst []uint64) error {
	const epoch, dayLength = 2440588, 24 * 60 * 60 * int64(1e9)
	for i := range dst {
		rest, day := int64(binary.LittleEndian.Uint64(p.data)), int64(int32(binary.LittleEndian.Uint32(p.data[8:])))-epoch
		if rest < 0 || rest > dayLength {
			return fmt.Errorf("a timestamp of %d ns since midnight", rest)
		}
		if day < math.MinInt64/dayLength || day >= math.MaxInt64/dayLength {
			return fault.New("the timestamp %s in nanoseconds does not fit 64 bits, which hold the years 1678 to 2261", time.Unix(day*(24*60*60), rest).UTC().Format(time.RFC3339Nano)).
				WithRemedy("leave the column out, or write it in microseconds")
		}
		dst[i] = uint64(day*dayLength + rest)
		p.data = p.data[int96Size:]
	}
	return nil
}

func (p *plainWords) numbers(f column.NumberFormat, dst []float64, stride, n int) (bool, error) {
	if p.size == int96Size {
		return false, nil
	}
	if n*p.size > len(p.data) {
		return false, errShortValues
	}
	if f.Place(dst, stride, n, p.data, p.size) >= 0 {
		return false, nil
	}
	p.data = p.data[n*p.size:]
	return true, nil
}

func (p *plainWords) skip(values int) error {
	n := values * p.size
	if n > len(p.data) {
		return errShortValues
	}
	p.data = p.data[n:]
	return nil
}

// plainBits decodes booleans, eight to a byte.
type plainBits struct {
	data []byte
	pos  int
}

func (p *plainBits) words(dst []uint64) error {
	if p.pos+len(dst) > 8*len(p.data) {
		return errShortValues
	}
	column.ReadBits(dst, p.data, p.pos)
	p.pos += len(dst)
	return nil
}

// splitWords decodes BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones, ...
type splitWords struct {
	data           []byte
	size, pos, all int
}

func newSplitWords(data []byte, size int) (*splitWords, error) {
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no multiple of the %d bytes of a value", len(data), size)
	}
	return &splitWords{data: data, size: size, all: len(data) / size}, nil
}

func (p *splitWords) words(dst []uint64) error {
	if len(dst) > p.all-p.pos {
		return errShortValues
	}
	clear(dst)
	for k := range p.size {
		for i, b := range p.data[k*p.all+p.pos:][:len(dst)] {
			dst[i] |= uint64(b) << (8 * k)
		}
	}
	p.pos += len(dst)
	return nil
}

// runBits decodes run-length encoded booleans.
type runBits struct{ indexes }

func newRunBits(data []byte) (*runBits, error) {
	if len(data) < 4 {
		return nil, errShortValues
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return nil, errShortValues
	}
	return &runBits{indexes{hybrid: newHybrid(data[4:4+n], 1)}}, nil
}

func (p *runBits) words(dst []uint64) error {
	for len(dst) > 0 {
		part, err := p.next(len(dst))
		if err != nil {
			return err
		}
		for i, v := range part {
			dst[i] = uint64(v & 1) // parquet-go writes 255 for true
		}
		dst = dst[len(part):]
	}
	return nil
}

// indexes decodes the indexes of a page into a dictionary.
type indexes struct {
	hybrid hybrid
	buffer [256]uint32
}

func newIndexes(data []byte) (indexes, error) {
	if len(data) == 0 { // only nulls
		return indexes{}, nil
	}
	if data[0] > 32 {
		return indexes{}, fmt.Errorf("dictionary indexes of %d bits", data[0])
	}
	return indexes{hybrid: newHybrid(data[1:], uint(data[0]))}, nil
}

// next returns some of the next n indexes, valid until the next call.
func (x *indexes) next(n int) ([]uint32, error) {
	part := x.buffer[:min(n, len(x.buffer))]
	return part, decodeHybrid(&x.hybrid, part)
}

// dictionary holds the dictionary of a row group: as floats if they are features and all exact,
// else as words. The other slice is empty.
type dictionary struct {
	words  []uint64
	floats []float64
}

// dictWords decodes indexes into a dictionary.
type dictWords struct {
	indexes
	*dictionary
}

func (p *dictWords) words(dst []uint64) error { return lookUp(&p.indexes, p.dictionary.words, dst) }

func (p *dictWords) numbers(_ column.NumberFormat, dst []float64, stride, n int) (bool, error) {
	if p.floats == nil {
		return false, nil
	}
	for done := 0; done < n; {
		part, err := p.next(n - done)
		if err != nil {
			return false, err
		}
		for i, v := range part {
			if int(v) >= len(p.floats) {
				return false, errIndex(v, len(p.floats))
			}
			dst[(done+i)*stride] = p.floats[v]
		}
		done += len(part)
	}
	return true, nil
}

func (p *dictWords) skip(n int) error {
	size := max(len(p.dictionary.words), len(p.floats))
	for n > 0 {
		part, err := p.next(n)
		if err != nil {
			return err
		}
		for _, v := range part {
			if int(v) >= size {
				return errIndex(v, size)
			}
		}
		n -= len(part)
	}
	return nil
}

// lookUp fills dst with the dictionary entries of the next indexes.
func lookUp[T any](x *indexes, dict, dst []T) error {
	for len(dst) > 0 {
		part, err := x.next(len(dst))
		if err != nil {
			return err
		}
		for i, v := range part {
			if int(v) >= len(dict) {
				return errIndex(v, len(dict))
			}
			dst[i] = dict[v]
		}
		dst = dst[len(part):]
	}
	return nil
}

func errIndex(v uint32, n int) error {
	return fmt.Errorf("index %d into a dictionary of %d values", v, n)
}

// deltaWords decodes delta-encoded integers.
type deltaWords struct {
	delta  *delta
	narrow bool // 32-bit arithmetic, which wraps around
}

func (p *deltaWords) words(dst []uint64) error {
	err := p.delta.decode(dst)
	if p.narrow {
		for i := range dst {
			dst[i] = uint64(uint32(dst[i]))
		}
	}
	return err
}
