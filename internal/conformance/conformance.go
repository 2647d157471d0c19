// Package conformance is the test suite that every accumulator of Nystream must pass. Tests of an
// accumulator call [Run].
package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// suite is an accumulator under test.
type suite[A stream.Accumulator[A]] struct {
	newAcc func() A
	leaf   func(block int64) A
	blocks int64
	want   []byte // state after a sequential pass
}

// Run checks the properties that passes rely on. A pass over the given number of blocks (3 or more)
// ends in the same state, bit for bit, however it is split into shards, in whatever order blocks
// are added and shards merged, and wherever it is interrupted and resumed from its serial form. An
// empty accumulator is neutral. A block cannot be added twice. Damaged states are rejected or
// harmless.
//
// newAcc returns an empty accumulator, and leaf one with exactly the given block; leaf must be a
// pure function.
func Run[A stream.Accumulator[A]](t *testing.T, newAcc func() A, leaf func(block int64) A, blocks int) {
	t.Helper()
	s := &suite[A]{newAcc: newAcc, leaf: leaf, blocks: int64(blocks)}
	s.want = s.sequential(t)
	t.Run("any split and order", func(t *testing.T) { rapid.Check(t, s.anyOrder) })
	t.Run("serial form", s.serialForm)
	t.Run("fresh is neutral", s.neutral)
	t.Run("block twice", s.duplicates)
	t.Run("block missing", s.missing)
	if n, ok := any(newAcc()).(stream.Named); !ok || n.Name() == "" || strings.ContainsAny(n.Name(), "*.") {
		t.Errorf("%T has no name for its states: see stream.Named", newAcc())
	}
	if _, ok := any(newAcc()).(stream.Resetter); ok {
		t.Run("reset", s.reset)
	}
	t.Run("damaged state", func(t *testing.T) { rapid.Check(t, s.damaged) })
}

// fataler is the common part of *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sequential returns the state after adding all blocks in order.
func (s *suite[A]) sequential(t fataler) []byte {
	t.Helper()
	f := stream.NewForest(s.newAcc)
	for b := range s.blocks {
		s.add(t, f, b)
	}
	return s.finish(t, f)
}

func (s *suite[A]) add(t fataler, f *stream.Forest[A], block int64) {
	t.Helper()
	if err := f.Add(block, s.leaf(block)); err != nil {
		t.Fatalf("adding block %d: %v", block, err)
	}
}

func (s *suite[A]) finish(t fataler, f *stream.Forest[A]) []byte {
	t.Helper()
	a, err := f.Finish(s.blocks)
	if err != nil {
		t.Fatalf("finishing %d blocks: %v", s.blocks, err)
	}
	return s.bytes(t, a)
}

func (s *suite[A]) bytes(t fataler, a A) []byte {
	t.Helper()
	data, err := a.MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary: %v", err)
	}
	return data
}

// restore returns an accumulator with the given state.
func (s *suite[A]) restore(t fataler, state []byte) A {
	t.Helper()
	a := s.newAcc()
	if err := a.UnmarshalBinary(state); err != nil {
		t.Fatalf("UnmarshalBinary of a good state: %v", err)
	}
	return a
}

// transfer merges a forest into another one by way of its serial form.
func (s *suite[A]) transfer(t fataler, into, from *stream.Forest[A]) {
	t.Helper()
	data, err := from.MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary of the forest: %v", err)
	}
	if err := into.MergeState(data); err != nil {
		t.Fatalf("Take of the forest: %v", err)
	}
	clear(data) // the forest must not have kept it
}

// anyOrder deals the blocks to shards, merges the shards, and stops and resumes, all at random.
func (s *suite[A]) anyOrder(t *rapid.T) {
	shards := make([]*stream.Forest[A], rapid.IntRange(1, 4).Draw(t, "shards"))
	for i := range shards {
		shards[i] = stream.NewForest(s.newAcc)
	}
	stop := rapid.SampledFrom([]bool{false, false, false, true})
	for _, b := range rapid.Permutation(matrix.Numbers(int(s.blocks))).Draw(t, "order") {
		i := rapid.IntRange(0, len(shards)-1).Draw(t, "shard")
		s.add(t, shards[i], b)
		if stop.Draw(t, "stop") {
			resumed := stream.NewForest(s.newAcc)
			s.transfer(t, resumed, shards[i])
			shards[i] = resumed
		}
	}
	for len(shards) > 1 {
		i := rapid.IntRange(1, len(shards)-1).Draw(t, "from")
		s.transfer(t, shards[i-1], shards[i])
		shards = append(shards[:i], shards[i+1:]...)
	}
	if got := s.finish(t, shards[0]); !bytes.Equal(got, s.want) {
		t.Fatalf("the state differs from that of a sequential pass %s", firstDifference(got, s.want))
	}
}

// firstDifference describes the first difference between two states.
func firstDifference(a, b []byte) string {
	if len(a) != len(b) {
		return fmt.Sprintf("in length: %d and %d bytes", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("at byte %d of %d", i, len(a))
		}
	}
	return "nowhere"
}

// serialForm checks that states survive a round trip, and that a truncated or extended state is
// rejected and leaves the receiver usable.
func (s *suite[A]) serialForm(t *testing.T) {
	for name, state := range map[string][]byte{
		"fresh": s.bytes(t, s.newAcc()),
		"leaf":  s.bytes(t, s.leaf(1)),
		"whole": s.want,
	} {
		if got := s.bytes(t, s.restore(t, state)); !bytes.Equal(got, state) {
			t.Errorf("%s: the state changes on the way out and back %s", name, firstDifference(got, state))
		}
		if err := s.newAcc().UnmarshalBinary(append(bytes.Clone(state), 0)); err == nil {
			t.Errorf("%s: a state with a byte too many is accepted", name)
		}
		for cut := 0; cut < len(state); cut += 1 + len(state)/200 {
			a := s.newAcc()
			if err := a.UnmarshalBinary(state[:cut]); err == nil {
				t.Fatalf("%s: a state cut to %d of %d bytes is accepted", name, cut, len(state))
			}
			if !bytes.Equal(s.bytes(t, a), s.bytes(t, s.newAcc())) {
				t.Fatalf("%s: a refused state has changed the accumulator", name)
			}
		}
	}
	fresh, leaf := s.bytes(t, s.newAcc()), s.bytes(t, s.leaf(0))
	if bytes.Equal(fresh, leaf) || bytes.Equal(leaf, s.want) {
		t.Error("the state does not show what was added: the suite would prove nothing")
	}
}

// neutral checks that merging with an empty accumulator changes nothing.
func (s *suite[A]) neutral(t *testing.T) {
	for name, pair := range map[string][2]A{
		"before": {s.newAcc(), s.restore(t, s.want)},
		"after":  {s.restore(t, s.want), s.newAcc()},
	} {
		if err := pair[0].Merge(pair[1]); err != nil {
			t.Fatal(err)
		}
		if got := s.bytes(t, pair[0]); !bytes.Equal(got, s.want) {
			t.Errorf("a fresh accumulator %s it changes the state %s", name, firstDifference(got, s.want))
		}
	}
}

// duplicates checks that a block added twice is rejected and has no effect.
func (s *suite[A]) duplicates(t *testing.T) {
	f := stream.NewForest(s.newAcc)
	for b := range s.blocks {
		s.add(t, f, b)
		if err := f.Add(b/2, s.leaf(b/2)); err == nil {
			t.Fatalf("block %d was added twice", b/2)
		}
	}
	if got := s.finish(t, f); !bytes.Equal(got, s.want) {
		t.Errorf("refused blocks have changed the state %s", firstDifference(got, s.want))
	}
}

// missing checks that a pass without all its blocks is rejected.
func (s *suite[A]) missing(t *testing.T) {
	for skip := range s.blocks {
		f := stream.NewForest(s.newAcc)
		for b := range s.blocks {
			if b != skip {
				s.add(t, f, b)
			}
		}
		if _, err := f.Finish(s.blocks); err == nil {
			t.Errorf("a pass without block %d was finished", skip)
		}
	}
}

// reset checks that Reset empties an accumulator that was merged, and that it shares nothing with
// the one it was merged into.
func (s *suite[A]) reset(t *testing.T) {
	for _, into := range []A{s.newAcc(), s.leaf(0)} {
		spent := s.leaf(1)
		if err := into.Merge(spent); err != nil {
			t.Fatal(err)
		}
		want := s.bytes(t, into)
		any(spent).(stream.Resetter).Reset()
		if got := s.bytes(t, spent); !bytes.Equal(got, s.bytes(t, s.newAcc())) {
			t.Errorf("after Reset the state is not that of a fresh accumulator %s", firstDifference(got, want))
		}
		if err := spent.Merge(s.leaf(2)); err != nil {
			t.Fatal(err)
		}
		if got := s.bytes(t, into); !bytes.Equal(got, want) {
			t.Errorf("using an accumulator again changes the one it was merged into %s", firstDifference(got, want))
		}
		if got, leaf := s.bytes(t, spent), s.bytes(t, s.leaf(2)); !bytes.Equal(got, leaf) {
			t.Errorf("an accumulator used again differs from a fresh one %s", firstDifference(got, leaf))
		}
	}
}

// damaged checks that a damaged state is either rejected or a possible state of the accumulator.
func (s *suite[A]) damaged(t *rapid.T) {
	state := bytes.Clone(s.want)
	for range rapid.IntRange(1, 4).Draw(t, "damages") {
		at := rapid.IntRange(0, len(state)-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "in the header") {
			at %= min(len(state), 48)
		}
		state[at] = rapid.Byte().Draw(t, "byte")
	}
	a := s.newAcc()
	if err := a.UnmarshalBinary(state); err != nil {
		return
	}
	if got := s.bytes(t, a); !bytes.Equal(got, state) {
		t.Fatalf("a damaged state was accepted and changed %s", firstDifference(got, state))
	}
}
