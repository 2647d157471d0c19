package paper1

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/report"
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

// transportTable is Table I.
func transportTable(ctx context.Context, o *options) (*report.Table, error) {
	pixels := 8000
	if o.rows > 0 {
		pixels = min(pixels, o.rows)
	}
	methods := slices.DeleteFunc(transportMethods(pixels), func(m transportMethod) bool { return !o.wants(m.name) })
	t := &report.Table{File: tableI, Head: []string{"pair"},
		Title: "Relative errors of plans: mean (worst), and seeds with products that are not positive",
		Notes: []string{"Errors are ‖T − T̂‖₂/‖T‖₂. The iteration divides by all products of the kernel, negative ones " +
			"too; `fit transport` makes the entries of such rows exact."}}
	if pixels < 40*transportRank {
		t.Notes = append(t.Notes, fmt.Sprintf("Only %d pixels of a side: rank %d and s = %d in the place of the paper's %d and %d, and so less for all methods.",
			pixels, pixels/40, pixels/40*transportSketch/transportRank, transportRank, transportSketch))
	}
	for _, m := range methods {
		t.Head = append(t.Head, m.name)
	}
	for _, p := range transportPairs {
		plan, err := p.colours(o.rows)
		if err != nil {
			return nil, err
		}
		row, pictures := []any{p.String()}, []transferred{{"exact", plan}}
		for _, m := range methods {
			cell, one, err := plan.measure(ctx, m, o.seeds)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", p, m.name, err)
			}
			progress("%s: %s: %s", p, m.name, cell)
			row, pictures = append(row, cell), append(pictures, transferred{m.name, one})
		}
		t.Add(row...)
		if err := p.draw(o.out, plan, pictures); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// colours returns the plan between colours of pixels of the pictures, at most so many unless
// most is 0.
func (p transportPair) colours(most int) (*densePlan, error) {
	if most > 0 {
		p.m, p.n = min(p.m, most), min(p.n, most)
	}
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

// measure fits with some seeds, and returns their errors as the table has them, and the last plan.
func (p *densePlan) measure(ctx context.Context, m transportMethod, seeds int) (string, plan, error) {
	var last plan
	var errors []float64
	negative := 0
	for seed := range seeds {
		plan, err := m.plan(ctx, p.x, p.y, uint64(seed+1))
		if err != nil {
			return "", nil, err
		}
		last = plan
		off, err := p.distance(plan)
		if err != nil {
			return "", nil, err
		}
		if errors = append(errors, off/p.norm); plan.bad > 0 {
			negative++
		}
	}
	text := fmt.Sprintf("%.1e (%.1e)", stat.Mean(errors, nil), slices.Max(errors))
	if negative > 0 {
		text += fmt.Sprintf(", %d of %d", negative, seeds)
	}
	return text, last, nil
}
