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

// Job is one run of fit or plan fit, from files to a model.
type Job struct {
	App      *app.App
	Method   string // the name of the sub-command
	task     *Task
	planning bool
	Given    func(flag string) bool // reports whether a flag was set
	Set      *flags.Set
	args     []string

	Data            rows.DataFlags
	Rows            rows.PreparationFlags
	KernelText      string
	Kernel          kernelgen.Kernel // of the flag; resolved after the fit
	Edges           rows.GraphFlags  // for fits of a graph
	Graph           *graph.Graph     // nil for fits of rows
	Rank            int
	RightFiles      []string // of the right source
	annotationFlags []annotationFlag
	Factors         []*FactorFile
	output          string // the model file
	States          stateFlags
	Draws           drawFlags
	Scale           flags.Word  // of coordinates: --coordinates
	run             *stream.Run // keeps states; nil if none are kept
	resumed         []resumption

	Sides        rows.Sides
	chartRows    map[model.Side]*Sampled // rows in charts
	Warnings     []string                // besides those of the report, such as suspicious columns
	Scans        map[string]int          // passes before the fit
	FactorPasses int                     // passes that wrote factors, over each source
	sampled      map[string]int64        // rows of each source gathered by number before the fit
}

// Task is the family's part of a fit. Nil functions have defaults, except Refuses, Title, Plan, Fit and Fitted, which
// are required.
type Task struct {
	// Refuses reports invalid combinations on the command line.
	Refuses func(refuse *flags.Refusals, args []string)
	// Parse parses flag values that have a grammar. Its errors are usage errors.
	Parse     func() error
	Inputs    func() []string // input files other than the arguments
	Open      func(ctx context.Context, args []string) error
	OpenNotes func() []string
	Names     func() []string // names of the sources, in reports
	Title     func() string   // a one-line description of the fit
	Shape     func() model.Size
	Plan      func(e stream.Engine) (*model.Plan, error)
	Prepare   func(ctx context.Context) error
	Fit       func(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error)
	RowsData  func() saved.Data
	// Preparations are those of the left and the right rows of the model, see saved.File.
	Preparations func() (left, right prepare.Preparation)
	Write        func(ctx context.Context, m model.Model) ([]rows.PathWriter, error)
	// Charts returns the charts of a finished fit, and Marks the colours of its rows.
	Charts func(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error)
	Marks  func(s *Sampled, side model.Side) (*chart.Groups, *chart.Shades)
	// Planned adds to the printed plan, and Fitted to the printed report of a fit.
	Planned func(r *PlanResult, t *report.Report)
	Fitted  func(d *model.Description, r *report.Report)
}

// FactorFile is an output file for the rows of a side.
type FactorFile struct {
	flag, what string // U or V
	Path       string
	Side       model.Side
	kind       model.Output // Coordinates, or Class for clusters
}

// annotationFlag is a flag with a value for each row of a side.
type annotationFlag struct {
	name  string
	value *string
	side  model.Side
}

// resumption records a pass that continues, or reuses, the work of an earlier run.
type resumption struct {
	Pass string `json:"pass"`
	Row  int64  `json:"row"`
	Of   int64  `json:"of"` // number of rows
}
