package compression

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// FrameReader decompresses frames while they are read. It reuses its memory for successive frames.
type FrameReader interface {
	io.Reader
	// Reset starts another frame.
	Reset(r io.Reader) error
	Close()
}

// FrameHead is the number of leading bytes of a frame that [LZ4FrameHolds] and [ZstdHolds] need.
const FrameHead = zstd.HeaderMaxSize

// Memory of readers besides windows and blocks.
const (
	lz4FrameBytes  = 256 << 10
	zstdFrameBytes = 1 << 20
)

// LZ4FrameHolds returns the memory of a FrameReader for a frame that begins with head: a block,
// packed and unpacked. It returns false if head is not the beginning of a frame.
func LZ4FrameHolds(head []byte) (int64, bool) {
	const magic = 0x184d2204
	if len(head) < 6 || binary.LittleEndian.Uint32(head) != magic {
		return 0, false
	}
	exponent := int64(head[5]>>4) & 7
	return 2<<(8+2*exponent) + lz4FrameBytes, exponent >= 4
}

// ZstdHolds returns the memory of a FrameReader for a frame that begins with head: its window. It
// returns false if head is not the beginning of a frame.
func ZstdHolds(head []byte) (int64, bool) {
	var h zstd.Header
	if h.Decode(head) != nil || h.Skippable {
		return 0, false
	}
	window := h.WindowSize
	if h.SingleSegment {
		window = h.FrameContentSize
	}
	return int64(min(window, 1<<40)) + zstdFrameBytes, true
}

// NewLZ4Frames returns a reader of LZ4 frames.
func NewLZ4Frames() FrameReader { return &lz4Frames{lz4.NewReader(nil)} }

type lz4Frames struct{ *lz4.Reader }

func (f *lz4Frames) Reset(r io.Reader) error {
	f.Reader.Reset(r)
	return nil
}

func (f *lz4Frames) Close() { f.Reader.Reset(nil) }

// NewZstdFrames returns a reader of zstd frames. It starts no goroutines.
func NewZstdFrames() (FrameReader, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
}
