package compression

import (
	"compress/bzip2"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nystream/nystream/blockstore/internal/formats"
)

// zstdWindow is the most that decompressing a zstd file may hold in memory.
const zstdWindow = 128 << 20

// NewReader returns a reader of what in decompresses to. The format is one of
// those that formats.IsCompressed admits.
func NewReader(format string, in io.Reader) (io.ReadCloser, error) {
	switch format {
	case formats.Gzip:
		return gzip.NewReader(in)
	case formats.Bzip2:
		return io.NopCloser(bzip2.NewReader(in)), nil
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
