package column

import (
	"encoding/binary"
	"math"
)

// Place converts the first n values of data, of 1, 2, 4 or 8 bytes each and least significant byte
// first, and stores them in dst[0], dst[stride], dst[2*stride] and so on. It returns the index of
// the first integer that float64 cannot represent, or -1. Numbers before that one are stored; later
// ones are undefined. It allocates nothing. placeWords is its reference.
func (f NumberFormat) Place(dst []float64, stride, n int, data []byte, size int) int {
	switch data = data[:n*size]; {
	case f.Form == Float64Form && size == 8:
		for at := 0; len(data) >= 8; at += stride {
			dst[at] = math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
		}
		return -1
	case f.Form == Float32Form && size == 4:
		for at := 0; len(data) >= 4; at += stride {
			dst[at] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
			data = data[4:]
		}
		return -1
	case f.Form == SignedForm && f.Bits == 32 && size == 4:
		for at := 0; len(data) >= 4; at += stride {
			dst[at] = float64(int32(binary.LittleEndian.Uint32(data)))
			data = data[4:]
		}
		return -1
	case f.Form == SignedForm && f.Bits == 64 && size == 8:
		return f.placeInts(dst, stride, data)
	}
	return f.placeWords(dst, stride, n, data, size)
}

// placeInts is Place for 64-bit integers.
func (f NumberFormat) placeInts(dst []float64, stride int, data []byte) int {
	for i := range len(data) / 8 {
		v := int64(binary.LittleEndian.Uint64(data[8*i:]))
		if !f.Round && !IsExact(v) {
			return i
		}
		dst[i*stride] = float64(v)
	}
	return -1
}

// placeWords implements Place for every format, by way of words.
func (f NumberFormat) placeWords(dst []float64, stride, n int, data []byte, size int) int {
	var words [256]uint64
	var floats [len(words)]float64
	for done := 0; done < n; {
		part := min(n-done, len(words))
		ReadWords(words[:part], data[done*size:], size)
		bad := f.floats(floats[:part], words[:part])
		good := part
		if bad >= 0 {
			good = bad
		}
		for i, v := range floats[:good] {
			dst[(done+i)*stride] = v
		}
		if bad >= 0 {
			return done + bad
		}
		done += part
	}
	return -1
}
