package main

import (
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/model"
)

// family is a kind of models: what fits them, and what reads them.
type family struct {
	name    string
	methods []string // in the headers of its models
	fitters []fitter
	// load rebuilds a model from its file. data says what rows it takes.
	load func(a *model.Archive, data *rowsData) (model.Model, error)
	// inspect returns what inspect tells of a model as JSON besides what it tells of all;
	// nil for nothing.
	inspect func(m model.Model) any
	// unverified says, after a colon, why verify does not measure the models of the family.
	unverified string
}

// fitter is a sub-command of fit and of plan fit.
type fitter struct {
	name, arguments, short, long string
	// task adds the flags of the sub-command, and returns its part of a fit.
	task func(j *job, cmd *cobra.Command) task
}

// families are all that the command knows.
var families = []*family{lowrankFamily, ksvdFamily, ismFamily}

// familyOf returns the family whose models have a method, or nil.
func familyOf(method string) *family {
	for _, f := range families {
		for _, m := range f.methods {
			if m == method {
				return f
			}
		}
	}
	return nil
}

// methodNames returns the names of the sub-commands of fit.
func methodNames() (names []string) {
	for _, f := range families {
		for _, m := range f.fitters {
			names = append(names, m.name)
		}
	}
	return names
}
