package paper1

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/report"
)

// tableI selects Table I in -only: transport plans between the colours of pictures.
const tableI = "transport"

// transportPair is a row of Table I.
type transportPair struct {
	source, target string
	m, n           int // pixels
}

// transportPairs are those of the paper except fallingwater, which we do not have.
var transportPairs = []transportPair{
	{"ocean_day", "ocean_sunset", 10000, 8000},
	{"ocean_sunset", "ocean_day", 8000, 10000},
	{"autumn", "woods", 10000, 10000},
	{"woods", "autumn", 10000, 10000},
}

func (p transportPair) String() string { return p.source + " → " + p.target }

// transportTables returns Table I: the errors of plans, and of their kernel matrices.
func transportTables(ctx context.Context, o *options) ([]*report.Table, error) {
	pixels := 8000
	if o.rows > 0 {
		pixels = min(pixels, o.rows)
	}
	methods := slices.DeleteFunc(transportMethods(pixels), func(m transportMethod) bool { return !o.wants(m.name) })
	plans, kernels := newTransportTables(methods, pixels)
	for _, p := range transportPairs {
		plan, err := p.colours(o.rows)
		if err != nil {
			return nil, err
		}
		ofPlan, ofKernel, pictures := []any{p.String()}, []any{p.String()}, []transferred{{"exact", plan}}
		for _, m := range methods {
			r, err := plan.measure(ctx, m, o.seeds)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", p, m.name, err)
			}
			progress("%s: %s: plan %s, kernel %s", p, m.name, r.plans(), meanAndWorst(r.ofKernels))
			ofPlan, ofKernel = append(ofPlan, r.plans()), append(ofKernel, meanAndWorst(r.ofKernels))
			pictures = append(pictures, transferred{m.name, r.last})
		}
		plans.Add(ofPlan...)
		kernels.Add(ofKernel...)
		if err := p.draw(o.out, plan, pictures); err != nil {
			return nil, err
		}
	}
	return []*report.Table{plans, kernels}, nil
}

// newTransportTables returns empty tables of plans and of kernel matrices.
func newTransportTables(methods []transportMethod, pixels int) (plans, kernels *report.Table) {
	head := []string{"pair"}
	for _, m := range methods {
		head = append(head, m.name)
	}
	plans = &report.Table{File: tableI, Head: head,
		Title: "Relative errors of plans: mean (worst), and seeds with products that are not positive",
		Notes: []string{"Errors are ‖T − T̂‖₂/‖T‖₂. The iteration divides by all products of the kernel, negative ones " +
			"too; `fit transport` makes the entries of such rows exact."}}
	kernels = &report.Table{File: tableI + "-kernel", Head: head,
		Title: "Relative errors of the kernel matrices of these plans: mean (worst)", Notes: []string{"Errors are ‖K − K̂‖₂/‖K‖₂."}}
	if pixels < 40*transportRank {
		plans.Notes = append(plans.Notes, fmt.Sprintf("Only %d pixels of a side: rank %d and s = %d in the place of the paper's %d and %d, and so less for all methods.",
			pixels, pixels/40, pixels/40*transportSketch/transportRank, transportRank, transportSketch))
	}
	return plans, kernels
}

// colours returns the plan between the colours of the pictures, from at most the given number of pixels; 0 means all.
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

// transportErrors has the errors of a method for several seeds.
type transportErrors struct {
	ofPlans, ofKernels []float64 // relative
	bad                int       // number of seeds with products that are not positive
	last               factors   // plan of the last seed
}

// plans returns the table cell for the plans.
func (r *transportErrors) plans() string {
	text := meanAndWorst(r.ofPlans)
	if r.bad > 0 {
		text += fmt.Sprintf(", %d of %d", r.bad, len(r.ofPlans))
	}
	return text
}

func meanAndWorst(errors []float64) string {
	return fmt.Sprintf("%.1e (%.1e)", stat.Mean(errors, nil), slices.Max(errors))
}

// measure fits with several seeds.
func (p *densePlan) measure(ctx context.Context, m transportMethod, seeds int) (*transportErrors, error) {
	r := &transportErrors{}
	for seed := range seeds {
		k, err := m.kernel(ctx, p.x, p.y, uint64(seed+1))
		if err != nil {
			return nil, err
		}
		ofKernel, err := distance(p.y.Rows, p.kernel(), k)
		if err != nil {
			return nil, err
		}
		plan, bad := newLowRankPlan(k)
		ofPlan, err := distance(p.y.Rows, p, plan)
		if err != nil {
			return nil, err
		}
		r.ofPlans, r.ofKernels = append(r.ofPlans, ofPlan/p.norm), append(r.ofKernels, ofKernel/p.kernelNorm)
		if r.last = plan; bad > 0 {
			r.bad++
		}
	}
	return r, nil
}
