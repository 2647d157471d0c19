package app

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
)

// FitErrors returns the estimated errors of a fit.
func FitErrors(a *App, r *model.Report) (list []report.FitError) {
	for _, e := range r.Estimates {
		list = append(list, report.FitError{Quantity: e.Quantity.String(), Value: report.Number(e.Value), Evidence: flags.Spell(a.Cmd, e.Evidence), Reason: flags.Spell(a.Cmd, e.Reason)})
	}
	return list
}

// NewProvenance returns the record for files of this command line, nil if they should have none.
func (a *App) NewProvenance() *Provenance {
	if !a.RecordProvenance {
		return nil
	}
	return &Provenance{Version: Version, Build: Build(), Command: a.plainCommand()}
}

// plainCommand returns the command line with its flags sorted, including those from the environment and settings. It
// omits flags that affect no number in a file, and the folders of absolute paths.
func (a *App) plainCommand() string {
	words := append(strings.Fields(a.Cmd.CommandPath()), plainPaths(a.args)...)
	flags.New(a.Cmd).VisitGiven(func(f *flags.Flag) {
		value := PlainPath(f.Text())
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = flags.ListText(plainPaths(list.GetSlice()))
		}
		if f.Name != "seed" && (f.Effect == flags.Result || f.Effect == flags.Locates) {
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return report.ShellLine(append(words, fmt.Sprintf("--seed=%d", a.Seed)))
}
