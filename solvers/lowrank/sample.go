package lowrank

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
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
type rowSet = basis.Set

// sketchedSide is what a published sketch looks at in the rows of one source.
type sketchedSide struct {
	signs, coreSigns *sketch.SparseSign // of the range and of the core
	landmarks, core  *basis.Panel       // the rows that they touch
	heldNumbers      []int64
	held             heldRows
	name             string // of the source
}

// draw draws the sketches and the held-back rows of a source of n rows; the words say what for.
func (z sizes) draw(n int64, seed uint64, ofRange, ofCore, held string) (s *sketchedSide, err error) {
	s = &sketchedSide{}
	if s.signs, err = sketch.NewSparseSign(n, z.rank, z.nnz, seed, ofRange); err != nil {
		return nil, err
	}
	if s.coreSigns, err = sketch.NewSparseSign(n, z.sketch, z.nnz, seed, ofCore); err != nil {
		return nil, err
	}
	touched := s.signs.Positions()
	s.heldNumbers = heldBackRows(n, heldBack(len(touched)), seed, held, touched, s.coreSigns.Positions())
	return s, nil
}

// gatherSides fetches the rows of sides from their source.
func gatherSides(ctx context.Context, src stream.Source, sides ...*sketchedSide) error {
	var sets []rowSet
	for _, s := range sides {
		sets = append(sets, rowSet{Numbers: s.signs.Positions(), Signs: s.signs},
			rowSet{Numbers: s.coreSigns.Positions(), Signs: s.coreSigns}, rowSet{Numbers: s.heldNumbers})
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

// embed returns Ôᵀ·Q, Q the embedding of the rows of the side by landmarks.
func (s *sketchedSide) embed(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	side *Embedding, landmarks *basis.Panel) (blas64.General, error) {
	q, err := embedRows(ctx, e, t, side, landmarks, s.core, s.name)
	if err != nil {
		return q, err
	}
	b := stream.NewMatrix(s.coreSigns.Cols, side.Rank())
	if q.Cols > 0 {
		s.coreSigns.FoldRows(b, q, 0)
	}
	return b, nil
}

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
