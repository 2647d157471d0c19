package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// wholeOrInPieces runs a test with all buffers unpacked whole, or all in pieces.
func wholeOrInPieces(t *testing.T, inPieces bool, test func()) {
	t.Helper()
	was := worthPieces
	defer func() { worthPieces = was }()
	worthPieces = func(int64, int64) bool { return inPieces }
	test()
}

// frames returns text as LZ4 and zstd frames with small blocks and windows.
func frames(t testing.TB, text []byte) map[string][]byte {
	t.Helper()
	var small bytes.Buffer
	w := lz4.NewWriter(&small)
	if err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(true)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(64<<10), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"lz4": small.Bytes(), "zstd": e.EncodeAll(text, nil)}
}

// piecesOfFrame returns the pieces of a frame with the given unpacked size.
func piecesOfFrame(t testing.TB, name string, frame []byte, size int) *pieces {
	t.Helper()
	c := lz4Frames
	if name == "zstd" {
		c = zstdFrames
	}
	var space workspace
	p, err := space.piecesOf(0, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(space.Close)
	if err := p.begin(io.NewSectionReader(bytes.NewReader(frame), 0, int64(len(frame))), int64(size)); err != nil {
		t.Fatal(err)
	}
	return p
}

// numbersText returns at least n bytes of text that compresses little.
func numbersText(n int) []byte {
	var text []byte
	for i := 0; len(text) < n; i++ {
		text = fmt.Append(text, i*i, " ")
	}
	return text[:n]
}

// Pieces equal the whole buffer, read in any order: adjacent, overlapping, further on, or back.
func TestPiecesEqualTheWholeBuffer(t *testing.T) {
	const size = 1_500_000
	text := numbersText(size)
	for name, frame := range frames(t, text) {
		p := piecesOfFrame(t, name, frame, size)
		random := rand.New(rand.NewPCG(1, 2))
		for at, k := int64(0), 0; k < 300; k++ {
			switch n := random.IntN(40); {
			case n == 0:
				at = random.Int64N(size)
			case n < 5:
				at = max(0, at-random.Int64N(64))
			case n < 8:
				at = min(size, at+random.Int64N(100_000))
			}
			n := min(random.Int64N(32<<10), size-at)
			got, err := p.read(at, n)
			if err != nil || !bytes.Equal(got, text[at:at+n]) {
				t.Fatalf("%s: %d bytes at %d: %v", name, n, at, err)
			}
			if n%2 == 0 {
				at += n
			}
		}
		if got, err := p.read(0, size); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: all: %v", name, err)
		}
	}
}

// A truncated frame, and one whose size differs from that of its buffer, is an error.
func TestPiecesRefuseDamage(t *testing.T) {
	const size = 300_000
	for name, frame := range frames(t, numbersText(size)) {
		for _, claimed := range []int{size - 1, size + 1} {
			if _, err := piecesOfFrame(t, name, frame, claimed).read(0, int64(claimed)); !errors.Is(err, compression.ErrSize) {
				t.Errorf("%s: %d bytes are taken for %d: %v", name, size, claimed, err)
			}
		}
		for _, cut := range []int{20, len(frame) / 2, len(frame) - 1} {
			if _, err := piecesOfFrame(t, name, frame[:cut], size).read(0, size); err == nil {
				t.Errorf("%s: a frame cut at %d is taken", name, cut)
			}
		}
	}
}

// The announced memory of a frame is that of its blocks or its window.
func TestPiecesMemoryIsCounted(t *testing.T) {
	frames := frames(t, numbersText(1<<20))
	if n, ok := compression.LZ4FrameHolds(frames["lz4"]); !ok || n < 128<<10 || n > 1<<20 {
		t.Errorf("lz4: %d", n)
	}
	if n, ok := compression.ZstdHolds(frames["zstd"]); !ok || n < 64<<10 || n > 2<<20 {
		t.Errorf("zstd: %d", n)
	}
	for _, head := range [][]byte{nil, []byte("no frame"), frames["lz4"][:5]} {
		if _, ok := compression.LZ4FrameHolds(head); ok {
			t.Errorf("%q is taken for a frame", head)
		}
		if _, ok := compression.ZstdHolds(head); ok {
			t.Errorf("%q is taken for a frame", head)
		}
	}
}

// Files give the same values whole and in pieces: in every type, from the first row or a later one, and by number.
func TestArrowInPieces(t *testing.T) {
	for name, option := range map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
		const n = tileRows + 400
		columns := arrowTestColumns()
		schema, records := arrowRecords(t, columns, n, true, true)
		path := filepath.Join(t.TempDir(), name)
		writeArrow(t, path, schema, records, false, option)
		var rows [2][][]float64
		for k, inPieces := range []bool{false, true} {
			wholeOrInPieces(t, inPieces, func() {
				tb, err := Open(context.Background(), nil, path)
				if err != nil {
					t.Fatal(err)
				}
				src, err := arrowSourceOf(tb)
				if err != nil {
					t.Fatal(err)
				}
				if rows[k], _, err = filetest.Slurp(src, 999); err != nil {
					t.Fatal(err)
				}
				if inPieces {
					filetest.CheckGather(t, src)

				}
			})
		}
		if diff := cmp.Diff(rows[0], rows[1], filetest.SameBits); diff != "" {
			t.Errorf("%s: in pieces it is other than as a whole: %s", name, diff)
		}
	}
}

// BenchmarkPieces reads a column of 8 MiB, whole and in pieces.
func BenchmarkPieces(b *testing.B) {
	const size = 8 << 20
	text := numbersText(size)
	for name, frame := range frames(b, text) {
		b.Run(name+"/whole", func(b *testing.B) {
			b.SetBytes(size)
			var u compression.Unpacker
			defer u.Close()
			unpack := u.LZ4Frame
			if name == "zstd" {
				unpack = u.Zstd
			}
			data := make([]byte, size)
			for b.Loop() {
				if err := unpack(data, frame); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/pieces", func(b *testing.B) {
			b.SetBytes(size)
			p := piecesOfFrame(b, name, frame, size)
			for b.Loop() {
				if err := p.rewind(); err != nil {
					b.Fatal(err)
				}
				for at := int64(0); at < size; at += 8 * tileRows {
					if _, err := p.read(at, 8*tileRows); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
