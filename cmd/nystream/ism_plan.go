package main

import (
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	contract "github.com/nystream/nystream/solvers/model"
)

// ismPlan is what plan fit ism prints as JSON.
type ismPlan struct {
	planResult
	Engine   string `json:"engine"`
	Paradigm string `json:"paradigm"`
}

// reportPlan prints a plan, and fails if it does not fit into --memory.
func (j *ismJob) reportPlan(p *contract.Plan) error {
	c := j.cmd
	rows, d := j.shape()
	r := &ismPlan{Engine: p.Chosen, Paradigm: c.task.paradigm.value, planResult: planResult{Method: ismName, Kernel: j.kernel.String(),
		Rows: rows, Columns: int64(d), Dimension: d, Rank: c.dim, MemoryBytes: p.Memory.Total(), MemoryLimitBytes: int64(c.memory), Fits: c.checkBudget(&p.Memory) == nil,
		Passes: map[string]int{"data": p.Passes}, Scans: map[string]int{"data": j.plannedScans()}, KernelEntries: p.KernelEntries, Flops: show.Number(p.Flops), Threads: c.engine().Workers()}}
	t := &show.Text{Title: "plan: " + j.describe()}
	t.Add("engine", "%s", r.Engine)
	for _, m := range p.Memory.Items {
		r.Memory = append(r.Memory, planItem{m.What, m.Bytes, j.cmd.words(m.Knob)})
		t.Add(m.What, "%s", show.Bytes(m.Bytes))
	}
	t.Add("memory in all", "%s", show.Bytes(r.MemoryBytes))
	t.Add("passes over data", "%d%s", r.Passes["data"], scanWords(r.Scans["data"]))
	speed := calibrateEntries(kernelgen.RBF(1))
	r.EstimatedSeconds = show.Number((float64(r.KernelEntries)*speed.entry + float64(r.Flops)*speed.flop) / float64(r.Threads))
	t.Add("kernel entries", "%s", show.Count(r.KernelEntries))
	t.Add("time", "about %s with %d threads for %d W, if reading keeps up", show.Seconds(float64(r.EstimatedSeconds)), r.Threads, min(c.iterations, ismPlanned))
	if err := c.print(r, t); err != nil {
		return err
	}
	return c.checkBudget(&p.Memory)
}

// ismPlanned is how many W a plan counts, see [ism.Solver.Plan].
const ismPlanned = 10

// plannedScans are the passes over the data before the fit: those so far, for text and
// labels, and that for nulls and scaling, after which labels are read again if rows
// were dropped.
func (j *ismJob) plannedScans() int {
	n := j.left.Passes()
	if j.cmd.rows.scans() {
		n++
	}
	return n
}
