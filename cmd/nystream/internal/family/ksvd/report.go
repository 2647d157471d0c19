package ksvd

import (
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// ksvdKeys has the JSON keys of fit ksvd.
var ksvdKeys = report.NewGroup("fit ksvd")

var (
	keySolver             = ksvdKeys.Key("solver", "method of decomposition")
	keySamples            = ksvdKeys.Key("samples", "sampled rows, sampled columns")
	keyEstimatedResiduals = ksvdKeys.Key("estimated_residuals", "estimated residual of each value, over that value")
	keyDirectionError     = ksvdKeys.Key("direction_error", "estimated error of the leading directions, 0 to 2")
	keyDirectionsChecked  = ksvdKeys.Key("directions_checked", "number of leading directions in that estimate")
	keyDirectionsMissed   = ksvdKeys.Key("directions_missed", "number of leading directions that the model lacks")
	keyCompatibility      = ksvdKeys.Key("compatibility", "map between the rows and columns of one matrix (--compat)")
	keyScaling            = ksvdKeys.Key("scaling", "length of the singular vectors (--scaling)")
)

func (c *task) fitted(d *model.Description, r *report.Report) {
	f := c.fitting
	r.Show(keySolver, f.Method, "method", "%s%s", f.Method, map[bool]string{true: ", centred"}[f.Centered])
	r.Put(report.KeyInput, c.input())
	r.Put(report.KeyCentred, f.Centered)
	rows.PutGraph(r, c.job.Graph, &c.job.Edges)
	r.Add("rank", "%d", d.Rank)
	r.Add("singular values", "%s", report.Values(d.Values))
	if f.Samples[0] > 0 {
		r.Show(keySamples, f.Samples[:], "samples", "%s rows, %s columns", report.Count(int64(f.Samples[0])), report.Count(int64(f.Samples[1])))
	}
	if len(f.EstimatedResiduals) > 0 {
		r.Show(keyEstimatedResiduals, f.EstimatedResiduals, "residuals", "%.2g to %.2g of each value (estimated), %d of %d above %.2g",
			slices.Min(f.EstimatedResiduals), slices.Max(f.EstimatedResiduals), f.Doubtful(), f.Rank(), ksvd.Converged)
		r.Put(report.KeyNotConverged, f.Doubtful())
	}
	if d := f.Directions; d.Checked > 0 {
		r.Show(keyDirectionError, d.Error, "directions", "error %.2g of at most 2 (estimated), %d of the %d leading ones missed", d.Error, d.Missed, d.Checked)
		r.Put(keyDirectionsChecked, d.Checked)
		r.Put(keyDirectionsMissed, d.Missed)
	}
	if c.nystrom.Tolerance > 0 {
		r.Put(report.KeyTolerance, c.nystrom.Tolerance)
	}
	r.Put(report.KeySums, f.Sums.String())
	if _, normalised := c.job.Kernel.Normaliser(); normalised || f.Centered {
		r.Add("sums", "%s", f.Sums)
	}
	r.Put(keyCompatibility, f.Compatibility.String())
	if c.input() == saved.MatrixInput {
		r.Add("compatibility", "%s", f.Compatibility)
	}
	if f.Method == "nystrom" {
		r.Put(keyScaling, c.nystrom.Scaling.String())
	}
}
