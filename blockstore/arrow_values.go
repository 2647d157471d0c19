package blockstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// arrowScratch is the memory that values of one column pass through, a tile at
// a time. Its fields hold the tile loaded last.
type arrowScratch struct {
	raw   []byte
	nulls []byte // bits of the tile, nil when nothing is null
	bit   int    // where the first of them is
	bits  []byte // memory of nulls
	decoded
	starts []int64
	absent []bool // entries of a dictionary that are null
}

// valid says whether value i of the tile is not null.
func (s *arrowScratch) valid(i int) bool {
	if s.absent != nil && s.absent[i] {
		return false
	}
	at := s.bit + i
	return s.nulls == nil || s.nulls[at>>3]>>(at&7)&1 != 0
}

// load loads n values from value at on, as words or texts.
func (s *arrowScratch) load(f *arrowField, a *arrowArray, at int64, n int) error {
	if at < 0 || int64(n) > a.length-at {
		return fmt.Errorf("an array has %d values, not %d", a.length, at+int64(n))
	}
	s.absent = nil
	if err := s.loadNulls(a, at, n); err != nil {
		return err
	}
	switch {
	case f.layout == textLayout:
		return s.loadTexts(f, a, at, n)
	case f.layout == dictLayout:
		return s.loadIndexed(f, a, at, n)
	case f.format.form == longDecimalForm:
		return s.loadDecimals(f, a, at, n)
	}
	return s.loadWords(f.bits, a, at, n)
}

// loadNulls loads the bits that say what is null. They are there when some are.
func (s *arrowScratch) loadNulls(a *arrowArray, at int64, n int) error {
	s.nulls = nil
	size, err := a.buffers.size(a.first)
	if err == nil && size == 0 && a.nulls > 0 {
		err = fmt.Errorf("%d values are null, and nothing says which", a.nulls)
	}
	if err != nil || size == 0 {
		return err
	}
	at += a.offset
	s.bit = int(at & 7)
	s.nulls, err = a.buffers.read(a.first, at>>3, int64(s.bit+n+7)>>3, &s.bits)
	return err
}

// loadWords loads values of a fixed width.
func (s *arrowScratch) loadWords(bits int, a *arrowArray, at int64, n int) error {
	s.words = resized(s.words, n)
	at += a.offset
	if bits == 1 {
		raw, err := a.buffers.read(a.first+1, at>>3, (at&7+int64(n)+7)>>3, &s.raw)
		if err != nil {
			return err
		}
		readBits(s.words, raw, int(at&7))
		return nil
	}
	size := int64(bits / 8)
	raw, err := a.buffers.read(a.first+1, at*size, int64(n)*size, &s.raw)
	if err != nil {
		return err
	}
	if bits == 8 {
		for i, b := range raw {
			s.words[i] = uint64(b)
		}
		return nil
	}
	readWords(s.words, raw, int(size))
	return nil
}

// loadDecimals loads integers of 128 or 256 bits as bytes, most significant
// first.
func (s *arrowScratch) loadDecimals(f *arrowField, a *arrowArray, at int64, n int) error {
	size := int64(f.bits / 8)
	raw, err := a.buffers.read(a.first+1, (at+a.offset)*size, int64(n)*size, &s.raw)
	if err != nil {
		return err
	}
	s.texts = s.texts[:0]
	for i := range int64(n) {
		reversed := make([]byte, size)
		for k, b := range raw[i*size : (i+1)*size] {
			reversed[int(size)-1-k] = b
		}
		s.texts = append(s.texts, string(reversed))
	}
	return nil
}

// loadOffsets loads n+1 offsets into s.starts, which must not descend.
func (s *arrowScratch) loadOffsets(f *arrowField, a *arrowArray, at int64, n int) error {
	s.starts = s.starts[:0]
	size := int64(f.bits / 8)
	raw, err := a.buffers.read(a.first+1, (at+a.offset)*size, int64(n+1)*size, &s.raw)
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
func (s *arrowScratch) loadTexts(f *arrowField, a *arrowArray, at int64, n int) error {
	if err := s.loadOffsets(f, a, at, n); err != nil {
		return err
	}
	from := s.starts[0]
	if s.starts[n]-from > maxUnpacked {
		return fmt.Errorf("%d bytes of text in %d rows", s.starts[n]-from, n)
	}
	raw, err := a.buffers.read(a.first+2, from, s.starts[n]-from, &s.raw)
	if err != nil {
		return err
	}
	s.texts = s.texts[:0]
	for i := range n {
		s.texts = append(s.texts, string(raw[s.starts[i]-from:s.starts[i+1]-from]))
	}
	return nil
}

// loadIndexed loads values of a dictionary. Indexes of nulls may be anything.
func (s *arrowScratch) loadIndexed(f *arrowField, a *arrowArray, at int64, n int) error {
	if a.dict == nil {
		return errors.New("its dictionary is missing")
	}
	if err := s.loadWords(f.bits, a, at, n); err != nil {
		return err
	}
	s.texts = s.texts[:0]
	absent := make([]bool, n)
	index := numberFormat{form: unsignedForm, bits: f.bits}
	if f.signed {
		index.form = signedForm
	}
	for i, w := range s.words {
		k, ok := index.integer(w)
		switch {
		case !s.valid(i):
			k = -1
		case !ok || k < 0 || k >= int64(a.dict.size()):
			return fmt.Errorf("index %d into a dictionary of %d values", k, a.dict.size())
		case !a.dict.valid[k]:
			absent[i] = true
		}
		s.lookUp(a.dict, f.child.layout == textLayout, i, k)
	}
	s.absent = absent
	return nil
}

// lookUp puts entry k of d, nothing for -1, into value i.
func (s *arrowScratch) lookUp(d *arrowDictionary, text bool, i int, k int64) {
	switch {
	case text && k < 0:
		s.texts = append(s.texts, "")
	case text:
		s.texts = append(s.texts, d.texts[k])
	case k < 0:
		s.words[i] = 0
	default:
		s.words[i] = d.words[k]
	}
}

// zeroNulls makes the words of nulls zero, which every format can convert.
func (s *arrowScratch) zeroNulls(n int) {
	if s.nulls == nil {
		return
	}
	for i := range n {
		if !s.valid(i) {
			s.words[i] = 0
		}
	}
}

// convert turns the n values of the tile into floats, NaN for nulls. It returns
// the first that is too large, or -1.
func (s *arrowScratch) convert(f *arrowField, n int) int {
	if f.format.form != longDecimalForm {
		s.zeroNulls(n)
	}
	if i := s.decoded.convert(f.format, n); i >= 0 {
		return i
	}
	if s.nulls != nil || s.absent != nil {
		for i := range s.floats {
			if !s.valid(i) {
				s.floats[i] = math.NaN()
			}
		}
	}
	return -1
}
