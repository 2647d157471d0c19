// Command uniform writes rows drawn uniformly from [0,1]^d to a file, for
// measuring memory and time:
//
//	go run ./bench/uniform -rows 1000000 u6.npy
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

func main() {
	rows := flag.Int64("rows", 1_000_000, "number of rows")
	d := flag.Int("d", 20, "number of columns")
	seed := flag.Uint64("seed", 7, "seed")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "uniform: name one file to write")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *rows, *d, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "uniform:", err)
		os.Exit(1)
	}
}

// write writes the rows a batch at a time.
func write(path string, rows int64, d int, seed uint64) error {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(d), Rows: rows})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	batch := stream.NewMatrix(8192, d)
	for start := int64(0); start < rows; start += 8192 {
		part := stream.RowSlice(batch, 0, int(min(8192, rows-start)))
		datasets.FillUniform(part, start, seed)
		if err := w.Write(&stream.Batch{X: part}, part.Rows); err != nil {
			return err
		}
	}
	return w.Commit()
}
