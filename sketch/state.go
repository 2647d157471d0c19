package sketch

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/simd"
)

// The serial form is described in the package comment.
const (
	stateMagic   = "NySk"
	stateVersion = 1

	kindQR           = 1
	kindPairQR       = 2
	kindGram         = 3
	kindSum          = 6
	kindColumnSums   = 7
	kindPriority     = 8
	kindWhitenedGram = 9

	// maxCount is the largest plausible count of rows or entries in a state.
	maxCount = 1 << 53
)

// newState returns the header and the shape of a state.
func newState(kind uint16, shape ...uint64) []byte {
	data := append([]byte(nil), stateMagic...)
	data = binary.LittleEndian.AppendUint16(data, kind)
	data = binary.LittleEndian.AppendUint16(data, stateVersion)
	for _, n := range shape {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	return data
}

// appendFloats appends the bits of values.
func appendFloats(data []byte, values []float64) []byte {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

// openState checks the header and returns the n integers of the shape and a reader of the values.
func openState(data []byte, kind uint16, n int) ([]uint64, *floatReader, error) {
	const header = 8
	if len(data) < header+8*n {
		return nil, nil, fmt.Errorf("a state of %d bytes is too short", len(data))
	}
	if string(data[:4]) != stateMagic {
		return nil, nil, fmt.Errorf("not the state of an accumulator: it begins with %q", data[:4])
	}
	if k := binary.LittleEndian.Uint16(data[4:]); k != kind {
		return nil, nil, fmt.Errorf("the state of an accumulator of kind %d, want kind %d", k, kind)
	}
	if v := binary.LittleEndian.Uint16(data[6:]); v != stateVersion {
		return nil, nil, fmt.Errorf("the state has version %d, this program knows version %d", v, stateVersion)
	}
	shape := make([]uint64, n)
	for i := range shape {
		shape[i] = binary.LittleEndian.Uint64(data[header+8*i:])
	}
	return shape, &floatReader{data: data[header+8*n:]}, nil
}

// checkCount returns an error if a state has another count than the accumulator that reads it.
func checkCount(what string, state uint64, own int) error {
	if state != uint64(own) {
		return fmt.Errorf("the state has %d %s, want %d", state, what, own)
	}
	return nil
}

// floatReader reads the values of a state.
type floatReader struct {
	data []byte
}

// checkLength returns an error unless exactly n values are left.
func (f *floatReader) checkLength(n int) error {
	if len(f.data)/8 != n || len(f.data)%8 != 0 {
		return fmt.Errorf("the state has %d bytes of values, want %d values of 8 bytes", len(f.data), n)
	}
	return nil
}

// copy fills dst with the next values. The caller has checked that there are enough.
func (f *floatReader) copy(dst []float64) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(f.data[8*i:]))
	}
	f.data = f.data[8*len(dst):]
}

// read fills dst with the next values and returns an error if one is not finite. The caller has
// checked that there are enough.
func (f *floatReader) read(dst []float64) error {
	f.copy(dst)
	if i := simd.FirstNotFinite(dst); i >= 0 {
		return fmt.Errorf("the state holds %v where a finite number must be", dst[i])
	}
	return nil
}
