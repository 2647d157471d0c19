// Command decisions measures how far decision values of AsK-LS by engine lowrank are from
// those by engine dense, on rows that neither has seen, and how good the estimate is that
// a fit gives of it (askls.Fit.Errors):
//
//	go run ./bench/decisions               50 systems drawn at random, 4 fits of each
//	go run ./bench/decisions -systems 5 -data spambase
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/solvers/askls"
)

func main() { program.Main("decisions", parseOptions, run) }

// options say what to measure.
type options struct {
	out     string
	data    []string
	systems int
	seed    uint64
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("decisions", &o.out)
	data := f.String("data", strings.Join(dataNames(), ","), "data sets")
	f.IntVar(&o.systems, "systems", 50, "systems to draw: data, rows, kernel and gamma")
	f.Uint64Var(&o.seed, "seed", 1, "seed of what is drawn")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	if o.systems < 1 {
		return nil, errors.New("-systems must be at least 1")
	}
	o.data = program.List(*data)
	return o, program.Known(o.data, dataNames())
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	t := &report.Table{File: "decisions", Title: "Decision values of engine lowrank beside engine dense: relative error on new rows, and its estimate",
		Head: []string{"data", "rows", "kernel", "gamma", "merge", "rank", "error", "estimate", "estimate / error", "accuracy dense", "low rank"}}
	var all summary
	tables := map[string]*table{}
	for i := range o.systems {
		name := o.data[i%len(o.data)]
		if tables[name] == nil {
			d, err := read(name)
			if err != nil {
				return err
			}
			tables[name] = d
		}
		s := draw(tables[name], o.seed, i)
		exact, err := s.fit(ctx, askls.Solver{Engine: askls.EngineDense})
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		for j := range fitsOfSystem {
			m := s.drawFit(j)
			low, err := s.fit(ctx, m)
			if err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
			c := outcome{error: distance(exact.of(m.Merge), low.of(m.Merge)), estimate: low.estimate, lost: exact.accuracy(m.Merge) - low.accuracy(m.Merge)}
			all = append(all, c)
			t.Add(name, s.rows, s.kernel.String(), s.gamma, m.Merge.String(), m.Rank, c.error, c.estimate, c.ratio(), exact.accuracy(m.Merge), low.accuracy(m.Merge))
			fmt.Fprintln(os.Stderr, strings.Join(t.Rows[len(t.Rows)-1], "  "))
		}
	}
	t.Notes = all.notes()
	return t.Write(o.out)
}

// outcome is that of a fit.
type outcome struct{ error, estimate, lost float64 }

func (c outcome) ratio() float64 { return c.estimate / c.error }

// summary is that of all fits.
type summary []outcome

// much is the error from which on a fit warns.
const much = 0.1

func (s summary) notes() []string {
	var ratios []float64
	within, silent, lost := 0, 0, 0
	for _, c := range s {
		r := c.ratio()
		ratios = append(ratios, r)
		if r >= 0.5 && r <= 2 {
			within++
		}
		if warned := c.estimate > much; !warned && c.error > 2*much {
			silent++
		} else if !warned && c.lost > 0.03 {
			lost++
		}
	}
	slices.Sort(ratios)
	at := func(q float64) float64 { return ratios[int(math.Round(q*float64(len(ratios)-1)))] }
	return []string{
		fmt.Sprintf("%d fits: %d estimates are within a factor of 2 of the error; the ratio is %.2g at the median, %.2g to %.2g for 95 in 100, %.2g to %.2g for all.",
			len(s), within, at(0.5), at(0.025), at(0.975), at(0), at(1)),
		fmt.Sprintf("Without a warning, that is an estimate above %v: %d fits with an error above %v, and %d others that lose more than .03 of accuracy.", much, silent, 2*much, lost),
	}
}
