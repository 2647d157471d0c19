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

// NewPredict returns the verb that predicts classes or numbers, and compares them with true ones if --label names some.
func NewPredict(a *app.App, families []*saved.Family) *cobra.Command {
	p := &predictCommand{application: application{app: a, families: families}}
	cmd := &cobra.Command{
		Use:               "predict MODEL DATA... [-o OUT]",
		GroupID:           flags.ModelsGroup,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteModelThenData,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.run(cmd.Context(), args) },
	}
	p.add(flags.New(cmd), flags.Completion{Extensions: predictExtensions})
	p.set.Flag("label").Doc = "which predictions are compared with"
	p.set.Flag("label").Describe("column", "true labels, in a column or file")
	p.set.Add(
		flags.Flag{Name: "probabilities", Usage: "write class probabilities", Doc: "of fit ridge or fit askls --merge stack", Group: flags.Output, First: true, Value: flags.Bool(&p.probabilities, false)},
		flags.Flag{Name: "interval", Field: "Level", Arg: "probability", Usage: "write an interval for each number, such as 0.9", Group: flags.Output, First: true, Value: flags.Float(&p.interval, 0)},
		flags.Flag{Name: "decisions", Usage: "write decision values, one for each class", Group: flags.Output, Value: flags.Bool(&p.decisions, false)},
		flags.Flag{Name: "std", Usage: "write a standard deviation for each number", Group: flags.Output, Value: flags.Bool(&p.std, false)},
		flags.Flag{Name: "novelty", Arg: "share", Usage: "share of ordinary rows to mark as novel", Doc: "such as 0.01", Group: flags.Output, Value: flags.Float(&p.novelty, 0)},
		flags.Flag{Name: "labels", Arg: "file", Usage: "nodes of the graph and their true labels", Group: flags.Data, For: flags.Graph, Value: flags.String(&p.labelsFile, ""), Complete: flags.GraphFiles},
	)
	return cmd
}

// predictKeys has the JSON keys of predict for classes.
var predictKeys = report.NewGroup("predict, of classes")

var keyPredicted = predictKeys.Key("predicted", "predicted classes: class, rows")

// check refuses contradictory flags. Without an output it decides where the rows go, unless a comparison alone is asked
// for.
func (p *predictCommand) check(args []string) error {
	if !p.compares() {
		p.chooseOutput()
	}
	refuse := p.set.Refuse()
	refuse.When(len(args) < 2, "predict needs a model and data: nystream predict m.npz data.parquet -o predicted.csv")
	refuse.When(p.output == "" && p.terminal == nil && !p.compares(), "-o is missing: --format json prints a report; name a file for the rows, such as -o predicted.csv, or give --label")
	refuse.When(p.output == "" && p.terminal == nil && (p.decisions || p.probabilities || p.std || len(p.data.Keep) > 0), "--decisions, --probabilities, --std and --keep go into a file, and --label alone writes none: name it with -o")
	refuse.When(p.set.Given("interval") && !(p.interval > 0 && p.interval < 1), "--interval must be between 0 and 1, such as 0.9")
	refuse.When(p.set.Given("novelty") && !(p.novelty > 0 && p.novelty < 1), "--novelty must be between 0 and 1, such as 0.01")
	refuse.When(rows.FormatOf(p.app, p.output) == "npy" && len(p.data.Keep) > 0, "-o "+p.output+": an NPY file holds one matrix of numbers and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --keep")
	if err := refuse.Err(); err != nil {
		return err
	}
	inputs := args
	for _, path := range []string{p.labelsFile, rows.NewAnnotation("--label", p.data.Label).File} {
		if path != "" {
			inputs = append(inputs[:len(inputs):len(inputs)], path)
		}
	}
	p.data.NamedFiles = inputs[1:]
	if err := p.data.Check(); err != nil || p.output == "" {
		return err
	}
	return rows.CheckOutput(p.app, "-o", p.output, predictExtensions, inputs)
}

// run applies the model in one pass, which writes predictions and compares them with labels block by block.
func (p *predictCommand) run(ctx context.Context, args []string) error {
	if err := p.check(args); err != nil {
		return err
	}
	f, m, err := readTransformer(p.app, p.families, args[0])
	if err != nil {
		return err
	}
	a, err := p.answer(f, m)
	if err != nil {
		return err
	}
	// A pipe may then be processed as it arrives. open takes this back if labels in a file must match the number of
	// rows.
	p.live = !p.countsRows()
	rows, err := p.open(ctx, f, m, args[1:])
	if err != nil {
		return err
	}
	defer rows.Close()
	r, err := p.write(ctx, f, m, rows, &a.rowsAnswer, fit.Shard{})
	if err != nil {
		return err
	}
	if p.terminal != nil {
		return p.terminal.print(p.app, rows.source.Info())
	}
	return printRows(p.app, r, func(out *report.Report) error { return a.report(r, out) })
}

// answer returns the prediction requested by the flags.
func (p *predictCommand) answer(f *saved.File, m model.Transformer) (*prediction, error) {
	if p.set.Given("novelty") {
		return p.markNovel(f, m)
	}
	if targets, err := m.Outputs(model.Left, model.Value); err == nil {
		return p.predictValues(m, targets)
	}
	return p.predictClasses(f, m)
}
