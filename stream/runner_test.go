package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/stream"
)

// cluster is a runner with isolated workers: each has its own store, with the states of earlier
// folds. Their states are joined a few at a time.
type cluster struct {
	fit    toyFit
	store  *shelf   // store of the run that calls it
	order  []int    // order of the parts, counted from 1
	fanIn  int      // states joined at a time, at least 2
	lost   int      // a part that is not computed, 0 for none
	folds  []string // folds requested so far
	joined int
}

func (c *cluster) Fold(ctx context.Context, missing *stream.MissingError) error {
	c.folds = append(c.folds, missing.Pass)
	var states [][]byte
	for _, part := range c.order {
		if part == c.lost {
			continue
		}
		one, err := c.work(ctx, missing.Fold, nil, stream.RunOptions{Part: part, Parts: len(c.order)})
		if err != nil {
			return err
		}
		states = append(states, one)
	}
	for len(states) > 1 {
		n := min(c.fanIn, len(states))
		one, err := c.work(ctx, missing.Fold, states[:n], stream.RunOptions{Join: true})
		if err != nil {
			return err
		}
		c.joined++
		states = append(states[n:], one)
	}
	for _, s := range states {
		c.store.states[fmt.Sprintf("%04d-all.state", missing.Fold)] = s
	}
	if c.lost > 0 {
		return errors.New("a worker was lost")
	}
	return nil
}

// work runs the fit on one worker and returns the resulting state of the fold.
func (c *cluster) work(ctx context.Context, fold int, states [][]byte, o stream.RunOptions) ([]byte, error) {
	store := newShelf()
	maps.Copy(store.states, c.store.states)
	for i, s := range states {
		store.states[fmt.Sprintf("%04d-%d.state", fold, i)] = s
	}
	run, err := stream.NewRun(store, "toy", o)
	if err != nil {
		return nil, err
	}
	_, err = c.fit.run(ctx, stream.Engine{Threads: 1, BlockRows: 8, Run: run})
	if stopped := (*stream.StoppedError)(nil); !errors.As(err, &stopped) || stopped.Fold != fold {
		return nil, fmt.Errorf("a worker at fold %d ended with %w", fold, err)
	}
	for name := range c.store.states {
		delete(store.states, name)
	}
	for _, left := range store.states {
		if len(store.states) == 1 {
			return left, nil
		}
	}
	return nil, fmt.Errorf("a worker left %d states", len(store.states))
}

// A runner gives the same result as a single process, however parts are cut and joined.
func TestRunnerEqualsOneProcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, want := drawToyFit(t)
		parts := rapid.IntRange(1, 20).Draw(t, "parts")
		c := &cluster{fit: f, store: newShelf(), order: rapid.Permutation(order(parts)).Draw(t, "order"), fanIn: rapid.IntRange(2, 5).Draw(t, "fan-in")}
		e := runOf(t, c.store, "toy", 2, stream.RunOptions{Runner: c})
		got, err := f.run(t.Context(), e)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d parts give another result, error %v", parts, err)
		}
		if len(c.folds) != e.Run.Folds() {
			t.Fatalf("the runner was asked for %v, and there are %d folds", c.folds, e.Run.Folds())
		}
		// Complete folds are not requested again.
		again, err := f.run(t.Context(), runOf(t, c.store, "toy", 2, stream.RunOptions{Runner: c}))
		if err != nil || !bytes.Equal(again, want) || len(c.folds) != e.Run.Folds() {
			t.Fatalf("the second run asked for %v, error %v", c.folds, err)
		}
	})
}

// The error of a runner lists the blocks that are missing.
func TestRunnerThatFails(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	c := &cluster{fit: f, store: newShelf(), order: order(4), fanIn: 2, lost: 3}
	_, err := f.run(t.Context(), runOf(t, c.store, "toy", 2, stream.RunOptions{Runner: c}))
	checkError(t, err, "pass 1 (sums): no state has seen blocks 48 to 71 of 100", "a worker was lost")
	var missing *stream.MissingError
	if !errors.As(err, &missing) || missing.Blocks[0] != [2]int64{48, 71} {
		t.Errorf("missing %v", missing)
	}
	c.lost = 0
	_, err = f.run(t.Context(), runOf(t, c.store, "toy", 2, stream.RunOptions{Runner: c}))
	checkError(t, err, "state 0001-") // parts are computed again on top of their states, by a cluster that does not check
}

// Only undamaged states of the same fit with different blocks are joined.
func TestJoinRefuses(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	part := func(identity string, part, parts int) []byte {
		store := newShelf()
		f.run(t.Context(), runOf(t, store, identity, 1, stream.RunOptions{Part: part, Parts: parts}))
		for _, s := range store.states {
			return s
		}
		return nil
	}
	one := part("toy", 1, 2)
	for reason, other := range map[string][]byte{
		"it has seen block 40, and so has state 0001-0.state": part("toy", 3, 5),
		`it was made with "other", and this is with "toy"`:    part("other", 2, 4),
		"its checksum is wrong":                               append(part("toy", 2, 2), 0),
	} {
		store := newShelf()
		store.states["0001-0.state"], store.states["0001-1.state"] = one, other
		_, err := f.run(t.Context(), runOf(t, store, "toy", 1, stream.RunOptions{Join: true}))
		checkError(t, err, "state 0001-1.state", reason)
		if len(store.states) != 2 {
			t.Errorf("%s: %d states are left of two", reason, len(store.states))
		}
	}
	_, err := f.run(t.Context(), runOf(t, newShelf(), "toy", 1, stream.RunOptions{Join: true}))
	checkError(t, err, "no state has seen")
}
