package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// formats are those that the rows are written in.
var formats = []string{"parquet", "npy", "csv"}

// dimension is the number of columns; the last is a class, 0 or 1.
const dimension = 10

// path returns the file of the rows in a format.
func (o *options) path(format string) string {
	return filepath.Join(o.folder, fmt.Sprintf("rows-%d.%s", o.rows, format))
}

// writeData writes the rows in all formats, where they are not there yet.
func (o *options) writeData() error {
	x := datasets.Uniform(o.rows, dimension, 7)
	for i := range x.Rows {
		row := x.Data[i*x.Stride : i*x.Stride+dimension]
		row[dimension-1] = 0
		if row[0]+row[1] > row[2]+0.5 {
			row[dimension-1] = 1
		}
	}
	for _, format := range o.formats {
		path := o.path(format)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := write(path, x); err != nil {
			return err
		}
	}
	return nil
}

// write writes rows to a file.
func write(path string, x blas64.General) error {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(x.Cols), Rows: int64(x.Rows)})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(&stream.Batch{X: x}, x.Rows); err != nil {
		return err
	}
	return w.Commit()
}
