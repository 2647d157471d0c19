// Package paper5 reproduces the examples of paper 5 (Mollenhauer et al., "Singular value decomposition of operators on
// reproducing kernel Hilbert spaces") with package rkhs, each compared with its closed form or the paper's numbers.
//
//	go run -C bench/papers . paper5                 everything
//	go run -C bench/papers . paper5 -only gyre
//
// Parts: mercer is Example 3.10, mixture is Example 3.16, gyre is Example 4.2.
package paper5

import (
	"context"
	"flag"
	"fmt"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// seed is the seed of fits.
const seed = 1

// Parse parses the flags and returns the requested program.
func Parse(args []string) (*lab.Program, error) {
	rows := 0 // number of generated rows
	one := func(name string, table func(context.Context, int) (*report.Table, error)) lab.Part {
		return lab.Part{Name: name, Run: func(ctx context.Context) ([]*report.Table, error) {
			t, err := table(ctx, rows)
			return []*report.Table{t}, err
		}}
	}
	return lab.Parse("paper5", args, []lab.Part{one("mercer", mercer), one("mixture", mixture), one("gyre", gyre)},
		func(f *flag.FlagSet) {
			f.IntVar(&rows, "rows", 1000000, "rows of made data; gyre has 7200 boxes at most")
		},
		func() error {
			if rows < 200 {
				return fmt.Errorf("-rows %d: 200 is the least", rows)
			}
			return nil
		})
}

// timed fits and returns the time in seconds.
func timed(ctx context.Context, s rkhs.Solver, d *rkhs.Data, k kernelgen.Kernel) (*rkhs.Fit, float64, error) {
	start := time.Now()
	f, err := s.Fit(ctx, stream.Engine{}, d, k)
	return f, time.Since(start).Seconds(), err
}

// landmarks returns a solver with the given number of landmarks, 0 for the default.
func landmarks(o rkhs.Operator, t rkhs.Task, rank, count int) rkhs.Solver {
	return rkhs.Solver{Operator: o, Task: t, Rank: rank, Algorithm: rkhs.AlgorithmLandmark, Landmarks: count, Seed: seed}
}

// pairsOf returns pairs in memory.
func pairsOf(x, y blas64.General) (*rkhs.Data, error) {
	return rkhs.Pairs(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
}

// row returns a row of a table: name, engine, values with five digits, and further cells.
func row(name, engine string, values []float64, behind ...any) []any {
	cells := []any{name, engine}
	for _, v := range values {
		cells = append(cells, fmt.Sprintf("%.5g", v))
	}
	return append(cells, behind...)
}
