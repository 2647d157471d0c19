package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

func (c *lowrankTask) planned(r *planResult, _ *show.Text) {
	if r.Map = c.mapWords(); !c.explicit() {
		r.Kernel = c.job.kernel.String()
	}
}

// mapWords returns the function of the entries of a matrix, "" for a kernel.
func (c *lowrankTask) mapWords() string {
	if !c.explicit() {
		return ""
	}
	return c.mapping.String()
}

// sumsWord says how row sums were found.
func sumsWord(s *lowrank.RowSums) string {
	if s.Exact() {
		return lowrank.SumsExact.String()
	}
	return lowrank.SumsSampled.String()
}

func (c *lowrankTask) fitted(d *model.Description, r *show.Report) {
	f, shares := c.fitting, c.fitting.Explained()
	r.PutSome("map", c.mapWords())
	r.Add("rank", "%d", d.Rank)
	r.Add("columns", "%d used", d.Columns)
	r.Add("values", "%s", show.Values(f.Values))
	r.Put("shift", f.Shift)
	if f.Symmetric() && shares == nil {
		r.Add("shift", "%.4g", f.Shift)
	}
	if f.Sums != nil {
		r.Put("sums", sumsWord(f.Sums))
		r.Add("sums", "%s, over %s rows", sumsWord(f.Sums), show.Count(int64(f.Sums.Rows.Rows)))
	}
	r.PutSome("trace_residual", f.TraceResidual) // part of the trace of A that the columns of U leave
	r.PutSome("trace_kept", f.TraceKept)         // trace of Â over that of A
	if shares != nil {
		r.Put("explained", shares) // share of the variance, of each component
		r.Add("explained", "%s of the variance, %.4g in all", show.Values(shares), floats.Sum(shares))
	} else if !math.IsNaN(f.TraceResidual) {
		r.Add("trace", "Â has %.4g of tr(A), %.4g in the columns of U", f.TraceKept, 1-f.TraceResidual)
	}
	if c.tolerance != 0 {
		r.Put("tolerance", c.tolerance)
	}
	if c.tolerance != 0 || !c.job.given("rank") {
		r.Put("tolerance_reached", !f.NotConverged)
		r.Put("tolerance_norm", c.norm.String())
	}
	if f.Clusters != nil {
		r.Put("clusters", f.Clusters.K)
		r.Put("eigengap", f.Clusters.Gap()) // of the normalised matrix, after as many eigenvalues
		r.Add("clusters", "%d, eigengap %.4g", f.Clusters.K, f.Clusters.Gap())
	}
	if f.Novelty != nil {
		far := []float64{f.Novelty.Farthest(0.5), f.Novelty.Farthest(0.1), f.Novelty.Farthest(0.01)}
		r.Put("novelty_distances", far)
		words := fmt.Sprintf("distance %.4g in the median", far[0])
		for i, share := range []string{"tenth", "hundredth"} {
			if !math.IsNaN(far[1+i]) { // else there are too few rows
				words += fmt.Sprintf(", %.4g for the farthest %s", far[1+i], share)
			}
		}
		r.Add("novelty", "%s", words)
	}
	r.Put("condition", f.Condition)
	r.Put("refined", f.Refined())
	r.Put("orthogonality_bound", f.OrthogonalityBound())
	if bound := f.OrthogonalityBound(); !f.Refined() && bound > orthonormal {
		r.Add("orthogonality", "max|UᵀU−I| below about %.0e (write factors to have it at rounding)", bound)
	}
}
