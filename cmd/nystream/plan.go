package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
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

// planResult is what plan prints as JSON of every fit.
type planResult struct {
	Method           string         `json:"method"`
	Chosen           string         `json:"chosen,omitempty"`
	Kernel           string         `json:"kernel,omitempty"`
	Rows             int64          `json:"rows"`
	Columns          int64          `json:"columns"`
	Dimension        int            `json:"dimension"`
	Rank             int            `json:"rank"`
	MemoryBytes      int64          `json:"memory_bytes"`
	MemoryLimitBytes int64          `json:"memory_limit_bytes,omitempty"`
	SpoolBytes       int64          `json:"spool_bytes"`
	SpoolLimitBytes  int64          `json:"spool_limit_bytes,omitempty"`
	Fits             bool           `json:"fits"`
	Memory           []planItem     `json:"memory"`
	Passes           map[string]int `json:"passes"`
	Scans            map[string]int `json:"scans"` // before the fit
	KernelEntries    int64          `json:"kernel_entries"`
	Flops            show.Number    `json:"flops"`
	EstimatedSeconds show.Number    `json:"estimated_seconds"`
	Threads          int            `json:"threads"`
	Rounds           []string       `json:"rounds"` // for shards
	RoundsVary       bool           `json:"rounds_vary,omitempty"`
	Alone            string         `json:"alone,omitempty"` // why there are no rounds
	Notes            []string       `json:"notes"`

	counted     string // what the time is for, where that is not the fit
	exactPasses int    // at most
	seconds     func(*model.Plan) float64
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
	all := j.task.planned(r, t)
	for _, note := range r.Notes {
		t.Add("note", "%s", note)
	}
	for _, m := range r.Memory {
		t.Add(m.What, "%s", show.Bytes(m.Bytes))
	}
	t.Add("memory in all", "%s", show.Bytes(r.MemoryBytes))
	t.Add("disk for copies", "%s", diskWords(r.SpoolBytes, r.SpoolLimitBytes))
	for _, name := range j.task.names() {
		t.Add("passes over "+name, "%d%s", r.Passes[name], scanWords(r.Scans[name]))
	}
	t.Add("rounds for shards", "%s", j.roundWords(p))
	t.Add("kernel entries", "%s", show.Count(r.KernelEntries))
	t.Add("time", "about %s with %d threads%s, if reading keeps up", show.Seconds(float64(r.EstimatedSeconds)), r.Threads, r.counted)
	if err := j.print(all, t); err != nil {
		return err
	}
	return j.checkBudget(&p.Memory)
}

func (j *job) planResult(p *model.Plan) *planResult {
	s := j.task.shape()
	kernel, columns := j.task.pace()
	r := &planResult{Method: j.method, Chosen: j.words(p.Chosen), Rows: s.Rows, Columns: s.Cols, Dimension: s.Columns, Rank: j.rank,
		MemoryBytes: p.Memory.Total(), MemoryLimitBytes: int64(j.memory), SpoolBytes: j.data.maxSpool.room.Most(), SpoolLimitBytes: int64(j.data.maxSpool.byteSize), Fits: j.checkBudget(&p.Memory) == nil,
		Passes: make(map[string]int), Scans: j.plannedScans(), KernelEntries: p.KernelEntries, Flops: show.Number(p.Flops), Threads: j.engine().Workers(),
		Notes: j.sentences(p.Notes), exactPasses: p.ExactPasses}
	r.Rounds, r.RoundsVary = append([]string{}, j.rounds(p)...), p.More
	if len(r.Rounds) == 0 {
		r.Alone = j.words(aloneWords(p))
	}
	if s.OneSource() {
		r.Columns = s.Rows
	}
	if columns > 0 {
		r.Kernel = kernel.String()
	}
	for _, name := range j.task.names() {
		r.Passes[name] = p.Passes
	}
	for _, m := range p.Memory.Items {
		r.Memory = append(r.Memory, planItem{m.What, m.Bytes, j.words(m.Knob)})
	}
	speed := calibrate(kernel, columns)
	scan := readSeconds * 8 * float64(s.Rows+s.Cols) * float64(s.Columns)
	seconds := func(p *model.Plan) float64 {
		memory := cmp.Or(p.ExpectedBytes, p.Memory.Total()) - model.RuntimeBytes
		fixed := speed.begin + scan*float64(p.Passes) + pageSeconds*float64(memory)
		return fixed + (float64(p.KernelEntries)*speed.entry+p.Flops*speed.flop)/float64(min(r.Threads, runtime.GOMAXPROCS(0)))
	}
	r.EstimatedSeconds = show.Number(seconds(p))
	r.seconds = seconds
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

// speed is how many seconds one thread takes for one unit of work, and for what comes
// before.
type speed struct{ entry, flop, begin float64 }

const (
	// beginSeconds is what a process takes to begin, to collect garbage and to write a model.
	beginSeconds = 0.03
	// usualFraction is the speed of products and tiles in a fit, in processor time, relative
	// to those of the measurement, whose numbers are in the nearest cache.
	usualFraction = 0.65
	// pageSeconds is what a byte of memory takes for the system to hand out and for the
	// collector of garbage, and readSeconds a byte of numbers to read from a cached file.
	pageSeconds, readSeconds = 3e-10, 5e-10
)

// calibration is the least time of each measurement. Tests shorten it.
var calibration = 25 * time.Millisecond

// mostColumns is how many columns the rows of the measurement have at most.
const mostColumns = 2048

// Pieces of the measurements: so short that few of them are interrupted on a busy machine,
// and products so small that they are made on one thread.
const (
	pieceRows  = 240
	pieceSteps = 128
)

// calibrate measures this machine on random rows with so many columns, 0 for fits
// that evaluate no kernel. It does so twice, as other work on the machine can halve its speed
// for longer than one measurement takes.
func calibrate(kernel kernelgen.Kernel, columns int) speed {
	s, again := measure(kernel, columns), measure(kernel, columns)
	return speed{min(s.entry, again.entry), min(s.flop, again.flop), min(s.begin, again.begin)}
}

// measure is calibrate, once. Of more than mostColumns no more are measured, and the rest is
// in proportion.
func measure(kernel kernelgen.Kernel, columns int) speed {
	random := rand.New(rand.NewPCG(1, 2))
	times := 1.0
	if columns > mostColumns {
		times, columns = float64(columns)/mostColumns, mostColumns
	}
	x, y := randomMatrix(random, pieceRows, max(1, columns)), randomMatrix(random, 200, max(1, columns))
	tile := stream.NewMatrix(x.Rows, y.Rows)
	s := speed{begin: beginSeconds, flop: perUnit(2*pieceRows*pieceRows*pieceSteps, gemmOf(randomMatrix(random, pieceRows, pieceSteps))) / usualFraction}
	if columns == 0 {
		return s
	}
	// Words such as median look at pairs of rows; an eighth of the rows has 1/64 of them,
	// and sorting all takes half as long again for each.
	sample := randomMatrix(random, model.ResolveRows/8, columns)
	s.begin += 96 * times * perUnit(1, func() { _, _ = kernel.Resolve(sample) })
	if k, err := kernel.Resolve(y); err == nil {
		k, _ = k.Normaliser()
		s.entry = times * perUnit(float64(x.Rows)*float64(y.Rows), tileOf(k, tile, x, y)) / usualFraction
	}
	return s
}

// tileOf returns what computes a tile.
func tileOf(k kernelgen.Kernel, tile, x, y blas64.General) func() {
	var work kernelgen.Workspace
	panel := k.Pack(y)
	return func() { k.Fill(tile, x, panel, &work) }
}

// gemmOf multiplies a matrix by its transpose.
func gemmOf(m blas64.General) func() {
	product := stream.NewMatrix(m.Rows, m.Rows)
	return func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, m, m, 0, product) }
}

// perUnit returns the time that f takes, the median of many, divided by the units of work
// it does.
func perUnit(units float64, f func()) float64 {
	f()
	var took []time.Duration
	for began := time.Now(); time.Since(began) < calibration || len(took) < 5; {
		start := time.Now()
		f()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[len(took)/2].Seconds() / units
}

func randomMatrix(random *rand.Rand, rows, cols int) blas64.General {
	m := stream.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = random.Float64()
	}
	return m
}
