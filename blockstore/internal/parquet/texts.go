package parquet

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// textDecoder decodes the non-null values of one page as strings of bytes.
type textDecoder interface {
	// texts fills dst with the next values, or fails if there are fewer.
	texts(dst []string) error
}

// newTextDecoder returns a decoder of the values in data, at most limit. size is the size of a
// value, 0 if it varies.
func newTextDecoder(e format.Encoding, data []byte, size, limit int, dict []string) (textDecoder, error) {
	switch {
	case e == format.Plain && size > 0:
		return &fixedTexts{data: data, size: size}, nil
	case e == format.Plain:
		return &plainTexts{data: data}, nil
	case e == format.DeltaLengthByteArray && size == 0:
		return newDeltaTexts(data, limit)
	case e == format.DeltaByteArray:
		return newFrontTexts(data, limit)
	case isDictionary(e):
		indexes, err := newIndexes(data)
		return &dictTexts{indexes: indexes, dict: dict}, err
	}
	return nil, fault.New("the encoding %s is not supported for this type", nameOf(e)).
		WithRemedy("write the file with another")
}

// plainTexts decodes values preceded by their lengths.
type plainTexts struct{ data []byte }

func (p *plainTexts) texts(dst []string) error {
	for i := range dst {
		if len(p.data) < 4 {
			return errShortValues
		}
		n := binary.LittleEndian.Uint32(p.data)
		p.data = p.data[4:]
		if uint64(n) > uint64(len(p.data)) {
			return errShortValues
		}
		dst[i] = string(p.data[:n])
		p.data = p.data[n:]
	}
	return nil
}

// fixedTexts decodes values of fixed length.
type fixedTexts struct {
	data []byte
	size int
}

func (p *fixedTexts) texts(dst []string) error {
	if len(dst) > len(p.data)/p.size {
		return errShortValues
	}
	for i := range dst {
		dst[i] = string(p.data[:p.size])
		p.data = p.data[p.size:]
	}
	return nil
}

// dictTexts decodes indexes into a dictionary of strings.
type dictTexts struct {
	indexes
	dict []string
}

func (p *dictTexts) texts(dst []string) error { return lookUp(&p.indexes, p.dict, dst) }

var errLengths = errors.New("the lengths of the strings do not fit the page")

// deltaTexts decodes delta-encoded lengths, followed by the bytes.
type deltaTexts struct {
	lengths *delta
	data    []byte
	tile    [256]uint64
}

// newDeltaTexts returns a decoder of at most limit strings.
func newDeltaTexts(data []byte, limit int) (*deltaTexts, error) {
	lengths, rest, err := splitDelta(data, limit)
	return &deltaTexts{lengths: lengths, data: rest}, err
}

// splitDelta splits data into the integers at its beginning, at most limit, and the rest. It
// decodes the integers to find their end, but stores none: a few bytes may encode billions.
func splitDelta(data []byte, limit int) (*delta, []byte, error) {
	scout, err := newDelta(data)
	if err != nil {
		return nil, nil, err
	}
	if scout.total > limit {
		return nil, nil, errLengths
	}
	var tile [256]uint64
	for scout.left > 0 {
		if err := scout.decode(tile[:min(scout.left, len(tile))]); err != nil {
			return nil, nil, err
		}
	}
	d, err := newDelta(data)
	return d, scout.rest(), err
}

func (p *deltaTexts) texts(dst []string) error {
	for len(dst) > 0 {
		lengths := p.tile[:min(len(dst), len(p.tile))]
		if err := p.lengths.decode(lengths); err != nil {
			return err
		}
		for i, n := range lengths {
			if n > uint64(len(p.data)) {
				return errLengths
			}
			dst[i] = string(p.data[:n])
			p.data = p.data[n:]
		}
		dst = dst[len(lengths):]
	}
	return nil
}

// frontTexts decodes the length of the prefix that each value shares with the previous one, and the
// suffixes as deltaTexts.
type frontTexts struct {
	shared *delta
	rest   *deltaTexts
	last   string
	tile   [256]uint64
}

func newFrontTexts(data []byte, limit int) (*frontTexts, error) {
	shared, data, err := splitDelta(data, limit)
	if err != nil {
		return nil, err
	}
	rest, err := newDeltaTexts(data, limit)
	return &frontTexts{shared: shared, rest: rest}, err
}

func (p *frontTexts) texts(dst []string) error {
	if err := p.rest.texts(dst); err != nil {
		return err
	}
	for len(dst) > 0 {
		shared := p.tile[:min(len(dst), len(p.tile))]
		if err := p.shared.decode(shared); err != nil {
			return err
		}
		for i, n := range shared {
			if n > uint64(len(p.last)) || uint64(len(dst[i]))+n > maxTextBytes {
				return errLengths
			}
			p.last = p.last[:n] + dst[i]
			dst[i] = p.last
		}
		dst = dst[len(shared):]
	}
	return nil
}

// maxTextBytes bounds a string assembled from parts: a page could hold a long one and repeat it
// with every value.
const maxTextBytes = 1 << 16
