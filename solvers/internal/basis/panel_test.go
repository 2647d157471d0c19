package basis

import (
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// TestGatherSets compares sets gathered together with their rows.
func TestGatherSets(t *testing.T) {
	x := filled(50, 3, func(i, j int) float64 { return float64(10*i + j) })
	for _, sets := range [][][]int64{
		{},
		{{}},
		{{}, {7}},
		{{3, 9, 40}, {0, 9, 10, 11, 49}},
		{{0, 1, 2}, {0, 1, 2}},
		{matrix.Numbers(50), {5, 6}, {49}},
		{{48, 49}, matrix.Numbers(49), {1, 3}},
	} {
		var wanted []Set
		for _, numbers := range sets {
			wanted = append(wanted, Set{Numbers: numbers})
		}
		panels, err := Gather(t.Context(), stream.FromMatrix("x", matrix.Clone(x)), wanted...)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range panels {
			indices := make([]int, len(sets[i]))
			for k, r := range sets[i] {
				indices[k] = int(r)
			}
			got, want := matrix.Clone(p.Rows), dense.PickRows(x, indices)
			if p.Count() != len(indices) || !cmp.Equal(got.Data, want.Data) || !slices.Equal(p.Number, sets[i]) {
				t.Errorf("set %v of %v is %v", sets[i], sets, got.Data)
			}
			odd := []int{}
			for k := 1; k < len(indices); k += 2 {
				odd = append(odd, k)
			}
			want = dense.PickRows(want, odd)
			if kept := p.Keep(odd); !cmp.Equal(matrix.Clone(kept.Rows).Data, want.Data) || kept.Count() != len(odd) {
				t.Errorf("rows %v of set %v are %v", odd, sets[i], kept.Rows.Data)
			}
		}
	}
}

// TestGatherMemory: gathered rows take memory once, and a smaller set of them once more.
func TestGatherMemory(t *testing.T) {
	const n, d = 2000, 200
	src := stream.FromMatrix("x", matrix.New(n, d))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	panels, err := Gather(t.Context(), src, Set{Numbers: matrix.Numbers(n)}, Set{Numbers: matrix.Numbers(20)})
	runtime.ReadMemStats(&after)
	if err != nil || len(panels) != 2 {
		t.Fatal(err)
	}
	if used := int64(after.TotalAlloc - before.TotalAlloc); used > 8*n*d*5/4 {
		t.Errorf("%d bytes are allocated for %d of rows", used, 8*n*d)
	}
}
