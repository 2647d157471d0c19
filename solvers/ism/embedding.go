package ism

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

const (
	// embeddingTolerance is the accepted mean residual diagonal of the features of embeddings, and embeddingLandmarks
	// the smallest limit of their landmarks.
	embeddingTolerance = 1e-6
	embeddingLandmarks = 300
	// embeddingRank is the relative cutoff of singular values of the features, which matches the accuracy of the
	// inverse of the landmarks' kernel.
	embeddingRank = 1e-6
)

// embedder computes Y, the leading eigenvectors of H·K·H or of D^(−½)·K·D^(−½), for the kernel K of all projected rows
// and its row sums D (Ng, Jordan and Weiss 2001, "On spectral clustering: analysis and an algorithm"). It uses features
// on landmarks and forms no matrix of the size of K.
type embedder struct {
	data         *table
	terms        []term
	maxLandmarks int
	clusters     int
	degrees      bool // divide by D, else centre

	entries int64
}

// embedding is Y, with the degrees of K if K was divided by them.
type embedding struct {
	y       blas64.General
	degrees []float64
}

// projectedRows describes projected rows: their number and dimension, and the function that projects rows of a source.
// first is the number of the first row.
type projectedRows struct {
	src     stream.Source
	n, cols int
	take    func(dst, rows blas64.General, first int)
}

// inMemory returns projected rows that are in memory.
func inMemory(xw blas64.General) projectedRows {
	return projectedRows{src: stream.FromMatrix("projected rows", xw), n: xw.Rows, cols: xw.Cols,
		take: func(dst, rows blas64.General, _ int) {
			for i := range rows.Rows {
				copy(matrix.Row(dst, i), matrix.Row(rows, i))
			}
		}}
}

// embed computes Y for projected rows, given a projected sample of them. A degree is at least K_ii, since the features
// may add a negative sum for the other rows. It fails if a degree is not positive or overflows. Cost: three passes of
// n·r entries each, and 4·n·r² flops.
func (m *embedder) embed(ctx context.Context, rows projectedRows, sample blas64.General) (*embedding, error) {
	f, err := m.features(ctx, rows, sample)
	if err != nil {
		return nil, err
	}
	m.entries += 3 * int64(rows.n) * int64(f.cols)
	if m.degrees {
		f.degrees = make([]float64, rows.n)
	}
	if err := f.sum(ctx, m.data.engine); err != nil {
		return nil, err
	}
	turn, err := f.leading(ctx, m.data.engine, m.clusters)
	if err != nil {
		return nil, err
	}
	y, err := f.multiply(ctx, m.data.engine, turn)
	if err != nil {
		return nil, err
	}
	for i, d := range f.degrees {
		if !(d > 0 && d <= math.MaxFloat64) {
			return nil, fmt.Errorf("the similarities of row %d add up to %v; this paradigm divides by them, so take a kernel that is positive, such as gaussian()", i, d)
		}
	}
	return &embedding{y, f.degrees}, nil
}

// features is F with K ≈ F·Fᵀ: the features of each term times the square root of its weight, side by side.
type features struct {
	projectedRows
	landmarks []*landmarks
	roots     []float64 // of the weights
	cols      int
	sums      []float64 // of the columns of F; means if F is centred
	degrees   []float64 // of the rows, nil to centre
}

// features selects the landmarks of each term. Terms that are inner products alone have as many as the rank of the
// rows.
func (m *embedder) features(ctx context.Context, rows projectedRows, sample blas64.General) (*features, error) {
	f := &features{projectedRows: rows}
	for _, t := range m.terms {
		k, factor := t.values(!m.degrees)
		marks, err := newLandmarks(ctx, k, sample, m.maxLandmarks, embeddingTolerance)
		if err != nil {
			return nil, err
		}
		m.entries += marks.entries
		f.add(marks, t.Weight*factor)
	}
	return f, nil
}

// add appends the features of marks, scaled so that they count with the given weight in K.
func (f *features) add(marks *landmarks, weight float64) {
	f.landmarks, f.roots = append(f.landmarks, marks), append(f.roots, math.Sqrt(weight))
	f.cols += len(marks.index)
}

// visitor returns a function that passes F to visit, panel by panel of a block.
func (f *features) visitor() func(b *stream.Block, visit func(first int, f blas64.General) error) error {
	const n = tilesize.PanelRows
	x, all, c := matrix.New(n, f.projectedRows.cols), matrix.New(n, f.cols), make([]float64, n*f.cols)
	var work kernelgen.Workspace
	return func(b *stream.Block, visit func(first int, f blas64.General) error) error {
		if int(b.Start)+b.X.Rows > f.n {
			return moreRows(f.src)
		}
		for first, rows := range b.Panels(n) {
			x, out := matrix.Rows(x, 0, rows.Rows), matrix.Rows(all, 0, rows.Rows)
			f.take(x, rows, int(b.Start)+first)
			column := 0
			for i, m := range f.landmarks {
				r := len(m.index)
				own := matrix.Of(c, x.Rows, r)
				m.tiles.FillDense(own, x, m.rows, &work)
				dense.Gemm(noTrans, noTrans, f.roots[i], own, m.project, 0, matrix.Columns(out, column, r))
				column += r
			}
			if err := visit(first, out); err != nil {
				return err
			}
		}
		return nil
	}
}

// embeddingPass is the name of these passes in progress reports.
const embeddingPass = "spectral embedding"

// sum sums the columns of F.
func (f *features) sum(ctx context.Context, e stream.Engine) error {
	all, err := stream.Fold(ctx, e, embeddingPass, f.src, func() *sketch.Sum { return sketch.NewSum(1, f.cols) },
		func() func(*sketch.Sum, *stream.Block) error {
			each := f.visitor()
			return func(acc *sketch.Sum, b *stream.Block) error {
				return each(b, func(_ int, rows blas64.General) error {
					for i := range rows.Rows {
						matrix.Axpy(1, matrix.Row(rows, i), acc.Data)
					}
					return nil
				})
			}
		})
	if err != nil {
		return err
	}
	f.sums = all.Data
	if f.degrees == nil {
		blas64.Scal(1/float64(f.n), dense.Vector(f.sums))
	}
	return nil
}

// weigh turns rows of F into rows of H·F or D^(−½)·F.
func (f *features) weigh(rows blas64.General, first int) {
	for i := range rows.Rows {
		row := matrix.Row(rows, i)
		if f.degrees == nil {
			matrix.Axpy(-1, f.sums, row)
			continue
		}
		degree := math.Max(dense.Dot(row, f.sums), dense.Dot(row, row))
		f.degrees[first+i] = degree
		blas64.Scal(1/math.Sqrt(math.Max(degree, math.SmallestNonzeroFloat64)), dense.Vector(row))
	}
}

// leading returns the matrix that maps the weighted F to its leading left singular vectors.
func (f *features) leading(ctx context.Context, e stream.Engine, most int) (turn blas64.General, err error) {
	gram, err := stream.Fold(ctx, e, embeddingPass, f.src, func() *sketch.Gram { return sketch.NewGram(f.cols, f.cols) },
		func() func(*sketch.Gram, *stream.Block) error {
			each := f.visitor()
			return func(acc *sketch.Gram, b *stream.Block) error {
				return each(b, func(first int, rows blas64.General) error {
					f.weigh(rows, int(b.Start)+first)
					return acc.Add(rows, rows)
				})
			}
		})
	var bad *sketch.NonFiniteError
	if errors.As(err, &bad) {
		return turn, errKernel
	}
	if err != nil {
		return turn, err
	}
	eig, err := newEigen(gram.Matrix())
	if err != nil {
		return turn, err
	}
	rank := dense.Rank(eig.values, embeddingRank*embeddingRank)
	if rank == 0 {
		return turn, errKernel
	}
	turn = eig.first(min(most, rank)).vectors
	dense.FixSigns(blas64.General{}, turn)
	dense.ScaleColumns(turn, dense.Reciprocals(dense.Roots(eig.values[:turn.Cols])))
	return turn, nil
}

// multiply multiplies the weighted F by a small matrix.
func (f *features) multiply(ctx context.Context, e stream.Engine, by blas64.General) (blas64.General, error) {
	return stream.MapRows(ctx, e, embeddingPass, f.src, by.Cols, func() func(blas64.General, *stream.Block) error {
		each := f.visitor()
		return func(dst blas64.General, b *stream.Block) error {
			return each(b, func(first int, rows blas64.General) error {
				f.weigh(rows, int(b.Start)+first)
				dense.Gemm(noTrans, noTrans, 1, rows, by, 0, matrix.Rows(dst, first, rows.Rows))
				return nil
			})
		}
	})
}

// unitRows returns m with each row divided by its norm; zero rows are unchanged.
func unitRows(m blas64.General) blas64.General {
	unit := matrix.Clone(m)
	for i := range m.Rows {
		if norm := dense.Norm(matrix.Row(m, i)); norm > 0 {
			blas64.Scal(1/norm, dense.Vector(matrix.Row(unit, i)))
		}
	}
	return unit
}
