// Command generate writes data for measurements. The same flags give the same files,
// byte by byte.
//
//	go run ./bench/generate uniform -rows 1000000 -o u6.npy
//	go run ./bench/generate powerlaw -nodes 1000000 -edges 10000000 -o g.csv
//
// uniform draws rows uniformly from [0,1]^d. powerlaw draws a directed graph with power-law degrees and communities of
// nodes, which it writes to a second file, here g.labels.csv.
package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// generators maps kinds of data to functions that parse their flags.
var generators = map[string]func(args []string) (func() error, error){
	"uniform":  parseUniform,
	"powerlaw": parsePowerLaw,
}

func main() {
	program.Main("generate", parse, func(_ context.Context, write func() error) error { return write() })
}

// parse returns a function that writes the requested files.
func parse(args []string) (func() error, error) {
	known := strings.Join(slices.Sorted(maps.Keys(generators)), " or ")
	if len(args) == 0 {
		return nil, fmt.Errorf("say what to generate: %s", known)
	}
	parseFlags, ok := generators[args[0]]
	if !ok {
		return nil, fmt.Errorf("%q is not known: generate %s", args[0], known)
	}
	return parseFlags(args[1:])
}

const batchRows = 8192

// write writes a file in batches. batch returns n rows from start on.
func write(path string, schema blockstore.Schema, batch func(start int64, n int) *stream.Batch) error {
	w, err := blockstore.Create(path, schema)
	if err != nil {
		return err
	}
	defer w.Abort() // no-op after Commit
	for start := int64(0); start < schema.Rows; start += batchRows {
		n := int(min(batchRows, schema.Rows-start))
		if err := w.Write(batch(start, n), n); err != nil {
			return err
		}
	}
	return w.Commit()
}
