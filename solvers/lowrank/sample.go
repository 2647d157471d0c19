package lowrank

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
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
type rowSet = basis.Set

// sketched returns the set of rows that a sketch touches.
func sketched(s *sketch.SparseSign) rowSet { return rowSet{Numbers: s.Positions(), Signs: s} }

// heldBackRows draws rows for the error estimate that are not landmarks. Rows that
// a method has seen otherwise serve where there are not enough others.
func heldBackRows(n int64, want int, seed uint64, purpose string, landmarks []int64, seen ...[]int64) []int64 {
	touched := basis.Union(seen...)
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
	return basis.Union(fresh[:min(want, len(fresh))])
}
