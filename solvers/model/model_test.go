package model

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// rows returns n different rows of two numbers.
func rows(n int) stream.Gatherer {
	m := matrix.New(n, 2)
	for i := range m.Data {
		m.Data[i] = math.Sqrt(float64(i))
	}
	return stream.FromMatrix("rows", m)
}

// TestResolve: words become the numbers of a sample that the seed decides, a kernel
// without words reads nothing, and rows that do not suit a kernel are the data's fault.
func TestResolve(t *testing.T) {
	ctx, src := context.Background(), stream.NewCounted(rows(3000))
	d := Sources{Left: src}
	words, err := kernelgen.Parse("rbf(sigma=median)")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, seed := range []uint64{1, 2, 1} {
		k, err := Resolve(ctx, stream.Engine{}, d, words, seed)
		if err != nil || !k.Resolved() {
			t.Fatal(err)
		}
		texts[k.String()] = true
	}
	if len(texts) != 2 {
		t.Errorf("two seeds give %d kernels", len(texts))
	}
	apart := matrix.New(50, 2)
	for i := range apart.Data {
		apart.Data[i] = 1e200 * float64(i)
	}
	var fault *stream.DataError
	if _, err := Resolve(ctx, stream.Engine{}, Sources{Left: stream.FromMatrix("apart", apart)}, words, 1); !errors.As(err, &fault) {
		t.Errorf("rows too far apart: %v", err)
	}
	if _, err := Resolve(ctx, stream.Engine{}, Sources{Left: unread{}}, kernelgen.RBF(1), 1); err != nil {
		t.Errorf("a kernel without words: %v", err)
	}
}

// unread is a source that knows its shape and can be read only once.
type unread struct{ stream.Source }

func (unread) Info() stream.Info {
	return stream.Info{Name: "unread", Rows: 5, Columns: []string{"a", "b"}, Once: true}
}

// TestSources: the shape, and what is refused.
func TestSources(t *testing.T) {
	one, two := Sources{Left: rows(9)}, Sources{Left: rows(9), Right: rows(4)}
	if s := one.Shape(); s != (Shape{Rows: 9, Columns: 2}) || !s.OneSource() || one.Check() != nil {
		t.Errorf("one source: %+v", s)
	}
	if s := two.Shape(); s != (Shape{Rows: 9, Cols: 4, Columns: 2, RightColumns: 2}) || s.OneSource() || two.Check() != nil {
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
	if _, err := SampleRows(context.Background(), rows(9), 100, 1, "x"); err != nil {
		t.Errorf("more rows than there are: %v", err)
	}
}

// TestPlan: a part adds what is its own, and what every plan begins with counts once.
func TestPlan(t *testing.T) {
	e := stream.Engine{Threads: 2}
	begin := NewPlan(e, 1e6, 10)
	whole, part := NewPlan(e, 1e6, 10), NewPlan(e, 1e6, 10)
	part.Add("landmarks", 100, "`rank`")
	part.Fold("sums", 1e6, 10, 7, "`rank`")
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

// TestReport: the largest residual, and 0 where none is known.
func TestReport(t *testing.T) {
	r := Report{Residuals: []float64{1e-3, 2e-2, 0}}
	r.Note("one", "two")
	if (&Report{}).Residual() != 0 || r.Residual() != 2e-2 || len(r.Notes) != 2 {
		t.Errorf("%+v", r)
	}
}

var _ Data = Sources{}

// TestSide: sides have words.
func TestSide(t *testing.T) {
	if got := Left.String() + Right.String() + Both.String(); got != "leftrightboth" {
		t.Error(got)
	}
}

// TestStages: of stages the largest counts, and what is added later counts beside it.
func TestStages(t *testing.T) {
	e := stream.Engine{Threads: 2}
	p := NewPlan(e, 1e6, 10)
	begin := p.Memory.Total()
	for _, numbers := range []int64{100, 700, 300} {
		stage := NewPlan(e, 1e6, 10)
		stage.Add("tiles", numbers, "`rank`")
		stage.AddEntries(1)
		p.Stage(stage)
	}
	p.Add("rows", 50, "")
	if got := p.Memory.Total() - begin; got != 8*750 || p.KernelEntries != 3 {
		t.Errorf("%d bytes, %d entries", got, p.KernelEntries)
	}
}
