package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// scratch is the memory for decoding one tile of a column at a time. Its fields hold the tile
// loaded last.
type scratch struct {
	raw   []byte
	nulls []byte // validity bits of the tile, nil if nothing is null
	bit   int    // offset of the first bit
	bits  []byte // memory for nulls
	column.Decoded
	starts         []int64
	inheritedNulls []bool   // null through a dictionary entry or an enclosing structure
	parent         *scratch // for the enclosing structure
}

// valid reports whether value i of the tile is not null.
func (s *scratch) valid(i int) bool {
	if s.inheritedNulls != nil && s.inheritedNulls[i] {
		return false
	}
	at := s.bit + i
	return s.nulls == nil || s.nulls[at>>3]>>(at&7)&1 != 0
}

// begin loads the validity of n values, starting at value at.
func (s *scratch) begin(a *values, at int64, n int) error {
	if at < 0 || int64(n) > a.length-at {
		return fmt.Errorf("an array has %d values, not %d", a.length, at+int64(n))
	}
	if err := s.loadParents(a, at, n); err != nil {
		return err
	}
	return s.loadNulls(a, at, n)
}

// load loads n values, starting at value at, as words or texts.
func (s *scratch) load(f *field, a *values, at int64, n int) error {
	if err := s.begin(a, at, n); err != nil {
		return err
	}
	switch {
	case f.layout == textLayout:
		return s.loadTexts(f, a, at, n)
	case f.layout == viewLayout:
		return s.loadViews(f, a, at, n)
	case f.layout == dictLayout:
		return s.loadIndexed(f, a, at, n)
	case f.layout == fixedBytesLayout:
		return s.loadFixed(f, a, at, n)
	case f.format.Form == column.LongDecimalForm:
		return s.loadDecimals(f, a, at, n)
	}
	return s.loadWords(f, a, at, n)
}

// loadNulls loads the validity bits, which exist only if some value is null.
func (s *scratch) loadNulls(a *values, at int64, n int) error {
	s.nulls = nil
	size, err := a.buffers.size(a.first)
	if err == nil && size == 0 && a.nulls > 0 {
		err = fmt.Errorf("%d values are null, and nothing says which", a.nulls)
	}
	if err != nil || size == 0 {
		return err
	}
	s.bit = int(at & 7)
	s.nulls, err = a.buffers.read(a.first, at>>3, int64(s.bit+n+7)>>3, &s.bits)
	return err
}

// loadParents marks values that are null because an enclosing structure is.
func (s *scratch) loadParents(a *values, at int64, n int) error {
	s.inheritedNulls = nil
	for k := range a.enclosing {
		if s.parent == nil {
			s.parent = &scratch{}
		}
		if err := s.parent.loadNulls(&a.enclosing[k], at, n); err != nil {
			return err
		}
		if s.parent.nulls == nil {
			continue
		}
		if s.inheritedNulls == nil {
			s.inheritedNulls = make([]bool, n)
		}
		for i := range s.inheritedNulls {
			s.inheritedNulls[i] = s.inheritedNulls[i] || !s.parent.valid(i)
		}
	}
	return nil
}

// loadWords loads fixed-width values, or indexes.
func (s *scratch) loadWords(f *field, a *values, at int64, n int) error {
	if f.bits == 1 {
		raw, err := a.buffers.read(a.first+1, at>>3, (at&7+int64(n)+7)>>3, &s.raw)
		if err != nil {
			return err
		}
		s.Words = column.Resized(s.Words, n)
		column.ReadBits(s.Words, raw, int(at&7))
		return nil
	}
	size := int64(f.bits / 8)
	raw, err := a.buffers.read(a.first+1, at*size, int64(n)*size, &s.raw)
	if err != nil {
		return err
	}
	s.Words = column.Resized(s.Words, n)
	column.ReadWords(s.Words, raw, int(size))
	return nil
}

// loadDecimals loads 128-bit or 256-bit integers as bytes, most significant first.
func (s *scratch) loadDecimals(f *field, a *values, at int64, n int) error {
	size := int64(f.bits / 8)
	raw, err := a.buffers.read(a.first+1, at*size, int64(n)*size, &s.raw)
	if err != nil {
		return err
	}
	s.Texts = s.Texts[:0]
	value := make([]byte, size)
	for i := range int64(n) {
		copy(value, raw[i*size:])
		slices.Reverse(value)
		s.Texts = append(s.Texts, string(value))
	}
	return nil
}

// loadFixed loads fixed-length bytes.
func (s *scratch) loadFixed(f *field, a *values, at int64, n int) error {
	size := int64(f.bits / 8)
	raw, err := a.buffers.read(a.first+1, at*size, int64(n)*size, &s.raw)
	if err != nil {
		return err
	}
	s.Texts = s.Texts[:0]
	for i := range int64(n) {
		s.Texts = append(s.Texts, string(raw[i*size:(i+1)*size]))
	}
	return nil
}

// loadOffsets loads n+1 offsets into s.starts. It fails if they descend.
func (s *scratch) loadOffsets(f *field, a *values, at int64, n int) error {
	s.starts = s.starts[:0]
	size := int64(f.bits / 8)
	raw, err := a.buffers.read(a.first+1, at*size, int64(n+1)*size, &s.raw)
	if err != nil {
		return err
	}
	last := int64(0)
	for i := range int64(n + 1) {
		v := int64(int32(binary.LittleEndian.Uint32(raw[i*size:])))
		if size == 8 {
			v = int64(binary.LittleEndian.Uint64(raw[i*size:]))
		}
		if v < last {
			return fmt.Errorf("offset %d after %d", v, last)
		}
		s.starts = append(s.starts, v)
		last = v
	}
	return nil
}

// loadTexts loads strings.
func (s *scratch) loadTexts(f *field, a *values, at int64, n int) error {
	if err := s.loadOffsets(f, a, at, n); err != nil {
		return err
	}
	from := s.starts[0]
	if s.starts[n]-from > compression.MaxBytes {
		return fmt.Errorf("%d bytes of text in %d rows", s.starts[n]-from, n)
	}
	raw, err := a.buffers.read(a.first+2, from, s.starts[n]-from, &s.raw)
	if err != nil {
		return err
	}
	s.Texts = s.Texts[:0]
	for i := range n {
		s.Texts = append(s.Texts, string(raw[s.starts[i]-from:s.starts[i+1]-from]))
	}
	return nil
}

// loadIndexed loads values through a dictionary. Indexes of nulls are ignored.
func (s *scratch) loadIndexed(f *field, a *values, at int64, n int) error {
	if a.dict == nil {
		return errors.New("its dictionary is missing")
	}
	if err := s.loadWords(f, a, at, n); err != nil {
		return err
	}
	s.Texts = s.Texts[:0]
	if s.inheritedNulls == nil {
		s.inheritedNulls = make([]bool, n)
	}
	for i, w := range s.Words {
		k := int64(-1)
		if s.valid(i) {
			var err error
			if k, err = a.dict.entry(f, w); err != nil {
				return err
			}
			s.inheritedNulls[i] = !a.dict.valid[k]
		}
		s.lookUp(a.dict, f.kind == column.Text, i, k)
	}
	return nil
}

// lookUp sets value i to entry k of d, or to zero if k is -1.
func (s *scratch) lookUp(d *dictionary, text bool, i int, k int64) {
	switch {
	case text && k < 0:
		s.Texts = append(s.Texts, "")
	case text:
		s.Texts = append(s.Texts, d.texts[k])
	case k < 0:
		s.Words[i] = 0
	default:
		s.Words[i] = d.words[k]
	}
}

// zeroNulls clears the words and decimals of nulls, so that every format can convert them.
func (s *scratch) zeroNulls(f *field, n int) {
	if s.nulls == nil && s.inheritedNulls == nil {
		return
	}
	for i := range n {
		switch {
		case s.valid(i):
		case f.format.Form == column.LongDecimalForm:
			s.Texts[i] = ""
		default:
			s.Words[i] = 0
		}
	}
}

// convertFor is convert for a kept column.
func (s *scratch) convertFor(c *stream.Column, f *field, n int) int {
	if c.Type.Class == logical.Decimal && !f.format.Round {
		exact := *f
		exact.format.Round = true
		f = &exact
	}
	return s.convert(f, n)
}

// convert converts the n values of the tile to floats, with NaN for nulls. It returns the index of
// the first integer that float64 cannot represent, or -1.
func (s *scratch) convert(f *field, n int) int {
	s.zeroNulls(f, n)
	if i := s.Decoded.Convert(f.format, n); i >= 0 {
		return i
	}
	if s.nulls != nil || s.inheritedNulls != nil {
		for i := range s.Floats {
			if !s.valid(i) {
				s.Floats[i] = math.NaN()
			}
		}
	}
	return -1
}
