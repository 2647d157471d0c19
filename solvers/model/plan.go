package model

import (
	"slices"

	"github.com/nystream/nystream/stream"
)

// Plan is what a fit will cost, worked out from the shape of the data before a row
// is read.
type Plan struct {
	Memory        stream.Budget
	KernelEntries int64 // entries of A that will be evaluated
	SourcePasses  int   // over each source, besides fetching rows by number
	ExactPasses   int   // over all entries of A, at most
	// SharedPasses are the names of the passes that machines can share, in their order: see
	// [stream.Run]. MorePasses says that the data may ask for others like the last one.
	// NotShardable is why there are none, as the end of "The fit cannot be shared out: …".
	SharedPasses []string
	MorePasses   bool
	NotShardable string
	// StateBytes is what the accumulators of the largest fold take, and so its state at
	// most.
	StateBytes int64
	// Choice is the method or engine, where the caller left it open.
	// Notes say by what means it will work.
	Choice Choice
	Notes  []string

	engine stream.Engine
	rows   int64 // of the longest source, -1 if unknown
	common int   // items of Memory that every plan begins with
}

// RuntimeBytes is what the Go runtime, the program and its I/O buffers take besides
// what a plan lists. Most of it is the program itself: up to 25 MiB of its file are resident, and thread stacks.
const RuntimeBytes = 38 << 20

// NewPlan returns a plan for passes over so many rows, -1 for an unknown number, with so many
// columns, 0 for none. It begins with what every run takes: the program, and the blocks of a pass.
func NewPlan(e stream.Engine, rows int64, columns int) *Plan {
	p := &Plan{engine: e, rows: rows}
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: RuntimeBytes})
	if columns > 0 {
		e.PassBudget(&p.Memory, rows, columns)
	}
	p.common = len(p.Memory.Items)
	return p
}

// Add adds memory for so many float64 numbers. knob is the word of the setting that
// makes them fewer, in backquotes, or "" if there is none.
func (p *Plan) Add(what string, numbers int64, knob string) { p.Memory.Add(what, numbers, knob) }

// Fold adds the partial accumulators, of so many numbers each, of a pass that folds
// rows with so many columns.
func (p *Plan) Fold(what string, rows int64, columns int, numbers int64, knob string) {
	states := p.engine.FoldStates(rows, columns) * numbers
	p.Memory.Add(what, states, knob)
	p.StateBytes = max(p.StateBytes, 8*states)
}

// FoldWide is Fold for a [stream.FoldWide].
func (p *Plan) FoldWide(what string, rows, numbers int64, knob string) {
	states := p.engine.WideStates(rows) * numbers
	p.Memory.Add(what, states, knob)
	p.StateBytes = max(p.StateBytes, 8*states)
}

// Map adds the blocks that a pass makes of rows with so many columns: numbers for each
// row.
func (p *Plan) Map(what string, columns, numbers int) {
	e := p.engine
	if e.BlockRows == 0 {
		e.BlockRows = stream.BlockRows(columns)
	}
	e.PassBudget(&p.Memory, p.rows, numbers)
	p.Memory.Items[len(p.Memory.Items)-1].What = what
}

// Stage adds the cost of the next stage of the fit, which begins when the memory of the
// stages before it is free: the plan keeps the memory of the larger. Memory that all stages
// hold is added after the last one.
func (p *Plan) Stage(next *Plan) {
	before := p.Memory
	p.Include(next)
	if next.Memory.Total() <= before.Total() {
		p.Memory = before
	} else {
		p.Memory.Items = slices.Concat(before.Items[:p.common], next.Memory.Items[next.common:])
	}
}

// SetNotShardable records why one process has to make the whole fit.
func (p *Plan) SetNotShardable(why string) {
	p.SharedPasses, p.MorePasses, p.NotShardable = nil, false, why
}

// AddEntries adds kernel entries. A sum beyond 2⁶² counts as 2⁶².
func (p *Plan) AddEntries(entries float64) {
	p.KernelEntries += int64(min(entries, float64(1<<62-p.KernelEntries)))
}

// Include adds the cost of a part of the fit: its entries, and its memory but for what every plan
// begins with. The caller adds passes, since it knows which of them are made together.
func (p *Plan) Include(part *Plan) {
	p.Memory.Items = append(p.Memory.Items, part.Memory.Items[part.common:]...)
	p.AddEntries(float64(part.KernelEntries))
	p.Notes = append(p.Notes, part.Notes...)
	p.StateBytes = max(p.StateBytes, part.StateBytes)
}
