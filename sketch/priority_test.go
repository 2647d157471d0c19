package sketch_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

// prioritiesOf returns a random priority per row; some are 0.
func prioritiesOf(start int64, rows int) []float64 {
	random, p := sketch.NewRandom(5, "test priorities"), make([]float64, rows)
	for i := range p {
		d := random.At(uint64(start) + uint64(i))
		p[i] = float64(d.Uint64n(30)) / 7 // with ties
	}
	return p
}

func TestPriorityConformance(t *testing.T) {
	const rows = 7
	newAcc := func() *sketch.Priority { return sketch.NewPriority(10, 2) }
	conformance.Run(t, newAcc, func(block int64) *sketch.Priority {
		p := newAcc()
		if err := p.Add(block*rows, prioritiesOf(block*rows, rows), randomBlock(rows, 2, uint64(block))); err != nil {
			t.Fatal(err)
		}
		return p
	}, 11)
}

// Priority keeps the same rows as sorting all of them by priority.
func TestPriorityEqualsSorting(t *testing.T) {
	const n = 500
	block, priority := randomBlock(n, 3, 1), prioritiesOf(0, n)
	for _, keep := range []int{0, 1, 40, n} {
		p := sketch.NewPriority(keep, 3)
		for from := 0; from < n; from += 125 {
			part := blas64.General{Rows: 125, Cols: 3, Stride: block.Stride, Data: block.Data[from*block.Stride:]}
			if err := p.Add(int64(from), priority[from:from+125], part); err != nil {
				t.Fatal(err)
			}
		}
		var want []int64
		for i, v := range priority {
			if v > 0 {
				want = append(want, int64(i))
			}
		}
		slices.SortStableFunc(want, func(a, b int64) int { return -int(priority[a]*1000) + int(priority[b]*1000) })
		want = want[:min(keep, len(want))]
		slices.Sort(want)
		numbers, rows := p.Rows()
		if !slices.Equal(numbers, want) {
			t.Errorf("keeping %d: rows %v, want %v", keep, numbers, want)
		}
		for i, number := range numbers {
			if rows.Data[i*rows.Stride+2] != block.Data[int(number)*block.Stride+2] {
				t.Errorf("keeping %d: row %d is not itself", keep, number)
			}
		}
	}
}
