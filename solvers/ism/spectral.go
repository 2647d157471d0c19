package ism

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/spectral"
	"github.com/nystream/nystream/stream"
)

// spectralFeatures finds Y: the leading eigenvectors of the kernel of all projected rows, by
// features on landmarks, centred or normalised by its degrees.
type spectralFeatures struct {
	data     *table
	terms    []term
	held     *sampled
	most     int
	clusters int
	degrees  bool // D^(−½)·K·D^(−½), and not H·K·H

	entries int64
}

// embedding is Y, and the degrees of K if they were divided by.
type embedding struct {
	y       blas64.General
	degrees []float64
}

// block is the features of one term: columns of C, with K = Σ weight·C·P·signs·Pᵀ·Cᵀ.
type spectralBlock struct {
	term   term
	weight float64
	marks  *landmarks
	first  int
}

// projected are rows as the kernel takes them: how many, their number of columns, and how
// they come from rows of a source, the first of which has number first.
type projected struct {
	src     stream.Source
	n, cols int
	take    func(dst, rows blas64.General, first int)
}

// inMemory returns rows that were projected.
func inMemory(xw blas64.General) projected {
	return projected{src: stream.FromMatrix("projected rows", xw), n: xw.Rows, cols: xw.Cols,
		take: func(dst, rows blas64.General, _ int) {
			for i := range rows.Rows {
				copy(dense.Row(dst, i), dense.Row(rows, i))
			}
		}}
}

// embed finds Y for projected rows, with a projected sample of them. Cost: three passes,
// n·r entries in each and 4·n·r² flops.
func (s *spectralFeatures) embed(ctx context.Context, src projected, sample blas64.General) (*embedding, error) {
	blocks, cols, err := s.blocks(ctx, sample)
	if err != nil {
		return nil, err
	}
	project, signs := join(blocks, cols)
	k := spectral.Kernel{Source: src.src, Cols: cols, P: project, Signs: signs, Panels: func() func(blas64.General, int64) (spectral.Panel, error) {
		return newSpectralWorker(src, blocks, cols, s.data.scales).panel
	}}
	settings := spectral.Settings{Dim: s.clusters, Normalise: s.degrees, Tolerance: embeddingRank}
	if s.degrees {
		settings.Degrees = make([]float64, src.n)
	}
	s.entries += 3 * int64(src.n) * int64(cols)
	found, err := k.Embed(ctx, s.data.engine, settings)
	if err := embeddingError(err, settings.Degrees); err != nil {
		return nil, err
	}
	return &embedding{found, settings.Degrees}, nil
}

// embeddingRank is where singular values of the features are cut off, relative to the
// largest: the inverse of the landmarks' kernel is no more accurate.
const embeddingRank = 1e-6

// embeddingError says what to do about an embedding that failed, or about degrees that
// cannot be divided by.
func embeddingError(err error, degrees []float64) error {
	var overflow *spectral.DegreeError
	var bad *sketch.NonFiniteError
	switch {
	case errors.As(err, &overflow):
		return degreeError(overflow.Row, overflow.Degree)
	case errors.As(err, &bad):
		return errKernel
	case err != nil && !errors.Is(err, spectral.ErrZero):
		return err
	}
	for i, d := range degrees {
		if !(d > 0) {
			return degreeError(int64(i), d)
		}
	}
	if err != nil {
		return errKernel
	}
	return nil
}

func degreeError(row int64, degree float64) error {
	return fmt.Errorf("ism: the similarities of row %d add up to %v; this paradigm divides by them, so take a kernel that is positive, such as gaussian()", row, degree)
}

// blocks picks the landmarks of each term. Those of inner products alone have as many as
// the rank of the rows.
func (s *spectralFeatures) blocks(ctx context.Context, sample blas64.General) (blocks []spectralBlock, cols int, err error) {
	for _, t := range s.terms {
		all := points{x: sample}
		if t.local() {
			all.sigma = s.held.scale[t.Neighbour]
		}
		k, factor := t.valuesOf(!s.degrees)
		marks, err := newLandmarks(ctx, s.data.engine, k, all, s.most, embeddingTolerance)
		if err != nil {
			return nil, 0, err
		}
		s.entries += marks.cost
		blocks = append(blocks, spectralBlock{t, t.Weight * factor, marks, cols})
		cols += len(marks.index)
	}
	return blocks, cols, nil
}

// spectralWorker makes C for a panel of rows.
type spectralWorker struct {
	projected
	x      blas64.General
	blocks []spectralBlock
	scales map[int][]float64
	c, own blas64.General
	self   []float64 // K_ii of the rows
	one    []float64
	work   kernelgen.Workspace
}

func newSpectralWorker(src projected, blocks []spectralBlock, cols int, scales map[int][]float64) *spectralWorker {
	const n = stream.PanelRows
	return &spectralWorker{projected: src, x: stream.NewMatrix(n, src.cols), blocks: blocks, scales: scales, c: stream.NewMatrix(n, cols), own: stream.NewMatrix(n, cols), self: make([]float64, n), one: make([]float64, n)}
}

// panel makes C of rows, the first of which has number first, and K_ii.
func (w *spectralWorker) panel(rows blas64.General, start int64) (spectral.Panel, error) {
	first := int(start)
	c, self := stream.RowSlice(w.c, 0, rows.Rows), w.self[:rows.Rows]
	clear(self)
	x := stream.RowSlice(w.x, 0, rows.Rows)
	w.take(x, rows, first)
	rows = x
	for _, b := range w.blocks {
		cols := len(b.marks.index)
		own := blas64.General{Rows: rows.Rows, Cols: cols, Stride: cols, Data: w.own.Data[:rows.Rows*cols]}
		p := localPoints(b.term, rows, first, w.scales)
		b.marks.fill(own, p, b.marks.marks, &w.work)
		b.marks.diagonal(w.one[:rows.Rows], p)
		for i := range own.Rows {
			copy(dense.Row(c, i)[b.first:], dense.Row(own, i))
			self[i] += b.weight * w.one[i]
		}
	}
	return spectral.Panel{C: c, Self: self}, nil
}

// join returns P of all terms, block diagonal with the roots of the weights, and the signs,
// nil if none is negative.
func join(blocks []spectralBlock, cols int) (project blas64.General, signs []float64) {
	for _, b := range blocks {
		for _, s := range b.marks.signs {
			signs = append(signs, math.Copysign(s, s*b.weight))
		}
	}
	project = stream.NewMatrix(cols, len(signs))
	col := 0
	for _, b := range blocks {
		for i := range b.marks.project.Rows {
			for j, v := range dense.Row(b.marks.project, i) {
				project.Data[(b.first+i)*project.Stride+col+j] = math.Sqrt(math.Abs(b.weight)) * v
			}
		}
		col += b.marks.project.Cols
	}
	if !slices.Contains(signs, -1) {
		signs = nil
	}
	return project, signs
}
