package column

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// formats are number formats, with the possible sizes of their values in bytes.
var formats = []struct {
	NumberFormat
	size int
}{
	{NumberFormat{Form: Float64Form}, 8}, {NumberFormat{Form: Float32Form}, 4}, {NumberFormat{Form: Float16Form}, 2},
	{NumberFormat{Form: SignedForm, Bits: 64}, 8}, {NumberFormat{Form: SignedForm, Bits: 64, Round: true}, 8}, {NumberFormat{Form: SignedForm, Bits: 32}, 4},
	{NumberFormat{Form: SignedForm, Bits: 32}, 8}, {NumberFormat{Form: SignedForm, Bits: 8}, 4}, {NumberFormat{Form: SignedForm, Bits: 8}, 1}, {NumberFormat{Form: SignedForm, Bits: 16}, 2},
	{NumberFormat{Form: UnsignedForm}, 8}, {NumberFormat{Form: UnsignedForm, Round: true}, 8}, {NumberFormat{Form: UnsignedForm}, 4}, {NumberFormat{Form: UnsignedForm}, 1},
	{NumberFormat{Form: DecimalForm, Bits: 64, Scale: 3}, 8}, {NumberFormat{Form: DecimalForm, Bits: 32, Scale: 2}, 4}, {NumberFormat{Form: DecimalForm, Bits: 32}, 4},
}

// comparePlace compares Place with its reference on the values in data.
func comparePlace(t *testing.T, f NumberFormat, size, stride int, data []byte) {
	t.Helper()
	n := len(data) / size
	got, want := make([]float64, n*stride), make([]float64, n*stride)
	for i := range got {
		got[i], want[i] = -77, -77
	}
	bad := f.Place(got, stride, n, data, size)
	if reference := f.placeWords(want, stride, n, data, size); bad != reference {
		t.Fatalf("%+v of %d bytes: %d is the first that no float64 holds, not %d", f, size, reference, bad)
	}
	if bad >= 0 {
		got, want = got[:bad*stride], want[:bad*stride]
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%+v of %d bytes, stride %d: %x at %d, not %x", f, size, stride, math.Float64bits(got[i]), i, math.Float64bits(want[i]))
		}
	}
}

// Place stores the same bits as its reference, for all formats, lengths and special values.
func TestPlaceEqualsItsReference(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	special := []uint64{0, 1 << 63, 0x7ff0000000000001, 0xfff8dead0000beef, 1 << 53, 1<<53 + 1, 1<<63 - 1, 1<<64 - 1, 0x7fa00001, 0xff800000, 0x80000000, 0x7c01, 0xfc00}
	for _, f := range formats {
		for _, n := range []int{0, 1, 255, 256, 257, 700} {
			var data []byte
			for i := range n {
				w := random.Uint64() >> random.IntN(64)
				if i%3 == 0 {
					w = special[random.IntN(len(special))]
				}
				if f.Form >= SignedForm && f.size == 8 && i < n/2 {
					w >>= 12
				}
				data = append(data, binary.LittleEndian.AppendUint64(nil, w)[:f.size]...)
			}
			for _, stride := range []int{1, 2, 7} {
				comparePlace(t, f.NumberFormat, f.size, stride, data)
			}
		}
	}
}

func FuzzPlace(f *testing.F) {
	f.Add(uint8(0), uint8(1), []byte("12345678\x00\x00\x00\x00\x00\x00\xf0\xff"))
	f.Add(uint8(3), uint8(3), []byte("\x01\x00\x00\x00\x00\x00\x20\x00"))
	f.Fuzz(func(t *testing.T, format, stride uint8, data []byte) {
		form := formats[int(format)%len(formats)]
		comparePlace(t, form.NumberFormat, form.size, 1+int(stride%9), data)
	})
}
