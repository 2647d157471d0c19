package model

import (
	"context"
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// rows returns n distinct rows of two numbers.
func rows(n int) stream.Gatherer {
	m := matrix.New(n, 2)
	for i := range m.Data {
		m.Data[i] = math.Sqrt(float64(i))
	}
	return stream.FromMatrix("rows", m)
}

// unread is a source of known shape that can be read only once.
type unread struct{ stream.Source }

// Info reports that the source can be read only once.
func (unread) Info() stream.Info {
	return stream.Info{Name: "unread", Rows: 5, Columns: []string{"a", "b"}, OnePass: true}
}

// TestSources: the size of sources, and invalid ones.
func TestSources(t *testing.T) {
	one, two := Sources{Left: rows(9)}, Sources{Left: rows(9), Right: rows(4)}
	if s := one.Size(); s != (Size{Rows: 9, Columns: 2}) || !s.OneSource() || one.Check() != nil {
		t.Errorf("one source: %+v", s)
	}
	if s := two.Size(); s != (Size{Rows: 9, Cols: 4, Columns: 2, RightColumns: 2}) || s.OneSource() || two.Check() != nil {
		t.Errorf("two sources: %+v", s)
	}
	for name, bad := range map[string]stream.Source{
		"once": unread{}, "no rows": stream.FromMatrix("no rows", matrix.New(0, 2)), "no columns": stream.FromMatrix("no columns", matrix.New(3, 0)),
	} {
		if (Sources{Left: bad}).Check() == nil || (Sources{Left: rows(3), Right: bad}).Check() == nil {
			t.Errorf("a source with %s was taken", name)
		}
	}
	wide := stream.FromMatrix("wide", matrix.New(3, 3))
	if (Sources{Left: rows(3), Right: wide}).Check() == nil {
		t.Error("sources that do not go together were taken")
	}
	if _, err := input.DrawRows(context.Background(), rows(9), 100, 1, "x"); err != nil {
		t.Errorf("more rows than there are: %v", err)
	}
}

// TestPlan: a component adds its own items; the items common to all plans count once.
func TestPlan(t *testing.T) {
	e := stream.Engine{Threads: 2}
	begin := NewPlan(e, 1e6, 10)
	whole, part := NewPlan(e, 1e6, 10), NewPlan(e, 1e6, 10)
	part.Add("landmarks", 100, "`Rank`")
	part.Fold("sums", 1e6, 10, 7, "`Rank`")
	part.Map("blocks of factors", 10, 3)
	part.AddEntries(1e6)
	part.Notes = []string{"why"}
	whole.Include(part)
	whole.Include(part)
	own := part.Memory.Total() - begin.Memory.Total()
	if want := int64(8 * (100 + 7*e.FoldStates(1e6, 10))); own <= want {
		t.Errorf("the part takes %d bytes, without blocks %d", own, want)
	}
	if got := whole.Memory.Total() - begin.Memory.Total(); got != 2*own {
		t.Errorf("two parts take %d bytes, one %d", got, own)
	}
	if want := 8 * 7 * e.FoldStates(1e6, 10); whole.StateBytes != want {
		t.Errorf("states of %d bytes, not %d", whole.StateBytes, want)
	}
	if whole.KernelEntries != 2e6 || len(whole.Notes) != 2 {
		t.Errorf("%d entries, notes %q", whole.KernelEntries, whole.Notes)
	}
	for range 3 {
		whole.AddEntries(1e19)
	}
	if whole.KernelEntries < 0 {
		t.Errorf("%d entries", whole.KernelEntries)
	}
	none := NewPlan(e, 1e6, 0)
	if len(none.Memory.Items) != 1 || none.Memory.Total() != RuntimeBytes {
		t.Errorf("%+v", none.Memory)
	}
}

// TestReport: Residual returns the largest residual, 0 if there are none.
func TestReport(t *testing.T) {
	r := Report{Residuals: []float64{1e-3, 2e-2, 0}}
	r.Note("one", "two")
	if (&Report{}).Residual() != 0 || r.Residual() != 2e-2 || len(r.Notes) != 2 {
		t.Errorf("%+v", r)
	}
}

var _ Data = Sources{}

// TestSide: the words of sides.
func TestSide(t *testing.T) {
	if got := Left.String() + Right.String() + Both.String(); got != "leftrightboth" {
		t.Error(got)
	}
}

// TestStages: memory is that of the largest stage, plus what is added afterwards.
func TestStages(t *testing.T) {
	e := stream.Engine{Threads: 2}
	p := NewPlan(e, 1e6, 10)
	begin := p.Memory.Total()
	for _, numbers := range []int64{100, 700, 300} {
		stage := NewPlan(e, 1e6, 10)
		stage.Add("tiles", numbers, "`Rank`")
		stage.AddEntries(1)
		p.Stage(stage)
	}
	p.Add("rows", 50, "")
	if got := p.Memory.Total() - begin; got != 8*750 || p.KernelEntries != 3 {
		t.Errorf("%d bytes, %d entries", got, p.KernelEntries)
	}
}
