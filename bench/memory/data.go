package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

const (
	totalRows = 1_200_000
	columns   = 4
)

// batchRows are how many rows batches of Arrow and pages of Parquet have.
var batchRows = []int{60_000, totalRows}

// formats are names of files, with the rows of a batch. Those of streams are piped.
var formats = []string{"plain-%d.arrow", "zstd-%d.arrow", "lz4-%d.arrow", "plain-%d.arrows", "lz4-%d.arrows", "zstd-%d.parquet"}

// files writes the files by their names.
var files = map[string]func(path string) error{
	"small.csv":        func(path string) error { return writeText(path, 600, columns) },
	"medium.csv":       func(path string) error { return writeText(path, 20_000, columns) },
	"wide.npy":         func(path string) error { return writeNumbers(path, 200, 20_000) },
	"wide.csv":         func(path string) error { return writeNumbers(path, 200, 20_000) },
	"wide.parquet":     func(path string) error { return writeNumbers(path, 200, 20_000) },
	"one-page.parquet": func(path string) error { return writePages(path, 10_000_000, 10_000_000, 1) },
}

func init() {
	options := map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}}
	for _, format := range formats {
		for _, rows := range batchRows {
			codec, _, _ := strings.Cut(format, "-")
			files[fmt.Sprintf(format, rows)] = func(path string) error {
				if strings.HasSuffix(path, ".parquet") {
					return writePages(path, totalRows, rows, columns)
				}
				return writeBatches(path, rows, options[codec])
			}
		}
	}
}

// number returns number j of row i: few digits, so that codecs find something to do.
func number(i, j int) float64 { return float64((i*(j+3)+i/1000)%1000) / 64 }

func class(i int) string { return fmt.Sprint("class ", i%7) }

// writeBatches writes an Arrow file, or a stream, of totalRows rows.
func writeBatches(path string, rows int, options []ipc.Option) error {
	fields := []arrow.Field{{Name: "name", Type: arrow.BinaryTypes.String}}
	for j := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("x", j), Type: arrow.PrimitiveTypes.Float64})
	}
	schema := arrow.NewSchema(fields, nil)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var w interface {
		Write(arrow.Record) error
		Close() error
	}
	options = append(options, ipc.WithSchema(schema))
	if strings.HasSuffix(path, ".arrows") {
		w = ipc.NewWriter(f, options...)
	} else if w, err = ipc.NewFileWriter(f, options...); err != nil {
		return err
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for first := 0; first < totalRows; first += rows {
		for i := first; i < first+rows; i++ {
			b.Field(0).(*array.StringBuilder).Append(class(i))
			for j := range columns {
				b.Field(1 + j).(*array.Float64Builder).Append(number(i, j))
			}
		}
		record := b.NewRecord()
		err := w.Write(record)
		record.Release()
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}

// row is one of a Parquet file.
type row struct {
	Name string  `parquet:"name"`
	X0   float64 `parquet:"x0,plain"`
	X1   float64 `parquet:"x1,plain"`
	X2   float64 `parquet:"x2,plain"`
	X3   float64 `parquet:"x3,plain"`
}

// single is one of a Parquet file of one column.
type single struct {
	X0 float64 `parquet:"x0,plain"`
}

// writePages writes a Parquet file of one row group whose pages have so many rows.
func writePages(path string, rows, page, width int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	options := []parquet.WriterOption{parquet.PageBufferSize(8 * page), parquet.Compression(&parquet.Zstd)}
	if width == 1 {
		err = writeRows(f, rows, options, func(i int) single { return single{number(i, 0)} })
	} else {
		err = writeRows(f, rows, options, func(i int) row {
			return row{class(i), number(i, 0), number(i, 1), number(i, 2), number(i, 3)}
		})
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// writeRows writes rows that of makes.
func writeRows[R any](f *os.File, n int, options []parquet.WriterOption, of func(i int) R) error {
	w := parquet.NewGenericWriter[R](f, options...)
	rows := make([]R, 10_000)
	for first := 0; first < n; first += len(rows) {
		for i := range rows {
			rows[i] = of(first + i)
		}
		if _, err := w.Write(rows); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeText writes rows with a class.
func writeText(path string, n, d int) error {
	x := datasets.Uniform(n, d, 7)
	names := stream.Column{Kind: stream.String}
	for i := range n {
		names.Strings = append(names.Strings, class(i))
		names.Valid = append(names.Valid, true)
	}
	schema := blockstore.Schema{Columns: xNames(d), Kept: []stream.Field{{Name: "name", Kind: stream.String}}, Rows: int64(n)}
	return writeBatch(path, schema, x, names)
}

// writeNumbers writes rows of numbers alone.
func writeNumbers(path string, n, d int) error {
	return writeBatch(path, blockstore.Schema{Columns: xNames(d), Rows: int64(n)}, datasets.Uniform(n, d, 7))
}

func writeBatch(path string, schema blockstore.Schema, x blas64.General, kept ...stream.Column) error {
	w, err := blockstore.Create(path, schema)
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	if err := w.Write(&stream.Batch{X: x, Kept: kept}, x.Rows); err != nil {
		return err
	}
	return w.Commit()
}

func xNames(d int) (names []string) {
	for j := range d {
		names = append(names, fmt.Sprint("x", j))
	}
	return names
}
