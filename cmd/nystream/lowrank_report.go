package main

import (
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
)

// lowrankPlan is what plan prints as JSON of a low-rank model.
type lowrankPlan struct {
	*planResult
	Map string `json:"map,omitempty"`
}

func (c *lowrankTask) planned(r *planResult, _ *show.Text) any {
	if !c.explicit() {
		r.Kernel = c.kernel.String()
	}
	return &lowrankPlan{r, c.mapWords()}
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
	Map                string          `json:"map,omitempty"`
	Shift              show.Number     `json:"shift"`
	ErrorEstimate      *show.Number    `json:"error_estimate,omitempty"`
	ErrorEstimateKind  string          `json:"error_estimate_kind,omitempty"`
	SpectralEstimate   *show.Number    `json:"spectral_error_estimate,omitempty"`
	TraceResidual      *show.Number    `json:"trace_residual,omitempty"` // part of the trace of A that the columns of U leave
	TraceKept          *show.Number    `json:"trace_kept,omitempty"`     // trace of Â over that of A
	Tolerance          show.Number     `json:"tolerance,omitempty"`
	ToleranceNorm      string          `json:"tolerance_norm,omitempty"`
	ToleranceReached   *bool           `json:"tolerance_reached,omitempty"`
	Steps              []toleranceStep `json:"steps,omitempty"` // passes on the way to the tolerance
	Condition          show.Number     `json:"condition"`
	OrthogonalityBound show.Number     `json:"orthogonality_bound"`
	Refined            bool            `json:"refined"`
	factorPaths
}

// factorPaths are the files for factors.
type factorPaths struct {
	Factors      string `json:"factors,omitempty"`
	LeftFactors  string `json:"left_factors,omitempty"`
	RightFactors string `json:"right_factors,omitempty"`
}

func (j *job) factorPaths() (p factorPaths) {
	for _, f := range j.factors {
		*map[string]*string{"factors": &p.Factors, "left-factors": &p.LeftFactors, "right-factors": &p.RightFactors}[f.flag] = f.path
	}
	return p
}

// toleranceStep is a pass on the way to a tolerance.
type toleranceStep struct {
	Landmarks int         `json:"landmarks"`
	Rank      int         `json:"rank"`
	Frobenius show.Number `json:"error_estimate,omitempty"` // in the norm of the tolerance
	Spectral  show.Number `json:"spectral_error_estimate,omitempty"`
}

func newToleranceStep(s lowrank.Step, n lowrank.Norm) toleranceStep {
	t := toleranceStep{Landmarks: s.Landmarks, Rank: s.Rank}
	if n == lowrank.NormFrobenius {
		t.Frobenius = show.Number(s.Estimate)
	} else {
		t.Spectral = show.Number(s.Estimate)
	}
	return t
}

// fitted tells of the error estimates that a factor of 2 is what lowrank's
// TestEstimateCalibration holds them to in 95 % of its cases.
func (c *lowrankTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &lowrankResult{fitResult: base, Map: c.mapWords(), Shift: show.Number(f.Shift), ErrorEstimate: show.Optional(f.EstimateIn(lowrank.NormFrobenius)),
		SpectralEstimate: show.Optional(f.EstimateIn(lowrank.NormSpectral)), TraceResidual: show.Optional(f.TraceResidual), TraceKept: show.Optional(f.TraceKept), Tolerance: show.Number(c.tolerance), Condition: show.Number(f.Condition),
		OrthogonalityBound: show.Number(f.OrthogonalityBound()), Refined: f.Refined(), factorPaths: c.factorPaths()}
	if r.ErrorEstimate != nil {
		r.ErrorEstimateKind = "relative Frobenius error, from " + f.Errors[lowrank.NormFrobenius].From + ", within a factor of 2 in 95 % of cases"
	}
	for _, s := range f.Steps {
		reached := !f.Unsettled
		r.ToleranceReached, r.ToleranceNorm = &reached, c.norm.String()
		r.Steps = append(r.Steps, newToleranceStep(s, c.norm))
	}
	r.text(t, f)
	return r
}

// text adds lines about what other families do not have.
func (r *lowrankResult) text(t *show.Text, f *lowrank.Fit) {
	oneFactor := f.Symmetric()
	t.Add("rank", "%d", r.Rank)
	t.Add("columns", "%d used", r.Dimension)
	t.Add("values", "%s", show.Values(f.Values))
	if oneFactor {
		t.Add("shift", "%.4g", float64(r.Shift))
	}
	if r.TraceResidual != nil {
		t.Add("trace", "Â has %.4g of tr(A), %.4g in the columns of U", float64(*r.TraceKept), 1-float64(*r.TraceResidual))
	}
	for _, s := range f.Steps {
		t.Add("step", "%d landmarks: rank %d, about %.2g (%s)", s.Landmarks, s.Rank, s.Estimate, r.ToleranceNorm)
	}
	better := ""
	if !r.Refined && r.OrthogonalityBound > orthonormal {
		better = " (write factors to have it at rounding)"
	}
	t.Add("orthogonality", "max|UᵀU−I| below about %.0e%s", float64(r.OrthogonalityBound), better)
}
