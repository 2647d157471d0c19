package blockstore

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/parquet"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/stream"
)

const noCompression = "none"

// Compressions returns the possible values of Schema.Compression for a format. Text is compressed
// if its file name has the extension for it.
func Compressions(format string) []string {
	switch format {
	case formats.Parquet:
		return append([]string{noCompression}, parquet.Compressions()...)
	case formats.Store:
		return []string{noCompression, formats.Zstd}
	}
	return []string{noCompression}
}

// storeEncoder returns a StartEncoder of stores. If compress is true, sections are zstd frames
// where these are smaller.
func storeEncoder(compress bool) column.StartEncoder {
	return func(out io.Writer, s stream.Info) (column.Encoder, error) { return store.NewEncoder(out, s, compress) }
}

// isPacked reports whether files of a format may be compressed as a whole.
func isPacked(format string) bool { return formats.IsText(format) }

// packedName splits the extension of compression off a name such as rows.csv.gz.
func packedName(path string) (bare, packing string) {
	extension := filepath.Ext(path)
	switch strings.ToLower(extension) {
	case ".gz":
		packing = formats.Gzip
	case ".zst":
		packing = formats.Zstd
	default:
		return path, ""
	}
	return strings.TrimSuffix(path, extension), packing
}

// packed returns a StartEncoder of files that are compressed as a whole.
func packed(packing string, start column.StartEncoder) column.StartEncoder {
	return func(out io.Writer, s stream.Info) (column.Encoder, error) {
		w, err := compression.NewWriter(packing, out)
		if err != nil {
			return nil, err
		}
		e, err := start(w, s)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		return &packedEncoder{e, w}, nil
	}
}

// packedEncoder is an encoder whose output is compressed.
type packedEncoder struct {
	column.Encoder
	packing interface{ Close() error }
}

func (e *packedEncoder) Finish() error {
	if err := e.Encoder.Finish(); err != nil {
		return err
	}
	return e.packing.Close()
}
