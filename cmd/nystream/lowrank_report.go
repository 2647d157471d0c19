package main

import (
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
)

func (c *lowrankTask) planned(r *planResult, _ *show.Text) {
	if r.Map = c.mapWords(); !c.explicit() {
		r.Kernel = c.kernel.String()
	}
}

// mapWords returns the function of the entries of a matrix, "" for a kernel.
func (c *lowrankTask) mapWords() string {
	if !c.explicit() {
		return ""
	}
	return c.mapping.String()
}

// lowrankResult is what fit prints as JSON of a low-rank model.
type lowrankResult struct {
	*fitResult
	Map                string        `json:"map,omitempty"`
	Shift              show.Number   `json:"shift"`
	TraceResidual      *show.Number  `json:"trace_residual,omitempty"` // part of the trace of A that the columns of U leave
	TraceKept          *show.Number  `json:"trace_kept,omitempty"`     // trace of Â over that of A
	Tolerance          show.Number   `json:"tolerance,omitempty"`
	ToleranceNorm      string        `json:"tolerance_norm,omitempty"`
	ToleranceReached   *bool         `json:"tolerance_reached,omitempty"`
	Condition          show.Number   `json:"condition"`
	OrthogonalityBound show.Number   `json:"orthogonality_bound"`
	Refined            bool          `json:"refined"`
	Clusters           int           `json:"clusters,omitempty"`
	Eigengap           show.Number   `json:"eigengap,omitempty"`          // of the normalised matrix, after as many eigenvalues
	Distances          []show.Number `json:"novelty_distances,omitempty"` // median, and of the farthest tenth and hundredth
	Explained          []show.Number `json:"explained,omitempty"`         // share of the variance, of each component of pca
}

func (c *lowrankTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &lowrankResult{fitResult: base, Map: c.mapWords(), Shift: show.Number(f.Shift), TraceResidual: show.Optional(f.TraceResidual), TraceKept: show.Optional(f.TraceKept),
		Tolerance: show.Number(c.tolerance), Condition: show.Number(f.Condition), OrthogonalityBound: show.Number(f.OrthogonalityBound()), Refined: f.Refined()}
	if f.Clusters != nil {
		r.Clusters, r.Eigengap = f.Clusters.K, show.Number(f.Clusters.Gap())
	}
	if f.Novelty != nil {
		for _, share := range []int{2, 10, 100} {
			r.Distances = append(r.Distances, show.Number(f.Novelty.Known[len(f.Novelty.Known)/share]))
		}
	}
	if shares := f.Explained(); shares != nil {
		r.Explained = show.Numbers(shares)
	}
	if c.tolerance != 0 || !c.given("rank") {
		reached := !f.NotConverged
		r.ToleranceReached, r.ToleranceNorm = &reached, c.norm.String()
	}
	r.text(t, f)
	return r
}

// text adds lines about what other families do not have.
func (r *lowrankResult) text(t *show.Text, f *lowrank.Fit) {
	oneFactor := f.Symmetric() && r.Explained == nil
	t.Add("rank", "%d", r.Rank)
	t.Add("columns", "%d used", r.Dimension)
	t.Add("values", "%s", show.Values(f.Values))
	if oneFactor {
		t.Add("shift", "%.4g", float64(r.Shift))
	}
	if r.Explained != nil {
		shares := show.Floats(r.Explained)
		t.Add("explained", "%s of the variance, %.4g in all", show.Values(shares), floats.Sum(shares))
	} else if r.TraceResidual != nil {
		t.Add("trace", "Â has %.4g of tr(A), %.4g in the columns of U", float64(*r.TraceKept), 1-float64(*r.TraceResidual))
	}
	if r.Clusters > 0 {
		t.Add("clusters", "%d, eigengap %.4g", r.Clusters, float64(r.Eigengap))
	}
	if r.Distances != nil {
		t.Add("novelty", "distance %.4g in the median, %.4g for the farthest tenth, %.4g for the hundredth",
			float64(r.Distances[0]), float64(r.Distances[1]), float64(r.Distances[2]))
	}
	if !r.Refined && r.OrthogonalityBound > orthonormal {
		t.Add("orthogonality", "max|UᵀU−I| below about %.0e (write factors to have it at rounding)", float64(r.OrthogonalityBound))
	}
}
