package main

import (
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
)

// savedFamily is what reads the models of a family.
type savedFamily struct {
	name    string
	methods []string // in the headers of its models
	// load rebuilds a model from its file. data says what rows it takes.
	load func(a *model.Archive, data *rowsData) (model.Model, error)
	// inspect adds the fields of this family to the JSON report of nystream inspect. It may be nil.
	inspect func(m model.Model, r *report.Report)
	// unverified says, after a colon, why verify does not measure the models of the family.
	unverified string
	// clusters reports whether the classes of its models are clusters, whose names cannot be compared with labels.
	clusters bool
}

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
func familyOf(families []*savedFamily, method string) *savedFamily {
	for _, f := range families {
		if slices.Contains(f.methods, method) {
			return f
		}
	}
	return nil
}
