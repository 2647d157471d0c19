package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// census counts accumulators: the current number, the maximum, and the number decoded.
type census struct {
	sync.Mutex
	live, most, read int
}

// counted is an accumulator of a census: the number of rows.
type counted struct {
	of   *census
	rows uint32
}

// count adds to the live accumulators and the decoded ones.
func (c *census) count(live, read int) {
	c.Lock()
	defer c.Unlock()
	c.live, c.read = c.live+live, c.read+read
	c.most = max(c.most, c.live)
}

func (c *census) newAcc() *counted { c.count(1, 0); return &counted{of: c} }

func (a *counted) Merge(later *counted) error {
	a.of.count(-1, 0)
	a.rows += later.rows
	return nil
}

func (a *counted) MarshalBinary() ([]byte, error) { return fmt.Append(nil, a.rows), nil }

func (a *counted) UnmarshalBinary(data []byte) error {
	a.of.count(0, 1)
	_, err := fmt.Sscan(string(data), &a.rows)
	return err
}

// run folds a source.
func (c *census) run(t *testing.T, src stream.Source, store stream.StateStore, o stream.RunOptions) (uint32, error) {
	all, err := stream.Fold(t.Context(), runOf(t, store, "count", 1, o), "count", src, c.newAcc, func() func(*counted, *stream.Block) error {
		return func(a *counted, b *stream.Block) error { a.rows += uint32(b.X.Rows); return nil }
	})
	if err != nil {
		return 0, err
	}
	return all.rows, nil
}

// States are merged one at a time, so the number of accumulators is bounded by the depth of the
// tree, whatever the number of parts. A part reads only its own states.
func TestRunMergesOneStateAtATime(t *testing.T) {
	parts := 1000
	if testing.Short() {
		parts = 100
	}
	blocks := 5 * parts
	src := newTable("t", toyData(1, 8*blocks, 1, false))
	store := newShelf()
	for p := 1; p < parts; p++ {
		own := newShelf() // a part reads all headers, which this test does not count
		if _, err := new(census).run(t, src, own, stream.RunOptions{Part: p, Parts: parts}); !errors.As(err, new(*stream.StoppedError)) {
			t.Fatal(err)
		}
		maps.Copy(store.states, own.states)
	}
	last := new(census)
	if _, err := last.run(t, src, store, stream.RunOptions{Part: parts, Parts: parts}); !errors.As(err, new(*stream.StoppedError)) || last.read > 0 {
		t.Errorf("the last part read %d accumulators of others, error %v", last.read, err)
	}
	all := new(census)
	rows, err := all.run(t, src, store, stream.RunOptions{Finish: true})
	if err != nil || rows != uint32(8*blocks) {
		t.Errorf("%d rows of %d, error %v", rows, 8*blocks, err)
	}
	if most := bits.Len(uint(blocks)) + 2; all.most > most {
		t.Errorf("%d accumulators at a time, more than %d", all.most, most)
	}
}

// A join that is killed before it removes the parts of a union leaves a usable store: the union is
// used, the parts are reported and removed.
func TestRunAfterAKilledJoin(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	want, err := f.run(t.Context(), stream.Engine{Threads: 2, BlockRows: 8})
	if err != nil {
		t.Fatal(err)
	}
	killed := func(parts ...int) *shelf {
		store := newShelf()
		for _, p := range parts {
			f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Part: p, Parts: 4}))
		}
		before := maps.Clone(store.states)
		_, err := f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Join: true}))
		checkError(t, err, "are joined")
		maps.Copy(store.states, before)
		return store
	}
	obsolete := []string{"0001-sums.1-of-4.state", "0001-sums.3-of-4.state"}
	var told []string
	note := func(e *stream.StateError) {
		if e.Damaged || e.Foreign {
			t.Errorf("told of %v", e)
		}
		told = append(told, e.Name)
	}
	store := killed(1, 3)
	_, err = f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Join: true, Ignored: note}))
	checkError(t, err, "are joined")
	if len(store.states) != 1 {
		t.Errorf("a second join leaves %v", slices.Collect(maps.Keys(store.states)))
	}
	store = killed(1, 3)
	e := runOf(t, store, "toy", 2, stream.RunOptions{Ignored: note})
	got, err := f.run(t.Context(), e)
	if err != nil || !bytes.Equal(got, want) || !slices.Equal(told, obsolete) {
		t.Errorf("a plain run: error %v, told of %v", err, told)
	}
	if err := e.Run.Done(); err != nil || len(store.states) > 0 {
		t.Errorf("left are %v, error %v", slices.Collect(maps.Keys(store.states)), err)
	}
	if got := inParts(t, f, killed(4, 1, 3, 2), order(4)); !bytes.Equal(got, want) {
		t.Error("parts and a union give another result")
	}
}

// After a failed merge no state is written, since it would lack blocks.
func TestRunWritesNothingAfterAFailedMerge(t *testing.T) {
	src, store := newTable("t", toyData(1, 800, 1, false)), newShelf()
	_, err := stream.Fold(t.Context(), runOf(t, store, "poison", 2, stream.RunOptions{}), "poison", src, newHistory, func() func(*history, *stream.Block) error {
		return func(h *history, b *stream.Block) error { h.text = "poison"; return nil }
	})
	if !errors.Is(err, errPoisoned) || store.writes > 0 {
		t.Errorf("%d states were written, error %v", store.writes, err)
	}
}

// Folds that are repeated in less than the time between states write none, unless interrupted.
func TestRunShortFolds(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2, scale: prepare.ScaleStandard}
	want, err := f.run(t.Context(), stream.Engine{BlockRows: 8})
	if err != nil {
		t.Fatal(err)
	}
	for every, writes := range map[time.Duration]int{0: 3, time.Hour: 0} {
		store := newShelf()
		got, err := f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Every: every}))
		if err != nil || !bytes.Equal(got, want) || store.writes != writes {
			t.Errorf("every %v: %d states were written, not %d; error %v", every, store.writes, writes, err)
		}
	}
	store := newShelf()
	ctx, cancel := context.WithCancel(t.Context())
	f.folded = func(pass string, block int64) {
		if pass == "factor" && block == 50 {
			cancel()
		}
	}
	if _, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Every: time.Hour})); err == nil || store.writes != 1 {
		t.Errorf("an interrupted run wrote %d states, error %v", store.writes, err)
	}
	f.folded = nil
	if got, err := f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Every: time.Hour})); err != nil || !bytes.Equal(got, want) {
		t.Errorf("another result, error %v", err)
	}
}

// States sort by fold number beyond 9,999.
func TestRunManyFolds(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	store := newShelf()
	run := func(o stream.RunOptions) error {
		e := runOf(t, store, "toy", 1, o)
		stream.SetFolds(e.Run, 9998)
		_, err := f.run(t.Context(), e)
		return err
	}
	for range 2 {
		for p := 1; p <= 2; p++ {
			checkError(t, run(stream.RunOptions{Part: p, Parts: 2}), "is done")
		}
	}
	checkError(t, run(stream.RunOptions{Join: true}), "the states of pass 10000 (factor) are joined")
	var names []string
	all, err := stream.ListStates(store)
	for _, s := range all {
		names = append(names, s.Name)
	}
	if want := []string{"9999-sums.1-of-2.state", "9999-sums.2-of-2.state", "10000-factor.state"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("states %v, error %v", names, err)
	}
}

// The key of a state contains the build and the versions of files.
func TestRunKeyNamesVersions(t *testing.T) {
	of := func(versions map[string]string) toyFit {
		src := newTable("t", toyData(1, 300, 2, false))
		src.info.Versions = versions
		return toyFit{src: src, cols: 2}
	}
	store := newShelf()
	if _, err := of(map[string]string{"a": "1", "b": "2"}).run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{})); err != nil {
		t.Fatal(err)
	}
	for name, state := range store.states {
		if !bytes.Contains(state, []byte(runtime.Version())) {
			t.Errorf("state %s does not name %s", name, runtime.Version())
		}
	}
	for _, same := range []map[string]string{nil, {"a": "1"}, {"c": "3"}} {
		if _, err := of(same).run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{})); err != nil {
			t.Errorf("%v: %v", same, err)
		}
	}
	_, err := of(map[string]string{"a": "1", "b": "3"}).run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{}))
	checkError(t, err, "state 0001-sums.state: b is another file, or has changed")
}

// Damage after the header of a state is found when the state is loaded, and its blocks are folded
// again.
func TestRunDamagedForestOfAPart(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	want, err := f.run(t.Context(), stream.Engine{Threads: 2, BlockRows: 8})
	if err != nil {
		t.Fatal(err)
	}
	store := newShelf()
	for p := 1; p <= 3; p++ {
		f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Part: p, Parts: 3}))
	}
	state := store.states["0001-sums.2-of-3.state"]
	state[len(state)-1] ^= 1
	_, err = f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Finish: true}))
	checkError(t, err, "part 2 of 3 is missing or not complete", "0001-sums.2-of-3.state is not used: ", "its checksum is wrong")
	if got := inParts(t, f, store, order(3)); !bytes.Equal(got, want) {
		t.Error("another result")
	}
}
