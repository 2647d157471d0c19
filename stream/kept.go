package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// keptFold is a fold of which states are kept.
type keptFold[A Accumulator[A]] struct {
	run    *Run
	key    *foldKey
	newAcc func() A
	name   string // of the state that this run writes
	parts  map[int]bool
	cut    int        // how many parts the states of this fold are of; 0 without any, -1 if they differ
	own    *Forest[A] // what the state with that name has seen, and what is folded now
	others *Forest[A] // what other states have seen
	unused []*StateError
	misfit *StateError // of a state of another number of parts
	last   time.Time   // when a state was written
}

// foldKept returns [Fold] for an engine with a run.
func foldKept[A Accumulator[A]](ctx context.Context, e Engine, pass string, src Source, newAcc func() A, worker func() func(acc A, b *Block) error) (A, error) {
	var none A
	o := e.Run.options
	key, err := newKey(ctx, e, pass, src, newAcc())
	if err != nil {
		if o.Parts > 0 || o.Finish {
			return none, err
		}
		// A pass over all rows meets the first error in data order. If it meets none, this
		// fold has no number, and so have no later ones.
		all, failed := foldWhole(ctx, e, pass, src, newAcc, worker)
		if failed == nil {
			e.Run.stop(err)
		}
		return all, failed
	}
	f := &keptFold[A]{run: e.Run, key: key, newAcc: newAcc, name: stateName(key.Fold, pass, o.Part, o.Parts), parts: make(map[int]bool), last: time.Now()}
	if err := f.read(); err != nil {
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
		for _, state := range f.unused {
			o.Ignored(state)
		}
	}
	if seen := f.rows(f.own) + f.rows(f.others); seen > 0 && o.Resumed != nil {
		o.Resumed(pass, seen, key.Rows)
	}
	if len(f.gaps(blockRange{0, key.blocks()})) > 0 {
		if err := f.fold(ctx, e, src, worker); err != nil {
			return none, err
		}
	}
	return f.finish()
}

// read takes in the states of the fold that are there, and forgets what it knew of them.
func (f *keptFold[A]) read() error {
	f.own, f.others, f.cut, f.unused, f.misfit = NewForest(f.newAcc), NewForest(f.newAcc), 0, nil, nil
	clear(f.parts)
	names, err := sortedNames(f.run.store)
	if err != nil {
		return err
	}
	from := make(map[string]*Forest[A])
	for _, name := range names {
		if !strings.HasPrefix(name, foldPrefix(f.key.Fold)) {
			continue
		}
		forest, err := f.load(name)
		if state := (*StateError)(nil); errors.As(err, &state) && f.ignores(state) {
			f.unused = append(f.unused, state)
			continue
		}
		if err != nil {
			return err
		}
		for _, earlier := range names {
			if other := from[earlier]; other != nil {
				if block, ok := other.overlap(forest); ok {
					return &StateError{Name: name, Reason: fmt.Sprintf("it has seen block %d, and so has state %s: remove one of them", block, earlier)}
				}
			}
		}
		from[name] = forest
	}
	for _, name := range names {
		forest := from[name]
		switch {
		case forest == nil:
		case name == f.name:
			f.own = forest
		default:
			if err := f.others.Merge(forest); err != nil {
				return &StateError{Name: name, Reason: err.Error()}
			}
		}
	}
	return nil
}

// ignores reports whether the run can do without a state: see [Run].
func (f *keptFold[A]) ignores(state *StateError) bool {
	o := f.run.options
	return state.Damaged && !o.Join || state.Foreign && (o.Parts > 0 || o.Finish) && state.Name != f.name
}

// sortedNames returns the names of states in a store.
func sortedNames(store StateStore) ([]string, error) {
	names, err := store.Names()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasSuffix(n, stateSuffix) })
	slices.Sort(names)
	return names, nil
}

// load reads one state.
func (f *keptFold[A]) load(name string) (*Forest[A], error) {
	data, err := f.run.store.Read(name)
	if err != nil {
		return nil, err
	}
	h, state, err := decodeState(name, data)
	if err != nil {
		return nil, err
	}
	if d := h.Key.difference(f.key); d != "" {
		return nil, &StateError{Name: name, Reason: d, Foreign: true}
	}
	forest := NewForest(f.newAcc)
	if err := forest.UnmarshalBinary(state); err != nil {
		return nil, &StateError{Name: name, Reason: err.Error(), Foreign: true}
	}
	if nodes := forest.nodes(); len(nodes) > 0 && nodes[len(nodes)-1].last() >= f.key.blocks() {
		return nil, &StateError{Name: name, Reason: fmt.Sprintf("it has seen block %d, and the pass has %d blocks", nodes[len(nodes)-1].last(), f.key.blocks()), Foreign: true}
	}
	if o := f.run.options; f.misfit == nil && o.Parts > 0 && h.Parts != o.Parts && len((blockRange{0, f.key.blocks()}).without(forest.nodes())) > 0 {
		f.misfit = &StateError{Name: name, Reason: fmt.Sprintf("it is of a pass in %s, and this is part %d of %d", inParts(h.Parts), o.Part, o.Parts)}
	}
	if h.Parts > 0 {
		if f.cut == 0 {
			f.cut = h.Parts
		} else if f.cut != h.Parts {
			f.cut = -1
		}
		f.parts[h.Part] = len(cutBlocks(f.key.blocks(), h.Part, h.Parts).without(forest.nodes())) == 0
	}
	f.run.use(name)
	return forest, nil
}

func inParts(parts int) string {
	if parts == 0 {
		return "one part"
	}
	return fmt.Sprintf("%d parts", parts)
}

// gaps returns the blocks of a range that no state has seen.
func (f *keptFold[A]) gaps(in blockRange) []blockRange {
	nodes := append(f.own.nodes(), f.others.nodes()...)
	slices.SortFunc(nodes, func(a, b node) int { return int(a.first() - b.first()) })
	return in.without(nodes)
}

// rows returns how many rows a forest has seen.
func (f *keptFold[A]) rows(forest *Forest[A]) int64 {
	rows, b := forest.Blocks()*int64(f.key.BlockRows), int64(f.key.BlockRows)
	if short := f.key.blocks()*b - f.key.Rows; short > 0 && forest.Has(f.key.blocks()-1) {
		rows -= short
	}
	return rows
}

// fold folds the blocks that are missing and for this run to do, and writes states.
func (f *keptFold[A]) fold(ctx context.Context, e Engine, src Source, worker func() func(acc A, b *Block) error) error {
	o := f.run.options
	if o.Finish {
		return f.missing()
	}
	mine := blockRange{0, f.key.blocks()}
	if o.Parts > 0 {
		mine = cutBlocks(f.key.blocks(), o.Part, o.Parts)
	}
	if f.misfit != nil {
		return f.misfit
	}
	if gaps := f.gaps(mine); len(gaps) > 0 {
		before := f.own.Blocks()
		err := foldBlocks(ctx, f.engine(e), f.key.Pass, src, f.own, gaps, worker, f.checkpoint)
		if err != nil && f.own.Blocks() > before {
			if unwritten := f.write(); unwritten != nil {
				return errors.Join(err, unwritten)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := f.write(); err != nil || o.Parts == 0 {
		return err
	}
	stopped := &StoppedError{Pass: f.key.Pass, Fold: f.key.Fold, Part: o.Part, Parts: o.Parts}
	f.parts[o.Part] = true
	stopped.Missing = f.missingParts(o.Parts)
	return stopped
}

// engine returns the engine of a pass of which some rows have been seen.
func (f *keptFold[A]) engine(e Engine) Engine {
	if report, seen := e.Progress, f.rows(f.own)+f.rows(f.others); report != nil && seen > 0 {
		e.Progress = func(v Event) {
			v.Done += seen
			report(v)
		}
	}
	return e
}

// checkpoint writes a state when it is time for one.
func (f *keptFold[A]) checkpoint() error {
	if every := f.run.options.Every; every <= 0 || time.Since(f.last) < every {
		return nil
	}
	return f.write()
}

// write writes what the run has folded. It returns an error only in a run of parts, and in
// one that joins states.
func (f *keptFold[A]) write() error {
	r := f.run
	if r.failed {
		return nil
	}
	forest, err := f.own.MarshalBinary()
	if err != nil {
		return err
	}
	data, err := encodeState(&stateText{Key: *f.key, Part: r.options.Part, Parts: r.options.Parts, Seen: f.rows(f.own), Text: r.options.Text}, forest)
	if err != nil {
		return err
	}
	if err = r.store.Write(f.name, data); err == nil {
		r.use(f.name)
		f.last = time.Now()
		return nil
	}
	if r.options.Parts > 0 || r.options.Join {
		return err
	}
	r.failed = true
	r.tell(err)
	return nil
}

// missing returns the error that says what states do not have.
func (f *keptFold[A]) missing() *MissingError {
	e := &MissingError{Pass: f.key.Pass, Fold: f.key.Fold, Of: f.key.blocks(), OfParts: max(0, f.cut), Parts: f.missingParts(f.cut), Unused: f.unused}
	for _, g := range f.gaps(blockRange{0, f.key.blocks()}) {
		e.Blocks = append(e.Blocks, [2]int64{g.first, g.end - 1})
	}
	return e
}

// missingParts returns the parts whose states are not there or not complete. Empty
// parts need none.
func (f *keptFold[A]) missingParts(parts int) (missing []int) {
	for p := 1; p <= parts; p++ {
		if r := cutBlocks(f.key.blocks(), p, parts); !f.parts[p] && r.first < r.end {
			missing = append(missing, p)
		}
	}
	return missing
}

// finish returns the accumulator of the whole pass.
func (f *keptFold[A]) finish() (A, error) {
	var none A
	if err := f.own.Merge(f.others); err != nil {
		return none, err
	}
	all, err := f.own.Finish(f.key.blocks())
	if err != nil {
		return none, err
	}
	result, err := all.MarshalBinary()
	if err != nil {
		return none, err
	}
	f.run.finished(result)
	return all, nil
}
