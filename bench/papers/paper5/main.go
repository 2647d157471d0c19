// Package paper5 reproduces the examples of paper 5 (Mollenhauer et al., "Singular value
// decomposition of operators on reproducing kernel Hilbert spaces") with package rkhs,
// each beside its closed form or the figures that the paper prints.
//
//	go run -C bench/papers . paper5                 everything
//	go run -C bench/papers . paper5 -only gyre,ou
//
// Parts: mercer is Example 3.10, mixture is Example 3.16, gyre is Example 4.2; ou is the
// Koopman operator of an Ornstein–Uhlenbeck process; wells and bickley are lag pairs of
// NYSTREAM_DATA.
package paper5

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// seed is that of draws and fits.
const seed = 1

// options say what to measure.
type options struct {
	out  string
	only []string
	rows int // of made data
}

// parts are the examples.
var parts = []struct {
	name string
	run  func(ctx context.Context, o *options) (*report.Table, error)
}{
	{"mercer", mercer}, {"mixture", mixture}, {"gyre", gyre}, {"ou", ornsteinUhlenbeck},
	{"wells", wells}, {"bickley", bickley},
}

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	o := &options{}
	f := program.Flags("paper5", &o.out)
	only := f.String("only", strings.Join(names, ","), "parts")
	f.IntVar(&o.rows, "rows", 1000000, "rows of made data")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only = program.List(*only)
	if err := program.Known(o.only, names); err != nil {
		return nil, err
	}
	if o.rows < 1000 {
		return nil, fmt.Errorf("-rows %d: 1000 is the least", o.rows)
	}
	return func(ctx context.Context) error { return run(ctx, o) }, nil
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(o.only, p.name) {
			continue
		}
		t, err := p.run(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		t.File = p.name
		if err := t.Write(o.out); err != nil {
			return err
		}
	}
	return nil
}

// timed fits and returns the seconds that it took.
func timed(ctx context.Context, s rkhs.Solver, d *rkhs.Data, k kernelgen.Kernel) (*rkhs.Fit, float64, error) {
	start := time.Now()
	f, err := s.Fit(ctx, stream.Engine{}, d, k)
	return f, time.Since(start).Seconds(), err
}

// landmarks returns a solver with so many landmarks, 0 for the default.
func landmarks(o rkhs.Operator, t rkhs.Task, rank, count int) rkhs.Solver {
	return rkhs.Solver{Operator: o, Task: t, Rank: rank, Engine: rkhs.EngineLandmark, Landmarks: count, Seed: seed}
}

// pairsOf returns pairs in memory.
func pairsOf(x, y blas64.General) (*rkhs.Data, error) {
	return rkhs.Pairs(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
}

// row returns a row of a table: two words, values with five digits, and what is behind them.
func row(name, engine string, values []float64, behind ...any) []any {
	cells := []any{name, engine}
	for _, v := range values {
		cells = append(cells, fmt.Sprintf("%.5g", v))
	}
	return append(cells, behind...)
}
