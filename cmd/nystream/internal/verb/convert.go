package verb

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// convertCommand holds the flags of one run of convert.
type convertCommand struct {
	app    *app.App
	data   rows.DataFlags
	rows   rows.PreparationFlags
	inputs []string
	output string
	set    *flags.Set
}

// NewConvert returns the verb that copies rows between formats. Numbers are prepared on the way if flags ask for it.
func NewConvert(a *app.App) *cobra.Command {
	c := &convertCommand{app: a}
	cmd := &cobra.Command{
		Use:               "convert IN... OUT",
		GroupID:           flags.FilesGroup,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteData,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.set = flags.New(cmd)
	c.data.Add(c.set)
	c.rows.Add(c.set)
	c.set.Add(flags.Flag{Name: "output", Short: "o", Arg: "file", Usage: "output file, or - for the standard output", Doc: "instead of the last argument",
		Group: flags.Output, First: true, Effect: flags.Writes, Value: flags.String(&c.output, ""), Complete: flags.OutputFiles})
	rows.AddOutputFormat(c.app, c.set)
	c.set.Add(flags.Flag{Name: "types", Arg: "name=type", Usage: "types of columns of text files, such as id=int64",
		Doc: "bool, int8 to int64, uint8 to uint64, float32, float64, decimal(18,4), date, timestamp, uuid or text", Group: flags.Data, Effect: flags.Locates, For: flags.Rows, Value: flags.Strings(&c.data.Types)})
	c.set.Flag("nulls").NoDefault()
	return cmd
}

// convertKeys has the JSON keys of convert.
var convertKeys = report.NewGroup("convert")

var (
	keyConvertedColumns = convertKeys.Key("columns", "numeric columns of the output")
	keyKept             = convertKeys.Key("kept", "other columns of the output")
)

// run opens the files before it chooses columns, since the choice depends on the columns and on what the output can
// hold.
func (c *convertCommand) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	c.data.Text, c.data.Dates = c.rows.Categories != prepare.EncodeNone, c.rows.Dates
	c.data.Live, c.data.AllColumns = !rows.CountsRows(c.app, c.output) && !(c.prepares() && c.rows.Scans()), true
	files, err := c.app.Session.OpenFiles(ctx, c.inputs, c.data.Options(c.app))
	if err != nil {
		return app.FromData(err)
	}
	columns, _ := files.Columns()
	c.chooseAll(columns)
	c.data.NoNumbers = true
	in, err := c.data.Choose(c.app, files)
	if err != nil {
		return err
	}
	defer in.Close()
	c.noteChanges(in, columns)
	src, err := c.prepared(ctx, in)
	if err != nil {
		return err
	}
	if err := c.checkMemory(in, src.Info()); err != nil {
		return err
	}
	if c.app.Provenance = c.app.NewProvenance(); c.app.Provenance != nil {
		c.app.Provenance.Sources = []app.ProvenanceSource{in.ProvenanceSource(src.Info().Rows)}
	}
	n, err := c.copy(ctx, src)
	if err != nil {
		return err
	}
	if n == 0 && rows.FormatOf(c.app, c.output) == "jsonl" {
		c.app.Note("%s has no rows, and JSON lines without rows have no columns; write another format to keep the columns", app.OutputName(c.output))
	}
	read, numbers := in.ReadStats(in.Info().PassesToOpen), len(src.Info().Columns)
	r, kept := &rowsResult{rows: n, passes: map[string]int{"data": in.Passes()}, read: &read, output: c.output}, []string{}
	for _, k := range src.Info().Kept {
		if c.data.Carry == blockstore.CarryAll && k.Logical().IsNumber() {
			numbers++
			continue
		}
		kept = append(kept, k.Name)
	}
	if p, ok := src.(*prepare.Source); ok {
		r.rowsDropped, r.categories = p.Dropped(), p.CategoryCounts()
	}
	return printRows(c.app, r, func(out *report.Report) error {
		out.Show(keyConvertedColumns, numbers, "columns", "%d numeric, %d kept", numbers, len(kept))
		out.Put(keyKept, kept)
		return nil
	})
}

// checkMemory fails if the conversion exceeds --memory.
func (c *convertCommand) checkMemory(in *rows.Input, info stream.Info) error {
	budget := model.NewPlan(c.app.Engine(), 0, 0).Memory
	if held := rows.HeldBy(stream.Engine{Threads: 1}, []*rows.Input{in}); held > 0 {
		budget.Items = append(budget.Items, rows.ReaderItem(held))
	}
	d := len(info.Columns) + len(info.Kept)
	budget.Add("rows", int64(batchRows(info))*int64(d), "")
	rows.WriterBudget(c.app, &budget, c.output, info.Rows, d)
	rows.LimitBatches(c.app, &budget, in)
	return c.app.CheckBudget(&budget)
}

// check takes the last argument as the output unless --output names one.
func (c *convertCommand) check(args []string) error {
	c.inputs = args
	if c.output == "" && len(args) > 0 {
		c.inputs, c.output = args[:len(args)-1], args[len(args)-1]
	}
	if len(c.inputs) == 0 {
		return flags.Usagef("convert needs inputs and an output: nystream convert data.csv data.parquet")
	}
	if err := c.data.Check(); err != nil {
		return err
	}
	if err := rows.CheckOutput(c.app, "output", c.output, flags.OutputExtensions, c.inputs); err != nil {
		return err
	}
	return nil
}

// chooseAll keeps the columns that the output can hold: all of them unchanged or, if numbers are prepared, those that
// are not numeric. A libsvm file holds a label.
func (c *convertCommand) chooseAll(columns []blockstore.ColumnInfo) {
	switch rows.FormatOf(c.app, c.output) {
	case "npy":
	case "libsvm":
		if label := libsvmLabel(columns); label >= 0 && len(c.data.Columns) == 0 && !c.data.Keeps() {
			c.data.Keep = []string{columns[label].Name}
		}
	default:
		if c.data.Carry = blockstore.CarryRest; !c.prepares() && c.rows.Dates == blockstore.DatesNone {
			c.data.Carry = blockstore.CarryAll
		}
		c.data.FindTypes = slices.Contains([]string{"parquet", "arrow", "arrow-stream", "nys"}, rows.FormatOf(c.app, c.output))
	}
}

// prepares reports whether nulls, scaling or text need preparation.
func (c *convertCommand) prepares() bool {
	return c.set.Given("nulls") || c.rows.Scale != prepare.ScaleNone || c.data.Text
}

// noteChanges notes columns that the output omits by default, and those with rounded numbers.
func (c *convertCommand) noteChanges(in *rows.Input, columns []blockstore.ColumnInfo) {
	info, list, rounded := in.Info(), slices.Clip(in.LeftOut), []rows.LeftOutColumn{}
	names := sync.OnceValue(func() map[string]bool {
		names := make(map[string]bool, len(info.Columns))
		for _, name := range info.Columns {
			names[name] = true
		}
		return names
	})
	for _, column := range columns {
		if column.Kind == "number" && column.Reason != "" && names()[column.Name] {
			rounded = append(rounded, rows.LeftOutColumn{Name: column.Name, Reason: column.Reason})
		}
	}
	if len(rounded) > 0 {
		c.app.Note("numbers are rounded: %s", rows.LeftOutWords(rounded))
	}
	if rows.FormatOf(c.app, c.output) == "parquet" {
		if changes := parquetChanges(info.Kept); len(changes) > 0 {
			c.app.Note("types that Parquet lacks: %s; .arrow has them", report.Words(changes))
		}
	}
	cannot := map[string]string{"npy": " cannot hold text, dates or labels: ", "libsvm": " cannot hold text or dates: "}[rows.FormatOf(c.app, c.output)]
	if cannot != "" {
		cannot = app.OutputName(c.output) + cannot
	}
	if len(list) > 0 {
		c.app.Note("%sleft out %s", cannot, rows.LeftOutWords(list))
	}
}

// prepared prepares nulls and scaling if requested.
func (c *convertCommand) prepared(ctx context.Context, in *rows.Input) (stream.Source, error) {
	if info := in.Info(); !c.prepares() ||
		len(info.Columns)+rows.CategoriesOf(info) == 0 {
		return in, nil
	}
	c.rows.AllColumns = true
	return c.rows.Prepare(ctx, c.app.Engine(), in)
}

// batchRows returns the number of rows copied at a time: about 4 MiB of rows, at least 16 rows up to 16 MiB, and at
// most the number of rows.
func batchRows(info stream.Info) int {
	const few, most = 4 << 20 / 8, 16 << 20 / 8 // numbers
	d := max(1, len(info.Columns)+len(info.Kept))
	n := min(4096, max(16, few/d))
	if info.Rows >= 0 {
		n = int(min(int64(n), info.Rows))
	}
	return max(1, min(n, most/d))
}

// copy writes the rows of src and returns their number.
func (c *convertCommand) copy(ctx context.Context, src stream.Source) (written int64, err error) {
	info := src.Info()
	w, err := rows.Create(c.app, c.output, blockstore.Schema{Columns: info.Columns, Nameless: info.Nameless, Kept: info.Kept, Rows: info.Rows, Live: info.Live})
	if err != nil {
		return 0, err
	}
	defer w.Abort() // no-op after Commit
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	r, err := src.Open(ctx, 0)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, read := newBatch(info, batchRows(info)), stream.ReadFull
	if info.Live { // rows leave when the input pauses
		read = stream.Reader.Read
	}
	for {
		n, err := read(r, b)
		for k := range b.Kept { // of a bad row some columns may be there
			b.Kept[k].Truncate(n)
		}
		if failed := w.Write(b, n); failed != nil {
			return written, failed
		}
		written += int64(n)
		if err != nil && err != io.EOF {
			return written, err
		}
		if err := context.Cause(ctx); err != nil {
			return written, err
		}
		if err == io.EOF {
			return written, w.Commit()
		}
		if e := c.app.Engine(); e.Progress != nil {
			e.Progress(stream.Event{Pass: "convert", Done: written, Total: info.Rows})
		}
	}
}

// newBatch returns an empty batch for up to the given number of rows.
func newBatch(info stream.Info, rows int) *stream.Batch {
	b := &stream.Batch{X: matrix.New(rows, len(info.Columns)), Kept: make([]stream.Column, 0, len(info.Kept))}
	for _, k := range info.Kept {
		c := stream.Column{Kind: k.Kind, Type: k.Type}
		switch k.Kind {
		case stream.Float64:
			c.Floats = make([]float64, 0, rows)
		case stream.Int64:
			c.Ints = make([]int64, 0, rows)
		}
		b.Kept = append(b.Kept, c)
	}
	return b
}
