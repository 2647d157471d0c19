package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// checkpointedFold is a fold whose progress is checkpointed in a store of states.
type checkpointedFold[A Accumulator[A]] struct {
	run        *Run
	key        *foldKey
	newAcc     func() A
	name       string // of the state that this run writes
	states     []*savedState
	forest     *Forest[A] // blocks loaded from states or folded by this run
	otherNodes []node     // subtrees of states that are not loaded, in order

	unused, obsolete []*StateError
	damaged          map[string]*StateError // states whose body is damaged

	wrongParts *StateError // a state of a pass with another number of parts
	lastWrite  time.Time   // time of the last write
}

// loadStates finds the states of the fold and loads those that this run needs. It discards what it
// loaded before.
func (f *checkpointedFold[A]) loadStates() error {
	for {
		if err := f.readHeaders(); err != nil {
			return err
		}
		err := f.load()
		state := (*StateError)(nil)
		if !errors.As(err, &state) || !f.canIgnore(state) {
			return err
		}
		f.damaged[state.Name] = state
	}
}

// readHeaders reads the headers of states and selects the states that make up the fold.
func (f *checkpointedFold[A]) readHeaders() error {
	f.forest, f.otherNodes, f.states, f.unused, f.obsolete, f.wrongParts = NewForest(f.newAcc), nil, nil, nil, nil, nil
	names, err := sortedNames(f.run.store)
	if err != nil {
		return err
	}
	for _, name := range names {
		if foldNumber(name) != f.key.Fold {
			continue
		}
		s, err := f.checkedHeader(name)
		if state := (*StateError)(nil); errors.As(err, &state) && f.canIgnore(state) {
			f.unused = append(f.unused, state)
			continue
		}
		if err != nil {
			return err
		}
		f.states = append(f.states, s)
		f.run.markUsed(name)
	}
	if err := f.dropCovered(); err != nil {
		return err
	}
	for _, s := range f.states {
		if o := f.run.options; f.wrongParts == nil && o.Parts > 0 && s.Parts != o.Parts && len((blockRange{0, f.key.blocks()}).uncovered(s.nodes)) > 0 {
			f.wrongParts = &StateError{Name: s.name, Reason: fmt.Sprintf("it is of a pass in %s, and this is part %d of %d", inParts(s.Parts), o.Part, o.Parts)}
		}
		f.otherNodes = append(f.otherNodes, s.nodes...)
	}
	slices.SortFunc(f.otherNodes, byBlock)
	return nil
}

// dropCovered drops states whose blocks are all covered by others, such as parts that remain after
// their union was written. It returns an error if two remaining states cover the same block.
func (f *checkpointedFold[A]) dropCovered() error {
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
	var within [][2]tree // subtrees inside those of other states
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

// byBlock orders subtrees by their first blocks, a larger one before those inside it.
func byBlock(a, b node) int {
	return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(b.level, a.level))
}

// load merges states in the order of their blocks: all of them or, in a shared fold that is not
// complete, only the one of this run.
func (f *checkpointedFold[A]) load() error {
	o := f.run.options
	all := o.Parts == 0 && !o.Finish || len(f.gaps()) == 0
	f.otherNodes = nil
	slices.SortStableFunc(f.states, func(a, b *savedState) int {
		return slices.CompareFunc(a.nodes, b.nodes, byBlock)
	})
	for _, s := range f.states {
		if !all && s.name != f.name {
			f.otherNodes = append(f.otherNodes, s.nodes...)
			continue
		}
		forest, err := s.readForest(f.run.store)
		if err != nil {
			return err
		}
		if err := f.forest.MergeState(forest); err != nil {
			return &StateError{Name: s.name, Reason: err.Error()}
		}
	}
	slices.SortFunc(f.otherNodes, byBlock)
	return nil
}

// canIgnore reports whether the run can continue without a state, see [Run].
func (f *checkpointedFold[A]) canIgnore(state *StateError) bool {
	o := f.run.options
	return state.Damaged && !o.Join || state.Foreign && (o.Parts > 0 || o.Finish) && state.Name != f.name
}

// checkedHeader reads the header of a state. It returns an error if the state belongs to another
// fold.
func (f *checkpointedFold[A]) checkedHeader(name string) (*savedState, error) {
	if bad := f.damaged[name]; bad != nil {
		return nil, bad
	}
	s, err := readStateHead(f.run.store, name)
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

// gaps returns the blocks that no state covers.
func (f *checkpointedFold[A]) gaps() []blockRange { return f.gapsIn(blockRange{0, f.key.blocks()}) }

func (f *checkpointedFold[A]) gapsIn(in blockRange) []blockRange {
	nodes := append(f.forest.nodes(), f.otherNodes...)
	slices.SortFunc(nodes, byBlock)
	return in.uncovered(nodes)
}

// rows returns the number of rows that subtrees cover.
func (f *checkpointedFold[A]) rows(nodes []node) (rows int64) {
	b := int64(f.key.BlockRows)
	for _, n := range nodes {
		rows += min(f.key.Rows, (n.last()+1)*b) - n.first()*b
	}
	return rows
}

// coveredRows returns the number of rows that states cover.
func (f *checkpointedFold[A]) coveredRows() int64 {
	return f.rows(f.forest.nodes()) + f.rows(f.otherNodes)
}

// fold folds the missing blocks that belong to this run, and writes states.
func (f *checkpointedFold[A]) fold(ctx context.Context, e Engine, fold folder[A]) error {
	o := f.run.options
	if o.Finish {
		return f.missingError()
	}
	mine := blockRange{0, f.key.blocks()}
	if o.Parts > 0 {
		mine = cutBlocks(f.key.blocks(), o.Part, o.Parts)
	}
	if f.wrongParts != nil {
		return f.wrongParts
	}
	began := time.Now()
	if gaps := f.gapsIn(mine); len(gaps) > 0 {
		before := f.forest.Blocks()
		err := fold(ctx, f.engine(e), f.forest, gaps, f.checkpoint)
		if err != nil && f.forest.Blocks() > before {
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

// engine returns an engine whose progress reports include the rows of loaded states.
func (f *checkpointedFold[A]) engine(e Engine) Engine {
	if report, seen := e.Progress, f.coveredRows(); report != nil && seen > 0 {
		e.Progress = func(v Event) {
			v.Done += seen
			report(v)
		}
	}
	return e
}

// checkpoint writes a state if the last one is old enough.
func (f *checkpointedFold[A]) checkpoint() error {
	if every := f.run.options.Every; every <= 0 || time.Since(f.lastWrite) < every {
		return nil
	}
	return f.write()
}

// write writes the blocks that the run has folded. It returns an error only in a run of parts, and
// in one that joins states.
func (f *checkpointedFold[A]) write() error {
	r := f.run
	if r.writeFailed {
		return nil
	}
	forest, err := f.forest.MarshalBinary()
	if err == errMergeFailed { // the pass ends with the error of the merge
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
		r.markUsed(f.name)
		f.lastWrite = time.Now()
		return nil
	}
	if r.options.Parts > 0 || r.options.Join {
		return err
	}
	r.writeFailed = true
	r.reportUnwritten(err)
	return nil
}

// missingError returns the error that lists the missing blocks.
func (f *checkpointedFold[A]) missingError() *MissingError {
	e := &MissingError{
		Pass: f.key.Pass, Fold: f.key.Fold, TotalBlocks: f.key.blocks(), TotalParts: f.partCount(), Unused: f.unused,
	}
	e.Parts = f.missingParts(e.TotalParts)
	for _, g := range f.gaps() {
		e.Blocks = append(e.Blocks, [2]int64{g.first, g.end - 1})
	}
	return e
}

// partCount returns the number of parts that the states belong to, 0 if none does or if they differ.
func (f *checkpointedFold[A]) partCount() (parts int) {
	for _, s := range f.states {
		if parts > 0 && s.Parts > 0 && s.Parts != parts {
			return 0
		}
		parts = max(parts, s.Parts)
	}
	return parts
}

// missingParts returns the parts with blocks that no state covers.
func (f *checkpointedFold[A]) missingParts(parts int) (missing []int) {
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
func (f *checkpointedFold[A]) finish() (A, error) {
	var none A
	all, err := f.forest.Finish(f.key.blocks())
	if err != nil {
		return none, err
	}
	result, err := all.MarshalBinary()
	if err != nil {
		return none, err
	}
	f.run.recordResult(result)
	return all, nil
}
