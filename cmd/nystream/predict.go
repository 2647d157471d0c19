package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
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
		Use:   "predict MODEL DATA... -o OUT",
		Short: "Predict classes or numbers of rows, seen or new",
		Long: `Predict the class of each row of DATA with a model of fit askls, fit ism or fit ridge,
or its numbers with one of fit ridge --target. OUT
has the column predicted, in the order of the rows, the labels being those of the fit;
before it what --decisions and --probabilities ask for, behind it the columns named by
--label and --keep. Of a model of numbers --interval 0.9 writes the columns
predicted_lower and predicted_upper, between which nine of ten new numbers are, and --std
predicted_std, the standard deviation of a Gaussian process, of a model that was fitted
with --std. Rows are chosen, cleaned and scaled as the model says, and read once.
An .npy file holds numbers alone: labels that are words are numbered there as inspect
lists them, from 0.

A model of fit landmark --clusters, or of another low-rank method, gives the number of the
cluster of each row. With --novelty 0.01 a model that was fitted with --novelty gives for
each row its distance from the span of the model in feature space (novelty), its leverage,
the share of the fitted rows that are as far (tail), and whether that is at most .01
(novel, 0 or 1).

With --label, a column of DATA or a file with a line for each row, the report has the
accuracy, which is the micro F1, the macro F1, and the table of labels against
predictions. Labels that the model does not know count as wrong, and are told. OUT may
then be left out. Of a model of numbers --label names the column of the true ones, and the
report has the root mean squared error and R², and the share of them in the intervals.

For a model of a graph DATA is a file of edges, read as for the fit: of its nodes those
are decided on that it has, by their edges to and from nodes that the model knows.
--labels is a file of nodes and labels as for the fit, and --label the name of its
column. For a model of a kernel matrix DATA is that matrix, or for new samples rows of
twice the length: K(x, x_j) for the samples of the fit, and behind them K(x_j, x).`,
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
	f.BoolVar(&p.decisions, "decisions", false, "write the decision for each class, the largest of which wins")
	f.BoolVar(&p.probabilities, "probabilities", false,
		"write class probabilities, of fit ridge or fit askls --merge stack")
	f.Float64Var(&p.interval, "interval", 0, "write an interval for each number, of this `probability`")
	f.BoolVar(&p.std, "std", false, "write a standard deviation for each number")
	f.Float64Var(&p.novelty, "novelty", 0, "`share` of rows like those of the fit to mark as novel, such as 0.01")
	f.StringVar(&p.labelsFile, "labels", "", "`file` with nodes of the graph and their true labels")
	completeFiles(cmd, graphExtensions, "labels")
	return cmd
}

// predictResult is what predict prints as JSON.
type predictResult struct {
	*rowsResult
	Predicted  []classCount `json:"predicted"` // of each class that was chosen
	*judgement              // of --label
}

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
	if err := p.data.check(); err != nil || p.output == "" {
		return err
	}
	inputs := args
	if p.labelsFile != "" {
		inputs = append(args[:len(args):len(args)], p.labelsFile)
	}
	return p.checkOutput("-o", p.output, predictExtensions, inputs)
}

func (p *predictCommand) run(ctx context.Context, args []string) error {
	if err := p.check(args); err != nil {
		return err
	}
	f, m, err := readTransformer(args[0])
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
	all, text, err := a.report(r)
	if err != nil {
		return err
	}
	return p.printRows(r, all, text)
}

// prediction is an answer with its report: the result that has r as a part, and lines about the rest.
type prediction struct {
	rowsAnswer
	report func(r *rowsResult) (all any, text func(t *show.Text), err error)
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

// text adds lines about classes.
func (r *predictResult) text(t *show.Text) {
	words := make([]string, len(r.Predicted))
	for i, c := range r.Predicted {
		words[i] = fmt.Sprintf("%s (%s)", c.Class, show.Count(c.Rows))
	}
	t.Add("predicted", "%s", show.Words(words))
	if r.judgement != nil {
		r.judgement.text(t)
	}
}
