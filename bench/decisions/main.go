// Command decisions measures how far the decision values of AsK-LS with engine lowrank are
// from those with engine dense, on rows that neither has seen, and how good the estimate is
// that the fit gives of it:
//
//	go run ./bench/decisions                                   200 cases
//	go run ./bench/decisions -only spambase -ranks 50 -rows 3680
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/program"
	"github.com/nystream/nystream/bench/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

func main() { program.Main("decisions", parseOptions, run) }

// options say what to measure.
type options struct {
	out    string
	data   []string
	ranks  []int
	gammas []float64
	rows   int
	merges []string
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("decisions", &o.out)
	only := f.String("only", "spambase,satimage,letter,a9a,abalone", "data sets")
	ranks := f.String("ranks", "20,50,100,200", "ranks")
	gammas := f.String("gammas", "0.1,1,10,100", "weights of errors")
	merges := f.String("merges", "average", "ways to merge")
	f.IntVar(&o.rows, "rows", 1500, "rows to learn from")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.data, o.merges = program.List(*only), program.List(*merges)
	for _, w := range program.List(*ranks) {
		var r int
		if _, err := fmt.Sscan(w, &r); err != nil {
			return nil, fmt.Errorf("-ranks: %w", err)
		}
		o.ranks = append(o.ranks, r)
	}
	for _, w := range program.List(*gammas) {
		var g float64
		if _, err := fmt.Sscan(w, &g); err != nil {
			return nil, fmt.Errorf("-gammas: %w", err)
		}
		o.gammas = append(o.gammas, g)
	}
	return o, nil
}

// kernels returns the kernels for rows with a median distance.
func kernels(median float64) []string {
	return []string{fmt.Sprintf("sne(gamma=%.4g)", median/2), fmt.Sprintf("sne(gamma=%.4g)", median/8), "t()", fmt.Sprintf("rbf(sigma=%.4g)", median/3)}
}

func run(ctx context.Context, o *options) error {
	t := &report.Table{File: "decisions", Title: "Decision values, low rank against dense", Head: []string{"data", "kernel", "gamma", "merge", "rank", "error", "estimate", "ratio", "dense", "low rank"}}
	var ratios []float64
	unwarned := 0
	for _, name := range o.data {
		d, err := read(ctx, name)
		if err != nil {
			return err
		}
		for _, kernel := range kernels(d.median) {
			for _, gamma := range o.gammas {
				for _, word := range o.merges {
					merge, err := askls.ParseMerge(word)
					if err != nil {
						return err
					}
					c := newCase(d, o.rows, kernel, askls.Solver{Gamma: gamma, Merge: merge, Seed: 1})
					exact, accuracy, _, _, err := c.fit(ctx, askls.EngineDense, 0)
					if err != nil {
						return fmt.Errorf("%s %s %v: %w", name, kernel, gamma, err)
					}
					for _, rank := range o.ranks {
						low, lowAccuracy, estimate, note, err := c.fit(ctx, askls.EngineLowRank, rank)
						if err != nil {
							return fmt.Errorf("%s %s %v %d: %w", name, kernel, gamma, rank, err)
						}
						e := distance(exact, low)
						if os.Getenv("SHOW") != "" { fmt.Println(note) }
						t.Add(name, kernel, gamma, word, rank, e, estimate, estimate/e, accuracy, lowAccuracy)
						fmt.Println(t.Rows[len(t.Rows)-1])
						ratios = append(ratios, estimate/e)
						if lowAccuracy < accuracy-0.03 && !(estimate >= 0.1) {
							unwarned++
						}
					}
				}
			}
		}
	}
	slices.Sort(ratios)
	within := 0
	for _, r := range ratios {
		if r > 0.5 && r < 2 {
			within++
		}
	}
	os.MkdirAll(o.out, 0o755)
	t.Notes = []string{fmt.Sprintf("%d cases, %d within a factor of 2; ratios %.2g to %.2g, median %.2g; %d lose .03 of accuracy without a warning", len(ratios), within, ratios[0], ratios[len(ratios)-1], ratios[len(ratios)/2], unwarned)}
	return t.Write(o.out)
}

// instance is a division of a data set.
type instance struct {
	kernel      kernelgen.Kernel
	solver      askls.Solver
	train, test blas64.General
	labels      [2][]int
	classes     int
}

func newCase(d *table, rows int, kernel string, s askls.Solver) *instance {
	k, err := kernelgen.Parse(kernel)
	if err != nil {
		panic(err)
	}
	n := min(rows, d.x.Rows*4/5)
	t := min(500, d.x.Rows-n)
	return &instance{kernel: k, solver: s, train: stream.RowSlice(d.x, 0, n), test: stream.RowSlice(d.x, n, t), labels: [2][]int{d.labels[:n], d.labels[n : n+t]}, classes: d.classes}
}

func (c *instance) fit(ctx context.Context, engine askls.Engine, rank int) (decisions blas64.General, accuracy, estimate float64, note string, err error) {
	s := c.solver
	s.Engine, s.Rank = engine, rank
	data, err := askls.Samples(stream.FromMatrix("rows", c.train), c.labels[0], c.classes)
	if err != nil {
		return decisions, 0, 0, note, err
	}
	fit, err := s.Fit(ctx, stream.Engine{}, data, c.kernel)
	if err != nil {
		return decisions, 0, 0, note, err
	}
	if decisions, err = fit.Decisions(ctx, stream.Engine{}, askls.NewSamples(stream.FromMatrix("test", c.test))); err != nil {
		return decisions, 0, 0, note, err
	}
	chosen := make([]int, decisions.Rows)
	fit.Choose(chosen, decisions)
	accuracy, err = metrics.Accuracy(c.labels[1], chosen)
	estimate = math.NaN()
	if len(fit.Errors) > 0 {
		estimate, note = fit.Errors[0].Value, fit.Errors[0].Remedy
	}
	return decisions, accuracy, estimate, note, err
}

// distance returns the norm of the difference relative to the larger of both without their
// means.
func distance(exact, low blas64.General) float64 {
	difference := dense.Clone(exact)
	for i := range low.Data {
		difference.Data[i] -= low.Data[i]
	}
	return dense.Frobenius(difference) / max(spread(exact), spread(low))
}

func spread(m blas64.General) float64 {
	c := dense.Clone(m)
	dense.CentreColumns(c)
	return dense.Frobenius(c)
}
