package lowrank

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// heldBack returns how many rows besides the landmarks the error estimate looks at:
// what is left of A after so many has a spectrum that fewer rows would blur.
func heldBack(landmarks int) int { return min(2048, max(512, 4*landmarks)) }

// sizes are the dimensions of a sparse-sign sketch that fit n rows.
type sizes struct {
	rank, sketch, nnz int
	notes             []string
}

// fitSizes returns c, s and z. All z·c positions, and all z·s positions, are
// drawn without replacement, so both must be at most n. A sketch size that the
// caller chose is refused when it does not fit; the default of 5c is lowered.
func fitSizes(n int64, rank, sketchSize, nnz int) (sizes, error) {
	z := sizes{rank: rank, sketch: sketchSize, nnz: nnz}
	if z.nnz == 0 {
		z.nnz = 4
	}
	most := int(min(n/int64(max(1, z.nnz)), 1<<30))
	switch {
	case rank < 1 || z.nnz < 1 || sketchSize < 0:
		return z, fmt.Errorf("rank %d and nnz %d must be at least 1, and sketch %d not negative", rank, z.nnz, sketchSize)
	case rank > most:
		return z, fmt.Errorf("rank %d with %d nonzeros per sketch column needs %d rows, and there are %d: the largest rank that fits is %d (lower `rank` or `nnz`, or use method landmark)",
			rank, z.nnz, int64(rank)*int64(z.nnz), n, most)
	case sketchSize > most:
		return z, fmt.Errorf("sketch size %d with %d nonzeros per column needs %d rows, and there are %d: the largest that fits is %d",
			sketchSize, z.nnz, int64(sketchSize)*int64(z.nnz), n, most)
	case sketchSize > 0 && sketchSize < rank:
		return z, fmt.Errorf("sketch size %d is below the rank %d", sketchSize, rank)
	}
	if z.sketch == 0 {
		z.sketch = 5 * rank
		if z.sketch > most {
			z.sketch = most
			z.notes = append(z.notes, fmt.Sprintf("sketch size lowered from %d to %d, the largest that %d rows allow", 5*rank, most, n))
		}
	}
	return z, nil
}

// rowSet is a set of ascending row numbers, those of a sketch if there are signs.
type rowSet struct {
	numbers []int64
	signs   *sketch.SparseSign
}

// sketched returns the set of rows that a sketch touches.
func sketched(s *sketch.SparseSign) rowSet { return rowSet{s.Positions(), s} }

// gatherSets fetches several sets of rows from one source with a single gather.
func (t *tiles) gatherSets(ctx context.Context, src stream.Source, sets ...rowSet) ([]*panel, error) {
	var numbers [][]int64
	for _, set := range sets {
		numbers = append(numbers, set.numbers)
	}
	all := union(numbers...)
	rows, err := stream.GatherRows(ctx, src, all)
	if err != nil {
		return nil, err
	}
	for i := range rows.Rows {
		if err := t.checkRow(dense.Row(rows, i), src, all[i]); err != nil {
			return nil, err
		}
	}
	panels := make([]*panel, len(sets))
	for i, set := range sets {
		panels[i] = t.pack(pickRows(rows, all, set.numbers), set.numbers, set.signs)
	}
	return panels, nil
}

// checkRow refuses numbers that are not finite. Sources are cleaned before they
// come here; this is for sources that a program hands in directly.
func (t *tiles) checkRow(x []float64, src stream.Source, number int64) error {
	for j, v := range x {
		if v-v != 0 {
			info := src.Info()
			return &stream.BadValueError{Source: info.Name, Row: number, Column: info.Columns[j], Reason: fmt.Sprint(v)}
		}
	}
	return nil
}

// union merges sets of numbers into one ascending set.
func union(sets ...[]int64) []int64 {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}

// pickRows copies the rows with the numbers in set, given all and its rows.
func pickRows(rows blas64.General, all, set []int64) blas64.General {
	m := stream.NewMatrix(len(set), rows.Cols)
	for i, r := range set {
		k, _ := slices.BinarySearch(all, r)
		copy(dense.Row(m, i), dense.Row(rows, k))
	}
	return m
}

// heldBackRows draws rows for the error estimate that are not landmarks. Rows that
// a method has seen otherwise serve where there are not enough others.
func heldBackRows(n int64, want int, seed uint64, purpose string, landmarks []int64, seen ...[]int64) []int64 {
	touched := union(seen...)
	drawn := sketch.NewRandom(seed, purpose).Choose(n, int(min(n, int64(4*want+len(landmarks)+len(touched)))))
	var fresh, others []int64
	for _, r := range drawn {
		if _, found := slices.BinarySearch(landmarks, r); found {
			continue
		}
		if _, found := slices.BinarySearch(touched, r); found {
			others = append(others, r)
		} else {
			fresh = append(fresh, r)
		}
	}
	fresh = append(fresh, others...)
	return union(fresh[:min(want, len(fresh))])
}

// without removes the numbers of taken from set; both ascend.
func without(set, taken []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(set), func(r int64) bool {
		_, found := slices.BinarySearch(taken, r)
		return found
	})
}

// join returns the rows that are in one of two panels.
func (t *tiles) join(a, b *panel) *panel {
	number := union(a.number, b.number)
	rows := stream.NewMatrix(len(number), a.rows.Cols)
	for _, p := range []*panel{a, b} {
		for i, r := range p.number {
			k, _ := slices.BinarySearch(number, r)
			copy(dense.Row(rows, k), dense.Row(p.rows, i))
		}
	}
	return t.pack(rows, number, nil)
}

// without returns the rows of a panel that are not in another.
func (t *tiles) without(p, taken *panel) *panel {
	number := without(p.number, taken.number)
	return t.pack(pickRows(p.rows, p.number, number), number, nil)
}
