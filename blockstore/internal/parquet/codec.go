package parquet

import (
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/parquet-go/parquet-go/format"
)

// knownCodec reports whether an unpacker can undo codec.
func knownCodec(codec format.CompressionCodec) bool {
	switch codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4, format.Lz4Raw:
		return true
	}
	return false
}

// maxRatio bounds how much smaller than its content a compressed page can be:
// what the formats allow. A brotli stream has no such bound.
var maxRatio = map[format.CompressionCodec]int{
	format.Snappy: 22,
	format.Lz4:    256,
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

// unpackPage fills dst with what src decompresses to, which must be as long.
func unpackPage(u *compression.Unpacker, codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Snappy:
		return compression.Snappy(dst, src)
	case format.Lz4Raw:
		return compression.LZ4(dst, src)
	case format.Lz4:
		return u.LZ4Hadoop(dst, src)
	case format.Zstd:
		return u.Zstd(dst, src)
	case format.Gzip:
		return u.Gzip(dst, src)
	case format.Brotli:
		return u.Brotli(dst, src)
	}
	return fmt.Errorf("the compression %s is not supported", codec)
}
