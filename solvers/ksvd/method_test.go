package ksvd

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// TestWordsOfKernels: every method replaces words by the numbers that Resolve returns.
func TestWordsOfKernels(t *testing.T) {
	d := between(t, gaussian(300, 3, 1, 1), gaussian(200, 3, 1, 2))
	k := parse(t, "rbf(gamma=median)")
	resolved, err := family.Resolve(background, stream.Engine{}, d, k, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Method{Exact{Rank: 2, Seed: 7}, Nystrom{Rank: 2, Seed: 7}, SSRSVD{Rank: 2, Seed: 7}, Auto{Rank: 2, Seed: 7}} {
		words, err := m.Fit(background, stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := m.Fit(background, stream.Engine{}, d, resolved)
		if err != nil {
			t.Fatal(err)
		}
		if words.Kernel.String() != resolved.String() || cmp.Diff(words.Values, numbers.Values) != "" {
			t.Errorf("%T: kernel %s, want %s", m, words.Kernel, resolved)
		}
	}
}

// TestWordsOfLargeGraphs: Sample makes no dense rows if few of them would fit in memory.
func TestWordsOfLargeGraphs(t *testing.T) {
	a, err := sparse.NewCSR(200_000, 200_000, func(yield func(sparse.Entry) bool) { yield(sparse.Entry{Row: 1, Col: 2, Value: 1}) })
	if err != nil {
		t.Fatal(err)
	}
	_, err = graph(t, a).Sample(background, family.ResolveRows, 1)
	if bad := new(stream.DataError); !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
}

// TestAuto chooses exact for few entries, and nystrom for many or on request. Plan and fit are those of the method,
// with the reason.
func TestAuto(t *testing.T) {
	small, large := model.Size{Rows: 20_000, Cols: 20_000, Columns: 2}, model.Size{Rows: 20_001, Columns: 2}
	auto := Auto{Rank: 3, Center: true, Seed: 4, Nystrom: Nystrom{Rows: 50}}
	exact := Exact{Rank: 3, Center: true, Seed: 4}
	nystrom := Nystrom{Rank: 3, Rows: 50, Center: true, Seed: 4}
	asked := auto
	asked.Asked = "`Rows/Cols`"
	for _, c := range []struct {
		auto  Auto
		shape model.Size
		want  Method
		why   string
	}{
		{auto, small, exact, "exact: G has 4e+08 entries, at most 4e+08"},
		{auto, large, nystrom, "nystrom: G has 4e+08 entries, more than 4e+08"},
		{asked, small, nystrom, "nystrom: `Rows/Cols` is for it"},
	} {
		if got, why := c.auto.Choose(c.shape); got != c.want || why.String() != c.why {
			t.Errorf("%+v: %+v, %s", c.shape, got, why)
		}
		p, err := c.auto.Plan(stream.Engine{}, c.shape, kernelgen.SNE(1))
		want, err2 := c.want.Plan(stream.Engine{}, c.shape, kernelgen.SNE(1))
		if err != nil || err2 != nil || p.Choice.String() != c.why || p.KernelEntries != want.KernelEntries || p.Memory.Total() != want.Memory.Total() {
			t.Errorf("%+v: plan %+v, want %+v, %v, %v", c.shape, p, want, err, err2)
		}
	}
	d := between(t, gaussian(300, 3, 1, 1), gaussian(200, 3, 1, 2))
	f, err := asked.Fit(background, stream.Engine{}, d, kernelgen.SNE(1))
	if err != nil || f.Method != "nystrom" || f.Choice.String() != "nystrom: `Rows/Cols` is for it" || f.Samples != [2]int{50, 50} {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestBothSides: outputs of both sides are those of each side, side by side.
func TestBothSides(t *testing.T) {
	x := gaussian(700, 3, 1, 1)
	for _, d := range []*Data{between(t, x, x), graph(t, randomGraph(t, 700, 3, true, 1))} {
		f, err := Nystrom{Rank: 3, Rows: 40, Center: true}.Fit(background, stream.Engine{}, d, kernelgen.SNE(2))
		if err != nil {
			t.Fatal(err)
		}
		left := embedded(t, f.Model, stream.Engine{}, model.Left, d.left.Source)
		right := embedded(t, f.Model, stream.Engine{}, model.Right, d.left.Source)
		err = f.Transform(background, stream.Engine{}, d.left.Source, model.Request{Side: model.Both}, func(b *stream.Block, both blas64.General) error {
			for i := range both.Rows {
				row := matrix.Row(both, i)
				n := int(b.Start) + i
				if cmp.Diff(row[:3], matrix.Row(left, n))+cmp.Diff(row[3:], matrix.Row(right, n)) != "" {
					t.Fatalf("row %d is %v, want %v and %v", n, row, matrix.Row(left, n), matrix.Row(right, n))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		one, both := f.TransformPlan(stream.Engine{}, d.left.Source, model.Request{}), f.TransformPlan(stream.Engine{}, d.left.Source, model.Request{Side: model.Both})
		if names, _ := f.Outputs(model.Both, model.Coordinates); len(names) != 6 || both.Memory.Total() <= one.Memory.Total() {
			t.Errorf("%v, plans of %d and %d bytes", names, one.Memory.Total(), both.Memory.Total())
		}
	}
}

// TestDescribe: a model names the outputs of Transform, and the number of its columns.
func TestDescribe(t *testing.T) {
	d, err := RowsAndColumns(background, stream.FromMatrix("a", gaussian(30, 4, 1, 1)), CompatAuto, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Exact{Rank: 2, Center: true}.Fit(background, stream.Engine{}, d, kernelgen.SNE(1))
	if err != nil {
		t.Fatal(err)
	}
	var m model.Transformer = f.Model
	about := m.Describe()
	if about.Method != Name || about.Rows != 30 || about.Cols != 4 || about.Rank != 2 || about.Columns != 4 || len(about.Facts) != 3 {
		t.Errorf("%+v", about)
	}
	if f.Compatibility != CompatPseudoInverse || m.Dimension(model.Right) != 30 {
		t.Errorf("compatibility %v, right rows of %d", f.Compatibility, m.Dimension(model.Right))
	}
	left, _ := m.Outputs(model.Left, model.Coordinates)
	right, _ := m.Outputs(model.Right, model.Coordinates)
	if cmp.Diff(left, []string{"u0", "u1"})+cmp.Diff(right, []string{"v0", "v1"}) != "" {
		t.Errorf("%v, %v", left, right)
	}
}
