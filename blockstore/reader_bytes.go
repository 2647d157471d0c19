package blockstore

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/stream"
)

// Reading Parquet keeps one page of every column in memory. Programs that write
// it make pages of up to 1 MiB (our own 256 KiB); with 20 columns of our own
// 6.1 MB were measured, 0.9 MB more than the pages.
const (
	parquetPageBytes   = 1 << 20
	parquetReaderBytes = 1 << 20
)

// ReaderBytes returns about how much memory reading data holds besides the batches that
// it fills, in bytes: a page of each column of Parquet, of other formats nothing to speak
// of. format is that of [Options], and info describes the source.
func ReaderBytes(format string, paths []string, info stream.Info) int64 {
	if !slices.ContainsFunc(paths, func(path string) bool { return mayBeParquet(format, path) }) {
		return 0
	}
	page := int64(parquetPageBytes)
	if info.Rows >= 0 {
		page = min(page, 8*info.Rows)
	}
	return parquetReaderBytes + page*int64(len(info.Columns)+len(info.Kept))
}

// mayBeParquet reports whether a path may lead to Parquet files.
func mayBeParquet(format, path string) bool {
	if format != "" || path == "-" {
		return format == formats.Parquet
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		found, err := formats.Sniff(path)
		return err == nil && found == formats.Parquet
	}
	extension := filepath.Ext(path) // of a folder or a glob
	named := formats.ByExtension(extension)
	return named == formats.Parquet || named == "" && !slices.Contains([]string{".gz", ".zst", ".bz2"}, extension)
}
