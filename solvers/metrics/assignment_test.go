package metrics

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/sketch"
)

// TestAssignKnown: scipy.optimize.linear_sum_assignment gives columns 1, 0, 3.
func TestAssignKnown(t *testing.T) {
	match, total, err := Assign(blas64.General{Rows: 3, Cols: 4, Stride: 4, Data: []float64{4, 1, 3, 9, 2, 0, 5, 7, 3, 2, 2, 1}})
	if err != nil || total != 4 || !slices.Equal(match, []int{1, 0, 3}) {
		t.Errorf("%v, %v, %v", match, total, err)
	}
}

// TestAssignAllMatchings compares with the best of all matchings, on shapes of
// either kind with many equal costs.
func TestAssignAllMatchings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 6).Draw(t, "rows"), rapid.IntRange(0, 6).Draw(t, "cols")
		cost := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols)}
		for range rows * cols {
			cost.Data = append(cost.Data, float64(rapid.IntRange(-5, 5).Draw(t, "cost")))
		}
		match, total, err := Assign(cost)
		if err != nil {
			t.Fatal(err)
		}
		sum, used := 0.0, map[int]bool{}
		for i, j := range match {
			if j >= 0 {
				if used[j] {
					t.Fatalf("column %d twice in %v", j, match)
				}
				used[j] = true
				sum += cost.Data[i*cost.Stride+j]
			}
		}
		if len(match) != rows || len(used) != min(rows, cols) || sum != total {
			t.Fatalf("%d of %d×%d matched, total %v of %v", len(used), rows, cols, total, sum)
		}
		if best := cheapest(cost, 0, make([]bool, cols), max(0, rows-cols)); total != best {
			t.Fatalf("total %v, the best is %v", total, best)
		}
	})
}

// cheapest tries all matchings of the rows from one on, of which some may be
// left out.
func cheapest(cost blas64.General, row int, used []bool, leave int) float64 {
	if row == cost.Rows {
		return 0
	}
	best := math.Inf(1)
	if leave > 0 {
		best = cheapest(cost, row+1, used, leave-1)
	}
	for j := range used {
		if !used[j] {
			used[j] = true
			best = min(best, cost.Data[row*cost.Stride+j]+cheapest(cost, row+1, used, leave))
			used[j] = false
		}
	}
	return best
}

// TestAssignOptimality checks a larger problem by its own proof: potentials below
// all costs whose sum is the total (weak duality).
func TestAssignOptimality(t *testing.T) {
	const n = 150
	random := sketch.NewStream(3, "assignment test")
	cost := blas64.General{Rows: n, Cols: n + 20, Stride: n + 20}
	for i := range n * (n + 20) {
		d := random.At(uint64(i))
		cost.Data = append(cost.Data, d.Float64())
	}
	m := newMatching(cost)
	match := m.solve()
	dual, total := 0.0, 0.0
	for i := range n {
		dual += m.rowPot[i]
		total += cost.Data[i*cost.Stride+match[i]]
		for j := range cost.Cols {
			if m.rowPot[i]+m.colPot[j] > cost.Data[i*cost.Stride+j]+1e-12 {
				t.Fatalf("potentials of %d and %d above their cost", i, j)
			}
		}
	}
	for _, p := range m.colPot {
		if p > 0 {
			t.Fatalf("a column has potential %v", p)
		}
		dual += p
	}
	if math.Abs(dual-total) > 1e-10 {
		t.Errorf("total %v, bound %v", total, dual)
	}
}

func TestAssignRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1), 1e300} {
		if _, _, err := Assign(blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{v}}); err == nil {
			t.Errorf("a cost of %v was taken", v)
		}
	}
}
