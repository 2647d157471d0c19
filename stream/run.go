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

// A fit is a deterministic program whose folds can be resumed from stored states. Everything else
// (sampling rows, gathering them, small algebra) is cheap and repeated. So an interrupted run, a
// machine that computes one part, and the machine that joins the parts all execute the same fit
// with the same engine. They differ only in how Engine.Run handles a fold:
//
//	complete state stored     the result is loaded, and no row is read
//	partial state stored      the missing blocks are folded
//	only one part requested   the blocks of the part are folded, and the fit ends
//	                          with a [StoppedError]
//	with a [Runner]           the runner folds the missing blocks
//
// The arithmetic is that of a fold without states: blocks are added to a [Forest], and a node of
// its tree depends only on the blocks below it.
//
// [Map] and [Pairs] have no states; they are repeated as a whole.

// RunOptions configures the use of states.
type RunOptions struct {
	// Every is the time between states of a running pass, and the most work that a kill loses.
	// Passes that take less time together are not stored. 0 means that a state is written only when
	// a pass ends or is interrupted.
	Every time.Duration
	// Part of Parts, counted from 1, is the part of the first incomplete fold to compute; then the
	// fit ends with a [StoppedError]. Parts is 0 for complete folds.
	Part, Parts int
	// Finish is set in the run that combines the parts. A fold that the states do not cover
	// completely returns a [MissingError].
	Finish bool
	// Runner, if not nil, computes the folds that states do not cover. The run itself finishes the
	// fit.
	Runner Runner
	// Join merges the states of the last fold that has any into one state; then the fit ends with a
	// [StoppedError]. A state of another fit is an error.
	Join bool
	// Resumed, if not nil, is called when a pass over rows rows starts with seen rows covered by
	// states. seen equals rows if the pass is skipped.
	Resumed func(name string, seen, rows int64)
	// Ignored, if not nil, is called for each state that is not used, see [Run].
	Ignored func(*StateError)
	// WriteFailed, if not nil, is called with the reason why states cannot be written. The run
	// continues without writing states. A run of parts fails instead.
	WriteFailed func(err error)
}

// Runner computes folds elsewhere, for example on the workers of a cluster. Each worker executes
// the same fit, with a [Run] that computes one part and a store with the states of the earlier
// folds.
type Runner interface {
	// Fold makes sure that states in the store of the run cover the missing blocks of a fold. It is
	// called for one fold at a time, and may be called again, in another process, for a fold that
	// it did not complete. States written before an error count: the next call requests only the
	// other blocks. It must not keep missing.
	Fold(ctx context.Context, missing *MissingError) error
}

// Run stores the states of the folds of one fit, whose engine has it as field Run. Folds are
// numbered in the order of the fit. Folds over rows in memory, and over sources that can be read
// only once or whose number of rows is unknown, have no states and are computed completely. One
// goroutine uses a Run.
//
// A damaged state is ignored: its blocks are folded again, and it is replaced if this run writes
// states of that name. If several runs share a store, states of another fit are ignored too, unless
// this run writes states of that name. Otherwise a state of another fit is an error: an existing
// state of another fit is never overwritten.
type Run struct {
	store         StateStore
	identity      string
	options       RunOptions
	folds         int           // finished, with states
	resultsDigest [32]byte      // digest of their results
	usedNames     []string      // states read or written
	unwrittenTime time.Duration // duration of folds without a written state
	writeFailed   bool          // a state could not be written
	stopped       bool          // a fold had no states, so later ones have none
	fingerprints  map[fingerprintKey]string
	gatherLock    sync.Mutex // a fit may gather rows on several goroutines
}

// NewRun returns a run that keeps its states in store. A state is tied to the rows, to the fit (see
// [Engine.ForFit]) and to identity. identity lists everything else that affects results, such as the
// version of the program, one item per line; errors quote the first line that differs. It must not
// contain paths, which may differ between machines, nor settings that do not affect results. It may
// be empty.
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
	return &Run{store: store, identity: identity, options: o, fingerprints: make(map[fingerprintKey]string)}, nil
}

// Done removes the states that the run has read and written. Call it once the result of the fit is
// saved.
func (r *Run) Done() error {
	var failed error
	for _, name := range r.usedNames {
		failed = errors.Join(failed, r.store.Remove(name))
	}
	return failed
}

// Folds returns the number of folds with states so far.
func (r *Run) Folds() int { return r.folds }

// keepsStates reports whether folds over a source have states.
func (r *Run) keepsStates(info Info) bool {
	return r != nil && !r.stopped && !info.InMemory && !info.OnePass && info.Rows > 0
}

// stop disables states for this and later folds.
func (r *Run) stop(err error) {
	r.stopped = true
	r.reportUnwritten(err)
}

// reportUnwritten reports why states are no longer written.
func (r *Run) reportUnwritten(err error) {
	if r.options.WriteFailed != nil {
		r.options.WriteFailed(err)
	}
}

// canRedo reports whether a fold of the given duration need not be written, because repeating the
// folds without states takes less than the time between states.
func (r *Run) canRedo(took time.Duration) bool {
	short := r.unwrittenTime+took < r.options.Every
	if short {
		r.unwrittenTime += took
	}
	return short
}

// recordResult counts a fold and adds its result to the digest that later keys contain.
func (r *Run) recordResult(result []byte) {
	r.folds++
	sum := sha256.New()
	sum.Write(r.resultsDigest[:])
	sum.Write(result)
	r.resultsDigest = [32]byte(sum.Sum(nil))
}

// markUsed records a state that the run has read or written.
func (r *Run) markUsed(name string) {
	for _, n := range r.usedNames {
		if n == name {
			return
		}
	}
	r.usedNames = append(r.usedNames, name)
}

// StoppedError reports that a run has computed its part of a fold, or has joined the states of a
// fold, and is done.
type StoppedError struct {
	Pass        string // the name of the fold
	Fold        int    // its number in the fit, counted from 1
	Part, Parts int    // 0 if states were joined
	// Missing lists the other parts that were missing when this one began.
	Missing []int
}

func (e *StoppedError) Error() string {
	if e.Parts == 0 {
		return fmt.Sprintf("the states of pass %d (%s) are joined", e.Fold, e.Pass)
	}
	return fmt.Sprintf("part %d of %d of pass %d (%s) is done", e.Part, e.Parts, e.Fold, e.Pass)
}

// MissingError reports that states do not cover a fold.
type MissingError struct {
	Pass string // the name of the fold
	Fold int    // its number in the fit, counted from 1
	// Blocks lists the first and last block of each range of missing blocks, of the TotalBlocks
	// blocks of the pass.
	Blocks      [][2]int64
	TotalBlocks int64
	// Parts lists the missing or incomplete ones of TotalParts parts. It is empty if no state records
	// the number of parts.
	Parts      []int
	TotalParts int
	// Unused lists states of the pass that are not used.
	Unused []*StateError
}

func (e *MissingError) Error() string {
	text := "no state has seen " + e.blocks()
	if len(e.Parts) > 0 {
		are := "are"
		if len(e.Parts) == 1 {
			are = "is"
		}
		text = fmt.Sprintf("%s of %d %s missing or not complete (%s)", enumerate("part", e.Parts), e.TotalParts, are, e.blocks())
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
	return fmt.Sprintf("blocks %s of %d", strings.Join(runs, ", "), e.TotalBlocks)
}

// enumerate returns a text such as "parts 1, 2 and 5".
func enumerate(what string, numbers []int) string {
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

// fingerprintKey identifies a cached fingerprint: a source, with or without its kept columns.
type fingerprintKey struct {
	src  Source
	kept bool
}
