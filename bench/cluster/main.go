// Cluster tells what a cluster would take for a fit: it measures, on this machine, what parts
// of a fit, their states, and putting them together cost, checks that these costs predict a
// fit in parts of other rows, and works out the time for more rows and workers than there
// are here.
//
//	go run ./bench/cluster
//
// It runs the command nystream, a thread and a process at a time, and counts processor
// seconds, so that other work on the machine hardly matters. What it assumes of the cluster
// it prints.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
)

func main() { program.Main("cluster", parse, run) }

type options struct {
	out     string
	rows    int
	columns int
	check   int // rows of the fit that is predicted
	cores   int
	methods []string
}

func parse(args []string) (o options, err error) {
	var methods string
	f := program.Flags("cluster", &o.out)
	f.IntVar(&o.rows, "rows", 1_000_000, "rows of the fit that is measured")
	f.IntVar(&o.columns, "columns", 20, "their columns")
	f.IntVar(&o.check, "check", 2_500_000, "rows of the fit that is predicted, and done")
	f.IntVar(&o.cores, "cores", 8, "cores of a worker of the cluster")
	f.StringVar(&methods, "methods", "s3spsd,landmark", "methods of nystream fit that take --rank 50 and one pass")
	if err = program.Parse(f, args); err != nil {
		return o, err
	}
	o.methods = program.List(methods)
	return o, nil
}

func run(ctx context.Context, o options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	l, err := newLab(ctx, o)
	if err != nil {
		return err
	}
	for _, method := range o.methods {
		c, err := l.measure(ctx, method, o.rows)
		if err != nil {
			return err
		}
		fmt.Printf("%s, %d rows of %d columns in Parquet, rank 50: %.4f CPU s for each of %d blocks of %d rows, %.0f bytes a row; the landmarks %.3f CPU s, replay %.3f CPU s; a state of %.0f bytes, %.5f CPU s to put it to others; the end %.3f CPU s\n",
			method, o.rows, o.columns, c.block, c.blocks(float64(o.rows)), int(c.blockRows), c.rowBytes, c.fetch, c.replay, c.state, c.join, c.end)
		if c, err = l.with(ctx, *c, method, o.check); err != nil {
			return err
		}
		if err := l.check(ctx, method, o.check, c); err != nil {
			return err
		}
		if err := table(method, c, o).Write(o.out); err != nil {
			return err
		}
	}
	return nil
}

// parts is how many parts the fit is made in that is predicted.
const parts = 8

// check predicts the processor seconds of a fit in parts, one after the other, and makes it.
func (l *lab) check(ctx context.Context, method string, rows int, c *costs) error {
	spent, err := l.inParts(ctx, method, rows, parts)
	if err != nil {
		return err
	}
	predicted := c.fetch + parts*c.replay + float64(c.blocks(float64(rows)))*c.block + parts*c.join + c.end
	fmt.Printf("check: %d rows in %d parts, one after the other, landmarks %.3f and replay %.3f CPU s: predicted %.2f CPU s, measured %.2f CPU s, ratio %.2f\n\n", rows, parts, c.fetch, c.replay, predicted, spent, predicted/spent)
	return nil
}

// table says what a cluster would take.
func table(method string, c *costs, o options) *report.Table {
	workers := []int{1, 10, 100, 1000}
	t := &report.Table{File: "cluster-" + method, Title: "Time of a fit by " + method + " on a cluster, and its serial part",
		Notes: assumptions(o.cores), Head: []string{"rows", "storage"}}
	for _, w := range workers {
		t.Head = append(t.Head, fmt.Sprintf("%d workers", w))
	}
	for _, rows := range []float64{1e9, 1e10, 1e11} {
		for _, speed := range []float64{100e6, 1e9} {
			cells := []any{fmt.Sprintf("%.0e", rows), fmt.Sprintf("%.0f MB/s", speed/1e6)}
			for _, w := range workers {
				all, serial := c.time(cluster{workers: w, cores: o.cores, speed: speed}, rows)
				cells = append(cells, fmt.Sprintf("%s (%s)", words(all), words(serial)))
			}
			t.Add(cells...)
		}
	}
	return t
}

func words(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d > 10*time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.Round(time.Second).String()
}
