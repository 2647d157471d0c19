package main

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/processes"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// drawing says how rows of a process are drawn.
type drawing struct {
	rho, tau float64
	seed     uint64
	even     bool // points that are spread evenly, in the place of drawn ones
}

// process returns what fills the next rows of x, and of y in those that are of pairs.
type process func(d drawing) func(x, y blas64.General, start int64)

func square(d drawing) func(x, y blas64.General, start int64) {
	if d.even {
		return func(x, _ blas64.General, start int64) { processes.EvenSquare(x, start) }
	}
	return func(x, _ blas64.General, start int64) { processes.FillSquare(x, start, d.seed) }
}

func mixture(d drawing) func(x, y blas64.General, start int64) {
	if d.even {
		return func(x, y blas64.General, start int64) { processes.EvenMixture(x, y, start, d.rho) }
	}
	return func(x, y blas64.General, start int64) { processes.FillMixture(x, y, start, d.rho, d.seed) }
}

func path(d drawing) func(x, y blas64.General, start int64) {
	p := processes.Path{Tau: d.tau, Seed: d.seed}
	return func(x, _ blas64.General, _ int64) { p.Fill(x) }
}

// parseProcess returns what parses the flags for rows with so many columns. Those of the
// mixture are pairs.
func parseProcess(name string, columns int, of process) func(args []string) (func() error, error) {
	return func(args []string) (func() error, error) {
		var d drawing
		f := program.FileFlags(name)
		out := f.String("o", "", "file of the rows x (required)")
		rows := f.Int64("rows", 1_000_000, "number of rows")
		f.Uint64Var(&d.seed, "seed", 1, "seed")
		with := new(string)
		if name != "path" {
			f.BoolVar(&d.even, "even", false, "rows spread evenly instead of drawn: what is left of an error is not that of drawing")
		}
		switch name {
		case "mixture":
			with = f.String("with", "", "file of the rows y (required)")
			f.Float64Var(&d.rho, "rho", 0.3, "standard deviation about either mean")
		case "path":
			f.Float64Var(&d.tau, "tau", 0.3, "time between rows")
		}
		if err := program.Parse(f, args); err != nil {
			return nil, err
		}
		if *out == "" || name == "mixture" && *with == "" {
			return nil, errors.New("name the files to write with -o, and for pairs with -with")
		}
		if *rows < 0 {
			return nil, errors.New("-rows must not be negative")
		}
		return func() error { return writeProcess(*out, *with, *rows, columns, of(d)) }, nil
	}
}

// writeProcess writes the rows a batch at a time.
func writeProcess(out, with string, rows int64, columns int, fill func(x, y blas64.General, start int64)) error {
	x, y := stream.NewMatrix(8192, columns), stream.NewMatrix(8192, columns)
	files := []struct {
		path string
		rows blas64.General
	}{{out, x}, {with, y}}
	var writers []blockstore.Writer
	for _, f := range files {
		if f.path == "" {
			continue
		}
		w, err := blockstore.Create(f.path, blockstore.Schema{Columns: stream.NumberedColumns(columns), Rows: rows})
		if err != nil {
			return err
		}
		defer w.Abort() // does nothing after Commit
		writers = append(writers, w)
	}
	for start := int64(0); start < rows; start += int64(x.Rows) {
		n := int(min(int64(x.Rows), rows-start))
		fill(stream.RowSlice(x, 0, n), stream.RowSlice(y, 0, n), start)
		for k, w := range writers {
			if err := w.Write(&stream.Batch{X: stream.RowSlice(files[k].rows, 0, n)}, n); err != nil {
				return err
			}
		}
	}
	for _, w := range writers {
		if err := w.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// parseGyre parses the flags for the pairs of the double gyre.
func parseGyre(args []string) (func() error, error) {
	f := program.FileFlags("gyre")
	out := f.String("o", "", "file of the midpoints (required)")
	with := f.String("with", "", "file of where they flow (required)")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	if *out == "" || *with == "" {
		return nil, errors.New("name the files to write with -o and -with")
	}
	return func() error {
		x, y := processes.Gyre(processes.GyreColumns, processes.GyreRows, processes.GyreSteps)
		at := func(m blas64.General, start int64, dst blas64.General) { copy(dst.Data, m.Data[int(start)*m.Stride:]) }
		return writeProcess(*out, *with, int64(x.Rows), x.Cols, func(a, b blas64.General, start int64) {
			at(x, start, a)
			at(y, start, b)
		})
	}, nil
}
