package compression

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// lz4Block returns text as one LZ4 block.
func lz4Block(t *testing.T, text []byte) []byte {
	t.Helper()
	packed := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, packed, nil)
	if err != nil || n == 0 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	return packed[:n]
}

func TestLZ4Hadoop(t *testing.T) {
	text := bytes.Repeat([]byte("one block after the other, "), 400)
	sized := func(b []byte, sizes ...int) []byte {
		var head []byte
		for _, n := range sizes {
			head = binary.BigEndian.AppendUint32(head, uint32(n))
		}
		return append(head, b...)
	}
	whole, first, second := lz4Block(t, text), lz4Block(t, text[:5000]), lz4Block(t, text[5000:])
	var frame bytes.Buffer
	w := lz4.NewWriter(&frame)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	two := append(sized(first, len(text), len(first)), sized(second, len(second))...)
	apart := append(sized(first, 5000, len(first)), sized(second, len(text)-5000, len(second))...)
	var u Unpacker
	for name, packed := range map[string][]byte{"one piece": sized(whole, len(text), len(whole)), "two pieces": two, "two blocks": apart,
		"a block alone": whole, "a frame": frame.Bytes()} {
		got := make([]byte, len(text))
		if err := u.LZ4Hadoop(got, packed); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %v", name, err)
		}
		for _, n := range []int{len(text) - 1, len(text) + 1} {
			if u.LZ4Hadoop(make([]byte, n), packed) == nil {
				t.Errorf("%s: taken for %d bytes", name, n)
			}
		}
		for cut := range packed {
			_ = u.LZ4Hadoop(got, packed[:cut]) // never panics
		}
	}
}
