package main

import (
	"math/rand/v2"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ksvdPlan is what plan fit ksvd prints as JSON.
type ksvdPlan struct {
	planResult
	Solver string       `json:"solver"`
	Chosen string       `json:"chosen,omitempty"`
	Input  string       `json:"input"`
	Graph  *graphResult `json:"graph,omitempty"`
	plannedMeans
}

// plannedMeans is by what means a method will do it.
type plannedMeans struct {
	Operator string   `json:"operator,omitempty"` // of exact: tiles or paths
	Sums     string   `json:"sums"`
	Notes    []string `json:"notes"`
}

// reportPlan prints a plan, and fails if it does not fit into --memory.
func (j *ksvdJob) reportPlan(p *contract.Plan) error {
	c, s := j.cmd, j.shape()
	r := &ksvdPlan{Chosen: c.words(p.Chosen), Input: j.kind(), Graph: j.graphResult(), planResult: planResult{Method: ksvdName, Kernel: j.kernel.String(),
		Rows: s.Rows, Columns: s.Cols, Dimension: s.Columns, Rank: c.rank, MemoryBytes: p.Memory.Total(), MemoryLimitBytes: int64(c.memory), Fits: c.checkBudget(&p.Memory) == nil,
		Passes: make(map[string]int), Scans: j.plannedScans(), KernelEntries: p.KernelEntries, Flops: show.Number(p.Flops), Threads: c.engine().Workers()}}
	var err error
	if r.Solver, r.plannedMeans, err = means(j.method, c.engine(), s, j.kernel); err != nil {
		return err
	}
	for _, name := range j.names() {
		r.Passes[name] = p.Passes
		if j.kind() == matrixInput {
			r.Passes[name] = 1 // which loads it
		}
	}
	t := &show.Text{Title: "plan: " + j.describe()}
	if r.Chosen != "" {
		t.Add("chosen", "%s", r.Chosen)
	}
	t.Add("method", "%s%s", r.Solver, operatorPhrase(r.Operator))
	t.Add("sums", "%s", r.Sums)
	r.Notes = c.sentences(p.Notes)
	for _, note := range r.Notes {
		t.Add("note", "%s", note)
	}
	for _, m := range p.Memory.Items {
		r.Memory = append(r.Memory, planItem{m.What, m.Bytes, j.cmd.words(m.Knob)})
		t.Add(m.What, "%s", show.Bytes(m.Bytes))
	}
	t.Add("memory in all", "%s", show.Bytes(r.MemoryBytes))
	for _, name := range j.names() {
		t.Add("passes over "+name, "%d%s", r.Passes[name], scanWords(r.Scans[name]))
	}
	speed := calibrateEntries(j.kernel)
	r.EstimatedSeconds = show.Number((float64(r.KernelEntries)*speed.entry + float64(r.Flops)*speed.flop) / float64(r.Threads))
	t.Add("kernel entries", "%s", show.Count(r.KernelEntries))
	t.Add("time", "about %s with %d threads, if reading keeps up", show.Seconds(float64(r.EstimatedSeconds)), r.Threads)
	if err := c.print(r, t); err != nil {
		return err
	}
	return c.checkBudget(&p.Memory)
}

// plannedScans are the passes over each source before the fit: to open text and
// graphs, and to scan for nulls and scaling.
func (j *ksvdJob) plannedScans() map[string]int {
	if j.graph != nil {
		return map[string]int{graphInput: 1}
	}
	return j.sides.plannedScans(j.names(), &j.cmd.rows)
}

// calibrateEntries measures this machine on random rows of one column, for plans
// whose flops include what longer rows take.
func calibrateEntries(kernel kernelgen.Kernel) speed {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := randomMatrix(random, stream.PanelRows, 1), randomMatrix(random, 200, 1)
	tile := stream.NewMatrix(x.Rows, y.Rows)
	s := speed{flop: perUnit(2*float64(x.Rows)*float64(y.Rows)*float64(x.Rows), gemmOf(tile))}
	if k, err := kernel.Resolve(y); err == nil {
		k, _ = k.Normaliser()
		var work kernelgen.Workspace
		panel := k.Pack(y)
		s.entry = perUnit(float64(x.Rows)*float64(y.Rows), func() { k.Fill(tile, x, panel, &work) })
	}
	return s
}
