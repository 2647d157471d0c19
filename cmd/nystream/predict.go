package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
)

// predictCommand is one command line of predict.
type predictCommand struct {
	application
	labelsFile               string // of nodes
	decisions, probabilities bool
	interval                 float64 // of numbers
	intervals, std           bool
	novelty                  float64 // share of rows to mark
	truth                    *truth  // of --label or --labels, or nil
}

// predictExtensions are those of files that can hold words, and .npy.
var predictExtensions = slices.DeleteFunc(slices.Clone(outputExtensions), func(e string) bool { return e == "libsvm" })

func newPredictCommand(a *app) *cobra.Command {
	p := &predictCommand{application: application{app: a}}
	cmd := &cobra.Command{
		Use:               "predict MODEL DATA... -o OUT",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeModelThenData,
		RunE: func(cmd *cobra.Command, args []string) error {
			p.intervals = cmd.Flags().Changed("interval")
			return p.run(cmd.Context(), args)
		},
	}
	p.add(cmd, predictExtensions)
	f := cmd.Flags()
	f.Lookup("label").Usage = "`column` or file of the true labels, which predictions are compared with"
	f.BoolVar(&p.decisions, "decisions", false, "write decision values, one for each class")
	f.BoolVar(&p.probabilities, "probabilities", false,
		"write class probabilities, of fit ridge or fit askls --merge stack")
	f.Float64Var(&p.interval, "interval", 0, "write an interval for each number, of this `probability`")
	f.BoolVar(&p.std, "std", false, "write a standard deviation for each number")
	f.Float64Var(&p.novelty, "novelty", 0, "`share` of ordinary rows to mark as novel, such as 0.01")
	f.StringVar(&p.labelsFile, "labels", "", "`file` of nodes of the graph and their true labels")
	completeFiles(cmd, graphExtensions, "labels")
	return cmd
}

// predictKeys are the keys of predict for models of classes.
var predictKeys = report.NewGroup("predict, of classes")

var keyPredicted = predictKeys.Key("predicted", "predicted classes: class, rows")

// classCount is how many rows are of a class.
type classCount struct {
	Class string `json:"class"`
	Rows  int64  `json:"rows"`
}

// compares reports whether predictions are compared with labels.
func (p *predictCommand) compares() bool { return p.data.label+p.labelsFile != "" }

func (p *predictCommand) check(args []string) error {
	if err := refuse([]contradiction{
		{len(args) < 2, "predict needs a model and data: nystream predict m.npz data.parquet -o predicted.csv"},
		{p.output == "" && !p.compares(), "-o is missing: the output file, such as -o predicted.csv; with --label it may be left out"},
		{p.output == "" && (p.decisions || p.probabilities || p.std || len(p.data.keep) > 0),
			"--decisions, --probabilities, --std and --keep go into a file: name it with -o"},
		{p.intervals && !(p.interval > 0 && p.interval < 1), "--interval must be between 0 and 1, such as 0.9"},
		{p.cmd.Flags().Changed("novelty") && !(p.novelty > 0 && p.novelty < 1),
			"--novelty must be between 0 and 1, such as 0.01"},
		{p.formatOf(p.output) == "npy" && len(p.data.keep) > 0, "-o " + p.output + ": an NPY file holds one matrix of numbers and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --keep"},
	}); err != nil {
		return err
	}
	inputs := args
	for _, beside := range []string{p.labelsFile, newAside("--label", p.data.label).file} {
		if beside != "" {
			inputs = append(inputs[:len(inputs):len(inputs)], beside)
		}
	}
	p.data.named = inputs[1:]
	if err := p.data.check(); err != nil || p.output == "" {
		return err
	}
	return p.checkOutput("-o", p.output, predictExtensions, inputs)
}

func (p *predictCommand) run(ctx context.Context, args []string) error {
	if err := p.check(args); err != nil {
		return err
	}
	f, m, err := p.readTransformer(args[0])
	if err != nil {
		return err
	}
	a, err := p.answer(f, m)
	if err != nil {
		return err
	}
	rows, err := p.open(ctx, f, m, args[1:])
	if err != nil {
		return err
	}
	defer rows.close()
	r, err := p.write(ctx, f, m, rows, &a.rowsAnswer, shard{})
	if err != nil {
		return err
	}
	return p.printRows(r, func(out *report.Report) error { return a.report(r, out) })
}

// prediction is an answer with its report.
type prediction struct {
	rowsAnswer
	report func(r *rowsResult, out *report.Report) error // adds fields
}

// answer returns what the flags ask the model for.
func (p *predictCommand) answer(f *modelFile, m model.Transformer) (*prediction, error) {
	if p.cmd.Flags().Changed("novelty") {
		return p.markNovel(f, m)
	}
	if targets, err := m.Outputs(model.Left, model.Value); err == nil {
		return p.predictValues(m, targets)
	}
	return p.predictClasses(f, m)
}

// addPredicted adds the classes that were predicted, with the rows of each.
func addPredicted(out *report.Report, classes []string, counts []int64) {
	predicted, words := []classCount{}, []string(nil)
	for c, n := range counts {
		if n > 0 {
			predicted = append(predicted, classCount{classes[c], n})
			words = append(words, fmt.Sprintf("%s (%s)", classes[c], report.Count(n)))
		}
	}
	out.Show(keyPredicted, predicted, "predicted", "%s", report.Words(words))
}
