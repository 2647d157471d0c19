package verb

import (
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// application is the common part of transform and predict, the verbs that apply a model to rows: they read as the fit
// did, make one pass, and write a file of rows.
type application struct {
	app      *app.App
	families []*saved.Family
	data     rows.DataFlags
	graph    rows.GraphFlags // for a model of a graph
	output   string
	terminal *terminalRows // where rows go instead of to output; nil for nothing
	set      *flags.Set
	live     bool // a pipe is processed as it arrives, which requires no knowledge of later rows
}

// add adds the flags of an application.
func (t *application) add(s *flags.Set, completion flags.Completion) {
	t.set = s
	s.Add(flags.Flag{Name: "output", Short: "o", Arg: "file", Usage: "output file, or - for the standard output",
		Doc:   "." + strings.Join(completion.Extensions, " .") + "; without it a pipe gets CSV, and a terminal the first rows",
		Group: flags.Output, First: true, Effect: flags.Writes, Value: flags.String(&t.output, ""), Complete: completion})
	rows.AddOutputFormat(t.app, s)
	t.data.Add(s)
	t.graph.AddReading(s)
}

// countsRows reports whether rows are counted before the first one is written.
func (t *application) countsRows() bool { return t.output != "" && rows.CountsRows(t.app, t.output) }

// modelInput is the input of a model: rows of files, or the nodes of a graph. source gives the numbers. fields describe
// the columns that are carried to the output, and kept returns them for a block.
type modelInput struct {
	*rows.Input  // nil for a graph
	graph        *graph.Graph
	source       stream.Source
	fields       []stream.Field // kept columns
	kept         func(b *stream.Block, rows int) []stream.Column
	prepared     *prepare.Source // nil for a graph or a kernel matrix
	dropped      func() int64
	extraNumbers int64 // numbers in memory beyond the model's plan
}

// budget adds the memory for reading.
func (t *modelInput) budget(a *app.App, b *stream.Budget) {
	if t.extraNumbers > 0 {
		b.Add("kernel matrix, and beside it its transpose", t.extraNumbers, "")
	}
	rows.ReaderBudget(a, b, t.Input)
}

// rowsAnswer describes the output of a verb for the rows of a model.
type rowsAnswer struct {
	request model.Request
	columns []string                                                          // names of numeric columns in the file
	asList  string                                                            // list column, or ""
	fields  []stream.Field                                                    // fields that precede the kept columns
	each    func(b *stream.Block, made blas64.General) (*stream.Batch, error) // see rows.RowsFile
}
