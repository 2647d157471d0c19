package paper2

import (
	"context"
	"fmt"
	"slices"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/graphs"
)

// spectra are the bandwidths of Figure 1, relative to that of Tables 4 and 5. With a larger bandwidth, the singular
// values decay faster.
var spectra = []float64{0.5, 0.75, 1, 1.5, 2, 3}

// figure1 returns Figure 1 as a table: the columns that the asymmetric Nyström method needs for a tolerance, and its
// speed relative to RSVD, as the spectrum varies.
func (o *options) figure1(ctx context.Context, g *graphs.Classed) (*report.Table, error) {
	t := &report.Table{File: "figure1-" + g.Name,
		Title: fmt.Sprintf("Figure 1: samples to η ≤ ε as the spectrum varies, rank %d, %s, centred", speedRank, g.Name),
		Head:  []string{"γ", "σ_r/σ_1", "η", "ε", "m", "CPU seconds", "of RSVD", "RSVD : asym. Nys"},
		Notes: []string{"m doubles from 40, and so do the oversamples of RSVD; the quickest setting within ε counts, " +
			"as in Tables 4 and 5. –: none is. The paper shows curves and no figures: fewer samples, and a larger factor, for larger γ."}}
	two := slices.DeleteFunc(solvers(), func(s solver) bool { return s.family != nameNystrom && s.family != nameRSVD })
	for _, width := range spectra {
		p := &speedProblem{g.Name, g.Adjacency, width * bandwidth(g.Adjacency), true}
		m, err := speed(ctx, p, two, o.limit)
		if err != nil {
			return nil, err
		}
		values := m.truth.Values
		for _, by := range measures {
			for _, tolerance := range tolerances {
				cells := []any{fmt.Sprintf("%.3g", p.gamma), values[len(values)-1] / values[0], by.name, tolerance}
				t.Add(append(cells, m.compared(by, tolerance)...)...)
			}
		}
	}
	return t, nil
}

// compared returns the samples and the CPU seconds of the asymmetric Nyström method within a tolerance, the seconds
// of RSVD, and their ratio.
func (m *measurements) compared(by measure, tolerance float64) []any {
	samples, own, other, ratio := any("–"), any("–"), any("–"), any("–")
	ours, theirs := m.quickest(nameNystrom, by, tolerance), m.quickest(nameRSVD, by, tolerance)
	if ours != nil {
		samples, own = ours.samples, ours.cpu()
	}
	if theirs != nil {
		other = theirs.cpu()
	}
	if ours != nil && theirs != nil {
		ratio = theirs.cpu() / ours.cpu()
	}
	return []any{samples, own, other, ratio}
}
