package main

// family is a kind of models: what reads them, and what fits them. The rest goes by the
// interfaces of package model that they have, and is the same for all: transform, verify
// and inspect, the plan and the report of a fit, and its model file. A new family is a
// file with its task and its load, a text in the folder help, and a line in main.go.
type family struct {
	savedFamily
	fitters []fitter
}

// fitter is a sub-command of fit and of plan fit.
type fitter struct {
	name, arguments string // its text is help/fit_NAME.txt
	// task adds the flags of the sub-command, and returns its part of a fit.
	task func(j *job) *fitTask
}

// methodNames returns the names of the sub-commands of fit.
func methodNames(families []*family) (names []string) {
	for _, f := range families {
		for _, m := range f.fitters {
			names = append(names, m.name)
		}
	}
	return names
}
