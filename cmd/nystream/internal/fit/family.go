package fit

import "github.com/nystream/nystream/cmd/nystream/internal/saved"

// Family is a kind of models: what reads them, and what fits them. The rest goes by the
// interfaces of package model that they have, and is the same for all: transform, verify
// and inspect, the plan and the report of a fit, and its model file. A new family is a
// file with its task and its load, a text in the folder help, and a line in main.go.
type Family struct {
	saved.Family
	Verbs []Verb
}

// Verb is a sub-command of fit and of plan fit.
type Verb struct {
	Name, Args string // its text is help/fit_NAME.txt
	// Last lists the method behind those of all families that are not last.
	Last bool
	// New adds the flags of the sub-command, and returns its part of a fit.
	New func(j *Job) *Task
}

// verbs returns the sub-commands of fit in the order in which one should try them.
func verbs(families []*Family) (list []*Verb) {
	for _, last := range []bool{false, true} {
		for _, f := range families {
			for i := range f.Verbs {
				if v := &f.Verbs[i]; v.Last == last {
					list = append(list, v)
				}
			}
		}
	}
	return list
}
