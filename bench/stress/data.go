package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// writeFlag makes this program write one file and exit. Another process writes data, so that the peak memory of this
// one stays small.
const writeFlag = "-write"

// uniform returns the name of a file of uniform rows with a class, 0 or 1, in the last column.
func uniform(rows, columns, seed int, format string) string {
	return fmt.Sprintf("uniform-%dx%d-%d.%s", rows, columns, seed, format)
}

// writeFile writes the file described by its name: KIND-ROWSxCOLUMNS-NUMBER.FORMAT. The kinds uniform, text and sparse
// have uniform rows, and the number is the seed; for parts, a folder, it is the number of files. zstd is Parquet with
// pages of that number of rows. labels has two classes, 0 and 1.
func writeFile(path string) {
	kind, shape, _ := strings.Cut(filepath.Base(path), "-")
	var rows, columns, number int
	if _, err := fmt.Sscanf(shape, "%dx%d-%d", &rows, &columns, &number); err != nil {
		failf("%s does not name any data: %w", path, err)
	}
	switch kind {
	case "uniform":
		writeUniform(path, rows, columns, uint64(number))
	case "text":
		writeLabelled(path, datasets.Uniform(rows, columns, uint64(number)))
	case "parts":
		writeParts(path, rows, columns, number)
	case "labels":
		x := datasets.Uniform(rows, columns, uint64(number))
		for i, v := range x.Data {
			x.Data[i] = math.Round(v)
		}
		writeBatch(path, blockstore.Schema{Columns: xNames(columns)}, x)
	case "zstd":
		writePages(path, rows, columns, number)
	case "sparse":
		x := datasets.Uniform(rows, columns, uint64(number))
		zeros := 1 - min(0.5, 50/float64(columns)) // 50 numbers of a row are nonzero
		for i, v := range x.Data {
			x.Data[i] = max(0, v-zeros)
		}
		label := stream.Column{Kind: stream.Int64, Valid: slices.Repeat([]bool{true}, rows)}
		for i := range rows {
			label.Ints = append(label.Ints, int64(i%7))
		}
		kept := []stream.Field{{Name: "label", Kind: stream.Int64}}
		writeBatch(path, blockstore.Schema{Columns: xNames(columns), Kept: kept}, x, label)
	default:
		failf("%s does not name any data", path)
	}
}

// writeUniform writes uniform rows with a class in the last column.
func writeUniform(path string, rows, columns int, seed uint64) {
	x := datasets.Uniform(rows, columns, seed)
	for i := range rows {
		row := x.Data[i*columns : (i+1)*columns]
		row[columns-1] = 0
		if row[0]+row[1] > row[2]+0.5 {
			row[columns-1] = 1
		}
	}
	writeBatch(path, blockstore.Schema{Columns: stream.NumberedColumns(columns)}, x)
}

// writeParts writes a folder of Parquet files.
func writeParts(path string, rows, columns, files int) {
	check(os.MkdirAll(path, 0o777))
	for i := range files {
		writeLabelled(filepath.Join(path, fmt.Sprintf("%05d.parquet", i)), datasets.Uniform(rows/files, columns, uint64(i)))
	}
}

// writeLabelled writes rows of columns x0, x1 and so on, with a kept column, name.
func writeLabelled(path string, x blas64.General) {
	names := stream.Column{Kind: stream.String, Valid: slices.Repeat([]bool{true}, x.Rows)}
	for i := range x.Rows {
		names.Strings = append(names.Strings, class(i))
	}
	kept := []stream.Field{{Name: "name", Kind: stream.String}}
	writeBatch(path, blockstore.Schema{Columns: xNames(x.Cols), Kept: kept}, x, names)
}

// writeBatch writes rows and kept columns.
func writeBatch(path string, schema blockstore.Schema, x blas64.General, kept ...stream.Column) {
	schema.Rows = int64(x.Rows)
	w, err := blockstore.Create(path, schema)
	check(err)
	defer w.Abort() // no-op after Commit
	check(w.Write(&stream.Batch{X: x, Kept: kept}, x.Rows))
	check(w.Commit())
}

// figure returns number j of row i, with few digits, so that codecs compress it.
func figure(i, j int) float64 { return float64((i*(j+3)+i/1000)%1000) / 64 }

func class(i int) string { return fmt.Sprint("class ", i%7) }

// xNames returns the names x0, x1 and so on.
func xNames(columns int) (names []string) {
	for j := range columns {
		names = append(names, fmt.Sprint("x", j))
	}
	return names
}

// writePages writes a Parquet file of one row group, with page rows on each page: a name and numbers.
func writePages(path string, rows, columns, page int) {
	group := parquet.Group{"name": parquet.String()} // columns are sorted by name
	for _, name := range xNames(columns) {
		group[name] = parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain)
	}
	f, err := os.Create(path)
	check(err)
	defer f.Close()
	schema := parquet.NewSchema("rows", group)
	w := parquet.NewWriter(f, schema, parquet.PageBufferSize(8*page), parquet.Compression(&parquet.Zstd))
	for i := range rows {
		row := parquet.Row{parquet.ValueOf(class(i))}
		for j := range columns {
			row = append(row, parquet.ValueOf(figure(i, j)))
		}
		for c := range row {
			row[c] = row[c].Level(0, 0, c)
		}
		_, err := w.WriteRows([]parquet.Row{row})
		check(err)
	}
	check(errors.Join(w.Close(), f.Close()))
}
