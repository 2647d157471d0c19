package verb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// verifyCommand holds the flags of one run of verify.
type verifyCommand struct {
	app       *app.App
	families  []*saved.Family
	data      rows.DataFlags
	graph     rows.GraphFlags // for a model of a graph
	right     []string
	errorMode flags.Word
	set       *flags.Set
	sample    int
}

// exactRows is the largest number of rows for which verify measures all by default.
const exactRows = 20000

// NewVerify returns the verb that measures the errors of a model against the matrix that it approximates.
func NewVerify(a *app.App, families []*saved.Family) *cobra.Command {
	v := &verifyCommand{app: a, families: families}
	cmd := &cobra.Command{
		Use:               "verify MODEL DATA... [--right RIGHT...]",
		GroupID:           flags.ModelsGroup,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteModelThenData,
		RunE:              func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	v.set = flags.New(cmd)
	v.set.Add(
		flags.Flag{Name: "error", Field: "Verify", Arg: "word", Usage: "rows to compare", Doc: "auto is exact up to 20,000", First: true, Value: flags.Choice(&v.errorMode, flags.Words("auto", "exact", "sampled"))},
		flags.Flag{Name: "sample", Arg: "number", Usage: "rows of each source for --error sampled", First: true, Value: flags.Int(&v.sample, 4096)},
		flags.Flag{Name: "right", Arg: "files", Usage: "rows of the right side", Group: flags.Data, First: true, For: flags.Rows, Value: flags.Strings(&v.right), Complete: flags.DataFiles},
	)
	v.data.AddComputed(v.set)
	v.graph.AddReading(v.set)
	return cmd
}

// run reads the model first, since the kind of model decides which sources are needed.
func (v *verifyCommand) run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return flags.Usagef("verify needs a model and data: nystream verify m.npz data.parquet")
	}
	if slices.Contains(args, "-") && slices.Contains(v.right, "-") {
		return flags.Usagef("the standard input can serve only one side: name files for DATA or for --right")
	}
	if v.set.Given("sample") && v.errorMode != "sampled" {
		return flags.Usagef("--sample goes with --error sampled")
	}
	if v.sample < 2 {
		return flags.Usagef("--sample %d: must be at least 2", v.sample)
	}
	if err := v.data.Check(); err != nil {
		return err
	}
	v.data.NamedFiles = slices.Concat(args[1:], v.right)
	f, err := saved.Read(v.app, v.families, args[0])
	if err != nil {
		return err
	}
	m, ok := f.Model.(model.Verifier)
	if !ok {
		return flags.Usagef("%s: verify does not measure %s models%s", args[0], f.Family.Name, f.Family.WhyNotVerified)
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

// verifyInput is the data on which a model is measured. Its inputs are open files; a graph has none.
type verifyInput struct {
	model.Sources
	inputs   []*rows.Input // of the left side, then of the right
	prepared []int         // passes over each before it is measured
}

func (o *verifyInput) close() {
	for _, in := range o.inputs {
		in.Close()
	}
}

// open opens the data. The caller must close them even after an error.
func (v *verifyCommand) open(ctx context.Context, f *saved.File, paths []string) (*verifyInput, error) {
	o := &verifyInput{}
	if f.Data.Graph != nil {
		if err := v.set.Check(flags.Graph, "a model of a graph"); err != nil {
			return o, err
		}
		return o, v.openGraph(ctx, f, o, paths)
	}
	if err := v.set.Check(flags.Rows, "a model of rows"); err != nil {
		return o, err
	}
	rows := inputRowsOf(f, model.Left, f.Model.Describe().Columns)
	take := func(paths []string) (*prepare.Source, error) {
		in, prepared, err := rows.open(ctx, v.app, v.data, paths)
		if err == nil {
			o.inputs, o.prepared = append(o.inputs, in), append(o.prepared, in.Passes())
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
	case f.Data.Input == saved.MatrixInput:
		return o, o.useColumns(ctx, v.app, left)
	}
	return o, nil
}

// useColumns makes the columns of a matrix the right rows.
func (o *verifyInput) useColumns(ctx context.Context, a *app.App, left *prepare.Source) error {
	b, info := &stream.Budget{}, left.Info()
	if info.Rows > 0 {
		b.Add("the matrix and its transpose", 2*info.Rows*int64(len(info.Columns)), "")
	}
	if err := a.CheckBudget(b); err != nil {
		return err
	}
	x, err := stream.ReadAll(ctx, left)
	if err != nil {
		return app.FromData(err)
	}
	o.Left, o.Right = stream.FromMatrix(info.Name, x), stream.FromMatrix("the columns of "+info.Name, matrix.Transpose(x))
	return nil
}

// openGraph makes the outgoing edges of the nodes of a graph the left rows, and the incoming edges the right ones.
// Nodes of the model come first unless --nodes lists others, since nodes without edges are rows too.
func (v *verifyCommand) openGraph(ctx context.Context, f *saved.File, o *verifyInput, paths []string) error {
	if v.graph.Nodes == "" {
		v.graph.Listed = f.Data.Graph.Names
		for _, id := range f.IDs {
			v.graph.Listed = append(v.graph.Listed, strconv.FormatInt(id, 10))
		}
	}
	g, err := readEdges(ctx, f, v.app, &v.graph, &v.data, paths)
	if err != nil {
		return err
	}
	left, err := nodesOf(f, v.app, g, model.Left, paths[0])
	if err != nil {
		return err
	}
	right, err := nodesOf(f, v.app, g, model.Right, paths[0])
	o.Left, o.Right = left, right
	return err
}

// isWhole reports whether the model is of an explicit matrix, which is always measured as a whole.
func isWhole(f *saved.File) bool { return f.Model.Describe().Kernel == "" }

// checkSources compares the model with the named sources.
func (v *verifyCommand) checkSources(f *saved.File) error {
	switch twoSources := f.Data.Sources == 2 || f.Data.Input == saved.SourcesInput; {
	case twoSources && len(v.right) == 0:
		return flags.Usagef("the model is of the matrix between two sources: name the second with --right")
	case !twoSources && len(v.right) > 0:
		return flags.Usagef("--right: the model is of one source")
	case isWhole(f) && v.errorMode == "sampled":
		return flags.Usagef("--error sampled: a model of a matrix on disk is measured on all of it")
	}
	return nil
}

// measure chooses the rows, checks the memory, and measures the errors.
func (v *verifyCommand) measure(ctx context.Context, f *saved.File, m model.Verifier, o *verifyInput) error {
	d, s := o.Sources, o.Size()
	n, sample := max(s.Rows, s.Cols), 0
	if v.errorMode == "sampled" || v.errorMode == "auto" && n > exactRows && !isWhole(f) {
		sample = v.sample
	}
	plan := m.VerifyPlan(v.app.Engine(), d, sample)
	rows.ReaderBudget(v.app, &plan.Memory, o.inputs...)
	if err := v.app.CheckBudget(&plan.Memory); err != nil {
		return err
	}
	if int64(sample) >= n {
		sample = 0
	}
	files, err := f.Pairings(ctx, v.app.Session)
	if err != nil {
		return err
	}
	found, err := m.Verify(ctx, v.app.Engine(), d, sample, v.app.Seed)
	if err == nil {
		err = found.Check()
	}
	if err != nil {
		return f.Named(err)
	}
	// The errors are printed before a file that does not belong to the model makes verify fail.
	if err := v.report(f, found, sample, files, o); err != nil {
		return err
	}
	for _, p := range files {
		if p.Belongs != nil && !*p.Belongs {
			return app.FromData(saved.MismatchError(p.File, f.Path))
		}
	}
	return nil
}

// missingFactor is the ratio of the norm outside a decomposition to its smallest value above which verify warns.
const missingFactor = 1.1

// verifyKeys has the JSON keys of verify.
var verifyKeys = report.NewGroup("verify")

var (
	keyNorm           = verifyKeys.Key("norm", "spectral norm of A")
	keySpectralError  = verifyKeys.Key("relative_spectral_error", "spectral norm of the error over that of A")
	keyFrobeniusError = verifyKeys.Key("relative_frobenius_error", "Frobenius norm of the error over that of A")
	keyError          = verifyKeys.Key("error", "rows that were compared: exact (all) or sampled")
	keySample         = verifyKeys.Key("sample", "number of sampled rows of each source")
	// keyVerifyTolerance is the tolerance of the spectral norms.
	keyVerifyTolerance = verifyKeys.Key("tolerance", "relative error of the spectral norms that ends the iteration")
	keyFiles           = verifyKeys.Key("files", "files written with the model: file, belongs (null if it is not there)")
)

// doubts returns the number of large residuals, and reasons to doubt a model measured on a sample of the given size, or
// on all rows if it is 0.
func doubts(d *model.Description, found *model.Verification, sample int) (doubtful int, warnings []string) {
	warnings = []string{}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if worst := max(found.SpectralError, found.FrobeniusError); worst > 1 {
		warn("an error of %.2g is more than that of no model at all, which is 1", worst)
	}
	if !found.Converged {
		warn("the spectral norms did not converge in %d steps: the spectral error is a lower bound", found.Iterations)
	}
	for _, residual := range found.Residuals {
		if !(residual <= ksvd.Converged) {
			doubtful++
		}
	}
	if doubtful > 0 {
		warn("%d of %d triplets are no singular triplets of the matrix: their residuals are above %.2g of their values", doubtful, len(found.Residuals), ksvd.Converged)
	}
	if n := len(d.Values); len(found.Residuals) > 0 && sample == 0 && found.SpectralError*found.Norm > missingFactor*d.Values[n-1] {
		warn("the model misses a part of the matrix with a norm of %.3g, above its smallest value, %.3g", found.SpectralError*found.Norm, d.Values[n-1])
	}
	return doubtful, warnings
}

// report prints the errors measured on a sample of the given size, or on all rows if it is 0.
func (v *verifyCommand) report(f *saved.File, found *model.Verification, sample int, files []saved.Pairing, o *verifyInput) error {
	d, used := f.Model.Describe(), v.app.Used()
	doubtful, warnings := doubts(d, found, sample)
	r := &report.Report{Title: d.Method + " model of " + report.Rounded(d.Subject)}
	how, where, between := "exact", "all rows", ""
	if sample > 0 {
		how, where, between = "sampled", "a sample", " between the sampled rows"
	}
	r.Put(report.KeyModel, f.Path)
	r.Put(report.KeyMethod, d.Method)
	r.Put(keyNorm, found.Norm)
	r.Put(report.KeyWarnings, warnings)
	r.AddWarnings(warnings)
	r.Show(keySpectralError, found.SpectralError, "spectral error", "%.4g of ‖A‖₂ = %.4g%s", found.SpectralError, found.Norm, between)
	r.Show(keyFrobeniusError, found.FrobeniusError, "Frobenius error", "%.4g of ‖A‖_F%s", found.FrobeniusError, between)
	if list := found.Residuals; len(list) > 0 {
		r.Show(report.KeyResiduals, list, "residuals", "%.2g to %.2g of each value, %d of %d above %.2g", slices.Min(list), slices.Max(list), doubtful, len(list), ksvd.Converged)
		r.Put(report.KeyNotConverged, doubtful)
	}
	if !math.IsNaN(found.TraceKept) {
		r.Show(report.KeyTraceKept, found.TraceKept, "trace", "%.4g of tr(A) in the model%s", found.TraceKept, between)
	}
	r.Put(report.KeyRows, found.Rows)
	r.Put(report.KeyColumns, found.Cols)
	r.Show(keyError, how, "measured on", "%s × %s entries: %s", report.Count(found.Rows), report.Count(found.Cols), where)
	r.PutSome(keySample, sample)
	r.Put(report.KeyIterations, found.Iterations)
	r.Put(keyVerifyTolerance, found.Tolerance)
	r.Put(report.KeyConverged, found.Converged)
	addPairings(r, files)
	o.addReading(r, f.Data.Input, map[bool]string{true: "rows by number", false: "a sample of the rows"}[sample == 0])
	r.Put(report.KeyKernelEntries, found.KernelEntries)
	r.PutUsed(used)
	r.Add("work", "%v", used)
	r.Put(report.KeyNotes, []string{})
	return v.app.Print(r)
}

// addReading adds what was read of each source that is in files. numbered says what the rows are that were fetched by
// number.
func (o *verifyInput) addReading(r *report.Report, input, numbered string) {
	read, names := make(map[string]rows.ReadStats), []string{"data"}
	if input == saved.MatrixInput {
		names = []string{"matrix"}
	}
	if len(o.inputs) > 1 {
		names = []string{"left", "right"}
	}
	for i, in := range o.inputs {
		of, label := in.ReadStats(o.prepared[i]), "read"
		if len(o.inputs) > 1 {
			label += " of " + names[i]
		}
		read[names[i]] = of
		r.Add(label, "%s", of.Words(numbered))
	}
	r.PutSome(report.KeyRead, read)
}

// addPairings adds the files written with the model.
func addPairings(r *report.Report, files []saved.Pairing) {
	r.Put(keyFiles, append([]saved.Pairing{}, files...))
	for _, p := range files {
		switch {
		case p.Belongs == nil:
			r.Add("written with it", "%s, missing, so not compared", p.File)
		case *p.Belongs:
			r.Add("written with it", "%s, unchanged since the fit", p.File)
		default:
			r.Add("written with it", "%s, changed since the fit", p.File)
		}
	}
}
