package demo

import (
	"fmt"
	"path/filepath"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// result is what demo prints as JSON.
type result struct {
	Rows           int64          `json:"rows"`
	Dimension      int            `json:"dimension"`
	Method         string         `json:"method"`
	Kernel         string         `json:"kernel"`
	Rank           int            `json:"rank"`
	Shift          show.Number    `json:"shift"`
	Passes         map[string]int `json:"passes"`
	KernelEntries  int64          `json:"kernel_entries"`
	MatrixEntries  show.Number    `json:"matrix_entries"` // what A has
	MatrixBytes    show.Number    `json:"matrix_bytes"`
	FitSeconds     show.Number    `json:"fit_seconds"`
	SpectralError  show.Number    `json:"relative_spectral_error"`
	FrobeniusError show.Number    `json:"relative_frobenius_error"`
	Sample         int            `json:"sample"`
	NewRows        int64          `json:"new_rows"`
	PhaseError     show.Number    `json:"phase_error_degrees"` // median, of the new rows
	Seconds        show.Number    `json:"seconds"`
	PeakRSSBytes   int64          `json:"peak_rss_bytes"`
	Seed           uint64         `json:"seed"`
	Files          []string       `json:"files"`
	Commands       []string       `json:"commands"`
}

func (d *command) result(f *found) *result {
	n := show.Number(f.fit.Rows)
	r := &result{Rows: f.fit.Rows, Dimension: knotDimension, Method: f.fit.Method, Kernel: f.fit.Kernel, Rank: f.fit.Rank, Shift: f.fit.Shift,
		Passes: f.fit.Passes, KernelEntries: f.fit.KernelEntries, MatrixEntries: n * n, MatrixBytes: 8 * n * n, FitSeconds: f.fit.Seconds,
		SpectralError: f.verify.SpectralError, FrobeniusError: f.verify.FrobeniusError, Sample: int(f.verify.Rows),
		NewRows: f.transform.Rows, PhaseError: show.Number(f.phaseError),
		Seconds: show.Number(d.host.Seconds()), PeakRSSBytes: d.host.PeakRSS(), Seed: d.host.Seed()}
	for _, name := range files {
		r.Files = append(r.Files, filepath.Join(d.dir, name))
	}
	for _, args := range d.commands(d.dir) {
		r.Commands = append(r.Commands, show.ShellLine(append([]string{"nystream"}, args...)))
	}
	return r
}

// report tells what was done and found.
func (d *command) report(f *found) error {
	r := d.result(f)
	in := func(name string) string { return filepath.Join(d.dir, name) }
	t := &show.Text{Title: fmt.Sprintf("a knot in %d dimensions, and what a model finds in it", r.Dimension)}
	t.Add("data", "%s rows along a knot, in %d columns, with noise: %s", show.Count(r.Rows), r.Dimension, in(dataFile))
	t.Add("", "no linear map of the columns tells the order of the rows along it")
	t.Add("matrix", "A is %s between all rows: %s entries, %s if it were formed", r.Kernel, show.Count(int64(r.MatrixEntries)), show.Bytes(int64(r.MatrixBytes)))
	t.Add("fit", "%s, rank %d: %d pass over the file, %s entries of A (%.2g %%), %s: %s", r.Method, r.Rank,
		r.Passes["data"], show.Count(r.KernelEntries), 100*float64(r.KernelEntries)/float64(r.MatrixEntries), show.Seconds(float64(r.FitSeconds)), in(ModelFile))
	t.Add("error", "%.2g %% of ‖A‖ in the spectral norm, %.2g %% in the Frobenius norm, measured between %s of the rows", 100*float64(r.SpectralError), 100*float64(r.FrobeniusError), show.Count(int64(r.Sample)))
	t.Add("new rows", "%s rows that the fit never saw are embedded by the model: %s", show.Count(r.NewRows), in(embeddingFile))
	t.Add("", "the angle in columns u1 and u2 tells their place along the knot to %.2g degrees;", float64(r.PhaseError))
	t.Add("", "that place is in the file (column phase) but was never shown to the model")
	t.Add("see", "%s: the knot opened to a ring, in the right order", in(PictureFile))
	t.Add("", "%s: values in pairs, as a closed curve has them, down to the noise", in(SpectrumFile))
	t.Add("work", "%s in all, peak memory %s", show.Seconds(float64(r.Seconds)), show.Bytes(r.PeakRSSBytes))
	t.Add("by hand", "%s", r.Commands[0])
	for _, c := range r.Commands[1:] {
		t.Add("", "%s", c)
	}
	return d.host.Print(r, t)
}
