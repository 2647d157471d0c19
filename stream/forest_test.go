package stream_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/stream"
)

// history is an accumulator that records its merges as text.
type history struct {
	text string
}

// errPoisoned is the error of merging a history called poison.
var errPoisoned = errors.New("poisoned")

func newHistory() *history { return new(history) }

func blockHistory(block int64) *history { return &history{text: fmt.Sprint(block)} }

func (h *history) Merge(later *history) error {
	if later.text == "poison" {
		return errPoisoned
	}
	if h.text != "" && later.text != "" {
		h.text = "(" + h.text + " " + later.text + ")"
		return nil
	}
	h.text += later.text
	return nil
}

func (h *history) Name() string { return "history" }

func (h *history) MarshalBinary() ([]byte, error) { return []byte("h" + h.text + "."), nil }

func (h *history) UnmarshalBinary(data []byte) error {
	text, ok := strings.CutPrefix(string(data), "h")
	text, end := strings.CutSuffix(text, ".")
	if !ok || !end || strings.Contains(text, ".") {
		return errors.New("not a history")
	}
	h.text = text
	return nil
}

func forestOf(t *testing.T, blocks ...int64) *stream.Forest[*history] {
	t.Helper()
	f := stream.NewForest(newHistory)
	for _, b := range blocks {
		if err := f.Add(b, blockHistory(b)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func upTo(n int64) []int64 {
	blocks := make([]int64, n)
	for i := range blocks {
		blocks[i] = int64(i)
	}
	return blocks
}

func TestForestConformance(t *testing.T) {
	conformance.Run(t, newHistory, blockHistory, 13)
}

// The expected trees are written by hand.
func TestForestTree(t *testing.T) {
	for _, want := range []string{
		"",
		"0",
		"(0 1)",
		"((0 1) 2)",
		"((0 1) (2 3))",
		"(((0 1) (2 3)) 4)",
		"(((0 1) (2 3)) (4 5))",
		"(((0 1) (2 3)) ((4 5) 6))",
		"(((0 1) (2 3)) ((4 5) (6 7)))",
		"((((0 1) (2 3)) ((4 5) (6 7))) 8)",
	} {
		n := int64(len(strings.FieldsFunc(want, func(r rune) bool { return r < '0' })))
		got, err := forestOf(t, upTo(n)...).Finish(n)
		if err != nil || got.text != want {
			t.Errorf("%d blocks: got %q, %v, want %q", n, got.text, err, want)
		}
	}
}

func TestForestKeepsFewTrees(t *testing.T) {
	f := stream.NewForest(newHistory)
	order := rand.New(rand.NewPCG(1, 2))
	const blocks, window = 4096, 8 // workers finish out of order, but not by much
	for at := 0; at < blocks; at += window {
		for _, i := range order.Perm(window) {
			if err := f.Add(int64(at+i), newHistory()); err != nil {
				t.Fatal(err)
			}
			data, err := f.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if trees := data[8]; trees > 24 {
				t.Fatalf("%d subtrees after about %d blocks", trees, at+i)
			}
		}
	}
}

func TestForestErrors(t *testing.T) {
	finish := func(blocks int64, added ...int64) error {
		_, err := forestOf(t, added...).Finish(blocks)
		return err
	}
	add := func(block int64, added ...int64) error { return forestOf(t, added...).Add(block, newHistory()) }
	for _, c := range []struct {
		err  error
		want string
	}{
		{finish(1), "block 0 of a pass of 1 blocks is missing"},
		{finish(4, 0, 1, 3), "block 2 of a pass of 4 blocks is missing"},
		{finish(9, 0, 1, 2, 3), "block 4 of a pass of 9 blocks is missing"},
		{finish(3, 0, 1, 2, 3), "block 3 was added, but the pass has 3 blocks"},
		{finish(0, 5), "block 5 was added, but the pass has 0 blocks"},
		{finish(2, 0, 1, 7), "block 7 was added, but the pass has 2 blocks"},
		{add(2, 0, 1, 2, 3), "block 2 was added before"},
		{add(5, 5), "block 5 was added before"},
	} {
		checkError(t, c.err, c.want)
	}
}

func TestForestRefusalsChangeNothing(t *testing.T) {
	f := forestOf(t, 0, 1, 2)
	if _, err := f.Finish(5); err == nil {
		t.Fatal("finished a pass with blocks missing")
	}
	if f.Blocks() != 3 {
		t.Errorf("a refused Finish left %d blocks, want 3", f.Blocks())
	}
	if got, err := f.Finish(3); err != nil || got.text != "((0 1) 2)" {
		t.Errorf("got %v, %v", got, err)
	}
	if f.Blocks() != 0 {
		t.Error("the forest is not empty after Finish")
	}
}

func TestForestMergeError(t *testing.T) {
	f := forestOf(t, 4, 5, 6)
	err := f.Add(7, &history{text: "poison"})
	checkError(t, err, "blocks 6 to 7")
	if !errors.Is(err, errPoisoned) {
		t.Errorf("got error %v", err)
	}
}

func TestForestStateIsCanonical(t *testing.T) {
	tree := func(index, level uint64, state string) []byte {
		var b []byte
		for _, v := range []uint64{index, level, uint64(len(state))} {
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
		}
		return append(b, state...)
	}
	forest := func(trees ...[]byte) []byte {
		b := []byte("NyFo\x01\x00\x00\x00" + string(byte(len(trees))) + "\x00\x00\x00\x00\x00\x00\x00")
		for _, t := range trees {
			b = append(b, t...)
		}
		return b
	}
	good := forest(tree(0, 1, "h(0 1)."), tree(2, 0, "h2."))
	for name, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"good":            {good, true},
		"empty":           {forest(), true},
		"highest":         {forest(tree(0, 62, "h.")), true},
		"two siblings":    {forest(tree(2, 0, "h2."), tree(3, 0, "h3.")), false},
		"out of order":    {forest(tree(2, 0, "h2."), tree(0, 1, "h(0 1).")), false},
		"overlap":         {forest(tree(0, 1, "h(0 1)."), tree(1, 0, "h1.")), false},
		"level too high":  {forest(tree(0, 63, "h.")), false},
		"index too large": {forest(tree(2, 61, "h.")), false},
		"bad accumulator": {forest(tree(0, 0, "x")), false},
		"cut":             {good[:len(good)-1], false},
		"longer":          {append(append([]byte{}, good...), 0), false},
		"huge length":     {forest(append(tree(0, 0, "")[:16], 255, 255, 255, 255, 255, 255, 255, 255)), false},
		"many trees":      {[]byte("NyFo\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"), false},
		"version":         {[]byte("NyFo\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), false},
		"nothing":         {nil, false},
	} {
		if err := stream.NewForest(newHistory).MergeState(c.data); (err == nil) != c.ok {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzForestUnmarshal(f *testing.F) {
	seed := stream.NewForest(newHistory)
	for _, b := range []int64{0, 1, 2, 6, 1 << 40} {
		if err := seed.Add(b, blockHistory(b)); err != nil {
			f.Fatal(err)
		}
	}
	data, err := seed.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		forest := stream.NewForest(newHistory)
		if forest.MergeState(data) != nil {
			return
		}
		again, err := forest.MarshalBinary()
		if err != nil || string(again) != string(data) {
			t.Errorf("a state was accepted that is written as another: %q, %q, %v", data, again, err)
		}
	})
}

func ExampleForest() {
	// Blocks may arrive in any order, on any machine …
	here, there := stream.NewForest(newHistory), stream.NewForest(newHistory)
	for _, block := range []int64{4, 0, 3} {
		here.Add(block, blockHistory(block))
	}
	for _, block := range []int64{2, 1} {
		there.Add(block, blockHistory(block))
	}
	state, err := there.MarshalBinary()
	if err == nil {
		err = here.MergeState(state)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	// … they are combined in the same order.
	whole, err := here.Finish(5)
	fmt.Println(whole.text, err)
	// Output: (((0 1) (2 3)) 4) <nil>
}
