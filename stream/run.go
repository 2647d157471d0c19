package stream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// A fit is a deterministic program whose folds are answered from states. What is not
// a fold (drawing rows, fetching them, small algebra) is cheap and done again. So a
// run that was interrupted, a machine that does a part of the work, and the one that
// puts the parts together all run the same fit with the same engine, but for what
// Engine.Run makes of a fold:
//
//	its state is there and complete    it is answered, and no row is read
//	it is there in part                the blocks that are missing are folded
//	only a part of it is to be done    the blocks of the part are folded, and the
//	                                   fit ends with a [StoppedError]
//	others do it                       a [Runner] is asked for what is missing
//
// The arithmetic is that of a fold that nobody keeps: blocks are added to a [Forest],
// and what a node of its tree holds depends on the blocks below it alone.
//
// [Map] and [Pairs] have no states; they are made again, whole.

// RunOptions say what a run does with states.
type RunOptions struct {
	// Every is the time between states of a pass under way, and the most work that a kill
	// loses: no state is written of passes that take less together. 0 means that one is
	// written when a pass ends or is interrupted, and at no other time.
	Every time.Duration
	// Part of Parts, counted from 1, is what is done of the first fold that is not
	// complete; then the fit ends with a [StoppedError]. Parts is 0 for all of every fold.
	Part, Parts int
	// Finish is for the run that puts parts together: a fold that states do not answer
	// completely is a [MissingError].
	Finish bool
	// Runner, if not nil, does the folds that states do not answer. The run itself finishes.
	Runner Runner
	// Join puts the states of the last fold of which there are any together into one; then
	// the fit ends with a [StoppedError]. A state that is not of the fit is an error.
	Join bool
	// Resumed, if not nil, is told when a pass over so many rows begins with rows that
	// states have seen already: with all of them, if the pass is not made at all.
	Resumed func(name string, seen, rows int64)
	// Ignored, if not nil, is told of a state that is not used, see [Run].
	Ignored func(*StateError)
	// Unwritten, if not nil, is told why states could not be written. The run goes on
	// without more of them. A run of parts fails instead.
	Unwritten func(err error)
}

// Runner does folds elsewhere, on the workers of a cluster say. Each of them runs the same
// fit, with a [Run] that does one part and a store that has the states of the folds before.
type Runner interface {
	// Fold sees to it that the states in the store of the run have seen the blocks of a
	// fold that are missing. It may be called again for a fold that it did not complete,
	// in another process. It is called for one fold at a time. States that it has written
	// before an error count: the next call asks for the other blocks. It does not keep missing.
	Fold(ctx context.Context, missing *MissingError) error
}

// Run keeps the states of the folds of one fit, made with an engine whose field Run it
// is. Folds are numbered in the order in which the fit makes them. Those over rows in
// memory, and those over sources that can be read only once or whose number of rows is
// not known, are not kept: they are made whole. A Run is used by one goroutine.
//
// A damaged state is as good as none: its blocks are folded again, and it is replaced if
// it has a name that the run writes. So is, where several runs share a store, the state of
// another fit under a name that this run does not write. A state of another fit in the
// place of this one's is an error: it may be worth more than this fit.
type Run struct {
	store    StateStore
	identity string
	options  RunOptions
	folds    int           // kept so far
	earlier  [32]byte      // digest of their results
	used     []string      // names of states that were read or written
	redo     time.Duration // that folds take of which no state was written
	failed   bool          // a state could not be written
	stopped  bool          // a fold could not be kept, nor can those after it
	prints   map[printed]string
	fetching sync.Mutex // of rows, which a fit may fetch on several goroutines
}

// NewRun returns a run that keeps its states in store. A state is tied to the rows, to the fit (see
// [Engine.For]) and to identity. identity lists everything else that results depend on, such as the
// version of the program, one item per line: a message names the first line that differs. It must not
// contain paths, which may differ between machines, nor settings that change no result. It may be "".
func NewRun(store StateStore, identity string, o RunOptions) (*Run, error) {
	switch {
	case o.Parts < 0 || o.Parts > 0 && (o.Part < 1 || o.Part > o.Parts) || o.Parts == 0 && o.Part != 0:
		return nil, fmt.Errorf("there is no part %d of %d", o.Part, o.Parts)
	case o.Parts > 0 && (o.Finish || o.Join || o.Runner != nil):
		return nil, errors.New("a run that does a part cannot finish, join states, or have a runner")
	case o.Join && (o.Finish || o.Runner != nil):
		return nil, errors.New("a run that joins states cannot finish")
	case o.Every < 0:
		return nil, fmt.Errorf("states cannot be written every %v", o.Every)
	}
	o.Finish = o.Finish || o.Runner != nil
	return &Run{store: store, identity: identity, options: o, prints: make(map[printed]string)}, nil
}

// Done removes the states that the run has read and written. It is called when the
// result of the fit is safe.
func (r *Run) Done() error {
	var failed error
	for _, name := range r.used {
		failed = errors.Join(failed, r.store.Remove(name))
	}
	return failed
}

// Folds returns how many folds the run has kept or answered so far.
func (r *Run) Folds() int { return r.folds }

// keeps reports whether the run keeps the folds over a source.
func (r *Run) keeps(info Info) bool {
	return r != nil && !r.stopped && !info.InMemory && !info.OnePass && info.Rows > 0
}

// stop ends the keeping of folds.
func (r *Run) stop(err error) {
	r.stopped = true
	r.tell(err)
}

// tell tells why there are no more states.
func (r *Run) tell(err error) {
	if r.options.Unwritten != nil {
		r.options.Unwritten(err)
	}
}

// canRedo reports whether a fold that took so long need not be written: the folds that a
// kill loses are made again in less than the time between states.
func (r *Run) canRedo(took time.Duration) bool {
	short := r.redo+took < r.options.Every
	if short {
		r.redo += took
	}
	return short
}

// finished counts a fold and adds its result to what later folds depend on.
func (r *Run) finished(result []byte) {
	r.folds++
	sum := sha256.New()
	sum.Write(r.earlier[:])
	sum.Write(result)
	r.earlier = [32]byte(sum.Sum(nil))
}

// use remembers the name of a state that the run has read or written.
func (r *Run) use(name string) {
	for _, n := range r.used {
		if n == name {
			return
		}
	}
	r.used = append(r.used, name)
}

// StoppedError reports that a run has done its part of a fold, or has joined the states of
// one, and has nothing more to do.
type StoppedError struct {
	Pass        string // the name of the fold
	Fold        int    // its number in the fit, counted from 1
	Part, Parts int    // 0 if states were joined
	// Missing are the other parts that were not there when this one began.
	Missing []int
}

func (e *StoppedError) Error() string {
	if e.Parts == 0 {
		return fmt.Sprintf("the states of pass %d (%s) are joined", e.Fold, e.Pass)
	}
	return fmt.Sprintf("part %d of %d of pass %d (%s) is done", e.Part, e.Parts, e.Fold, e.Pass)
}

// MissingError reports that states do not answer a fold.
type MissingError struct {
	Pass string // the name of the fold
	Fold int    // its number in the fit, counted from 1
	// Blocks are the numbers of the first and the last of each run of missing blocks, of
	// the Of blocks of the pass.
	Blocks [][2]int64
	Of     int64
	// Parts are those that are missing or not complete, of so many. There are none if no
	// state is there that tells of how many.
	Parts   []int
	OfParts int
	// Unused are states of the pass that are not used.
	Unused []*StateError
}

func (e *MissingError) Error() string {
	text := "no state has seen " + e.blocks()
	if len(e.Parts) > 0 {
		are := "are"
		if len(e.Parts) == 1 {
			are = "is"
		}
		text = fmt.Sprintf("%s of %d %s missing or not complete (%s)", listOf("part", e.Parts), e.OfParts, are, e.blocks())
	}
	for _, u := range e.Unused {
		text += fmt.Sprintf("; state %s is not used: %s", u.Name, u.Reason)
	}
	return fmt.Sprintf("pass %d (%s): %s", e.Fold, e.Pass, text)
}

func (e *MissingError) blocks() string {
	const most = 4
	var runs []string
	for i, b := range e.Blocks {
		if i == most {
			runs = append(runs, fmt.Sprintf("%d more runs", len(e.Blocks)-most))
			break
		}
		if b[0] == b[1] {
			runs = append(runs, fmt.Sprint(b[0]))
		} else {
			runs = append(runs, fmt.Sprintf("%d to %d", b[0], b[1]))
		}
	}
	return fmt.Sprintf("blocks %s of %d", strings.Join(runs, ", "), e.Of)
}

// listOf returns a text such as "parts 1, 2 and 5".
func listOf(what string, numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	n := len(texts)
	if n == 1 {
		return what + " " + texts[0]
	}
	return what + "s " + strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
}

// printed is a source with a fingerprint, with its kept columns or without.
type printed struct {
	src  Source
	kept bool
}
