package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// toyFamily are the means of columns: what a new family needs to be in the command,
// besides its line in families.
var toyFamily = &family{
	name:       "toy",
	methods:    []string{"toy"},
	fitters:    []fitter{{"toy", "DATA...", newToyTask}},
	load:       loadToy,
	unverified: ": means are what they are",
}

// toyWork is what a fit does between its pass and its model.
var toyWork = func() {}

// toyTask is a fit of the toy family.
type toyTask struct {
	*job
	times float64
}

func newToyTask(j *job, cmd *cobra.Command) task {
	c := &toyTask{job: j}
	cmd.Flags().Float64Var(&c.times, "times", 1, "`number` that means are multiplied by")
	j.addFactors(cmd, "factors", "U", model.Left, "write how far rows are from the means,")
	return c
}

func (c *toyTask) refuses(args []string) []contradiction {
	return []contradiction{{len(args) == 0, noData}, {c.times <= 0, "--times must be above 0"}}
}

func (c *toyTask) title() string {
	return fmt.Sprintf("toy model of %s rows", report.Count(c.shape().Rows))
}

func (c *toyTask) plan(e stream.Engine) (*model.Plan, error) {
	s := c.shape()
	p := model.NewPlan(e, s.Rows, s.Columns)
	p.Fold("sums", s.Rows, s.Columns, int64(s.Columns), "the number of `columns`")
	p.SourcePasses = 1
	p.Notes = []string{"means are quick: see `times`"}
	return p, nil
}

func (c *toyTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	rows, d := c.prepared.left, c.shape().Columns
	sum, err := stream.Fold(ctx, e, "toy", rows, func() *sketch.Sum { return sketch.NewSum(1, d) }, func() func(*sketch.Sum, *stream.Block) error {
		return func(s *sketch.Sum, b *stream.Block) error {
			for i := range b.X.Rows {
				blas64.Axpy(1, blas64.Vector{N: d, Inc: 1, Data: b.X.Data[i*b.X.Stride:]}, blas64.Vector{N: d, Inc: 1, Data: s.Data})
			}
			return nil
		}
	})
	if err != nil {
		return nil, nil, err
	}
	toyWork()
	m := &toyModel{Method: "toy", Rows: c.shape().Rows}
	for _, v := range sum.Data[:d] {
		m.Means = append(m.Means, c.times*v/float64(m.Rows))
	}
	return m, &model.Report{SourcePasses: 1, Notes: []string{"`times` was " + fmt.Sprint(c.times)}}, nil
}

func (c *toyTask) planned(*planResult, *report.Report) {}

func (c *toyTask) fitted(d *model.Description, r *report.Report) {
	r.Add("means", "%s", report.Values(d.Values))
}

// toyModel is the means of columns.
type toyModel struct {
	Method string    `json:"method"` // "toy"
	Rows   int64     `json:"rows"`
	Means  []float64 `json:"-" array:"means,columns"`
}

func loadToy(a *model.Archive, _ *rowsData) (model.Model, error) {
	m := &toyModel{}
	a.Read(m)
	return m, a.Err()
}

func (m *toyModel) Describe() *model.Description {
	return &model.Description{Method: "toy", Subject: "means", Rows: m.Rows, Cols: int64(len(m.Means)), Rank: len(m.Means), Values: m.Means, Columns: len(m.Means)}
}

func (m *toyModel) Save() (*model.Archive, error) { return model.NewArchive(m) }

// Outputs returns the names of the offsets, which are the decisions too, or of the class: the
// column that is furthest above its mean.
func (m *toyModel) Outputs(side model.Side, kind model.Kind) ([]string, error) {
	if side != model.Left {
		return nil, errors.New("means have one side")
	}
	if kind == model.Class {
		return []string{"class"}, nil
	}
	return numbered("off", len(m.Means)), kind.Only(model.Coordinates, model.Decision)
}

func (m *toyModel) Dimension(model.Side) int { return len(m.Means) }

func (m *toyModel) TransformPlan(e stream.Engine, _ stream.Source, _ model.Request) *model.Plan {
	return model.NewPlan(e, -1, len(m.Means))
}

func (m *toyModel) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

func (m *toyModel) Worker(_ stream.Source, r model.Request) (func() model.Worker, error) {
	return func() model.Worker {
		return func(dst blas64.General, b *stream.Block) error {
			offsets := matrix.New(b.X.Rows, len(m.Means))
			for i := range b.X.Rows {
				for j, mean := range m.Means {
					offsets.Data[i*offsets.Stride+j] = b.X.Data[i*b.X.Stride+j] - mean
				}
			}
			model.Decisions{Classes: len(m.Means)}.Answer(dst, r, offsets)
			return nil
		}
	}, nil
}

// TestToyFamily checks that a family is in the command by one file and one line: its
// fit, plan, transform, predict and inspect are those of all.
func TestToyFamily(t *testing.T) {
	families = append(families, toyFamily)
	defer func() { families = families[:len(families)-1] }()
	folder := t.TempDir()
	in := func(name string) string { return folder + "/" + name }
	x := matrix.New(300, 3)
	for i := range x.Rows {
		copy(x.Data[3*i:], []float64{float64(i), 2, -float64(i % 3)})
	}
	if err := writeTable(in("x.csv"), []string{"a", "b", "c"}, x); err != nil {
		t.Fatal(err)
	}
	check := func(line string, wants ...string) {
		t.Helper()
		out := command(t, line)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not print %q:\n%s", line, want, out)
			}
		}
	}
	check("help fit", "    toy ")
	check("plan fit toy "+in("x.csv"), "plan: toy model of 300 rows", "sums", "means are quick: see --times", "passes over data")
	check("plan fit toy "+in("x.csv")+" --format json", `"method":"toy","rows":300,"columns":300,"dimension":3`, `"knob":"the number of --columns"`)
	check("fit toy "+in("x.csv")+" --factors "+in("u.csv")+" -o "+in("m.npz")+" --format json", `"method":"toy","rows":300,"columns":3,"dimension":3,"rank":3,"values":[149.5,2,-1]`,
		`"passes":{"data":2}`, `"notes":["--times was 1"]`)
	check("inspect "+in("m.npz"), "toy model of means, 300 × 3", "3, a, b, c", "nulls: error; not scaled", "float64 [3]")
	check("inspect "+in("m.npz")+" --format json", `{"format":"nystream model","version":1,"method":"toy","rows":300,"made":{`, `"data":{"columns":["a","b","c"],"nulls":"error","files":[{"file":"u.csv",`, `}]},"dimension":3`)
	check("transform "+in("m.npz")+" "+in("x.csv")+" -o "+in("u2.csv"), "3 of the embedding")
	check("predict "+in("m.npz")+" "+in("x.csv")+" --label b -o "+in("p.csv"), "0 (149), 1 (100), 2 (51)", "accuracy    0.1700 ± 0.0238 (micro F1), of 300 labelled rows")
	u, again := table(t, in("u.csv"), "off"), table(t, in("u2.csv"), "off")
	if u.Rows != 300 || u.Cols != 3 || math.Abs(u.Data[3]-(1-149.5)) > 1e-9 || difference(u, again) != 0 {
		t.Errorf("%d × %d rows, %v", u.Rows, u.Cols, u.Data[:6])
	}
	for line, want := range map[string]string{
		"fit toy -o " + in("n.npz"):                                                        "no data",
		"fit toy " + in("x.csv") + " --times 0 -o " + in("n.npz"):                          "--times must be above 0",
		"fit toy " + in("x.csv"):                                                           "-o is missing",
		"transform " + in("m.npz") + " " + in("x.csv") + " --side right -o " + in("v.csv"): "means have one side",
		"verify " + in("m.npz") + " " + in("x.csv"):                                        "does not measure toy models: means are what they are",
	} {
		fails(t, strings.Fields(line), nil, io.Discard, exitUsage, want)
	}
	if _, err := archive.Read(in("n.npz")); err == nil {
		t.Error("a model was written")
	}
}
