package paper1

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
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

// transportCell is what was measured of one method on one pair.
type transportCell struct {
	Norm     float64      // ‖T‖₂
	Errors   []lab.Figure // ‖T − T̂‖₂/‖T‖₂ of each seed
	Negative int          // seeds with products that were not positive
	Entries  int64
	CPU      time.Duration // mean over seeds
}

// runTransport measures Table I.
func runTransport(ctx context.Context, o *options, cache *lab.Cache) error {
	t, short := newTransportTable(), newShortTable(o)
	for _, p := range transportPairs {
		colours := sync.OnceValues(p.colours)
		row := []any{p.String()}
		for _, m := range wantedTransport(o) {
			c, err := lab.Cached(cache, fmt.Sprintf("%s: %s, %d seeds", p, m.name, o.seeds), func() (*transportCell, error) {
				plan, err := colours()
				if err != nil {
					return nil, err
				}
				return plan.measure(ctx, m, o.seeds)
			})
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p, m.name, err)
			}
			progress("%s: %s: %.2e", p, m.name, mean(c.Errors))
			t.Add(c.row(p, m)...)
			row = append(row, c.short())
		}
		short.Add(row...)
	}
	if err := t.Write(o.out); err != nil {
		return err
	}
	return short.Write(o.out)
}

// colours returns the plan between colours of pixels of the pictures.
func (p transportPair) colours() (*densePlan, error) {
	x, err := sampleOf(p.source, p.m, 1)
	if err != nil {
		return nil, err
	}
	y, err := sampleOf(p.target, p.n, 2)
	if err != nil {
		return nil, err
	}
	return newDensePlan(x, y)
}

// measure fits with some seeds.
func (p *densePlan) measure(ctx context.Context, m transportMethod, seeds int) (*transportCell, error) {
	c := &transportCell{Norm: p.norm}
	for seed := range seeds {
		before := program.CPUTime()
		f, plan, err := m.plan(ctx, p.x, p.y, uint64(seed+1))
		if err != nil {
			return nil, err
		}
		c.CPU += (program.CPUTime() - before) / time.Duration(seeds)
		c.Entries = f.KernelEntries
		off, err := p.distance(plan)
		if err != nil {
			return nil, err
		}
		c.Errors = append(c.Errors, lab.Figure(off/p.norm))
		if plan.bad > 0 {
			c.Negative++
		}
	}
	return c, nil
}

func newTransportTable() *report.Table {
	return &report.Table{File: tableI, Title: "Table I: plans of optimal transport between colours",
		Head: []string{"pair", "m × n", "method", "error, mean", "relative, mean", "worst seed", "seeds",
			"with negative products", "kernel entries", "CPU s"},
		Notes: []string{"Errors are ‖T − T̂‖₂, as the paper prints them, and relative to ‖T‖₂. The iteration divides by all " +
			"products of the kernel, negative ones too; `fit transport` makes the entries of such rows exact."}}
}

// wantedTransport returns the methods that were asked for.
func wantedTransport(o *options) []transportMethod {
	return slices.DeleteFunc(transportMethods(), func(m transportMethod) bool { return !o.wants(m.name) })
}

// newShortTable returns a table with a row for each pair.
func newShortTable(o *options) *report.Table {
	t := &report.Table{File: tableI + "-short", Head: []string{"pair"},
		Title: "Relative errors of plans: mean (worst), and seeds with products that are not positive"}
	for _, m := range wantedTransport(o) {
		t.Head = append(t.Head, m.name)
	}
	return t
}

// short returns a cell of that table.
func (c *transportCell) short() string {
	text := fmt.Sprintf("%.1e (%.1e)", mean(c.Errors), slices.Max(c.Errors))
	if c.Negative > 0 {
		text += fmt.Sprintf(", %d of %d", c.Negative, len(c.Errors))
	}
	return text
}

func (c *transportCell) row(p transportPair, m transportMethod) []any {
	short := func(v lab.Figure) string { return fmt.Sprintf("%.2e", v) }
	relative := mean(c.Errors)
	return []any{p.String(), fmt.Sprintf("%d × %d", p.m, p.n), m.name,
		short(relative * lab.Figure(c.Norm)), short(relative), short(slices.Max(c.Errors)),
		len(c.Errors), c.Negative,
		fmt.Sprintf("%.1e", float64(c.Entries)), fmt.Sprintf("%.2f", c.CPU.Seconds())}
}

func mean(v []lab.Figure) lab.Figure {
	sum := lab.Figure(0)
	for _, x := range v {
		sum += x
	}
	return sum / lab.Figure(len(v))
}
