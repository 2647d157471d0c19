package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// verifyCommand is one command line of verify.
type verifyCommand struct {
	*app
	data   dataFlags
	graph  graphFlags // of a model of a graph
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
	v.graph.addReading(cmd)
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
	f, err := v.readModel(args[0])
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
	o, err := v.open(ctx, f, args[1:])
	defer o.close()
	if err != nil {
		return err
	}
	return v.measure(ctx, f, m, o)
}

// verified is what a model is measured on.
type verified struct {
	model.Sources
	inputs []*input
}

func (o *verified) close() {
	for _, in := range o.inputs {
		in.close()
	}
}

// open opens the data, which the caller closes even after an error.
func (v *verifyCommand) open(ctx context.Context, f *modelFile, paths []string) (*verified, error) {
	o := &verified{}
	if f.data.Graph != nil {
		return o, v.openGraph(ctx, f, o, paths)
	}
	if v.graph.nodes+v.graph.weight != "" {
		return o, usagef("--nodes and --weight are for models of a graph, and this one is of rows")
	}
	rows := f.rowsOf(model.Left, f.model.Describe().Columns)
	take := func(paths []string) (*prepare.Source, error) {
		in, prepared, err := rows.open(ctx, v.app, v.data, paths)
		if err == nil {
			o.inputs = append(o.inputs, in)
		}
		return prepared, err
	}
	left, err := take(paths)
	if err != nil {
		return o, err
	}
	o.Left = left
	switch {
	case len(v.right) > 0:
		right, err := take(v.right)
		if err != nil {
			return o, err
		}
		o.Right = right
	case f.data.Input == matrixInput:
		return o, o.turn(ctx, v.app, left)
	}
	return o, nil
}

// turn makes the columns of a matrix the right rows.
func (o *verified) turn(ctx context.Context, a *app, left *prepare.Source) error {
	b, info := &stream.Budget{}, left.Info()
	if info.Rows > 0 {
		b.Add("the matrix and its transpose", 2*info.Rows*int64(len(info.Columns)), "")
	}
	if err := a.checkBudget(b); err != nil {
		return err
	}
	x, err := stream.ReadAll(ctx, left)
	if err != nil {
		return fromData(err)
	}
	o.Left, o.Right = stream.FromMatrix(info.Name, x), stream.FromMatrix("the columns of "+info.Name, matrix.Transpose(x))
	return nil
}

// openGraph makes the edges out of the nodes of a graph the left rows, and the edges into them the right ones. Nodes of
// the model come first unless --nodes lists others: those without edges are rows too.
func (v *verifyCommand) openGraph(ctx context.Context, f *modelFile, o *verified, paths []string) error {
	if v.graph.nodes == "" {
		v.graph.listed = f.data.Graph.Names
		for _, id := range f.ids {
			v.graph.listed = append(v.graph.listed, strconv.FormatInt(id, 10))
		}
	}
	g, err := f.readEdges(ctx, v.app, &v.graph, &v.data, paths)
	if err != nil {
		return err
	}
	left, err := f.nodesOf(v.app, g, model.Left, paths[0])
	if err != nil {
		return err
	}
	right, err := f.nodesOf(v.app, g, model.Right, paths[0])
	o.Left, o.Right = left, right
	return err
}

// whole reports whether the model is of a matrix that is read, all of which is looked
// at.
func (f *modelFile) whole() bool { return f.model.Describe().Kernel == "" }

// checkSources compares the model with the sources that are named.
func (v *verifyCommand) checkSources(f *modelFile) error {
	switch two := f.data.Sources == 2 || f.data.Input == sourcesInput; {
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
func (v *verifyCommand) measure(ctx context.Context, f *modelFile, m model.Verifier, o *verified) error {
	d, s := o.Sources, o.Shape()
	rows, sample := max(s.Rows, s.Cols), 0
	if v.how == "sampled" || v.how == "auto" && rows > exactRows && !f.whole() {
		sample = v.sample
	}
	plan := m.VerifyPlan(v.engine(), d, sample)
	v.readerBudget(&plan.Memory, o.inputs...)
	if err := v.checkBudget(&plan.Memory); err != nil {
		return err
	}
	if int64(sample) >= rows {
		sample = 0
	}
	files, err := f.pairings(ctx, v.session)
	if err != nil {
		return err
	}
	found, err := m.Verify(ctx, v.engine(), d, sample, v.seed)
	if err == nil {
		err = found.Check()
	}
	if err != nil {
		return f.named(err)
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

// missing is how many times the smallest value of a decomposition the norm of what it misses must be for a warning.
const missing = 1.1

// report prints what was measured, on a sample of so many rows or, if it is 0, on all.
func (v *verifyCommand) report(f *modelFile, found *model.Verification, sample int, files []pairing) error {
	d, used, warnings := f.model.Describe(), v.used(), []string{}
	if worst := max(found.SpectralError, found.FrobeniusError); worst > 1 {
		warnings = append(warnings, fmt.Sprintf("an error of %.2g is more than that of no model at all, which is 1", worst))
	}
	if !found.Converged {
		warnings = append(warnings, fmt.Sprintf("the spectral norms did not converge in %d steps: the spectral error is a lower bound", found.Iterations))
	}
	doubtful := 0
	for _, residual := range found.Residuals {
		if !(residual <= ksvd.Converged) {
			doubtful++
		}
	}
	if doubtful > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d triplets are no singular triplets of the matrix: their residuals are above %.2g of their values", doubtful, len(found.Residuals), ksvd.Converged))
	}
	if n := len(d.Values); len(found.Residuals) > 0 && sample == 0 && found.SpectralError*found.Norm > missing*d.Values[n-1] {
		warnings = append(warnings, fmt.Sprintf("the model misses a part of the matrix with a norm of %.3g, above its smallest value, %.3g", found.SpectralError*found.Norm, d.Values[n-1]))
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
	if len(found.Residuals) > 0 {
		r.Put("residuals", found.Residuals) // of each triplet, relative to its value
		r.Put("not_converged", doubtful)
		r.Add("residuals", "%.2g to %.2g of each value, and %d of %d above %.2g", slices.Min(found.Residuals), slices.Max(found.Residuals), doubtful, len(found.Residuals), ksvd.Converged)
	}
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
