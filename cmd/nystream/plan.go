package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
)

func newPlanCommand(a *app, families []*family) *cobra.Command {
	plan := &cobra.Command{
		Use:  "plan",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			return flags.Usagef("plan needs a verb: nystream plan fit METHOD DATA...")
		},
	}
	plan.FParseErrWhitelist.UnknownFlags = true
	plan.AddCommand(newMethodsCommand(a, families, &cobra.Command{
		Use: "fit METHOD DATA...",
	}, true))
	return plan
}

// planResult is what plan prints as JSON of every fit.
type planResult struct {
	Method        string         `json:"method"`
	Chosen        string         `json:"chosen,omitempty"`
	Kernel        string         `json:"kernel,omitempty"`
	Map           string         `json:"map,omitempty"`
	Rows          int64          `json:"rows"`
	Columns       int64          `json:"columns"`
	Dimension     int            `json:"dimension"`
	Rank          int            `json:"rank"`
	MemoryBytes   int64          `json:"memory_bytes"`
	SpoolBytes    int64          `json:"spool_bytes"`
	Fits          bool           `json:"fits"`
	Memory        []planItem     `json:"memory"`
	Passes        map[string]int `json:"passes"`
	Scans         map[string]int `json:"scans"` // before the fit
	KernelEntries int64          `json:"kernel_entries"`
	Rounds        []string       `json:"rounds"` // for shards
	Notes         []string       `json:"notes"`
}

// planItem is one part of the memory.
type planItem struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	Knob  string `json:"knob,omitempty"`
}

// reportPlan prints a plan, and fails if it does not fit into --memory.
func (j *job) reportPlan(p *model.Plan) error {
	r := j.planResult(p)
	t := &show.Text{Title: "plan: " + j.task.title()}
	if r.Chosen != "" {
		t.Add("chosen", "%s", r.Chosen)
	}
	j.task.planned(r, t)
	for _, note := range r.Notes {
		t.Add("note", "%s", note)
	}
	for _, m := range r.Memory {
		t.Add(m.What, "%s", show.Bytes(m.Bytes))
	}
	t.Add("memory in all", "%s", show.Bytes(r.MemoryBytes))
	t.Add("disk for copies", "%s", diskWords(r.SpoolBytes, int64(j.data.maxSpool)))
	for _, name := range j.task.names() {
		t.Add("passes over "+name, "%d%s", r.Passes[name], scanWords(r.Scans[name]))
	}
	t.Add("rounds for shards", "%s", j.roundWords(p))
	t.Add("kernel entries", "%s", show.Count(r.KernelEntries))
	if err := j.app.print(r, t); err != nil {
		return err
	}
	return j.app.checkBudget(&p.Memory)
}

func (j *job) planResult(p *model.Plan) *planResult {
	s := j.task.shape()
	r := &planResult{Method: j.method, Chosen: flags.Spell(j.app.cmd, p.Choice.String()), Rows: s.Rows, Columns: s.Cols, Dimension: s.Columns, Rank: j.rank,
		MemoryBytes: p.Memory.Total(), SpoolBytes: j.app.session.Quota.Most(), Fits: j.app.checkBudget(&p.Memory) == nil,
		Passes: make(map[string]int), Scans: j.scans, KernelEntries: p.KernelEntries,
		Notes: flags.SpellAll(j.app.cmd, p.Notes)}
	if r.Scans == nil {
		r.Scans = j.plannedScans()
	}
	r.Rounds = append([]string{}, j.rounds(p)...)
	if s.OneSource() {
		r.Columns = s.Rows
	}
	for _, name := range j.task.names() {
		r.Passes[name] = p.SourcePasses
	}
	for _, m := range p.Memory.Items {
		r.Memory = append(r.Memory, planItem{m.What, m.Bytes, flags.Spell(j.app.cmd, m.Knob)})
	}
	return r
}

// diskWords tells what copies of what is read take at one time. They are made to find out
// about it, so that this was measured.
func diskWords(bytes, limit int64) string {
	words := "none"
	if bytes > 0 {
		words = show.Bytes(bytes) + " at one time"
	}
	if limit > 0 {
		words += fmt.Sprintf(", of %s (--max-spool-size)", show.Bytes(limit))
	}
	return words
}
