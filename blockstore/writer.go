package blockstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/blockstore/internal/parquet"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/blockstore/internal/text"
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

// writerFor maps the extension of path to the format's encoder, nil if there
// is none.
func writerFor(path string) column.StartEncoder {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npy":
		return npy.NewEncoder
	case ".csv", ".tsv":
		return text.NewCSVEncoder
	case ".libsvm", ".svm":
		return text.NewLibsvmEncoder
	case ".parquet":
		return parquet.NewEncoder
	case ".arrow", ".feather", ".ipc":
		return arrow.NewEncoder
	case ".nys":
		return newPlainStoreEncoder
	}
	return nil
}

// WriterBytes returns about how much memory a writer of the format that path names
// holds besides the batches that it is given, in bytes, for so many columns:
// Parquet, Arrow and stores collect rows before they write them, the others
// hold nothing to speak of. Long strings in kept columns come on top.
func WriterBytes(path string, columns int) int64 {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".parquet":
		return parquet.WriterBytes + parquet.ColumnBytes*int64(columns)
	case ".arrow", ".feather", ".ipc":
		return arrow.WriterBytes
	case ".nys":
		return store.WriterBytes
	}
	return 0
}

// Create starts a file of the format that the extension of path names. Nothing
// appears at path before Commit.
func Create(path string, s Schema) (Writer, error) {
	start := writerFor(path)
	if start == nil {
		return nil, fmt.Errorf("cannot write %s: the format is taken from the extension, one of .npy .csv .tsv .libsvm .svm .parquet .arrow .feather .ipc .nys", path)
	}
	return create(path, s, start)
}

// WriteFile writes a file of any content. Whatever happens, a power cut included, path
// has what it had before, or all of data.
func WriteFile(path string, data []byte) error {
	f, err := file.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort() // does nothing after Commit
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// ReplaceAll lets write write files with the given paths, all of them or none: after an
// error each path has what it had before. That is as far as the file system goes, which
// has no rename of several files: a process that is killed between two leaves both whole,
// one of them old. On a file system without hard links a file that was replaced before
// another failed stays new.
func ReplaceAll(paths []string, write func() error) (err error) {
	before := make([]*file.Previous, len(paths))
	for i, path := range paths {
		before[i] = file.KeepPrevious(path)
	}
	err = write()
	for _, p := range before {
		if err != nil {
			err = errors.Join(err, p.Restore())
		}
		p.Forget()
	}
	return err
}

// fileWriter is the Writer of all formats: it checks and counts what the
// encoder is given, and puts the file under its name.
type fileWriter struct {
	encoder column.Encoder
	file    *file.Atomic
	schema  Schema
	rows    int64
	failed  error // the first failure of Write, which is final
}

// create starts a file.
func create(path string, s Schema, start column.StartEncoder) (Writer, error) {
	f, err := file.Create(path)
	if err != nil {
		return nil, err
	}
	e, err := start(f, stream.Info{Columns: s.Columns, Kept: s.Kept, Rows: s.Rows})
	if err != nil {
		err = f.Fail(err)
		f.Abort()
		return nil, err
	}
	return &fileWriter{encoder: e, file: f, schema: s}, nil
}

// Write implements Writer. It panics when b does not have the shape that the
// schema promises.
func (w *fileWriter) Write(b *stream.Batch, n int) error {
	s := w.schema
	if b.X.Cols != len(s.Columns) || len(b.Kept) != len(s.Kept) || n > b.X.Rows {
		panic(fmt.Sprintf("blockstore: a batch of %d columns, %d of them kept, %d rows of %d, does not fit the schema of %d columns, %d kept",
			b.X.Cols+len(b.Kept), len(b.Kept), n, b.X.Rows, len(s.Columns)+len(s.Kept), len(s.Kept)))
	}
	if w.failed == nil {
		w.failed = w.encoder.Encode(b, n)
		w.rows += int64(n)
	}
	return w.failed
}

// Commit implements Writer.
func (w *fileWriter) Commit() error {
	defer w.Abort() // does nothing after success
	if w.failed != nil {
		return w.failed
	}
	if w.schema.Rows >= 0 && w.rows != w.schema.Rows {
		return fmt.Errorf("cannot write %s: %d rows came, %d were announced", w.file.Target, w.rows, w.schema.Rows)
	}
	if err := w.encoder.Finish(); err != nil {
		return err
	}
	return w.file.Commit()
}

// Abort implements Writer.
func (w *fileWriter) Abort() { w.file.Abort() }
