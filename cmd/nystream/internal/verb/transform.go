package verb

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
)

// transformCommand holds the flags of one run of transform.
type transformCommand struct {
	application
	side  model.Side
	scale flags.Word // --coordinates
	shard fit.Shard

	asList string // the name of the list column, or ""
}

// NewTransform returns the verb that computes the embedding of rows, for one part of them with --shard.
func NewTransform(a *app.App, families []*saved.Family) *cobra.Command {
	t := &transformCommand{application: application{app: a, families: families}}
	cmd := &cobra.Command{
		Use:               "transform MODEL DATA... [-o OUT]",
		GroupID:           flags.ModelsGroup,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteModelThenData,
		RunE:              func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args) },
	}
	t.add(flags.New(cmd), flags.OutputFiles)
	rows.AddCoordinates(t.set, &t.scale)
	t.set.Add(
		flags.Flag{Name: "shard", Arg: "part", Usage: "embed one part of the rows, such as 3/8", Group: flags.Runs, Value: &t.shard},
		flags.Flag{Name: "as-list", Arg: "column", Usage: "write the embedding as one column of lists", Doc: "for vector stores",
			Group: flags.Output, Effect: flags.Writes, Value: flags.String(&t.asList, "")},
		flags.Flag{Name: "side", Arg: "word", Usage: "factor of a model with two", Value: flags.Choice(&t.side, []model.Side{model.Left, model.Right}, "U", "V")},
	)
	return cmd
}

// transformKeys has the JSON keys of transform.
var transformKeys = report.NewGroup("transform")

var (
	keyEmbeddingColumns = transformKeys.Key("columns", "columns of the embedding")
	keyKeptColumns      = transformKeys.Key("kept_columns", "number of columns that are carried along")
)

// run writes the embedding in one pass. The names of its columns are those of a factor of the fit.
func (t *transformCommand) run(ctx context.Context, args []string) error {
	if err := t.check(args); err != nil {
		return err
	}
	f, m, err := readTransformer(t.app, t.families, args[0])
	if err != nil {
		return err
	}
	r, err := rows.RequestOf(m, t.side, t.scale, t.set.Given("coordinates"))
	if err != nil {
		return err
	}
	names, err := r.Names(m)
	if err != nil {
		return flags.Usagef("--side %v: %w", t.side, err)
	}
	t.live = t.shard.Of == 0 && !t.countsRows()
	rows, err := openModelInput(ctx, f, &t.application, m, t.side, args[1:])
	if err != nil {
		return err
	}
	defer rows.Close()
	if info := rows.source.Info(); t.shard.Of > 0 && info.Rows < 0 {
		return flags.Usagef("--shard: the number of rows of %s is not known: write it to a file first, with nystream convert", info.Name)
	}
	written, err := t.write(ctx, f, m, rows, &rowsAnswer{request: r, columns: names, asList: t.asList}, t.shard)
	if err != nil {
		return err
	}
	if t.terminal != nil {
		return t.terminal.print(t.app, rows.source.Info())
	}
	return printRows(t.app, written, func(out *report.Report) error {
		kept := len(rows.fields)
		out.Show(keyEmbeddingColumns, len(names), "columns", "%d of the embedding, %d kept", len(names), kept)
		out.Put(keyKeptColumns, kept)
		return nil
	})
}

// check refuses outputs that cannot hold what flags ask for, before anything is read.
func (t *transformCommand) check(args []string) error {
	if len(args) < 2 {
		return flags.Usagef("transform needs a model and data: nystream transform m.npz data.parquet -o out.parquet")
	}
	if t.chooseOutput(); t.output == "" && t.terminal == nil {
		return flags.Usagef("-o is missing: --format json prints a report; name a file for the rows, such as -o out.parquet")
	}
	if t.data.Keeps() && rows.FormatOf(t.app, t.output) == "npy" {
		return flags.Usagef("-o %s: an NPY file holds one matrix of numbers and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --label and --keep", t.output)
	}
	if t.asList != "" && rows.NumbersOnly(t.app, t.output) {
		return flags.Usagef("--as-list: a file of the format %s has no columns of lists; write .parquet or .arrow", rows.FormatOf(t.app, t.output))
	}
	if err := t.data.Check(); err != nil {
		return err
	}
	if t.terminal != nil {
		return nil
	}
	return rows.CheckOutput(t.app, "-o", t.output, flags.OutputExtensions, args)
}
