package fit

import "github.com/nystream/nystream/cmd/nystream/internal/saved"

// Family is a kind of models, with its loader and its fits. Everything else uses interfaces of package model and is
// common to all families: transform, verify, inspect, plans, reports and model files. A new family needs a file with
// its task and its loader, a help text, and a line in main.go.
type Family struct {
	saved.Family
	Verbs []Verb
}

// Verb is a sub-command of fit and of plan fit.
type Verb struct {
	Name, Args string // the help text is help/fit_NAME.txt
	// Last lists the method after all methods that are not last.
	Last bool
	// New adds the flags of the sub-command and returns its task.
	New func(j *Job) *Task
}

// verbs returns the sub-commands of fit in the recommended order.
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
