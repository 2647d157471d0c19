// Package paper5 reproduces the examples of paper 5 (Mollenhauer et al., "Singular value
// decomposition of operators on reproducing kernel Hilbert spaces") with package rkhs,
// each beside its closed form or the figures that the paper prints.
//
//	go run -C bench/papers . paper5 -out DIR                 everything
//	go run -C bench/papers . paper5 -out DIR -only gyre,ou
//
// Parts: mercer is Example 3.10, mixture is Example 3.16, gyre is Example 4.2; ou is the
// Koopman operator of an Ornstein–Uhlenbeck process, up to -rows rows; wells and bickley
// are lag pairs from the folder named by NYSTREAM_DATA, and laplace is the exact engine on
// those of bickley with a kernel of full rank. Tables are printed and written to
// DIR as Markdown and CSV, figures as SVG.
package paper5

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// options say what to measure.
type options struct {
	out  string
	only []string
	rows []int // of the path of the Ornstein–Uhlenbeck process
	seed uint64
}

// parts are the examples.
var parts = []struct {
	name string
	run  func(ctx context.Context, o *options) error
}{{"mercer", mercer}, {"mixture", mixture}, {"gyre", gyre}, {"ou", ornsteinUhlenbeck}, {"wells", wells}, {"bickley", bickley}, {"laplace", laplace}}

func names() (words []string) {
	for _, p := range parts {
		words = append(words, p.name)
	}
	return words
}

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	o, err := parseOptions(args)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return run(ctx, o) }, nil
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("paper5", &o.out)
	only := f.String("only", strings.Join(names(), ","), "parts")
	rows := f.String("rows", "10000,100000,1000000", "rows of the Ornstein–Uhlenbeck process")
	f.Uint64Var(&o.seed, "seed", 1, "seed of draws and fits")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only = program.List(*only)
	if err := program.Known(o.only, names()); err != nil {
		return nil, err
	}
	var err error
	if o.rows, err = program.Numbers(*rows, 100); err != nil {
		return nil, fmt.Errorf("-rows: %w", err)
	}
	return o, nil
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(o.only, p.name) {
			continue
		}
		if err := p.run(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (o *options) path(name string) string { return filepath.Join(o.out, name) }

// timed fits and says how many seconds it took.
func timed(ctx context.Context, s rkhs.Solver, d *rkhs.Data, k kernelgen.Kernel) (*rkhs.Fit, float64, error) {
	start := time.Now()
	f, err := s.Fit(ctx, stream.Engine{}, d, k)
	return f, time.Since(start).Seconds(), err
}

// pairsOf returns pairs in memory.
func pairsOf(x, y blas64.General) (*rkhs.Data, error) {
	return rkhs.Pairs(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
}

// features returns the numbers of features of a fit in words.
func features(f *rkhs.Fit) string {
	if f.Features[1] == 0 || f.Left.Space == f.Right.Space {
		return fmt.Sprint(f.Features[0])
	}
	return fmt.Sprintf("%d, %d", f.Features[0], f.Features[1])
}
