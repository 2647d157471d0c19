package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
)

// fitResult is what fit prints as JSON.
type fitResult struct {
	Method             string          `json:"method"`
	Kernel             string          `json:"kernel,omitempty"`
	Map                string          `json:"map,omitempty"`
	Rows               int64           `json:"rows"`
	Columns            int64           `json:"columns"`
	Dimension          int             `json:"dimension"` // columns of the data that were computed with
	Rank               int             `json:"rank"`
	Values             []show.Number   `json:"values"`
	Shift              show.Number     `json:"shift"`
	Passes             map[string]int  `json:"passes"` // of the method, after landmarks were gathered
	Scans              map[string]int  `json:"scans"`  // before: to open text, for nulls and scaling
	KernelEntries      int64           `json:"kernel_entries"`
	Seconds            show.Number     `json:"seconds"`
	PeakRSSBytes       int64           `json:"peak_rss_bytes"`
	Seed               uint64          `json:"seed"`
	RowsDropped        int64           `json:"rows_dropped"`
	ErrorEstimate      *show.Number    `json:"error_estimate,omitempty"`
	ErrorEstimateKind  string          `json:"error_estimate_kind,omitempty"`
	SpectralEstimate   *show.Number    `json:"spectral_error_estimate,omitempty"`
	TraceResidual      *show.Number    `json:"trace_residual,omitempty"` // part of the trace of A that the columns of U leave
	Chosen             string          `json:"chosen,omitempty"`         // by auto: the method, and why
	Tolerance          show.Number     `json:"tolerance,omitempty"`
	ToleranceReached   *bool           `json:"tolerance_reached,omitempty"`
	Steps              []toleranceStep `json:"steps,omitempty"` // passes on the way to the tolerance
	Precision          string          `json:"precision"`
	ExactPasses        *exactPasses    `json:"exact_passes,omitempty"`
	PrecisionBound     *show.Number    `json:"precision_bound,omitempty"` // in float32: error of an entry over the largest entry
	Condition          show.Number     `json:"condition"`
	OrthogonalityBound show.Number     `json:"orthogonality_bound"`
	Refined            bool            `json:"refined"`
	ColumnsLeftOut     []string        `json:"columns_left_out"` // they hold no numbers
	Notes              []string        `json:"notes"`
	Output             string          `json:"output"`
	Factors            string          `json:"factors,omitempty"`
	LeftFactors        string          `json:"left_factors,omitempty"`
	RightFactors       string          `json:"right_factors,omitempty"`
}

// result collects what is known about a finished fit.
func (j *job) result() *fitResult {
	f, c := j.fitted, j.cmd
	r := &fitResult{Method: c.method.name, Dimension: j.shape().Columns, Rank: len(f.Values), Values: show.Numbers(f.Values), Shift: show.Number(f.Shift),
		Passes: j.passes(), Scans: j.scans, KernelEntries: f.KernelEntries, Seconds: show.Number(c.seconds()), PeakRSSBytes: peakRSS(), Seed: c.seed,
		RowsDropped: j.prepared.dropped(), ErrorEstimate: show.Optional(f.ErrorEstimate), Precision: c.precision.value, Condition: show.Number(f.Condition),
		OrthogonalityBound: show.Number(f.OrthogonalityBound()), Refined: f.Refined(), ColumnsLeftOut: append([]string{}, j.left.leftOut...), Notes: c.sentences(f.Notes),
		Output: c.output, Factors: c.factors, LeftFactors: c.left, RightFactors: c.other}
	r.Rows, r.Columns = f.Rows, f.Cols
	if f.Explicit != nil {
		r.Map = j.mapping.String()
	} else {
		r.Kernel = f.Kernel.String()
	}
	if r.ErrorEstimate != nil {
		r.ErrorEstimateKind = "relative Frobenius error, from " + f.EstimateFrom + ", within a factor of 2 in 95 % of cases"
	}
	r.SpectralEstimate, r.TraceResidual, r.Tolerance = show.Optional(f.SpectralEstimate), show.Optional(f.TraceResidual), show.Number(c.tolerance)
	if f.Chosen != "" {
		r.Chosen = c.words(f.Chosen + ": " + strings.Join(f.Reasons, "; "))
	}
	for _, s := range f.Steps {
		reached := !f.Unsettled
		r.ToleranceReached = &reached
		r.Steps = append(r.Steps, toleranceStep{s.Landmarks, s.Rank, show.Number(s.Estimate)})
	}
	if f.ExactPasses > 0 {
		r.ExactPasses = &exactPasses{Made: f.ExactPasses, Residual: show.Number(f.Residual())}
	}
	if c.tiles() == lowrank.Float32 {
		r.PrecisionBound = show.Optional(f.PrecisionBound)
	}
	return r
}

// allPasses counts the passes over each source so far.
func (j *job) allPasses() map[string]int { return j.sides.passes(j.names()) }

// passes counts the passes of the method over each source.
func (j *job) passes() map[string]int {
	n := j.allPasses()
	for name := range n {
		n[name] -= j.scans[name]
	}
	return n
}

func (j *job) report() error {
	r := j.result()
	t := &show.Text{Title: j.describe(r.Rows, r.Columns)}
	if r.Chosen != "" {
		t.Add("chosen", "%s", r.Chosen)
	}
	t.Add("rank", "%d", r.Rank)
	t.Add("columns", "%d used", r.Dimension)
	t.Add("values", "%s", show.Values(j.fitted.Values))
	if j.oneFactor() {
		t.Add("shift", "%.4g", float64(r.Shift))
	}
	if r.ErrorEstimate != nil {
		t.Add("relative error", "about %s%.2g Frobenius, from %s (mostly within a factor of 2)", j.spectralWords(), float64(*r.ErrorEstimate), j.fitted.EstimateFrom)
	}
	if r.TraceResidual != nil && j.oneFactor() {
		t.Add("trace left", "%.4g of tr(A) is outside the columns of U", float64(*r.TraceResidual))
	}
	for _, s := range r.Steps {
		t.Add("step", "%s", s)
	}
	if r.PrecisionBound != nil {
		t.Add("precision", "float32: kernel entries within %.2g of the largest", float64(*r.PrecisionBound))
	}
	t.Add("orthogonality", "max|UᵀU−I| below about %.0e%s", float64(r.OrthogonalityBound), j.refinement())
	if r.RowsDropped > 0 {
		t.Add("dropped", "%s rows with nulls", show.Count(r.RowsDropped))
	}
	t.Add("passes", "%s", j.passWords())
	if r.ExactPasses != nil {
		t.Add("exact passes", "%s", r.ExactPasses.words())
	}
	t.Add("work", "%s kernel entries, %s, peak memory %s", show.Count(r.KernelEntries), show.Seconds(float64(r.Seconds)), show.Bytes(r.PeakRSSBytes))
	t.Add("model", "%s", r.Output)
	if u := r.Factors + r.LeftFactors; u != "" { // never both
		t.Add("U", "%s", u)
	}
	if r.RightFactors != "" {
		t.Add("V", "%s", r.RightFactors)
	}
	return j.cmd.print(r, t)
}

// oneFactor says that the model is U·diag(values)·Uᵀ + shift·I.
func (j *job) oneFactor() bool { return j.fitted.Symmetric() }

// spectralWords are the estimate of the spectral error, if there is one.
func (j *job) spectralWords() string {
	if math.IsNaN(j.fitted.SpectralEstimate) {
		return ""
	}
	return fmt.Sprintf("%.2g spectral, ", j.fitted.SpectralEstimate)
}

// refinement says that factors would be better when they are written.
func (j *job) refinement() string {
	if j.fitted.Refined() || j.fitted.OrthogonalityBound() <= orthonormal {
		return ""
	}
	return " (write factors to have it at rounding)"
}

func (j *job) passWords() string {
	var words []string
	passes := j.passes()
	for _, name := range j.names() {
		words = append(words, fmt.Sprintf("%d over %s", passes[name], name)+scanWords(j.scans[name]))
	}
	return strings.Join(words, ", ")
}

// scanWords tells of the passes before the fit.
func scanWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d before, to open and prepare it)", n)
}
