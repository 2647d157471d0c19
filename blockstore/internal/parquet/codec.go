package parquet

import (
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/parquet-go/parquet-go/format"
)

// unpackers undo the codecs that are known: each fills dst with what src decompresses to, which
// must be as long.
var unpackers = map[format.CompressionCodec]func(u *compression.Unpacker, dst, src []byte) error{
	format.Snappy: func(_ *compression.Unpacker, dst, src []byte) error { return compression.Snappy(dst, src) },
	format.Lz4Raw: func(_ *compression.Unpacker, dst, src []byte) error { return compression.LZ4(dst, src) },
	format.Zstd:   (*compression.Unpacker).Zstd,
	format.Gzip:   (*compression.Unpacker).Gzip,
	format.Brotli: (*compression.Unpacker).Brotli,
}

// knownCodec reports whether pages of a codec can be read.
func knownCodec(codec format.CompressionCodec) bool {
	return codec == format.Uncompressed || unpackers[codec] != nil
}

// maxRatio bounds how much smaller than its content a compressed page can be:
// what the formats allow. A brotli stream has no such bound.
var maxRatio = map[format.CompressionCodec]int{
	format.Snappy: 22,
	format.Lz4Raw: 256,
	format.Gzip:   1040,
	format.Zstd:   1 << 15,
}

// checkRatio refuses a size that a compressed page cannot have.
func checkRatio(codec format.CompressionCodec, packed, size int) error {
	if ratio := maxRatio[codec]; ratio > 0 && size/ratio > packed+64 {
		return fmt.Errorf("%d bytes of %s cannot hold %d bytes", packed, codec, size)
	}
	return nil
}
