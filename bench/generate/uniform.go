package main

import (
	"errors"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

func parseUniform(args []string) (func() error, error) {
	f := program.FileFlags("uniform")
	out := f.String("o", "", "file of the rows (required)")
	rows := f.Int64("rows", 1_000_000, "number of rows")
	d := f.Int("d", 20, "number of columns")
	seed := f.Uint64("seed", 7, "seed")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	if *out == "" {
		return nil, errors.New("name the file to write with -o")
	}
	if *rows < 0 || *d < 1 {
		return nil, errors.New("-rows must not be negative, and -d at least 1")
	}
	return func() error { return writeUniform(*out, *rows, *d, *seed) }, nil
}

func writeUniform(path string, rows int64, d int, seed uint64) error {
	all := matrix.New(batchRows, d)
	schema := blockstore.Schema{Columns: stream.NumberedColumns(d), Nameless: true, Rows: rows}
	return write(path, schema, func(start int64, n int) *stream.Batch {
		x := matrix.Rows(all, 0, n)
		datasets.FillUniform(x, start, seed)
		return &stream.Batch{X: x}
	})
}
