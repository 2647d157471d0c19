package sketch

import "testing"

// The three known-answer vectors of philox4x32-10 in Random123, tests/kat_vectors.
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, v := range []struct {
		ctr  [4]uint32
		key  [2]uint32
		want [4]uint32
	}{
		{
			want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
		}, {
			ctr:  [4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
			key:  [2]uint32{0xffffffff, 0xffffffff},
			want: [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		}, {
			ctr:  [4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			key:  [2]uint32{0xa4093822, 0x299f31d0},
			want: [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		if got := philox4x32(v.ctr, v.key); got != v.want {
			t.Errorf("philox4x32(%x, %x) = %x, want %x", v.ctr, v.key, got, v.want)
		}
	}
}

// The draws of an item are the words of its blocks in ascending order.
func TestDrawsFollowTheCounter(t *testing.T) {
	s := NewRandom(1, "test")
	const item = 1<<40 + 7
	d := s.At(item)
	for block := range uint32(3) {
		b := philox4x32([4]uint32{7, 1 << 8, block, 0}, s.key)
		for half := range 2 {
			want := uint64(b[2*half+1])<<32 | uint64(b[2*half])
			if got := d.Uint64(); got != want {
				t.Errorf("block %d, half %d: %x, want %x", block, half, got, want)
			}
		}
	}
}
