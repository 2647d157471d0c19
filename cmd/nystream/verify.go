package main

import (
	"context"
	"fmt"
	"math"
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
	addChoice(cmd, &v.how, "error", "rows that are compared; auto is exact up to 20,000", words("auto", "exact", "sampled"))
	f.IntVar(&v.sample, "sample", 4096, "`number` of rows of each source for --error sampled")
	f.StringSliceVar(&v.right, "right", nil, "`files` of the right side")
	completeFiles(cmd, dataExtensions, "right")
	v.data.add(v.app, cmd)
	return cmd
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
	v.data.named = slices.Concat(args[1:], v.right)
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
	in, left, err := rows.open(ctx, v.app, v.data, args[1:])
	if err != nil {
		return err
	}
	defer in.close()
	d := model.Sources{Left: left}
	var other *input
	if len(v.right) > 0 {
		var right *stream.Prepared
		if other, right, err = rows.open(ctx, v.app, v.data, v.right); err != nil {
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
	if err := v.report(f, found, sample, files); err != nil {
		return err
	}
	for _, p := range files {
		if p.Belongs != nil && !*p.Belongs {
			return fromData(otherFile(p.File, f.path))
		}
	}
	return nil
}

// report prints what was measured, on a sample of so many rows or, if it is 0, on all.
func (v *verifyCommand) report(f *modelFile, found *model.Verification, sample int, files []pairing) error {
	d, used, warnings := f.model.Describe(), v.used(), []string{}
	if worst := max(found.SpectralError, found.FrobeniusError); worst > 1 {
		warnings = append(warnings, fmt.Sprintf("an error of %.2g is more than that of no model at all, which is 1", worst))
	}
	if !found.Converged {
		warnings = append(warnings, fmt.Sprintf("Lanczos did not converge in %d steps: the spectral error is a lower bound", found.Iterations))
	}
	r := &show.Report{Text: show.Text{Title: d.Method + " model of " + d.Subject}}
	how, where, between := "exact", "all rows", ""
	if sample > 0 {
		how, where, between = "sampled", "a sample", " between the sampled rows"
	}
	r.Put("model", f.path)
	r.Put("method", d.Method)
	r.Put("norm", found.Norm)
	r.Put("warnings", warnings)
	for _, w := range warnings {
		r.Add("warning", "%s", w)
	}
	r.Put("relative_spectral_error", found.SpectralError)
	r.Add("spectral error", "%.4g of ‖A‖₂%s = %.4g", found.SpectralError, between, found.Norm)
	r.Put("relative_frobenius_error", found.FrobeniusError)
	r.Add("Frobenius error", "%.4g of ‖A‖_F%s", found.FrobeniusError, between)
	r.PutSome("trace_kept", found.TraceKept) // trace of Â over that of A
	if !math.IsNaN(found.TraceKept) {
		r.Add("trace", "Â has %.4g of tr(A)%s", found.TraceKept, between)
	}
	r.Put("rows", found.Rows)
	r.Put("columns", found.Cols)
	r.Put("error", how)
	r.PutSome("sample", sample)
	r.Add("measured on", "%s × %s entries: %s", show.Count(found.Rows), show.Count(found.Cols), where)
	r.Put("iterations", found.Iterations)
	r.Put("tolerance", found.Tolerance)
	r.Put("converged", found.Converged)
	r.Put("files", append([]pairing{}, files...)) // that were written with the model
	for _, p := range files {
		switch {
		case p.Belongs == nil:
			r.Add("written with it", "%s, which is not there and was not compared", p.File)
		case *p.Belongs:
			r.Add("written with it", "%s, unchanged since the fit", p.File)
		default:
			r.Add("written with it", "%s, which is another one now", p.File)
		}
	}
	r.Put("kernel_entries", found.KernelEntries)
	r.Put("seconds", used.Seconds)
	r.Put("peak_rss_bytes", used.PeakRSSBytes)
	r.Add("work", "%s kernel entries, %v", show.Count(found.KernelEntries), used)
	r.Put("notes", []string{})
	return v.print(r, &r.Text)
}
