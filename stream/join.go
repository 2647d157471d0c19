package stream

import (
	"slices"
	"strings"
)

// isLast reports whether there are no states of later folds.
func (f *keptFold[A]) isLast() (bool, error) {
	names, err := sortedNames(f.run.store)
	later := foldPrefix(f.key.Fold + 1)
	return !slices.ContainsFunc(names, func(name string) bool { return name >= later }), err
}

// join puts the states of the fold together into one. Subtrees become
// one where they are siblings, so that a run of blocks takes at most two for each level of the
// tree, however many states it came in.
func (f *keptFold[A]) join() error {
	states := slices.DeleteFunc(slices.Clone(f.run.used), func(name string) bool {
		return !strings.HasPrefix(name, foldPrefix(f.key.Fold))
	})
	if len(states) == 0 {
		return f.missing()
	}
	if err := f.own.Merge(f.others); err != nil {
		return err
	}
	if err := f.write(); err != nil {
		return err
	}
	for _, name := range states {
		if name == f.name {
			continue
		}
		if err := f.run.store.Remove(name); err != nil {
			return err
		}
	}
	return &StoppedError{Pass: f.key.Pass, Fold: f.key.Fold}
}
