package main

import (
	"context"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// job is one command line of fit, or of plan fit, on its way from files to a model.
type job struct {
	app      *app
	method   string // the name of the sub-command
	task     *fitTask
	planning bool
	given    func(flag string) bool // whether it was given
	set      *flags.Set
	args     []string

	data       dataFlags
	rows       preparationFlags
	kernelText string
	kernel     kernelgen.Kernel // of the flag, and after the fit with its numbers
	edges      graphFlags       // of fits that take a graph
	graph      *graph.Graph     // nil for rows
	rank       int
	rightFiles []string // of the right source
	asideFlags []asideFlag
	factors    []*factorFile
	output     string // the model
	states     stateFlags
	draws      drawFlags
	scale      flags.Word  // of coordinates: --coordinates
	run        *stream.Run // keeps states, or nil
	resumed    []resumption

	sides        sides
	shown        map[model.Side]*sampled // rows that pictures show
	warnings     []string                // besides those of the report, as of columns that make nonsense of a fit
	scans        map[string]int          // passes before the fit began
	factorPasses int                     // that wrote factors, over each source
}

// fitTask is what only the family knows of a fit. Where a function is nil, the job does what fits have in
// common; refuses, title, plan, fit and fitted are required.
type fitTask struct {
	// refuses refuses what the command line must not ask for.
	refuses func(refuse *flags.Refusals, args []string)
	// parse reads the words of flags that have a grammar; its errors are of wrong usage.
	parse     func() error
	inputs    func() []string // files that are read besides the arguments
	open      func(ctx context.Context, args []string) error
	openNotes func() []string
	names     func() []string // of the sources, in reports
	title     func() string   // one line about the fit
	shape     func() model.Shape
	plan      func(e stream.Engine) (*model.Plan, error)
	prepare   func(ctx context.Context) error
	fit       func(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error)
	rowsData  func() rowsData
	// preparations are of the rows of the left and the right side of the model, see modelFile.
	preparations func() (left, right prepare.Preparation)
	write        func(ctx context.Context, m model.Model) ([]pathWriter, error)
	// charts returns what is drawn of a finished fit, and marks the colours of rows that are
	// shown.
	charts func(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error)
	marks  func(s *sampled, side model.Side) (*chart.Groups, *chart.Shades)
	// planned adds to what is printed of a plan, and fitted to what is printed of a fit.
	planned func(r *planResult, t *report.Report)
	fitted  func(d *model.Description, r *report.Report)
}

// factorFile is a file for what a model makes of the rows of a side.
type factorFile struct {
	flag, what string // U or V
	path       string
	side       model.Side
	kind       model.Kind // Coordinates, or Class for clusters
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
