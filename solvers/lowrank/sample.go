package lowrank

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// heldBackCount returns the number of rows of the error estimate besides the landmarks. A flatter spectrum, after more
// landmarks, needs more rows to resolve.
func heldBackCount(landmarks int) int { return min(2048, max(512, 4*landmarks)) }

// leveragePerColumn is the default number of rows of high leverage added to the core for each column.
const leveragePerColumn = 2

// sizes are the dimensions of a sparse-sign sketch of n rows.
type sizes struct {
	rank, sketch, nnz int
	leverage          int // number of rows of high leverage added to the core
	notes             []string
}

// fitSizes returns c, s, z and the number of rows of high leverage. The z·c and z·s positions of the sketches are drawn
// without replacement, so each number must be at most n. A sketch size set by the caller that does not fit is an error;
// the default of 5c is reduced.
func fitSizes(n int64, rank, sketchSize, nnz, leverage int) (sizes, error) {
	z := sizes{rank: rank, sketch: sketchSize, nnz: nnz, leverage: max(0, leverage)}
	if z.nnz == 0 {
		z.nnz = 4
	}
	if leverage == 0 {
		z.leverage = leveragePerColumn * max(0, rank)
	}
	z.leverage = int(min(int64(z.leverage), n))
	most := int(min(n/int64(max(1, z.nnz)), 1<<30))
	switch {
	case rank < 1 || z.nnz < 1 || sketchSize < 0:
		return z, fmt.Errorf("rank %d and nnz %d must be at least 1, and sketch %d not negative", rank, z.nnz, sketchSize)
	case rank > most:
		return z, fmt.Errorf("rank %d with %d nonzeros per sketch column needs %d rows, and there are %d: the largest rank that fits is %d (lower `Rank` or `NNZ`, or use method landmark)",
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

// rowSet is a set of ascending row numbers; with signs, those of a sketch.
type rowSet = basis.Set

// sketchedSide holds the rows of one source used by a published sketch.
type sketchedSide struct {
	signs, coreSigns *sketch.SparseSign // of the range and of the core
	landmarks, core  *basis.Panel       // the rows with nonzeros in them
	heldNumbers      []int64
	held             heldRows
	name             string          // of the source
	leverage         *basis.Leverage // of the rows
	fitted           *coreRows       // the rows that fit the core, after the pass
}

// scout prepares to find keep rows of high leverage in the sketch m, relative to the core. A row in a direction without
// core rows has a very high leverage. Cost: kernel entries between the core and the landmarks of m.
func (s *sketchedSide) scout(ctx context.Context, e stream.Engine, m *basis.Map, keep int, seed uint64, purpose string) (err error) {
	var y blas64.General
	if keep > 0 {
		if y, err = m.Sketch(ctx, e, s.core, s.name); err != nil {
			return err
		}
	}
	s.leverage, err = basis.LargestLeverage(y, s.core.Number, keep, seed, purpose)
	return err
}

// take adds the rows found by the pass to those of the core.
func (s *sketchedSide) take(found *sketch.Priority) {
	rows := foundRows(found)
	s.fitted, s.core = newCoreRows(s.coreSigns, s.core, rows), nil
	if rows.Count() > 0 {
		s.held = heldRows{s.held.Without(rows), rows, s.held.sums}
	}
}

// draw draws the sketches and the held-back rows of a source of n rows. The strings are the purposes of the draws.
func (z sizes) draw(n int64, seed uint64, ofRange, ofCore, held string) (s *sketchedSide, err error) {
	s = &sketchedSide{}
	if s.signs, err = sketch.NewSparseSign(n, z.rank, z.nnz, seed, ofRange); err != nil {
		return nil, err
	}
	if s.coreSigns, err = sketch.NewSparseSign(n, z.sketch, z.nnz, seed, ofCore); err != nil {
		return nil, err
	}
	touched := s.signs.Positions()
	s.heldNumbers = heldBackRows(n, heldBackCount(len(touched)), seed, held, touched, s.coreSigns.Positions())
	return s, nil
}

// gatherSides fetches the rows of sides from their source.
func gatherSides(ctx context.Context, src stream.Source, sides ...*sketchedSide) error {
	var sets []rowSet
	for _, s := range sides {
		sets = append(sets, rowSet{Numbers: s.signs.Positions(), Signs: s.signs},
			rowSet{Numbers: s.coreSigns.Positions()}, rowSet{Numbers: s.heldNumbers})
	}
	panels, err := basis.Gather(ctx, src, sets...)
	if err != nil {
		return err
	}
	for i, s := range sides {
		s.landmarks, s.core, s.held = panels[3*i], panels[3*i+1], heldRows{Panel: panels[3*i+2]}
		s.name = src.Info().Name
	}
	return nil
}

// heldBackRows draws rows for the error estimate that are not landmarks. Rows that the method has seen are used only if
// there are not enough others.
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
