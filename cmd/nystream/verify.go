package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// verifyCommand is one command line of verify.
type verifyCommand struct {
	*app
	data   dataFlags
	right  []string
	how    word
	sample int
}

// exactRows is the most rows that verify looks at all of unless told to.
const exactRows = 20000

func newVerifyCommand(a *app) *cobra.Command {
	v := &verifyCommand{app: a}
	cmd := &cobra.Command{
		Use:               "verify MODEL DATA... [--right RIGHT...]",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeModelThenData,
		RunE:              func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	addChoice(cmd, &v.how, "error", "which rows are looked at, auto is exact up to 20000", words("auto", "exact", "sampled"))
	f.IntVar(&v.sample, "sample", 4096, "`number` of rows that --error sampled draws from each source")
	f.StringSliceVar(&v.right, "right", nil, "`files` of the right source")
	completeFiles(cmd, dataExtensions, "right")
	v.data.add(v.app, cmd)
	return cmd
}

// verifyResult is what verify prints as JSON.
type verifyResult struct {
	Model          string       `json:"model"`
	Method         string       `json:"method"`
	SpectralError  show.Number  `json:"relative_spectral_error"`
	FrobeniusError show.Number  `json:"relative_frobenius_error"`
	TraceKept      *show.Number `json:"trace_kept,omitempty"` // trace of Â over that of A
	Norm           show.Number  `json:"norm"`
	Iterations     int          `json:"iterations"`
	Tolerance      show.Number  `json:"tolerance"`
	Converged      bool         `json:"converged"`
	Rows           int64        `json:"rows"`
	Columns        int64        `json:"columns"`
	Error          string       `json:"error"`
	Sample         int          `json:"sample,omitempty"`
	KernelEntries  int64        `json:"kernel_entries"`
	Files          []pairing    `json:"files"` // that were written with the model
	used
	Notes []string `json:"notes"`
}

func (v *verifyCommand) run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return usagef("verify needs a model and data: nystream verify m.npz data.parquet")
	}
	if slices.Contains(args, "-") && slices.Contains(v.right, "-") {
		return usagef("the standard input can serve only one side: name files for DATA or for --right")
	}
	if v.sample < 2 {
		return usagef("--sample %d: must be at least 2", v.sample)
	}
	if err := v.data.check(); err != nil {
		return err
	}
	f, err := readModel(args[0])
	if err != nil {
		return err
	}
	m, ok := f.model.(model.Verifier)
	if !ok {
		return usagef("%s: verify does not measure %s models%s", args[0], f.family.name, f.family.unverified)
	}
	if err := v.checkSources(f); err != nil {
		return err
	}
	rows := f.rowsOf(model.Left, f.model.Describe().Columns)
	in, left, err := rows.open(ctx, v.app, v.data, args[1:], readAgain)
	if err != nil {
		return err
	}
	defer in.close()
	d := model.Sources{Left: left}
	var other *input
	if len(v.right) > 0 {
		var right *stream.Prepared
		if other, right, err = rows.open(ctx, v.app, v.data, v.right, readAgain); err != nil {
			return err
		}
		defer other.close()
		d.Right = right
	}
	return v.measure(ctx, f, m, d, in, other)
}

// whole reports whether the model is of a matrix that is read, all of which is looked
// at.
func (f *modelFile) whole() bool { return f.model.Describe().Kernel == "" }

// checkSources compares the model with the sources that are named.
func (v *verifyCommand) checkSources(f *modelFile) error {
	switch two := f.data.Sources == 2; {
	case two && len(v.right) == 0:
		return usagef("the model is of the matrix between two sources: name the second with --right")
	case !two && len(v.right) > 0:
		return usagef("--right: the model is of one source")
	case f.whole() && v.how == "sampled":
		return usagef("--error sampled: a model of a matrix on disk is measured on all of it")
	}
	return nil
}

// measure chooses the rows, checks the memory, and measures.
func (v *verifyCommand) measure(ctx context.Context, f *modelFile, m model.Verifier, d model.Sources, inputs ...*input) error {
	s := d.Shape()
	rows, sample := max(s.Rows, s.Cols), 0
	if v.how == "sampled" || v.how == "auto" && rows > exactRows && !f.whole() {
		sample = v.sample
	}
	plan := m.VerifyPlan(v.engine(), d, sample)
	v.readerBudget(&plan.Memory, inputs...)
	if err := v.checkBudget(&plan.Memory); err != nil {
		return err
	}
	if int64(sample) >= rows {
		sample = 0
	}
	files, err := f.pairings(ctx)
	if err != nil {
		return err
	}
	found, err := m.Verify(ctx, v.engine(), d, sample, v.seed)
	if err != nil {
		return err
	}
	if err := found.Check(); err != nil {
		return fromData(err)
	}
	r := &verifyResult{Model: f.path, Method: f.model.Describe().Method, SpectralError: show.Number(found.SpectralError), FrobeniusError: show.Number(found.FrobeniusError),
		TraceKept: show.Optional(found.TraceKept), Norm: show.Number(found.Norm), Notes: []string{}, Iterations: found.Iterations, Tolerance: show.Number(found.Tolerance), Converged: found.Converged,
		Rows: found.Rows, Columns: found.Cols, Error: "exact", Sample: sample, KernelEntries: found.KernelEntries}
	if sample > 0 {
		r.Error = "sampled"
	}
	if worst := max(found.SpectralError, found.FrobeniusError); worst > 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("an error of %.2g is more than that of no model at all, which is 1", worst))
	}
	r.Files = append([]pairing{}, files...)
	v.notes(r.Notes)
	if err := v.report(r, f.model.Describe()); err != nil {
		return err
	}
	for _, p := range files {
		if p.Belongs != nil && !*p.Belongs {
			return fromData(otherFile(p.File, f.path))
		}
	}
	return nil
}

func (v *verifyCommand) report(r *verifyResult, d *model.Description) error {
	r.used = v.used()
	t := &show.Text{Title: d.Method + " model of " + d.Subject}
	where, between := "all rows", ""
	if r.Error == "sampled" {
		where, between = "a sample", " between the sampled rows"
	}
	t.Add("spectral error", "%.4g of ‖A‖₂%s = %.4g", float64(r.SpectralError), between, float64(r.Norm))
	t.Add("Frobenius error", "%.4g of ‖A‖_F%s", float64(r.FrobeniusError), between)
	if r.TraceKept != nil {
		t.Add("trace", "Â has %.4g of tr(A)%s", float64(*r.TraceKept), between)
	}
	t.Add("measured on", "%s × %s entries: %s", show.Count(r.Rows), show.Count(r.Columns), where)
	if !r.Converged {
		t.Add("Lanczos", "not converged in %d steps: the spectral error is a lower bound", r.Iterations)
	}
	for _, p := range r.Files {
		switch {
		case p.Belongs == nil:
			t.Add("written with it", "%s, which is not there and was not compared", p.File)
		case *p.Belongs:
			t.Add("written with it", "%s, which is as it was", p.File)
		default:
			t.Add("written with it", "%s, which is another one now", p.File)
		}
	}
	t.Add("work", "%s kernel entries, %v", show.Count(r.KernelEntries), r.used)
	return v.print(r, t)
}
