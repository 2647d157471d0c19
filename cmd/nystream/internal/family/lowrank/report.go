package lowrank

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

func (c *task) planned(r *fit.PlanResult, _ *report.Report) {
	if r.Map = c.mapWords(); !c.explicit() {
		r.Kernel = c.job.Kernel.String()
	}
}

// mapWords returns the function of the entries of a matrix, "" for a kernel.
func (c *task) mapWords() string {
	if !c.explicit() {
		return ""
	}
	return c.mapping.String()
}

// sumsWord returns the word for exact or sampled row sums.
func sumsWord(s *lowrank.RowSums) string {
	if s.Exact() {
		return lowrank.SumsExact.String()
	}
	return lowrank.SumsSampled.String()
}

// lowrankKeys has the JSON keys of fits of low-rank models.
var lowrankKeys = report.NewGroup("fit landmark and other low-rank models")

var (
	keyShift              = lowrankKeys.Key("shift", "multiple of the identity that is added")
	keyTraceResidual      = lowrankKeys.Key("trace_residual", "share of the trace of A outside the columns of U")
	keyToleranceReached   = lowrankKeys.Key("tolerance_reached", "whether the tolerance was reached")
	keyToleranceNorm      = lowrankKeys.Key("tolerance_norm", "norm of the tolerance")
	keyEigengap           = lowrankKeys.Key("eigengap", "fall of the eigenvalues of the normalised matrix after as many as there are clusters")
	keyNoveltyDistances   = lowrankKeys.Key("novelty_distances", "distances of rows held out: the median, and those of the farthest tenth and hundredth")
	keyRefined            = lowrankKeys.Key("refined", "whether the columns of U were made orthogonal again")
	keyOrthogonalityBound = lowrankKeys.Key("orthogonality_bound", "upper bound of max|UᵀU−I|")
)

// valuesName returns the name of the values of a decomposition.
func valuesName(symmetric bool) string {
	if symmetric {
		return "eigenvalues"
	}
	return "singular values"
}

func (c *task) fitted(d *model.Description, r *report.Report) {
	f, shares := c.fitting, c.fitting.Explained()
	r.PutSome(report.KeyMap, c.mapWords())
	if shares == nil {
		c.addQuality(r)
	}
	r.Add("rank", "%d", d.Rank)
	r.Add(valuesName(f.Symmetric()), "%s", report.Values(f.Values))
	r.Put(keyShift, f.Shift)
	if f.Symmetric() && shares == nil {
		r.Add("shift", "%.4g", f.Shift)
	}
	if f.Sums != nil {
		r.Show(report.KeySums, sumsWord(f.Sums), "sums", "%s, over %s rows", sumsWord(f.Sums), report.Count(int64(f.Sums.Rows.Rows)))
	}
	r.PutSome(keyTraceResidual, f.TraceResidual)
	r.PutSome(report.KeyTraceKept, f.TraceKept)
	if shares != nil {
		r.Show(report.KeyExplained, shares, "explained", "%s of the variance, %.4g in total", report.Values(shares), floats.Sum(shares))
	}
	if c.tolerance != 0 {
		r.Put(report.KeyTolerance, c.tolerance)
	}
	if c.tolerance != 0 || !c.job.Given("rank") {
		r.Put(keyToleranceReached, !f.NotConverged)
		r.Put(keyToleranceNorm, c.norm.String())
	}
	if f.Clusters != nil {
		r.Show(report.KeyClusters, f.Clusters.K, "clusters", "%d, eigengap %.4g", f.Clusters.K, f.Clusters.Gap())
		r.Put(keyEigengap, f.Clusters.Gap())
	}
	if f.Novelty != nil {
		far := []float64{f.Novelty.Farthest(0.5), f.Novelty.Farthest(0.1), f.Novelty.Farthest(0.01)}
		words := fmt.Sprintf("distance %.4g in the median", far[0])
		for i, share := range []string{"tenth", "hundredth"} {
			if !math.IsNaN(far[1+i]) { // NaN if there are too few rows
				words += fmt.Sprintf(", %.4g for the farthest %s", far[1+i], share)
			}
		}
		r.Show(keyNoveltyDistances, far, "novelty", "%s", words)
	}
	r.Put(report.KeyCondition, f.Condition)
	r.Put(keyRefined, f.Refined())
	r.Put(keyOrthogonalityBound, f.OrthogonalityBound())
	if bound := f.OrthogonalityBound(); !f.Refined() && bound > orthogonalityTol {
		r.Add("orthogonality", "max|UᵀU−I| below about %.0e (write factors to have it at rounding)", bound)
	}
}

// Relative Frobenius errors up to which an approximation is good or fair.
const good, fair = 0.05, 0.2

// addQuality adds a verdict on the approximation of a kernel matrix, and the share of its trace that U explains.
func (c *task) addQuality(r *report.Report) {
	f, found := c.fitting, math.NaN()
	for _, e := range f.Estimates {
		if e.Quantity == model.MatrixFrobenius {
			found = e.Value
		}
	}
	switch {
	case math.IsNaN(found):
	case found > fair:
		r.Add("quality", "poor: Frobenius error above %g; a larger --rank or a wider kernel lowers it", fair)
	case found > good:
		r.Add("quality", "fair: Frobenius error above %g", good)
	default:
		r.Add("quality", "good: Frobenius error at most %g", good)
	}
	if explained := 1 - f.TraceResidual; !math.IsNaN(explained) {
		r.Add("explained", "%.1f %% of the trace, by the columns of U", 100*explained)
	}
}
