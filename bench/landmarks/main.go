// Landmarks measures what part of the processor time of a landmark fit the choice of
// landmarks takes, and how large the error is that it leads to, by rank, numbers of columns
// and of rows:
//
//	go run ./bench/landmarks -rows 10000,100000 -columns 5,20 -ranks 50,200
//	go run ./bench/landmarks -nnz 1 -ranks 500 -choices auto,uniform,rpc,dpp
//
// The choice is what happens between fetching the candidates and fetching the landmarks, the
// first two calls of Gather of the source, which is in memory. Times of one line are of one
// run and mean something beside each other alone; errors are the estimates of the fit.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

func main() { program.Main("landmarks", parseOptions, run) }

// options say what to measure.
type options struct {
	out                  string
	file, kernel         string
	rows, columns, ranks []int
	choices              []lowrank.LandmarkChoice
	nnz, seeds           int
}

// choices are those that may be measured.
var choices = map[string]lowrank.LandmarkChoice{}

func init() {
	for _, c := range []lowrank.LandmarkChoice{lowrank.ChoiceAuto, lowrank.ChoiceUniform, lowrank.ChoicePivoted, lowrank.ChoiceDeterminantal, lowrank.ChoiceLeverage} {
		choices[c.String()] = c
	}
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("landmarks", &o.out)
	rows := f.String("rows", "10000,100000", "numbers of rows, of U[0,1]^columns")
	columns := f.String("columns", "5,20,784", "numbers of columns")
	ranks := f.String("ranks", "50,200", "ranks")
	f.StringVar(&o.file, "file", "", "measure the rows of this file instead")
	f.StringVar(&o.kernel, "kernel", "rbf(gamma=median)", "kernel")
	words := f.String("choices", "auto", "choices of landmarks: auto,uniform,rpc,dpp,leverage")
	f.IntVar(&o.nnz, "nnz", 4, "landmarks per column of U")
	f.IntVar(&o.seeds, "seeds", 1, "fits of each kind, whose means are shown")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	for _, word := range program.List(*words) {
		c, known := choices[word]
		if !known {
			return nil, fmt.Errorf("%q is no choice of landmarks", word)
		}
		o.choices = append(o.choices, c)
	}
	var err error
	for text, to := range map[string]*[]int{*rows: &o.rows, *columns: &o.columns, *ranks: &o.ranks} {
		if *to, err = program.Numbers(text, 1); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	t := &report.Table{File: "landmarks", Title: "What the choice of landmarks takes of a fit",
		Head: []string{"rows", "columns", "rank", "choice", "what it was", "CPU s of the choice", "of the fit", "share", "spectral error", "Frobenius error"}}
	kernel, err := kernelgen.Parse(o.kernel)
	if err != nil {
		return err
	}
	measure := func(x blas64.General) error {
		for _, rank := range o.ranks {
			for _, choice := range o.choices {
				f, err := o.fits(ctx, x, kernel, rank, choice)
				if err != nil {
					return err
				}
				t.Add(x.Rows, x.Cols, rank, choice, f.note, f.choice, f.all, fmt.Sprintf("%.1f %%", 100*f.choice/f.all), f.spectral, f.frobenius)
				fmt.Fprintln(os.Stderr, t.Rows[len(t.Rows)-1])
			}
		}
		return nil
	}
	if o.file != "" {
		x, err := datasets.Load(ctx, o.file)
		if err != nil {
			return err
		}
		if err := measure(x); err != nil {
			return err
		}
		return t.Write(o.out)
	}
	for _, d := range o.columns {
		for _, n := range o.rows {
			if err := measure(datasets.Uniform(n, d, 7)); err != nil {
				return err
			}
		}
	}
	return t.Write(o.out)
}

// figures are means over the seeds.
type figures struct {
	choice, all         float64 // CPU seconds
	spectral, frobenius float64
	note                string
}

// fits makes a fit for each seed.
func (o *options) fits(ctx context.Context, x blas64.General, k kernelgen.Kernel, rank int, choice lowrank.LandmarkChoice) (*figures, error) {
	k, err := k.Resolve(stream.RowSlice(x, 0, min(x.Rows, model.ResolveRows)))
	if err != nil {
		return nil, err
	}
	out, seeds := &figures{}, float64(o.seeds)
	for seed := range o.seeds {
		src := &watched{Gatherer: stream.FromMatrix("rows", x)}
		begun := program.CPUTime()
		f, err := lowrank.Landmark{Rank: rank, NNZ: o.nnz, Choice: choice, Seed: uint64(seed + 1)}.Fit(ctx, stream.Engine{}, model.Sources{Left: src}, k)
		if err != nil {
			return nil, err
		}
		out.all += (program.CPUTime() - begun).Seconds() / seeds
		out.choice += src.between().Seconds() / seeds
		out.spectral += f.EstimateIn(lowrank.NormSpectral) / seeds
		out.frobenius += f.EstimateIn(lowrank.NormFrobenius) / seeds
		if len(f.Notes) > 0 {
			out.note = f.Notes[0]
		}
	}
	return out, nil
}

// watched is a source that notes the processor time at which rows are fetched by number.
type watched struct {
	stream.Gatherer
	fetched []time.Duration
}

// Gather notes the time.
func (w *watched) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	w.fetched = append(w.fetched, program.CPUTime())
	return w.Gatherer.Gather(ctx, rows, dst)
}

// between returns the time between the first two fetches, 0 if there was one.
func (w *watched) between() time.Duration {
	if len(w.fetched) < 2 {
		return 0
	}
	return w.fetched[1] - w.fetched[0]
}
