package fit

import (
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
)

// drawFlags has the flags of charts and reports.
type drawFlags struct {
	plot, report string // files
}

func (d *drawFlags) add(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "plot", Arg: "file", Usage: "draw the fit, ." + strings.Join(chart.Extensions, " or ."), Group: flags.Output, First: true, Effect: flags.Writes,
			Value: flags.String(&d.plot, ""), Complete: flags.Completion{Extensions: chart.Extensions}},
		flags.Flag{Name: "report", Arg: "file", Usage: "report with pictures, .html", Group: flags.Output, Effect: flags.Writes,
			Value: flags.String(&d.report, ""), Complete: flags.Completion{Extensions: reportExtensions}},
	)
}

var reportExtensions = []string{"html", "htm"}

// Wanted reports whether a chart or a report is requested.
func (d *drawFlags) Wanted() bool { return d.plot != "" || d.report != "" }

func (d *drawFlags) outputs() []rows.FileFlag {
	return []rows.FileFlag{{Flag: "--plot", Path: d.plot, Extensions: chart.Extensions, What: "picture"}, {Flag: "--report", Path: d.report, Extensions: reportExtensions, What: "report"}}
}

const (
	PlotRows    = 2000 // largest number of rows of a side in a chart
	plotNumbers = 40   // memory for each row of a chart, in numbers
)

// budget adds the memory for drawing rows with the given number of columns.
func (d *drawFlags) budget(p *model.Plan, columns int) {
	if d.Wanted() {
		p.Add("rows of pictures", 2*PlotRows*int64(columns+chart.PlotColumns+plotNumbers), "")
	}
}
