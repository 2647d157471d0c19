package solvers_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// checkEmbedder compares single rows with a pass over all rows, and limits the allocations per row.
func checkEmbedder(t *testing.T, m model.Transformer, most int) {
	t.Helper()
	x := normal(3, 11, 5, 2)
	if m.Dimension(model.Left) != x.Cols {
		return // a model of a graph
	}
	want := must(model.TransformMatrix(t.Context(), stream.Engine{}, m, x, model.Request{}))(t)
	e := must(model.NewEmbedder(m, model.Request{}))(t)
	got := make([]float64, e.Width())
	for i := range x.Rows {
		if err := e.Embed(got, matrix.Row(x, i)); err != nil {
			t.Fatal(err)
		}
		for j, v := range matrix.Row(want, i) {
			if d := math.Abs(got[j] - v); !(d <= 1e-12*(1+math.Abs(v))) {
				t.Errorf("row %d: output %d is %v alone and %v in a pass", i, j, got[j], v)
			}
		}
	}
	batch := make([]float64, x.Rows*e.Width())
	if err := e.Clone().EmbedBatch(batch, x.Data); err != nil {
		t.Fatal(err)
	}
	for i, v := range batch {
		if d := math.Abs(want.Data[i] - v); !(d <= 1e-12*(1+math.Abs(v))) {
			t.Errorf("output %d is %v in a batch and %v in a pass", i, v, want.Data[i])
		}
	}
	if e.EmbedBatch(batch, x.Data[1:]) == nil || e.EmbedBatch(batch[1:], x.Data) == nil {
		t.Error("takes part of a row")
	}
	checkOneRow(t, m, matrix.Rows(x, 0, 1))
	// Plain Go multiplies in goroutines, and the race detector, which runs short tests, empties pools.
	if !testing.Short() && simd.Active() != simd.Go {
		checkAllocations(t, most, func() { _ = e.Embed(got, matrix.Row(x, 0)) })
	}
	if e.Embed(got, []float64{math.NaN(), 1}) == nil || e.Embed(got, []float64{1}) == nil {
		t.Error("takes NaN, or a row that is too short")
	}
}

// checkOneRow checks that a pass over a single row in memory does not allocate a whole block.
func checkOneRow(t *testing.T, m model.Transformer, row blas64.General) {
	t.Helper()
	// The least of several tries, since other tests allocate at the same time. A product that finds its pool empty
	// allocates 0.9 MiB of packing buffers.
	const most, tries = 1 << 20, 5
	least := uint64(math.MaxUint64)
	for range tries {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = must(model.TransformMatrix(t.Context(), stream.Engine{}, m, row, model.Request{}))(t)
		runtime.ReadMemStats(&after)
		if least = min(least, after.TotalAlloc-before.TotalAlloc); least <= most {
			return
		}
	}
	t.Errorf("one row takes %d bytes", least)
}

// checkAllocations limits the allocations of f.
func checkAllocations(t *testing.T, most int, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(10, f); n > float64(most) {
		t.Errorf("%v allocations a row", n)
	}
}

// BenchmarkEmbedder times one row of a landmark model with four landmarks per column.
func BenchmarkEmbedder(b *testing.B) {
	for _, d := range []int{20, 784} {
		for _, rank := range []int{50, 500} {
			b.Run(fmt.Sprintf("d=%d/rank=%d", d, rank), func(b *testing.B) {
				x := normal(1, 2, 5*rank, d)
				m := must(lowrank.Landmark{Rank: rank}.Fit(b.Context(), stream.Engine{},
					model.Sources{Left: stream.FromMatrix("x", x)},
					kernelgen.RBF(0.5/float64(d))))(b)
				e := must(model.NewEmbedder(m, model.Request{}))(b)
				u := make([]float64, e.Width())
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := e.Embed(u, matrix.Row(x, i%x.Rows)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
