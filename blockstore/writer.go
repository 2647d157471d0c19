package blockstore

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/stream"
)

// Schema is what a file to be written will hold.
type Schema struct {
	// Columns are the names of the numeric columns, in order.
	Columns []string
	// Kept are the columns written after them: labels, identifiers.
	Kept []stream.Field
	// Rows is the number of rows, or -1 when it is not known beforehand.
	Rows int64
}

// Writer writes rows to a file, which appears under its name when Commit
// succeeds and not before.
type Writer interface {
	// Write appends the first n rows of b, in order.
	Write(b *stream.Batch, n int) error
	// Commit finishes the file and puts it under its final name.
	Commit() error
	// Abort drops everything written. It is safe after Commit.
	Abort()
}

// writerFor maps a lower-case file name extension to the format's writer.
func writerFor(extension string) func(*atomicFile, Schema) (Writer, error) {
	switch extension {
	case ".npy":
		return newNPYWriter
	case ".csv", ".tsv":
		return newCSVWriter
	case ".libsvm", ".svm":
		return newLibsvmWriter
	case ".parquet":
		return newParquetWriter
	case ".arrow", ".feather", ".ipc":
		return newArrowWriter
	case ".nys":
		return newStoreWriter
	}
	return nil
}

// Create starts a file of the format that the extension of path names. Nothing
// appears at path before Commit.
func Create(path string, s Schema) (Writer, error) {
	create := writerFor(strings.ToLower(filepath.Ext(path)))
	if create == nil {
		return nil, fmt.Errorf("cannot write %s: the format is taken from the extension, one of .npy .csv .tsv .libsvm .svm .parquet .arrow .feather .ipc .nys", path)
	}
	f, err := createAtomic(path)
	if err != nil {
		return nil, err
	}
	w, err := create(f, s)
	if err != nil {
		f.Abort()
		return nil, err
	}
	return w, nil
}

// mustWrite panics unless the batch has the shape that the schema promises.
func mustWrite(s Schema, b *stream.Batch, n int) {
	if b.X.Cols != len(s.Columns) || len(b.Kept) != len(s.Kept) || n > b.X.Rows {
		panic(fmt.Sprintf("blockstore: a batch of %d columns, %d of them kept, %d rows of %d, does not fit the schema of %d columns, %d kept",
			b.X.Cols+len(b.Kept), len(b.Kept), n, b.X.Rows, len(s.Columns)+len(s.Kept), len(s.Kept)))
	}
}

// checkCount says when fewer or more rows came than the schema promised.
func checkCount(path string, s Schema, written int64) error {
	if s.Rows >= 0 && written != s.Rows {
		return fmt.Errorf("cannot write %s: %d rows came, %d were announced", path, written, s.Rows)
	}
	return nil
}
