package ism

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// spectral finds Y: the leading eigenvectors of the kernel of all projected rows, by
// features on landmarks, centred or normalised by its degrees.
type spectral struct {
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
// n·r entries in each and 2·n·r² flops.
func (s *spectral) embed(ctx context.Context, src projected, sample blas64.General) (*embedding, error) {
	blocks, cols, err := s.blocks(sample)
	if err != nil {
		return nil, err
	}
	total, err := s.fold(ctx, src, blocks, cols, cols, func(acc []float64, c spectralPanel) {
		for i := range c.Rows {
			addTo(acc, dense.Row(c.General, i))
		}
	})
	if err != nil {
		return nil, err
	}
	n := float64(src.n)
	p := &spectralPass{spectral: s, blocks: blocks, cols: cols}
	if s.degrees {
		p.sums = total
	} else {
		p.mean = make([]float64, cols)
		for j, v := range total {
			p.mean[j] = v / n
		}
	}
	return p.embed(ctx, src)
}

// blocks picks the landmarks of each term. Those of inner products alone have as many as
// the rank of the rows.
func (s *spectral) blocks(sample blas64.General) (blocks []spectralBlock, cols int, err error) {
	for _, t := range s.terms {
		all := points{x: sample}
		if t.local() {
			all.sigma = s.held.scale[t.Neighbour]
		}
		k, factor := t.valuesOf(!s.degrees)
		marks, err := newLandmarks(k, all, s.most, embeddingTolerance)
		if err != nil {
			return nil, 0, err
		}
		s.entries += int64(sample.Rows) * int64(len(marks.index))
		blocks = append(blocks, spectralBlock{t, t.Weight * factor, marks, cols})
		cols += len(marks.index)
	}
	return blocks, cols, nil
}

// fold makes C of panels of rows and sums what add makes of it.
func (s *spectral) fold(ctx context.Context, src projected, blocks []spectralBlock, cols, size int, add func(acc []float64, c spectralPanel)) ([]float64, error) {
	s.entries += int64(src.n) * int64(cols)
	total, err := stream.Fold(ctx, s.data.engine, "spectral embedding", src.src, func() *sketch.Sum { return sketch.NewSum(1, size) },
		func() func(acc *sketch.Sum, b *stream.Block) error {
			w := newSpectralWorker(src, blocks, cols, s.data.scales)
			return func(acc *sketch.Sum, b *stream.Block) error {
				for first, rows := range b.Panels(stream.PanelRows) {
					add(acc.Data, w.columns(rows, int(b.Start)+first))
				}
				return nil
			}
		})
	if err != nil {
		return nil, err
	}
	return total.Data, nil
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

// spectralPanel is C of a panel of rows, the first of which has number first, and K_ii.
type spectralPanel struct {
	blas64.General
	first int
	self  []float64
}

func newSpectralWorker(src projected, blocks []spectralBlock, cols int, scales map[int][]float64) *spectralWorker {
	const n = stream.PanelRows
	return &spectralWorker{projected: src, x: stream.NewMatrix(n, src.cols), blocks: blocks, scales: scales, c: stream.NewMatrix(n, cols), own: stream.NewMatrix(n, cols), self: make([]float64, n), one: make([]float64, n)}
}

func (w *spectralWorker) columns(rows blas64.General, first int) spectralPanel {
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
	return spectralPanel{c, first, self}
}

// spectralPass is how C becomes the factors that are decomposed: minus the means of its
// columns, or divided by the roots of the degrees.
type spectralPass struct {
	*spectral
	blocks []spectralBlock
	cols   int
	mean   []float64 // of C, or
	sums   []float64 // Cᵀ1
	toSum  []float64 // Q·sums, for degrees
}

// adjust makes factors of C in place; degrees, if not nil, receives those. A row is as
// similar to itself as K_ii says, and no degree is below that: where K is approximate,
// or has negative entries, what the others add may be (see cluster.Spectral).
func (p *spectralPass) adjust(c spectralPanel, degrees []float64) {
	for i := range c.Rows {
		row := dense.Row(c.General, i)
		if p.mean != nil {
			dense.Axpy(-1, p.mean, row)
			continue
		}
		d := math.Max(dense.Dot(row, p.toSum), c.self[i])
		if degrees != nil {
			degrees[i] = d
		}
		scale := 0.0
		if d > 0 {
			scale = 1 / math.Sqrt(d)
		}
		for j := range row {
			row[j] *= scale
		}
	}
}

// embed decomposes F·diag(signs)·Fᵀ, F the adjusted C·P: with FᵀF = VΛVᵀ, the eigenpairs
// U, θ of Λ^½·Vᵀ·diag(signs)·V·Λ^½ give Y = F·V·Λ^(−½)·U.
func (p *spectralPass) embed(ctx context.Context, src projected) (*embedding, error) {
	project, signs := p.join()
	if p.mean == nil {
		p.toSum = make([]float64, p.cols)
		for _, b := range p.blocks {
			r := len(b.marks.index)
			for i, v := range mulVector(b.marks.inverse, p.sums[b.first:b.first+r]) {
				p.toSum[b.first+i] = b.weight * v
			}
		}
	}
	out := &embedding{}
	if p.mean == nil {
		out.degrees = make([]float64, src.n)
	}
	gram, err := p.fold(ctx, src, p.blocks, p.cols, project.Cols*project.Cols, func(acc []float64, c spectralPanel) {
		var degrees []float64
		if out.degrees != nil {
			degrees = out.degrees[c.first : c.first+c.Rows]
		}
		p.adjust(c, degrees)
		f := dense.Mul(noTrans, c.General, noTrans, project)
		blas64.Gemm(trans, noTrans, 1, f, f, 1, blas64.General{Rows: f.Cols, Cols: f.Cols, Stride: f.Cols, Data: acc})
	})
	if err != nil {
		return nil, err
	}
	for i, d := range out.degrees {
		if !(d > 0 && d <= math.MaxFloat64) {
			return nil, fmt.Errorf("ism: the similarities of row %d add up to %v; this paradigm divides by them, so take a kernel that is positive, such as gaussian()", i, d)
		}
	}
	turn, err := p.turn(blas64.General{Rows: project.Cols, Cols: project.Cols, Stride: project.Cols, Data: gram}, signs)
	if err != nil {
		return nil, err
	}
	out.y, err = p.multiply(ctx, src, dense.Mul(noTrans, project, noTrans, turn))
	return out, err
}

// join returns P of all terms, block diagonal with the roots of the weights, and the signs.
func (p *spectralPass) join() (project blas64.General, signs []float64) {
	for _, b := range p.blocks {
		for _, s := range b.marks.signs {
			signs = append(signs, math.Copysign(s, s*b.weight))
		}
	}
	project = stream.NewMatrix(p.cols, len(signs))
	col := 0
	for _, b := range p.blocks {
		for i := range b.marks.project.Rows {
			for j, v := range dense.Row(b.marks.project, i) {
				project.Data[(b.first+i)*project.Stride+col+j] = math.Sqrt(math.Abs(b.weight)) * v
			}
		}
		col += b.marks.project.Cols
	}
	return project, signs
}

// turn returns V·Λ^(−½)·U for the leading eigenvalues θ that are above 0, as many as there are
// clusters at most.
func (p *spectralPass) turn(gram blas64.General, signs []float64) (blas64.General, error) {
	gram = dense.SymmetricPart(gram)
	inner, err := newEigen(gram)
	if err != nil {
		return gram, err
	}
	rank := 0
	for rank < len(inner.values) && inner.values[rank] > 1e-13*inner.values[0] {
		rank++
	}
	if rank == 0 {
		return gram, errKernel
	}
	v := inner.first(rank)
	scaled, over := dense.Clone(v.vectors), dense.Clone(v.vectors)
	for i := range scaled.Rows {
		for j, lambda := range v.values {
			scaled.Data[i*scaled.Stride+j] *= math.Sqrt(lambda)
			over.Data[i*over.Stride+j] /= math.Sqrt(lambda)
		}
	}
	signed := dense.Clone(scaled)
	for i, s := range signs {
		for j := range signed.Cols {
			signed.Data[i*signed.Stride+j] *= s
		}
	}
	small := dense.SymmetricPart(dense.Mul(trans, scaled, noTrans, signed))
	outer, err := newEigen(small)
	if err != nil {
		return gram, err
	}
	k := 0
	for k < min(p.clusters, rank) && outer.values[k] > 1e-12*outer.values[0] {
		k++
	}
	if k == 0 {
		return gram, errKernel
	}
	return dense.Mul(noTrans, over, noTrans, outer.first(k).vectors), nil
}

// multiply returns the adjusted C of all rows times a matrix.
func (p *spectralPass) multiply(ctx context.Context, src projected, by blas64.General) (blas64.General, error) {
	p.entries += int64(src.n) * int64(p.cols)
	return stream.MapRows(ctx, p.data.engine, "spectral embedding", src.src, by.Cols, func() func(blas64.General, *stream.Block) error {
		w := newSpectralWorker(src, p.blocks, p.cols, p.data.scales)
		return func(dst blas64.General, b *stream.Block) error {
			for first, rows := range b.Panels(stream.PanelRows) {
				c := w.columns(rows, int(b.Start)+first)
				p.adjust(c, nil)
				dense.Gemm(noTrans, noTrans, 1, c.General, by, 0, stream.RowSlice(dst, first, rows.Rows))
			}
			return nil
		}
	})
}
