package main

import (
	"fmt"
	"path/filepath"
)

// demoResult is what demo prints as JSON.
type demoResult struct {
	Rows           int64          `json:"rows"`
	Dimension      int            `json:"dimension"`
	Method         string         `json:"method"`
	Kernel         string         `json:"kernel"`
	Rank           int            `json:"rank"`
	Shift          number         `json:"shift"`
	Passes         map[string]int `json:"passes"`
	KernelEntries  int64          `json:"kernel_entries"`
	MatrixEntries  number         `json:"matrix_entries"` // what A has
	MatrixBytes    number         `json:"matrix_bytes"`
	FitSeconds     number         `json:"fit_seconds"`
	SpectralError  number         `json:"relative_spectral_error"`
	FrobeniusError number         `json:"relative_frobenius_error"`
	Sample         int            `json:"sample"`
	NewRows        int64          `json:"new_rows"`
	PhaseError     number         `json:"phase_error_degrees"` // median, of the new rows
	Seconds        number         `json:"seconds"`
	PeakRSSBytes   int64          `json:"peak_rss_bytes"`
	Seed           uint64         `json:"seed"`
	Files          []string       `json:"files"`
	Commands       []string       `json:"commands"`
}

func (d *demoCommand) result(f *demoFound) *demoResult {
	n := number(f.fit.Rows)
	r := &demoResult{Rows: f.fit.Rows, Dimension: knotDimension, Method: f.fit.Method, Kernel: f.fit.Kernel, Rank: f.fit.Rank, Shift: f.fit.Shift,
		Passes: f.fit.Passes, KernelEntries: f.fit.KernelEntries, MatrixEntries: n * n, MatrixBytes: 8 * n * n, FitSeconds: f.fit.Seconds,
		SpectralError: f.verify.SpectralError, FrobeniusError: f.verify.FrobeniusError, Sample: int(f.verify.Rows),
		NewRows: f.transform.Rows, PhaseError: number(f.phaseError),
		Seconds: number(d.seconds()), PeakRSSBytes: peakRSS(), Seed: d.seed}
	for _, name := range demoFiles {
		r.Files = append(r.Files, filepath.Join(d.dir, name))
	}
	for _, args := range d.commands(d.dir) {
		r.Commands = append(r.Commands, shellLine(args))
	}
	return r
}

// report tells what was done and found.
func (d *demoCommand) report(f *demoFound) error {
	r := d.result(f)
	in := func(name string) string { return filepath.Join(d.dir, name) }
	t := &text{title: fmt.Sprintf("a knot in %d dimensions, and what a model finds in it", r.Dimension)}
	t.add("data", "%s rows along a knot, in %d columns, with noise: %s", count(r.Rows), r.Dimension, in(demoData))
	t.add("", "no linear map of the columns tells the order of the rows along it")
	t.add("matrix", "A is %s between all rows: %s entries, %s if it were formed", r.Kernel, count(int64(r.MatrixEntries)), bytes(int64(r.MatrixBytes)))
	t.add("fit", "%s, rank %d: %d pass over the file, %s entries of A (%.2g %%), %s: %s", r.Method, r.Rank,
		r.Passes["data"], count(r.KernelEntries), 100*float64(r.KernelEntries)/float64(r.MatrixEntries), seconds(float64(r.FitSeconds)), in(demoModel))
	t.add("error", "%.2g %% of ‖A‖ (spectral norm), measured between %s of the rows", 100*float64(r.SpectralError), count(int64(r.Sample)))
	t.add("new rows", "%s rows that the fit never saw are embedded by the model: %s", count(r.NewRows), in(demoEmbedding))
	t.add("", "the angle in columns u1 and u2 tells their place along the knot to %.2g degrees;", float64(r.PhaseError))
	t.add("", "that place is in the file (column phase) but was never shown to the model")
	t.add("see", "%s: the knot opened to a ring, in the right order", in(demoPicture))
	t.add("", "%s: values in pairs, as a closed curve has them, down to the noise", in(demoSpectrum))
	t.add("work", "%s in all, peak memory %s", seconds(float64(r.Seconds)), bytes(r.PeakRSSBytes))
	t.add("by hand", "%s", r.Commands[0])
	for _, c := range r.Commands[1:] {
		t.add("", "%s", c)
	}
	return d.print(r, t)
}
