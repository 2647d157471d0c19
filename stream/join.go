package stream

import "slices"

// isLast reports whether the store has no states of later folds.
func (f *checkpointedFold[A]) isLast() (bool, error) {
	names, err := sortedNames(f.run.store)
	return !slices.ContainsFunc(names, func(name string) bool { return foldNumber(name) > f.key.Fold }), err
}

// join replaces the states of the fold by a single one. It merges sibling subtrees, so that a run
// of blocks takes at most two subtrees per level of the tree, whatever the number of states.
func (f *checkpointedFold[A]) join() error {
	if len(f.states) == 0 {
		return f.missingError()
	}
	if err := f.write(); err != nil {
		return err
	}
	for _, name := range f.run.usedNames {
		if name == f.name || foldNumber(name) != f.key.Fold {
			continue
		}
		if err := f.run.store.Remove(name); err != nil {
			return err
		}
	}
	return &StoppedError{Pass: f.key.Pass, Fold: f.key.Fold}
}
