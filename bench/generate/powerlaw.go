package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

func parsePowerLaw(args []string) (func() error, error) {
	f := program.FileFlags("powerlaw")
	g := powerLaw{blocks: 10, exponent: 2.5, within: 0.8}
	f.IntVar(&g.nodes, "nodes", 1_000_000, "number of nodes")
	edges := f.Int64("edges", 10_000_000, "number of edges, repeated ones included")
	f.Uint64Var(&g.seed, "seed", 7, "seed")
	out := f.String("o", "", "file of the edges: src,dst (required)")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	if *out == "" {
		return nil, errors.New("name the file to write with -o")
	}
	extension := filepath.Ext(*out)
	labels := strings.TrimSuffix(*out, extension) + ".labels" + extension
	return func() error { return writeGraph(g, *edges, *out, labels) }, nil
}

// writeGraph writes both files.
func writeGraph(m powerLaw, edges int64, out, labels string) error {
	g, err := newGenerator(m)
	if err != nil {
		return err
	}
	if edges < 0 {
		return fmt.Errorf("%d edges", edges)
	}
	if err := writePairs(out, "src", "dst", edges, g.edge); err != nil {
		return err
	}
	return writePairs(labels, "node", "label", int64(m.nodes), func(v int64) (int64, int64) {
		return v, g.label(v)
	})
}

// writePairs writes two columns of integers.
func writePairs(path, first, second string, rows int64, pair func(i int64) (a, b int64)) error {
	kept := []stream.Field{{Name: first, Kind: stream.Int64}, {Name: second, Kind: stream.Int64}}
	columns := []stream.Column{{Kind: stream.Int64}, {Kind: stream.Int64}}
	return write(path, blockstore.Schema{Kept: kept, Rows: rows}, func(start int64, n int) *stream.Batch {
		columns[0].Reset()
		columns[1].Reset()
		for i := range int64(n) {
			a, b := pair(start + i)
			columns[0].Ints = append(columns[0].Ints, a)
			columns[1].Ints = append(columns[1].Ints, b)
		}
		return &stream.Batch{X: matrix.New(n, 0), Kept: columns}
	})
}
