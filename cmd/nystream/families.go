package main

import (
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
)

// family is a kind of models: what fits them, and what reads them. The rest goes by the
// interfaces of package model that they have, and is the same for all: transform, verify
// and inspect, the plan and the report of a fit, and its model file. A new family is a
// file with its task and its load, a text in the folder help, and a line in families.
type family struct {
	name    string
	methods []string // in the headers of its models
	fitters []fitter
	// load rebuilds a model from its file. data says what rows it takes.
	load func(a *model.Archive, data *rowsData) (model.Model, error)
	// inspect adds the fields of this family to the JSON report of nystream inspect. It may be nil.
	inspect func(m model.Model, r *report.Report)
	// unverified says, after a colon, why verify does not measure the models of the family.
	unverified string
}

// fitter is a sub-command of fit and of plan fit.
type fitter struct {
	name, arguments string // its text is help/fit_NAME.txt
	// task adds the flags of the sub-command, and returns its part of a fit.
	task func(j *job, cmd *cobra.Command) task
}

// families are all that the command knows.
var families = []*family{lowrankFamily, ksvdFamily, ismFamily, operatorFamily, asklsFamily, transportFamily, ridgeFamily}

// loader returns the load of a family that looks at no more than the archive.
func loader[M model.Model](load func(*model.Archive, ...kernelgen.Profile) (M, error)) func(*model.Archive, *rowsData) (model.Model, error) {
	return func(a *model.Archive, _ *rowsData) (model.Model, error) {
		m, err := load(a)
		if err != nil {
			return nil, err // no model, where m is a nil pointer
		}
		return m, nil
	}
}

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
