package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// keptFold is a fold of which states are kept.
type keptFold[A Accumulator[A]] struct {
	run    *Run
	key    *foldKey
	newAcc func() A
	name   string // of the state that this run writes
	states []*savedState
	own    *Forest[A] // what was loaded of states, and what is folded now
	others []node     // what states have seen that are not loaded, in order

	unused, obsolete []*StateError
	damaged          map[string]*StateError // states that are damaged behind their headers

	misfit *StateError // of a state of another number of parts
	last   time.Time   // when a state was written
}

// adopt finds the states of the fold that are there, and loads those that this run needs. It
// forgets what it knew of them.
func (f *keptFold[A]) adopt() error {
	for {
		if err := f.list(); err != nil {
			return err
		}
		err := f.load()
		state := (*StateError)(nil)
		if !errors.As(err, &state) || !f.ignores(state) {
			return err
		}
		f.damaged[state.Name] = state
	}
}

// list reads the headers of states and decides which of them make the fold.
func (f *keptFold[A]) list() error {
	f.own, f.others, f.states, f.unused, f.obsolete, f.misfit = NewForest(f.newAcc), nil, nil, nil, nil, nil
	names, err := sortedNames(f.run.store)
	if err != nil {
		return err
	}
	for _, name := range names {
		if foldOf(name) != f.key.Fold {
			continue
		}
		s, err := f.head(name)
		if state := (*StateError)(nil); errors.As(err, &state) && f.ignores(state) {
			f.unused = append(f.unused, state)
			continue
		}
		if err != nil {
			return err
		}
		f.states = append(f.states, s)
		f.run.use(name)
	}
	if err := f.settle(); err != nil {
		return err
	}
	for _, s := range f.states {
		if o := f.run.options; f.misfit == nil && o.Parts > 0 && s.Parts != o.Parts && len((blockRange{0, f.key.blocks()}).without(s.nodes)) > 0 {
			f.misfit = &StateError{Name: s.name, Reason: fmt.Sprintf("it is of a pass in %s, and this is part %d of %d", inParts(s.Parts), o.Part, o.Parts)}
		}
		f.others = append(f.others, s.nodes...)
	}
	slices.SortFunc(f.others, byBlock)
	return nil
}

// settle leaves states out whose blocks others have all seen, as a union that was written
// before its parts were removed. It returns an error if two of the rest have seen a block.
func (f *keptFold[A]) settle() error {
	type tree struct {
		node
		of *savedState
	}
	var trees []tree
	for _, s := range f.states {
		for _, n := range s.nodes {
			trees = append(trees, tree{n, s})
		}
	}
	slices.SortFunc(trees, func(a, b tree) int {
		return cmp.Or(byBlock(a.node, b.node), cmp.Compare(b.of.Seen, a.of.Seen), cmp.Compare(a.of.name, b.of.name))
	})
	top, needed := tree{node: node{0, -1}}, make(map[*savedState]bool)
	var within [][2]tree // subtrees within those of other states
	for _, t := range trees {
		if t.first() > top.last() {
			top, needed[t.of] = t, true
		} else {
			within = append(within, [2]tree{t, top})
		}
	}
	larger := make(map[*savedState]string)
	for _, w := range within {
		if needed[w[0].of] {
			a, b := w[0].of.name, w[1].of.name
			return &StateError{Name: max(a, b), Reason: fmt.Sprintf("it has seen block %d, and so has state %s: remove one of them", w[0].first(), min(a, b))}
		}
		larger[w[0].of] = w[1].of.name
	}
	f.states = slices.DeleteFunc(f.states, func(s *savedState) bool {
		if larger[s] != "" {
			f.obsolete = append(f.obsolete, &StateError{Name: s.name, Reason: fmt.Sprintf("state %s has seen its blocks, too", larger[s])})
		}
		return larger[s] != ""
	})
	return nil
}

// byBlock orders subtrees by their first blocks, the larger before those within them.
func byBlock(a, b node) int {
	return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(b.level, a.level))
}

// load merges states one after the other, in the order of their blocks: all that there are,
// or, where others do parts of a fold that is not complete, that of this run alone.
func (f *keptFold[A]) load() error {
	o := f.run.options
	all := o.Parts == 0 && !o.Finish || len(f.gaps()) == 0
	f.others = nil
	slices.SortStableFunc(f.states, func(a, b *savedState) int {
		return slices.CompareFunc(a.nodes, b.nodes, byBlock)
	})
	for _, s := range f.states {
		if !all && s.name != f.name {
			f.others = append(f.others, s.nodes...)
			continue
		}
		forest, err := s.readForest(f.run.store)
		if err != nil {
			return err
		}
		if err := f.own.Take(forest); err != nil {
			return &StateError{Name: s.name, Reason: err.Error()}
		}
	}
	slices.SortFunc(f.others, byBlock)
	return nil
}

// ignores reports whether the run can do without a state: see [Run].
func (f *keptFold[A]) ignores(state *StateError) bool {
	o := f.run.options
	return state.Damaged && !o.Join || state.Foreign && (o.Parts > 0 || o.Finish) && state.Name != f.name
}

// head reads the header of a state, and refuses one that is not of the fold.
func (f *keptFold[A]) head(name string) (*savedState, error) {
	if bad := f.damaged[name]; bad != nil {
		return nil, bad
	}
	s, err := stateHead(f.run.store, name)
	if err != nil {
		return nil, err
	}
	if d := s.Key.difference(f.key); d != "" {
		return nil, &StateError{Name: name, Reason: d, Foreign: true}
	}
	if n := len(s.nodes); n > 0 && s.nodes[n-1].last() >= f.key.blocks() {
		return nil, &StateError{Name: name, Reason: fmt.Sprintf("it has seen block %d, and the pass has %d blocks", s.nodes[n-1].last(), f.key.blocks()), Foreign: true}
	}
	return s, nil
}

func inParts(parts int) string {
	if parts == 0 {
		return "one part"
	}
	return fmt.Sprintf("%d parts", parts)
}

// gaps returns the blocks that no state has seen.
func (f *keptFold[A]) gaps() []blockRange { return f.gapsIn(blockRange{0, f.key.blocks()}) }

func (f *keptFold[A]) gapsIn(in blockRange) []blockRange {
	nodes := append(f.own.nodes(), f.others...)
	slices.SortFunc(nodes, byBlock)
	return in.without(nodes)
}

// rows returns how many rows subtrees have seen.
func (f *keptFold[A]) rows(nodes []node) (rows int64) {
	b := int64(f.key.BlockRows)
	for _, n := range nodes {
		rows += min(f.key.Rows, (n.last()+1)*b) - n.first()*b
	}
	return rows
}

// seen returns how many rows states have seen.
func (f *keptFold[A]) seen() int64 { return f.rows(f.own.nodes()) + f.rows(f.others) }

// fold folds the blocks that are missing and for this run to do, and writes states.
func (f *keptFold[A]) fold(ctx context.Context, e Engine, fold folder[A]) error {
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
	began := time.Now()
	if gaps := f.gapsIn(mine); len(gaps) > 0 {
		before := f.own.Blocks()
		err := fold(ctx, f.engine(e), f.own, gaps, f.checkpoint)
		if err != nil && f.own.Blocks() > before {
			if unwritten := f.write(); unwritten != nil {
				return errors.Join(err, unwritten)
			}
		}
		if err != nil {
			return err
		}
	}
	if o.Parts == 0 && !o.Join && f.run.canRedo(time.Since(began)) {
		return nil
	}
	if err := f.write(); err != nil || o.Parts == 0 {
		return err
	}
	stopped := &StoppedError{Pass: f.key.Pass, Fold: f.key.Fold, Part: o.Part, Parts: o.Parts}
	stopped.Missing = f.missingParts(o.Parts)
	return stopped
}

// engine returns the engine of a pass of which some rows have been seen.
func (f *keptFold[A]) engine(e Engine) Engine {
	if report, seen := e.Progress, f.seen(); report != nil && seen > 0 {
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
	if err == errLost { // the pass ends with the error of the merge
		return nil
	}
	if err != nil {
		return err
	}
	nodes, err := nodesOf(forest)
	if err != nil {
		return err
	}
	h := &stateText{Key: *f.key, Part: r.options.Part, Parts: r.options.Parts, Seen: f.rows(nodes), Forest: digest(forest)}
	for _, n := range nodes {
		h.Trees = append(h.Trees, [2]int64{int64(n.level), n.index})
	}
	data, err := encodeState(h, forest)
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
	e := &MissingError{Pass: f.key.Pass, Fold: f.key.Fold, Of: f.key.blocks(), OfParts: f.cut(), Unused: f.unused}
	e.Parts = f.missingParts(e.OfParts)
	for _, g := range f.gaps() {
		e.Blocks = append(e.Blocks, [2]int64{g.first, g.end - 1})
	}
	return e
}

// cut returns how many parts the states are of; 0 if they are of none, or differ.
func (f *keptFold[A]) cut() (parts int) {
	for _, s := range f.states {
		if parts > 0 && s.Parts > 0 && s.Parts != parts {
			return 0
		}
		parts = max(parts, s.Parts)
	}
	return parts
}

// missingParts returns the parts of which no state has seen all blocks. Empty parts need
// none.
func (f *keptFold[A]) missingParts(parts int) (missing []int) {
	gaps := f.gaps()
	for p := 1; p <= parts; p++ {
		r := cutBlocks(f.key.blocks(), p, parts)
		for len(gaps) > 0 && gaps[0].end <= r.first {
			gaps = gaps[1:]
		}
		if len(gaps) > 0 && gaps[0].first < r.end && r.first < r.end {
			missing = append(missing, p)
		}
	}
	return missing
}

// finish returns the accumulator of the whole pass.
func (f *keptFold[A]) finish() (A, error) {
	var none A
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
