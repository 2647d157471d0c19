package fit

import (
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
)

// planKeys has the JSON keys of plan.
var planKeys = report.NewGroup("plan")

var (
	keyMemoryBytes = planKeys.Key("memory_bytes", "memory of the fit")
	keySpoolBytes  = planKeys.Key("spool_bytes", "disk that copies of the data take at one time")
	keyFits        = planKeys.Key("fits", "whether the memory is within --memory")
	keyMemory      = planKeys.Key("memory", "parts of the memory: what, bytes, knob (the flag that changes it)")
	keyShardRounds = planKeys.Key("rounds", "passes of shards")
)

// reportPlan prints a plan. It fails if the plan exceeds --memory.
func reportPlan(j *Job, p *model.Plan) error {
	if err := j.App.Print(planReport(j, p)); err != nil {
		return err
	}
	return j.App.CheckBudget(&p.Memory)
}

// planReport returns the report of a plan. The order of its text differs from that of its JSON.
func planReport(j *Job, p *model.Plan) *report.Report {
	r, lines := &report.Report{Title: "plan: " + j.task.Title()}, &report.Report{}
	chosen, shape, notes := flags.Spell(j.App.Cmd, p.Choice.String()), newPlanResult(j), flags.SpellAll(j.App.Cmd, p.Notes)
	if chosen != "" {
		lines.Add("chosen", "%s", chosen)
	}
	j.task.Planned(shape, lines)
	r.Put(report.KeyMethod, j.Method)
	r.PutSome(report.KeyChosen, chosen)
	r.PutSome(report.KeyKernel, shape.Kernel)
	r.PutSome(report.KeyMap, shape.Map)
	r.Put(report.KeyRows, shape.Rows)
	r.Put(report.KeyColumns, shape.Columns)
	r.Put(report.KeyDimension, shape.Dimension)
	r.Put(report.KeyRank, j.Rank)
	for _, note := range notes {
		lines.Add("note", "%s", note)
	}
	addMemory(j, r, lines, p)
	addPlannedPasses(j, r, lines, p)
	r.Put(keyShardRounds, append([]string{}, rounds(j, p)...))
	r.Put(report.KeyNotes, notes)
	lines.Add("rounds for shards", "%s", roundWords(j, p))
	lines.Add("kernel entries", "%s", report.Count(p.KernelEntries))
	r.Fields = append(r.Fields, lines.Fields...)
	return r
}

// newPlanResult returns the facts known before a fit.
func newPlanResult(j *Job) *PlanResult {
	s := j.task.Shape()
	r := &PlanResult{Rows: s.Rows, Columns: s.Cols, Dimension: s.Columns}
	if s.OneSource() {
		r.Columns = s.Rows
	}
	return r
}

// addMemory adds the memory and the disk space of a fit.
func addMemory(j *Job, r, lines *report.Report, p *model.Plan) {
	total, spool := p.Memory.Total(), j.App.Session.Quota.Most()
	var items []planItem
	for _, m := range p.Memory.Items {
		items = append(items, planItem{m.What, m.Bytes, flags.Spell(j.App.Cmd, m.Setting)})
		lines.Add(m.What, "%s", report.Bytes(m.Bytes))
	}
	r.Put(keyMemoryBytes, total)
	r.Put(keySpoolBytes, spool)
	r.Put(keyFits, j.App.CheckBudget(&p.Memory) == nil)
	r.Put(keyMemory, items)
	lines.Add("memory in all", "%s", report.Bytes(total))
	lines.Add("disk for copies", "%s", diskWords(spool, int64(j.Data.MaxSpool)))
}

// addPlannedPasses adds the passes of a fit over each source, and its kernel entries.
func addPlannedPasses(j *Job, r, lines *report.Report, p *model.Plan) {
	passes, scans := make(map[string]int), j.Scans
	if scans == nil {
		scans = plannedScans(j)
	}
	for _, name := range j.task.Names() {
		passes[name] = p.SourcePasses
		lines.Add("passes over "+name, "%d%s", passes[name], scanWords(scans[name]))
	}
	r.Put(report.KeyPasses, passes)
	r.Put(report.KeyScans, scans)
	r.Put(report.KeyKernelEntries, p.KernelEntries)
}

// diskWords describes the largest disk space of temporary copies. They exist when the plan is made, so the number is
// measured.
func diskWords(bytes, limit int64) string {
	words := "none"
	if bytes > 0 {
		words = report.Bytes(bytes) + " at one time"
	}
	if limit > 0 {
		words += fmt.Sprintf(", of %s (--max-spool-size)", report.Bytes(limit))
	}
	return words
}
