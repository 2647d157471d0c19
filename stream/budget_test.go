package stream_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"

	"github.com/nystream/nystream/stream"
)

// The error of a budget has the need, the limit, and the largest item that can change, with its setting.
func TestBudget(t *testing.T) {
	var b stream.Budget
	b.Add("landmarks", 1<<20, "--sketch")
	b.Add("tables", 4<<20, "")
	b.Add("tiles", 2<<20, "`Engine.Threads`")
	if b.Total() != 56<<20 {
		t.Errorf("total %d", b.Total())
	}
	for _, limit := range []int64{0, 56 << 20, math.MaxInt64} {
		if err := b.Check(limit); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	err := b.Check(56<<20 - 1)
	var over *stream.OverBudgetError
	if !errors.As(err, &over) || over.Need != 56<<20 || over.Limit != 56<<20-1 || over.Largest.What != "tiles" {
		t.Fatalf("%#v", err)
	}
	over.Limit = 40 << 20
	if want := "this run needs 56 MiB of memory and may use 40 MiB: the largest part that can change is tiles (16 MiB); lower `Engine.Threads`, or raise `Engine.Memory`"; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestBudgetWithoutKnob(t *testing.T) {
	var b stream.Budget
	b.Add("tables", 1024, "")
	if want := "this run needs 8.0 KiB of memory and may use 1.0 KiB; raise `Engine.Memory`"; b.Check(1024) == nil || b.Check(1024).Error() != want {
		t.Errorf("%v", b.Check(1024))
	}
}

// The remedy for a setting with several values is another value, not a smaller number.
func TestBudgetOfAChoice(t *testing.T) {
	var b stream.Budget
	b.Add("validation rows", 1024, "`Landmarks uniform`")
	if want := "this run needs 8.0 KiB of memory and may use 1.0 KiB: the largest part that can change is validation rows (8.0 KiB); use `Landmarks uniform`, or raise `Engine.Memory`"; b.Check(1024).Error() != want {
		t.Errorf("%v", b.Check(1024))
	}
}

// Numbers from a damaged header must not overflow to a small need.
func TestBudgetOverflow(t *testing.T) {
	for _, numbers := range []int64{1 << 60, 1 << 61, math.MaxInt64} {
		var b stream.Budget
		b.Add("rows", numbers, "--rank")
		b.Add("rows", numbers, "--rank")
		if b.Check(1<<40) == nil || b.Total() < 1<<62 {
			t.Errorf("%d numbers twice are %d bytes", numbers, b.Total())
		}
	}
}

func TestPassBudget(t *testing.T) {
	var b stream.Budget
	stream.Engine{Threads: 3, BlockRows: 100}.PassBudget(&b, 1000, 7)
	if want := int64((3 + stream.Lookahead + 1) * 100 * 7 * 8); b.Total() != want {
		t.Errorf("%d bytes, want %d", b.Total(), want)
	}
}

// The limit in a message suffices when used: 1.95 MiB rounds up to 2.0, and 1023.9 MiB to a GiB.
func TestBudgetSaysEnough(t *testing.T) {
	for _, need := range []int64{1, 999, 1024, 1025, 10<<10 - 1, 10<<10 + 1, 2<<20 - 50_000, 1<<30 - 100, 67_637_248, math.MaxInt64 / 2} {
		text := (&stream.OverBudgetError{Need: need, Limit: 1}).Error()
		_, after, _ := strings.Cut(text, "needs ")
		said, _, _ := strings.Cut(after, " of memory")
		bytes, err := humanize.ParseBytes(said)
		if err != nil || bytes < uint64(need) || float64(bytes) > 1.1*float64(need)+1 {
			t.Errorf("%d bytes are said to be %s", need, said)
		}
	}
}

// A short source has fewer blocks, workers and accumulators than the engine allows.
func TestBudgetOfAShortSource(t *testing.T) {
	e := stream.Engine{Threads: 3, BlockRows: 100}
	var b stream.Budget
	e.PassBudget(&b, 40, 7)
	if b.Total() != 40*7*8 {
		t.Errorf("a block of 40 rows takes %d bytes", b.Total())
	}
	if n, states := e.PassWorkers(40, 7), e.FoldStates(40, 7); n != 1 || states != 1 {
		t.Errorf("a pass over one block has %d workers and %d accumulators", n, states)
	}
	if n, unknown := e.PassWorkers(1e6, 7), e.PassWorkers(-1, 7); n != 3 || unknown != 3 {
		t.Errorf("%d workers of a long source, %d of one of unknown length", n, unknown)
	}
}
