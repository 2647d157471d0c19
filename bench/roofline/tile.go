package main

import "github.com/nystream/nystream/internal/simd"

// The shape of the work: strips of rows against the landmarks of a sketch of 50
// columns with 4 nonzeros each.
const (
	stripRows  = 64
	sketchCols = 50
	nonzeros   = 4
	landmarks  = sketchCols * nonzeros
	blockBytes = 4 << 20 // of the rows that a thread goes through
)

// A tileJob is a kernel on d columns with the buffers of every thread.
type tileJob[T simd.Float] struct {
	kernel  kernel
	d       int
	profile simd.Profile
	rows    simd.Matrix[T] // the landmarks
	packed  simd.PackedRows[T]
	fold    folder[T]
	strips  []*strip[T]
}

// A strip is what a thread owns: a block of rows that it goes through strip by
// strip, and its results.
type strip[T simd.Float] struct {
	block  simd.Matrix[T]
	at     int // first row of the next strip
	tile   simd.Matrix[T]
	folded simd.Matrix[T]
}

func newTileJob[T simd.Float](k kernel, d, threads int, solver func(kernel, simd.Matrix[T]) folder[T]) *tileJob[T] {
	j := &tileJob[T]{kernel: k, d: d, profile: k.profile(d), rows: uniform[T](landmarks, d, 1)}
	j.packed = simd.PackRows(j.rows)
	j.fold = solver(k, j.rows)
	for t := range threads {
		j.strips = append(j.strips, newStrip[T](d, uint64(2+t)))
	}
	return j
}

func newStrip[T simd.Float](d int, seed uint64) *strip[T] {
	rows := min(1024, max(stripRows, blockBytes/(d*elementSize[T]())))
	return &strip[T]{
		block:  uniform[T](rows/stripRows*stripRows, d, seed),
		tile:   newMatrix[T](stripRows, landmarks),
		folded: newMatrix[T](stripRows, sketchCols),
	}
}

// next returns the next strip of rows, from the top again after the last.
func (s *strip[T]) next() simd.Matrix[T] {
	x := rowsOf(s.block, s.at, stripRows)
	s.at = (s.at + stripRows) % s.block.Rows
	return x
}

// fillTile returns a tile and nothing else.
func (j *tileJob[T]) fillTile(thread int) (entries int) {
	s := j.strips[thread]
	simd.Fill(s.tile, s.next(), j.packed, j.kernel.base, j.profile)
	return stripRows * landmarks
}

// fillFolded returns the tile and its fold in the solver's way.
func (j *tileJob[T]) fillFolded(thread int) (entries int) {
	s := j.strips[thread]
	x := s.next()
	for first := 0; first < stripRows; first += foldRows {
		j.fold(rowsOf(s.folded, first, foldRows), rowsOf(x, first, foldRows), rowsOf(s.tile, 0, foldRows))
	}
	return stripRows * landmarks
}
