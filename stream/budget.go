package stream

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/dustin/go-humanize"
)

// Budget is the memory that a run needs, estimated before it starts.
type Budget struct {
	Items []BudgetItem
}

// BudgetItem is the memory of one purpose.
type BudgetItem struct {
	What    string // purpose
	Bytes   int64
	Setting string // fields that make it smaller, such as "`Core` or `Rank`"; "" if nothing does
}

// Add adds an item of n float64 numbers.
func (b *Budget) Add(what string, numbers int64, setting string) {
	bytes := int64(math.MaxInt64)
	if numbers <= bytes/8 {
		bytes = 8 * numbers
	}
	b.Items = append(b.Items, BudgetItem{what, bytes, setting})
}

// Total returns the sum of all items in bytes, or the largest int64 if that is less.
func (b *Budget) Total() int64 {
	sum := int64(0)
	for _, it := range b.Items {
		if it.Bytes > math.MaxInt64-sum {
			return math.MaxInt64
		}
		sum += it.Bytes
	}
	return sum
}

// OverBudgetError reports that a run needs more memory than its limit.
type OverBudgetError struct {
	Need, Limit int64
	Largest     BudgetItem // the largest item that a setting reduces
}

func (e *OverBudgetError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "this run needs %s of memory and may use %s", formatRoundedUp(e.Need), humanize.IBytes(uint64(e.Limit)))
	if e.Largest.Setting == "" {
		return s.String() + "; raise `Engine.Memory`"
	}
	fmt.Fprintf(&s, ": the largest part that can change is %s (%s); %s, or raise `Engine.Memory`", e.Largest.What, humanize.IBytes(uint64(e.Largest.Bytes)), remedy(e.Largest.Setting))
	return s.String()
}

// formatRoundedUp formats a size, rounded up: a limit copied from the message suffices.
func formatRoundedUp(bytes int64) string {
	unit := 1.0
	for unit*1024 <= float64(bytes) {
		unit *= 1024
	}
	if unit > 1 && float64(bytes) < 10*unit {
		unit /= 10 // one decimal
	}
	return humanize.IBytes(uint64(math.Ceil(math.Ceil(float64(bytes)/unit) * unit)))
}

// remedy returns the advice for a setting: lower a number, or choose another value.
func remedy(knob string) string {
	setting, _, _ := strings.Cut(strings.TrimPrefix(knob, "`"), "`")
	if strings.HasPrefix(knob, "`") && strings.Contains(setting, " ") {
		return "use " + knob
	}
	return "lower " + knob
}

// Check returns an *OverBudgetError if the budget exceeds limit bytes. A limit of 0 means no limit.
func (b *Budget) Check(limit int64) error {
	need := b.Total()
	if limit <= 0 || need <= limit {
		return nil
	}
	err := &OverBudgetError{Need: need, Limit: limit}
	for _, it := range b.Items {
		if it.Setting != "" && it.Bytes > err.Largest.Bytes {
			err.Largest = it
		}
	}
	return err
}

// PassBudget adds the block buffers of a pass over rows rows of dimension d to b. rows is -1 if
// unknown.
func (e Engine) PassBudget(b *Budget, rows int64, d int) {
	p := e.passOf(Info{Rows: rows}, d)
	b.Add("row blocks", int64(p.buffers())*int64(p.blockRows)*int64(d), "`Engine.Threads`")
}

// PassWorkers returns the number of workers of a pass over rows rows of dimension d: at most one
// per block and at most Workers.
func (e Engine) PassWorkers(rows int64, d int) int64 {
	if rows < 0 {
		return int64(e.Workers())
	}
	return min(int64(e.Workers()), rows/int64(e.blockRows(d))+1)
}

// FoldStates returns the maximal number of partial accumulators that a [Fold] of rows rows of
// dimension d holds: the subtrees of the forest, one for each block in flight, and those of the
// runs that workers have started.
func (e Engine) FoldStates(rows int64, d int) int64 {
	blocks, workers := rows/int64(e.blockRows(d))+1, int64(e.Workers())
	states := int64(bits.Len64(uint64(blocks))) + workers + lookahead + 1
	for run := int64(1); workers > 1 && run < 1<<longestRun && blocks/(2*run) >= 4*workers; run *= 2 {
		states += workers - 1
	}
	if rows >= 0 {
		states = min(states, blocks)
	}
	return states
}
