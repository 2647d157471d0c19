package main

import (
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

func newPlanCommand(a *app) *cobra.Command {
	plan := &cobra.Command{
		Use:   "plan",
		Short: "Tell what a fit would cost, without doing it",
		Long: `Tell what a fit would cost: memory by item, passes, kernel entries, and a time from
a short measurement of this machine. Only headers and footers are read (of text,
which has none, the whole file).`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			return usagef("plan needs a verb: nystream plan fit METHOD DATA...")
		},
	}
	plan.FParseErrWhitelist.UnknownFlags = true
	plan.AddCommand(newMethodsCommand(a, &cobra.Command{
		Use:   "fit METHOD DATA...",
		Short: "Tell what fit METHOD would cost; the same flags",
		Long:  "Tell what fit METHOD would cost. The flags are those of fit; nothing is written.\n\n" + methodTable(),
	}, true))
	return plan
}

// planResult is what plan prints as JSON.
type planResult struct {
	Method           string         `json:"method"`
	Kernel           string         `json:"kernel,omitempty"`
	Map              string         `json:"map,omitempty"`
	Rows             int64          `json:"rows"`
	Columns          int64          `json:"columns"`
	Dimension        int            `json:"dimension"`
	Rank             int            `json:"rank"`
	MemoryBytes      int64          `json:"memory_bytes"`
	MemoryLimitBytes int64          `json:"memory_limit_bytes,omitempty"`
	Fits             bool           `json:"fits"`
	Memory           []planItem     `json:"memory"`
	Passes           map[string]int `json:"passes"`
	Scans            map[string]int `json:"scans"` // before the fit
	KernelEntries    int64          `json:"kernel_entries"`
	Flops            show.Number    `json:"flops"`
	EstimatedSeconds show.Number    `json:"estimated_seconds"`
	Threads          int            `json:"threads"`
}

// planItem is one part of the memory.
type planItem struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	Knob  string `json:"knob,omitempty"`
}

// reportPlan prints a plan, and fails if it does not fit into --memory.
func (j *job) reportPlan(p *lowrank.Plan) error {
	r := j.planResult(p)
	t := &show.Text{Title: "plan: " + j.describe(r.Rows, r.Columns)}
	for _, m := range r.Memory {
		t.Add(m.What, "%s", show.Bytes(m.Bytes))
	}
	t.Add("memory in all", "%s", show.Bytes(r.MemoryBytes))
	for _, name := range j.names() {
		t.Add("passes over "+name, "%d%s", r.Passes[name], scanWords(r.Scans[name]))
	}
	t.Add("kernel entries", "%s", show.Count(r.KernelEntries))
	t.Add("time", "about %s with %d threads, if reading keeps up", show.Seconds(float64(r.EstimatedSeconds)), r.Threads)
	if err := j.cmd.print(r, t); err != nil {
		return err
	}
	return j.cmd.checkBudget(&p.Memory)
}

func (j *job) planResult(p *lowrank.Plan) *planResult {
	s, again := j.shape(), j.repeats()
	r := &planResult{Method: j.cmd.method.name, Rows: s.Rows, Columns: s.Cols, Dimension: s.Columns, Rank: j.cmd.rank,
		MemoryBytes: p.Memory.Total(), MemoryLimitBytes: int64(j.cmd.memory), Fits: j.cmd.checkBudget(&p.Memory) == nil,
		Passes: make(map[string]int), Scans: j.plannedScans(j.names(), &j.cmd.rows), KernelEntries: p.KernelEntries * (1 + again), Threads: j.cmd.engine().Workers()}
	r.Flops = show.Number(p.Flops * float64(1+again))
	for _, name := range j.names() {
		r.Passes[name] = p.Passes + int(again)
	}
	switch {
	case len(j.cmd.matrix) > 0:
		r.Columns, r.Map = int64(s.Columns), j.mapping.String()
	case s.Cols == 0:
		r.Columns = s.Rows
	}
	if len(j.cmd.matrix) == 0 {
		r.Kernel = j.kernel.String()
	}
	for _, m := range p.Memory.Items {
		r.Memory = append(r.Memory, planItem{m.What, m.Bytes, j.cmd.words(m.Knob)})
	}
	speed := j.calibrate(s.Columns)
	r.EstimatedSeconds = show.Number((float64(r.KernelEntries)*speed.entry + float64(r.Flops)*speed.flop) / float64(r.Threads))
	return r
}

// repeats is how many times more the kernel entries of a pass are computed: to
// make factors orthonormal, and to write them.
func (j *job) repeats() int64 {
	if j.factorSides() == 0 {
		return 0
	}
	return 2
}

// speed is how many seconds one thread takes for one unit of work.
type speed struct{ entry, flop float64 }

// calibration is how long each of the two measurements takes.
const calibration = 25 * time.Millisecond

// calibrate measures this machine on random rows. A matrix on disk has no
// kernel to evaluate.
func (j *job) calibrate(columns int) speed {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := randomMatrix(random, stream.PanelRows, columns), randomMatrix(random, 200, columns)
	tile := stream.NewMatrix(x.Rows, y.Rows)
	s := speed{flop: perUnit(2*float64(x.Rows)*float64(y.Rows)*float64(x.Rows), gemmOf(tile))}
	if len(j.cmd.matrix) == 0 {
		if k, err := j.kernel.Resolve(y); err == nil {
			s.entry = perUnit(float64(x.Rows)*float64(y.Rows), j.tileOf(k, tile, x, y))
		}
	}
	return s
}

// tileOf computes a tile in the precision that was asked for.
func (j *job) tileOf(k kernelgen.Kernel, tile, x, y blas64.General) func() {
	var work kernelgen.Workspace
	if j.cmd.tiles() == lowrank.Float32 {
		panel := k.PackSingle(y, make([]float64, y.Cols))
		single := blas32.General{Rows: tile.Rows, Cols: tile.Cols, Stride: tile.Cols, Data: make([]float32, tile.Rows*tile.Cols)}
		return func() { k.FillSingle(single, x, panel, &work) }
	}
	panel := k.Pack(y)
	return func() { k.Fill(tile, x, panel, &work) }
}

// gemmOf multiplies a tile by its transpose.
func gemmOf(tile blas64.General) func() {
	product := stream.NewMatrix(tile.Rows, tile.Rows)
	return func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, tile, tile, 0, product) }
}

// perUnit is the time that f takes, divided by the units of work it does.
func perUnit(units float64, f func()) float64 {
	began, n := time.Now(), 0
	for time.Since(began) < calibration {
		f()
		n++
	}
	return time.Since(began).Seconds() / (units * float64(n))
}

func randomMatrix(random *rand.Rand, rows, cols int) blas64.General {
	m := stream.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = random.Float64()
	}
	return m
}
