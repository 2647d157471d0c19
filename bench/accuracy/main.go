// Command accuracy compares the errors of models with their estimates or known values. Each scenario prints a table:
//
//	tolerance    the error and the rank that a fit to a tolerance reaches (nystream fit auto --tol)
//	calibration  the true error over the estimate that every fit prints, in random cases
//	candidates   landmarks for rare rows, with and without --scout
//	doubling     what twice the landmarks bring, beside what a fit predicts
//	gains        the same for fit ridge, out of fold
//	intervals    coverage and width of prediction intervals beside a sparse Gaussian process
//	landmarks    errors and CPU time of fit landmark over landmarks and core points
//	metric       errors of regressions with a metric learnt from the data
//	promise      errors that regressions and classifiers of few rows report beside those on other rows
//	scores       out-of-fold scores of classes on a sample of the rows beside those on all
//	triplets     errors that fit ksvd estimates beside the true ones, in 60 cases
//
//	go run ./bench/accuracy -only calibration
//	go run ./bench/accuracy -only tolerance -data abalone -tol 0.1,0.01
//
// All scenarios at full size take three quarters of an hour. The folder -out receives a copy of each table.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
)

func main() { program.Main("accuracy", parseOptions, run) }

// scenario measures one table. Its fields are the defaults of the options.
type scenario struct {
	measure      func(ctx context.Context, o options) (*report.Table, error)
	name         string
	data         []string
	seeds, cases uint
}

var scenarios = []scenario{
	{name: "tolerance", measure: tolerance, data: []string{"abalone", "uniform", "satimage"}, seeds: 10},
	{name: "calibration", measure: calibration, cases: 200},
	{name: "candidates", measure: candidates, data: candidateNames(), seeds: 3},
	{name: "doubling", measure: doubling, seeds: 1, data: landmarkSets},
	{name: "gains", measure: gains, seeds: 1, data: []string{"abalone", "spambase.data", "satimage.scale", "letter.scale", "a9a", "friedman"}},
	{name: "intervals", measure: intervals, data: []string{"abalone"}, seeds: 5},
	{name: "landmarks", measure: landmarks, seeds: 1, data: landmarkSets},
	{name: "metric", measure: metric, data: []string{"friedman", "spambase"}, seeds: 2},
	{name: "promise", measure: promise, seeds: 20, data: []string{"noise", "pima-indians-diabetes.csv", "spambase.data",
		"satimage.scale", "abalone", "friedman"}},
	{name: "scores", measure: scores, data: []string{"a9a"}, seeds: 3},
	{name: "triplets", measure: triplets, data: []string{"cora", "powerlaw", "groups"}},
}

type options struct {
	out          string
	only, data   []string
	tolerances   []float64
	seeds, cases uint
}

func parseOptions(args []string) (o options, err error) {
	var known []string
	for _, s := range scenarios {
		known = append(known, s.name)
	}
	f := program.Flags("accuracy", &o.out)
	only := f.String("only", strings.Join(known, ","), "scenarios")
	data := f.String("data", "", "data sets (default all of the scenario)")
	tolerances := f.String("tol", "0.1,0.01,0.001", "tolerances")
	f.UintVar(&o.seeds, "seeds", 0, "seeds, or splits of intervals (default 10, 20 of promise, 5 of intervals, 3 of scores and candidates, 2 of metric, 1 of landmarks, doubling and gains)")
	f.UintVar(&o.cases, "cases", 0, "random cases of calibration (default 200)")
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	o.only, o.data = program.List(*only), program.List(*data)
	for _, word := range program.List(*tolerances) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return o, fmt.Errorf("-tol: %q is not a number", word)
		}
		o.tolerances = append(o.tolerances, v)
	}
	for _, s := range scenarios {
		if !slices.Contains(o.only, s.name) {
			continue
		}
		if err := program.Known(o.data, s.data); err != nil {
			return o, fmt.Errorf("-data, for -only %s: %w", s.name, err)
		}
	}
	return o, program.Known(o.only, known)
}

func run(ctx context.Context, o options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for _, s := range scenarios {
		if !slices.Contains(o.only, s.name) {
			continue
		}
		own := o
		own.seeds, own.cases = cmp.Or(o.seeds, s.seeds), cmp.Or(o.cases, s.cases)
		if len(o.data) == 0 {
			own.data = s.data
		}
		t, err := s.measure(ctx, own)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		t.File = s.name
		if err := t.Write(o.out); err != nil {
			return err
		}
	}
	return nil
}

// progress prints the last row of a table to standard error.
func progress(t *report.Table) {
	fmt.Fprintln(os.Stderr, strings.Join(t.Rows[len(t.Rows)-1], "  "))
}
