package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/compression"
)

// unpackers maps codecs to functions that decompress src to dst and fail unless the sizes agree.
var unpackers = map[format.CompressionCodec]func(u *compression.Unpacker, dst, src []byte) error{
	format.Snappy: func(_ *compression.Unpacker, dst, src []byte) error { return compression.Snappy(dst, src) },
	format.Lz4Raw: func(_ *compression.Unpacker, dst, src []byte) error { return compression.LZ4(dst, src) },
	format.Zstd:   (*compression.Unpacker).Zstd,
	format.Gzip:   (*compression.Unpacker).Gzip,
	format.Brotli: (*compression.Unpacker).Brotli,
}

// knownCodec reports whether pages compressed with a codec can be read.
func knownCodec(codec format.CompressionCodec) bool {
	return codec == format.Uncompressed || unpackers[codec] != nil
}

// maxRatio bounds the compression ratio of a page, by what the formats allow. A brotli stream has
// no such bound.
var maxRatio = map[format.CompressionCodec]int{
	format.Snappy: 22,
	format.Lz4Raw: 256,
	format.Gzip:   1040,
	format.Zstd:   1 << 15,
}

// checkRatio returns an error for a size that a compressed page cannot have.
func checkRatio(codec format.CompressionCodec, packed, size int) error {
	if ratio := maxRatio[codec]; ratio > 0 && size/ratio > packed+64 {
		return fmt.Errorf("%d bytes of %s cannot hold %d bytes", packed, codec, size)
	}
	return nil
}
