package paper1

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/stream"
)

// tableI is what -only calls Table I: transport plans between the colours of pictures.
const tableI = "transport"

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
	errors   []float64 // ‖T − T̂‖₂ of each seed
	negative int       // seeds with products that were not positive
	repaired []float64 // errors of those that package transport makes plans of nevertheless
	entries  int64
	cpu      time.Duration  // mean
	mapped   blas64.General // what the first seed makes of the left rows
}

// runTransport measures Table I, and draws the pictures.
func runTransport(ctx context.Context, o *options) error {
	t, short := newTransportTable(), newShortTable(o)
	for _, p := range transportPairs {
		if err := p.run(ctx, o, t, short); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := t.Write(o.out); err != nil {
		return err
	}
	return short.Write(o.out)
}

// run measures all methods.
func (p transportPair) run(ctx context.Context, o *options, t, short *report.Table) error {
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
	row := []any{p.String()}
	for _, m := range wantedTransport(o) {
		c, err := plan.measure(ctx, o, m, x, y)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.Add(c.row(p, m, plan.norm)...)
		progress("%s", strings.Join(t.Rows[len(t.Rows)-1], " | "))
		sheet.paint(m.name, c.mapped)
		row = append(row, c.short(plan.norm))
	}
	short.Add(row...)
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
	var plans, mended []approximatePlan
	for seed := range seeds {
		before := program.CPUTime()
		f, u, v, err := m.fit(ctx, stream.Engine{}, x, y, uint64(seed+1))
		if err != nil {
			return nil, err
		}
		plan := newLowRankPlan(u, v)
		c.cpu += (program.CPUTime() - before) / time.Duration(seeds)
		c.entries = f.KernelEntries
		if plan.bad > 0 {
			c.negative++
			if r, err := repaired(ctx, stream.Engine{}, x, y, f.Model); err == nil {
				mended = append(mended, r)
			}
		}
		if seed == 0 {
			c.mapped = plan.mapped(y)
		}
		plans = append(plans, plan)
	}
	var err error
	if c.errors, err = p.errors(plans); err == nil {
		c.repaired, err = p.errors(mended)
	}
	return c, err
}

func newTransportTable() *report.Table {
	return &report.Table{File: tableI, Title: "Table I: plans of optimal transport between colours",
		Head: []string{"pair", "m × n", "method", "error, mean", "relative, mean", "worst seed", "seeds", "with negative products", "repaired", "their error", "kernel entries", "CPU s"},
		Notes: []string{"Errors are ‖T − T̂‖₂, as the paper prints them, and relative to ‖T‖₂. Products of the kernel that are not positive are divided by as the formula has it; " +
			"\"repaired\" is how many of such seeds package transport makes a plan of, by exact entries in rows that need them, and \"their error\" the mean of these, relative; it refuses the others."}}
}

// wantedTransport returns the methods that were asked for.
func wantedTransport(o *options) []transportMethod {
	return slices.DeleteFunc(transportMethods(), func(m transportMethod) bool { return !o.wants(m.name) })
}

// newShortTable returns a table with a row for each pair.
func newShortTable(o *options) *report.Table {
	t := &report.Table{File: tableI + "-short", Title: "Relative errors of plans: mean (worst), and seeds with products that are not positive", Head: []string{"pair"}}
	for _, m := range wantedTransport(o) {
		t.Head = append(t.Head, m.name)
	}
	return t
}

// short returns a cell of that table.
func (c *transportCell) short(norm float64) string {
	text := fmt.Sprintf("%.1e (%.1e)", mean(c.errors)/norm, slices.Max(c.errors)/norm)
	if c.negative > 0 {
		text += fmt.Sprintf(", %d of %d", c.negative, len(c.errors))
	}
	return text
}

func (c *transportCell) row(p transportPair, m transportMethod, norm float64) []any {
	worst := 0.0
	for _, e := range c.errors {
		worst = math.Max(worst, e)
	}
	short := func(v float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf("%.2e", v)
	}
	return []any{p.String(), fmt.Sprintf("%d × %d", p.m, p.n), m.name, short(mean(c.errors)), short(mean(c.errors) / norm), short(worst / norm),
		len(c.errors), c.negative, len(c.repaired), short(mean(c.repaired) / norm), fmt.Sprintf("%.1e", float64(c.entries)), fmt.Sprintf("%.2f", c.cpu.Seconds())}
}

// mean returns NaN where there is nothing.
func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
