package stream

import (
	"context"
	"slices"
	"time"
)

// foldCheckpointed is [foldBy] for an engine with a run.
func foldCheckpointed[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, fold folder[A]) (A, error) {
	var none A
	o := e.Run.options
	key, err := newKey(ctx, e, name, src, newAcc())
	if err != nil {
		if o.Parts > 0 || o.Finish {
			return none, err
		}
		// Without a fingerprint the fold cannot be identified. A pass over all rows returns the
		// first error in data order. If it succeeds, this fold and all later ones go without
		// states.
		all, failed := foldWhole(ctx, e, newAcc, fold)
		if failed == nil {
			e.Run.stop(err)
		}
		return all, failed
	}
	f := &checkpointedFold[A]{run: e.Run, key: key, newAcc: newAcc, name: stateName(key.Fold, name, o.Part, o.Parts), damaged: make(map[string]*StateError), lastWrite: time.Now()}
	if err := f.loadStates(); err != nil {
		return none, err
	}
	if o.Join {
		last, err := f.isLast()
		if err == nil && last {
			err = f.join()
		}
		if err != nil {
			return none, err
		}
	}
	if o.Runner != nil {
		if err := f.ask(ctx, o.Runner); err != nil {
			return none, err
		}
	}
	if o.Ignored != nil {
		for _, state := range slices.Concat(f.unused, f.obsolete) {
			o.Ignored(state)
		}
	}
	if seen := f.coveredRows(); seen > 0 && o.Resumed != nil {
		o.Resumed(name, seen, key.Rows)
	}
	if len(f.gaps()) > 0 {
		if err := f.fold(ctx, e, fold); err != nil {
			return none, err
		}
	}
	return f.finish()
}
