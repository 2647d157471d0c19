package arrow

import (
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
)

// numbers stores n values, starting at value at, in dst[0], dst[stride], dst[2*stride] and so on,
// with NaN for nulls. It reads straight from their buffer if the layout allows it, else through
// s.Decoded. It returns the index of the first integer that float64 cannot represent, which is then
// in s.Decoded, or -1.
func (s *scratch) numbers(f *field, a *values, dst []float64, stride int, at int64, n int) (int, error) {
	straight, err := s.straight(f, a, dst, stride, at, n)
	if err != nil || straight {
		return -1, err
	}
	if err := s.load(f, a, at, n); err != nil {
		return -1, err
	}
	if i := s.convert(f, n); i >= 0 {
		return i, nil
	}
	for i, v := range s.Floats {
		dst[i*stride] = v
	}
	return -1, nil
}

// straight implements numbers for numbers of one to eight bytes, and for indexes into a dictionary
// of such numbers. It returns false if words are needed: for other layouts, and for integers that
// float64 cannot represent.
func (s *scratch) straight(f *field, a *values, dst []float64, stride int, at int64, n int) (bool, error) {
	plain := f.layout == wordLayout && f.bits > 1 && f.format.Form != column.LongDecimalForm
	if !plain && (f.layout != dictLayout || a.dict == nil || a.dict.inexact) {
		return false, nil
	}
	if err := s.begin(a, at, n); err != nil {
		return false, err
	}
	if plain {
		return s.place(f, a, dst, stride, at, n)
	}
	if err := s.loadWords(f, a, at, n); err != nil {
		return false, err
	}
	return true, s.lookUpFloats(f, a.dict, dst, stride)
}

// place implements straight for numbers. Nulls may have any bits, even those of integers that
// float64 cannot represent.
func (s *scratch) place(f *field, a *values, dst []float64, stride int, at int64, n int) (bool, error) {
	size := f.bits / 8
	raw, err := a.buffers.read(a.first+1, at*int64(size), int64(n*size), &s.raw)
	if err != nil {
		return false, err
	}
	for from := 0; from < n; {
		bad := f.format.Place(dst[from*stride:], stride, n-from, raw[from*size:], size)
		if bad < 0 {
			break
		}
		if s.valid(from + bad) {
			return false, nil
		}
		from += bad + 1
	}
	if s.nulls == nil && s.inheritedNulls == nil {
		return true, nil
	}
	for i := range n {
		if !s.valid(i) {
			dst[i*stride] = math.NaN()
		}
	}
	return true, nil
}

// lookUpFloats implements straight for indexes into d, which are in s.Words.
func (s *scratch) lookUpFloats(f *field, d *dictionary, dst []float64, stride int) error {
	for i, w := range s.Words {
		if !s.valid(i) {
			dst[i*stride] = math.NaN()
			continue
		}
		k, err := d.entry(f, w)
		if err != nil {
			return err
		}
		dst[i*stride] = d.floats[k]
	}
	return nil
}
