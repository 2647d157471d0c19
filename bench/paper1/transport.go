package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/bench/report"
	"github.com/nystream/nystream/stream"
)

// transport is what -only calls Table I: transport plans between the colours of pictures.
const transport = "transport"

// transportPair is a row of Table I.
type transportPair struct {
	source, target string
	m, n           int // pixels
}

// transportPairs are those of the paper but for fallingwater, which we do not have.
var transportPairs = []transportPair{
	{"ocean_day", "ocean_sunset", 10000, 8000},
	{"ocean_sunset", "ocean_day", 8000, 10000},
	{"autumn", "woods", 10000, 10000},
	{"woods", "autumn", 10000, 10000},
}

func (p transportPair) String() string { return p.source + " → " + p.target }

// transportSeeds is how many seeds a method gets by default.
const transportSeeds = 10

// transportCell is what was measured of one method on one pair.
type transportCell struct {
	errors  []float64 // ‖T − T̂‖₂ of each seed
	bad     []int     // products that were not positive
	entries int64
	cpu     time.Duration  // mean
	mapped  blas64.General // what the first seed makes of the left rows
}

// negative returns how many seeds had products that were not positive.
func (c *transportCell) negative() (seeds int) {
	for _, bad := range c.bad {
		if bad > 0 {
			seeds++
		}
	}
	return seeds
}

// runTransport measures Table I, and draws the pictures.
func runTransport(ctx context.Context, o *options) error {
	t := newTransportTable()
	for _, p := range transportPairs {
		if err := p.run(ctx, o, t); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return t.Write(o.out)
}

// run measures all methods.
func (p transportPair) run(ctx context.Context, o *options, t *report.Table) error {
	source, err := datasets.Photograph(p.source)
	if err != nil {
		return err
	}
	target, err := datasets.Photograph(p.target)
	if err != nil {
		return err
	}
	x, err := source.Sample(p.m, 1)
	if err != nil {
		return err
	}
	y, err := target.Sample(p.n, 2)
	if err != nil {
		return err
	}
	began := time.Now()
	plan, err := newDensePlan(x, y)
	if err != nil {
		return err
	}
	progress("%s: the plan itself %.1f s, ‖T‖₂ %.3e", p, time.Since(began).Seconds(), plan.norm)
	sheet := newTransportSheet(source, target, x)
	sheet.paint("T itself", plan.mapped(y))
	for _, m := range transportMethods() {
		if !o.wants(m.name) {
			continue
		}
		c, err := plan.measure(ctx, o, m, x, y)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.Add(c.row(p, m, plan.norm)...)
		progress("%s", strings.Join(t.Rows[len(t.Rows)-1], " | "))
		sheet.paint(m.name, c.mapped)
	}
	note, err := sheet.write(o.out, p)
	t.Notes = append(t.Notes, note)
	return err
}

// measure fits with all seeds.
func (p *densePlan) measure(ctx context.Context, o *options, m transportMethod, x, y blas64.General) (*transportCell, error) {
	seeds := transportSeeds
	if o.seeds > 0 {
		seeds = o.seeds
	}
	if m.once {
		seeds = 1
	}
	c := &transportCell{}
	var plans []*lowRankPlan
	for seed := range seeds {
		before := cpuTime()
		u, v, entries, err := m.fit(ctx, stream.Engine{}, x, y, uint64(seed+1))
		if err != nil {
			return nil, err
		}
		plan := newLowRankPlan(u, v)
		c.cpu += (cpuTime() - before) / time.Duration(seeds)
		c.entries = entries
		c.bad = append(c.bad, plan.bad)
		if seed == 0 {
			c.mapped = plan.mapped(y)
		}
		plans = append(plans, plan)
	}
	var err error
	c.errors, err = p.errors(plans)
	return c, err
}

func newTransportTable() *report.Table {
	return &report.Table{File: transport, Title: "Table I: plans of optimal transport between colours",
		Head: []string{"pair", "m × n", "method", "error, mean", "relative, mean", "worst seed", "seeds", "with negative products", "kernel entries", "CPU s"}}
}

func (c *transportCell) row(p transportPair, m transportMethod, norm float64) []any {
	mean, worst := 0.0, 0.0
	for _, e := range c.errors {
		mean += e / float64(len(c.errors))
		worst = math.Max(worst, e) // NaN if one is
	}
	return []any{p.String(), fmt.Sprintf("%d × %d", p.m, p.n), m.name, fmt.Sprintf("%.2e", mean), fmt.Sprintf("%.2e", mean/norm), fmt.Sprintf("%.2e", worst/norm),
		len(c.errors), c.negative(), fmt.Sprintf("%.1e", float64(c.entries)), fmt.Sprintf("%.2f", c.cpu.Seconds())}
}
