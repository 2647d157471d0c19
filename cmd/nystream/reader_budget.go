package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/stream"
)

// Reading Parquet keeps one page of every column in memory. Programs that write
// it make pages of up to 1 MiB (our own 256 KiB); with 20 columns of our own
// 6.1 MB were measured, 0.9 MB more than the pages. All other formats are read
// within what is set aside for every run.
const (
	parquetPageBytes   = 1 << 20
	parquetReaderBytes = 1 << 20
)

// readerBytes returns what reading data of that size takes beyond the blocks.
func readerBytes(format string, paths []string, info stream.Info) int64 {
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
		return format == "parquet"
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return beginsParquet(path)
	}
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	return extension == "parquet" || extension == "pq" || !slices.Contains(dataExtensions, extension)
}

func beginsParquet(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == "PAR1"
}

// readerBudget adds what reading takes. Sources, of which some may be nil, are
// read one after the other.
func readerBudget(b *stream.Budget, inputs ...*input) {
	most := int64(0)
	for _, in := range inputs {
		if in != nil {
			most = max(most, in.holds)
		}
	}
	if most > 0 {
		b.Items = append(b.Items, stream.BudgetItem{What: "pages of Parquet files", Bytes: most, Knob: "the number of columns with --columns"})
	}
}
