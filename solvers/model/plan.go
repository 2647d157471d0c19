package model

import (
	"slices"

	"github.com/nystream/nystream/stream"
)

// Plan is the cost of a fit, computed from the shape of the data before any row is read.
type Plan struct {
	Memory        stream.Budget
	KernelEntries int64 // number of entries of A to be evaluated
	SourcePasses  int   // over each source, not counting rows gathered by number
	ExactPasses   int   // over all entries of A, at most
	// SharedPasses names the passes that machines can share, in order: see [stream.Run]. MorePasses reports that the
	// fit may repeat the last one. NotShardable is the reason if there are none, to complete "The fit cannot be shared
	// out: …".
	SharedPasses []string
	MorePasses   bool
	NotShardable string
	// StateBytes is the size of the accumulators of the largest fold, an upper bound for its state.
	StateBytes int64
	// Choice is the method or engine, if the caller left it open. Notes explain how it will work.
	Choice Choice
	Notes  []string

	engine stream.Engine
	rows   int64 // of the longest source, -1 if unknown
	common int   // number of items of Memory common to all plans
}

// RuntimeBytes is the memory of the Go runtime, the program and its I/O buffers, beyond the items of a plan. Most of it
// is the program itself: up to 25 MiB of the executable are resident, plus thread stacks.
const RuntimeBytes = 38 << 20

// NewPlan returns a plan for passes over a source with the given number of rows, -1 if unknown, and of columns, 0 for
// none. It starts with the memory of every run: the program, and the blocks of a pass.
func NewPlan(e stream.Engine, rows int64, columns int) *Plan {
	p := &Plan{engine: e, rows: rows}
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: RuntimeBytes})
	if columns > 0 {
		e.PassBudget(&p.Memory, rows, columns)
	}
	p.common = len(p.Memory.Items)
	return p
}

// Add adds memory for float64 numbers. knob is the setting that reduces it, in backquotes, or "" if there is none.
func (p *Plan) Add(what string, numbers int64, knob string) { p.Memory.Add(what, numbers, knob) }

// Fold adds the partial accumulators of a pass that folds rows with the given number of columns. numbers is the size of
// one accumulator.
func (p *Plan) Fold(what string, rows int64, columns int, numbers int64, knob string) {
	states := p.engine.FoldStates(rows, columns) * numbers
	p.Memory.Add(what, states, knob)
	p.StateBytes = max(p.StateBytes, 8*states)
}

// FoldWide is Fold for [stream.FoldWide].
func (p *Plan) FoldWide(what string, rows, numbers int64, knob string) {
	states := p.engine.WideStates(rows) * numbers
	p.Memory.Add(what, states, knob)
	p.StateBytes = max(p.StateBytes, 8*states)
}

// Map adds the blocks of a pass that maps rows with the given number of columns to numbers outputs each.
func (p *Plan) Map(what string, columns, numbers int) {
	e := p.engine
	if e.BlockRows == 0 {
		e.BlockRows = stream.BlockRows(columns)
	}
	e.PassBudget(&p.Memory, p.rows, numbers)
	p.Memory.Items[len(p.Memory.Items)-1].What = what
}

// Stage adds the cost of the next stage of the fit, which starts after earlier stages have released their memory. The
// plan keeps the larger of the two. Memory shared by all stages is added after the last one.
func (p *Plan) Stage(next *Plan) {
	before := p.Memory
	p.Include(next)
	if next.Memory.Total() <= before.Total() {
		p.Memory = before
	} else {
		p.Memory.Items = slices.Concat(before.Items[:p.common], next.Memory.Items[next.common:])
	}
}

// SetNotShardable records why the fit cannot be sharded.
func (p *Plan) SetNotShardable(why string) {
	p.SharedPasses, p.MorePasses, p.NotShardable = nil, false, why
}

// AddEntries adds kernel entries. The sum saturates at 2⁶².
func (p *Plan) AddEntries(entries float64) {
	p.KernelEntries += int64(min(entries, float64(1<<62-p.KernelEntries)))
}

// Include adds the cost of a component: its entries, and its memory without the items common to all plans. The caller
// adds passes, since only it can tell which are shared.
func (p *Plan) Include(part *Plan) {
	p.Memory.Items = append(p.Memory.Items, part.Memory.Items[part.common:]...)
	p.AddEntries(float64(part.KernelEntries))
	p.Notes = append(p.Notes, part.Notes...)
	p.StateBytes = max(p.StateBytes, part.StateBytes)
}
