package fit

import (
	"context"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Job is one command line of fit, or of plan fit, on its way from files to a model.
type Job struct {
	App      *app.App
	Method   string // the name of the sub-command
	task     *Task
	planning bool
	Given    func(flag string) bool // whether it was given
	Set      *flags.Set
	args     []string

	Data       rows.DataFlags
	Rows       rows.PreparationFlags
	KernelText string
	Kernel     kernelgen.Kernel // of the flag, and after the fit with its numbers
	Edges      rows.GraphFlags  // of fits that take a graph
	Graph      *graph.Graph     // nil for rows
	Rank       int
	RightFiles []string // of the right source
	asideFlags []asideFlag
	Factors    []*FactorFile
	output     string // the model
	States     stateFlags
	Draws      drawFlags
	Scale      flags.Word  // of coordinates: --coordinates
	run        *stream.Run // keeps states, or nil
	resumed    []resumption

	Sides        rows.Sides
	shown        map[model.Side]*Sampled // rows that pictures show
	Warnings     []string                // besides those of the report, as of columns that make nonsense of a fit
	Scans        map[string]int          // passes before the fit began
	FactorPasses int                     // that wrote factors, over each source
	sampled      map[string]int64        // rows of each source that were fetched by number before the fit began
}

// Task is what only the family knows of a fit. Where a function is nil, the job does what fits have in
// common; Refuses, Title, Plan, Fit and Fitted are required.
type Task struct {
	// Refuses refuses what the command line must not ask for.
	Refuses func(refuse *flags.Refusals, args []string)
	// Parse reads the words of flags that have a grammar; its errors are of wrong usage.
	Parse     func() error
	Inputs    func() []string // files that are read besides the arguments
	Open      func(ctx context.Context, args []string) error
	OpenNotes func() []string
	Names     func() []string // of the sources, in reports
	Title     func() string   // one line about the fit
	Shape     func() model.Size
	Plan      func(e stream.Engine) (*model.Plan, error)
	Prepare   func(ctx context.Context) error
	Fit       func(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error)
	RowsData  func() saved.Data
	// Preparations are of the rows of the left and the right side of the model, see saved.File.
	Preparations func() (left, right prepare.Preparation)
	Write        func(ctx context.Context, m model.Model) ([]rows.PathWriter, error)
	// Charts returns what is drawn of a finished fit, and marks the colours of rows that are
	// shown.
	Charts func(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error)
	Marks  func(s *Sampled, side model.Side) (*chart.Groups, *chart.Shades)
	// Planned adds to what is printed of a plan, and fitted to what is printed of a fit.
	Planned func(r *PlanResult, t *report.Report)
	Fitted  func(d *model.Description, r *report.Report)
}

// FactorFile is a file for what a model makes of the rows of a side.
type FactorFile struct {
	flag, what string // U or V
	Path       string
	Side       model.Side
	kind       model.Output // Coordinates, or Class for clusters
}

// asideFlag is a flag that says something of each row of a side.
type asideFlag struct {
	name  string
	value *string
	side  model.Side
}

// resumption is where a pass began that an earlier run had begun, or done.
type resumption struct {
	Pass string `json:"pass"`
	Row  int64  `json:"row"`
	Of   int64  `json:"of"` // rows
}
