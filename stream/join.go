package stream

import "slices"

// isLast reports whether there are no states of later folds.
func (f *keptFold[A]) isLast() (bool, error) {
	names, err := sortedNames(f.run.store)
	return !slices.ContainsFunc(names, func(name string) bool { return foldOf(name) > f.key.Fold }), err
}

// join writes the states of the fold as one and removes the others. Subtrees become
// one where they are siblings, so that a run of blocks takes at most two for each level of the
// tree, however many states it came in.
func (f *keptFold[A]) join() error {
	if len(f.states) == 0 {
		return f.missing()
	}
	if err := f.write(); err != nil {
		return err
	}
	for _, name := range f.run.used {
		if name == f.name || foldOf(name) != f.key.Fold {
			continue
		}
		if err := f.run.store.Remove(name); err != nil {
			return err
		}
	}
	return &StoppedError{Pass: f.key.Pass, Fold: f.key.Fold}
}
