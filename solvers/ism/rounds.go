package ism

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/internal/spectral"
	"github.com/nystream/nystream/stream"
)

// clusters lets Y and W take turns: Y of the rows as they are, W for Y, Y of XW, and so
// on until neither changes. Cost of a turn: one pass to project, and those for W.
func (f *fitting) clusters(ctx context.Context) (settled bool, err error) {
	s := &spectralFeatures{data: f.data, terms: f.terms, held: f.held, most: max(embeddingLandmarks, f.Landmarks), clusters: f.Clusters, degrees: f.degrees()}
	if f.known != nil {
		if err := (&gamma{parts: []*part{f.known.centred(1)}}).check("what is known"); err != nil {
			return false, err
		}
	}
	y, err := f.first(ctx, s)
	if err != nil {
		return false, err
	}
	for r := 1; r <= f.Rounds; r++ {
		f.it.gamma, f.it.round, f.fit.Rounds = f.gammaOf(y), r, r
		before := f.it.at
		w, err := f.it.run(ctx)
		if err != nil {
			return false, err
		}
		next, err := f.embed(ctx, s, f.it.at.w)
		if err != nil {
			return false, err
		}
		still, err := f.still(before, y, next)
		if err != nil {
			return false, err
		}
		y = next
		if settled = w && still; settled {
			break
		}
	}
	f.fit.Embedding = y.y
	f.fit.KernelEntries += s.entries
	return settled, f.label(ctx, y)
}

// first returns Y of the rows as they are (W = I): for Alternative, of what linear regression on
// the given clusters leaves of them, which is to take away their means. Without that Y is
// as a rule the clusters given, and the first Γ has nothing to say about others. Three
// passes, and one.
func (f *fitting) first(ctx context.Context, s *spectralFeatures) (*embedding, error) {
	rows := projected{src: f.data.src, n: f.data.n, cols: f.data.d, take: func(dst, x blas64.General, _ int) { f.data.take(dst, x) }}
	sample := f.held.x
	if f.Paradigm == Alternative {
		fitted, err := f.regression(ctx)
		if err != nil {
			return nil, err
		}
		rows.take = func(dst, x blas64.General, first int) {
			f.data.take(dst, x)
			for i := range dst.Rows {
				f.known.subtract(dense.Row(dst, i), first+i, fitted)
			}
		}
		sample = dense.Clone(sample)
		for i, r := range f.held.rows {
			f.known.subtract(dense.Row(sample, i), int(r), fitted)
		}
	}
	*f.data.passes += 3
	return s.embed(ctx, rows, sample)
}

// regression returns (GᵀG)⁺·GᵀX, k×d, for the factors G of what is known. One pass.
func (f *fitting) regression(ctx context.Context) (blas64.General, error) {
	known, d := f.known, f.data.d
	total, err := stream.Fold(ctx, f.data.engine, "regression", f.data.src, func() *sketch.Sum { return sketch.NewSum(1, known.classes*d) },
		func() func(acc *sketch.Sum, b *stream.Block) error {
			panel := stream.NewMatrix(stream.PanelRows, d)
			return func(acc *sketch.Sum, b *stream.Block) error {
				for first, rows := range b.Panels(stream.PanelRows) {
					x := stream.RowSlice(panel, 0, rows.Rows)
					f.data.take(x, rows)
					known.addProducts(acc.Data, x, int(b.Start)+first)
				}
				return nil
			}
		})
	if err != nil {
		return blas64.General{}, err
	}
	*f.data.passes++
	inverse, err := known.inverseGram()
	if err != nil {
		return inverse, err
	}
	return dense.Mul(noTrans, inverse, noTrans, blas64.General{Rows: known.classes, Cols: d, Stride: d, Data: total.Data}), nil
}

// addProducts adds Gᵀx for rows from number i on to sums, k×d.
func (r *Response) addProducts(sums []float64, x blas64.General, i int) {
	if r.codes == nil {
		blas64.Gemm(trans, noTrans, 1, stream.RowSlice(r.factors, i, x.Rows), x, 1, blas64.General{Rows: r.classes, Cols: x.Cols, Stride: x.Cols, Data: sums})
		return
	}
	for a, c := range r.codes[i : i+x.Rows] {
		dense.Axpy(1, dense.Row(x, a), sums[int(c)*x.Cols:][:x.Cols])
	}
}

// inverseGram returns (GᵀG)⁺.
func (r *Response) inverseGram() (blas64.General, error) {
	k := r.classes
	g := stream.NewMatrix(k, k)
	if r.codes != nil {
		for _, c := range r.codes {
			g.Data[int(c)*k+int(c)]++
		}
	} else {
		blas64.Gemm(trans, noTrans, 1, r.factors, r.factors, 0, g)
	}
	eig, err := newEigen(g)
	if err != nil {
		return g, err
	}
	scaled := dense.Clone(eig.vectors)
	for j, v := range eig.values {
		over := 0.0
		if v > 1e-12*eig.values[0] {
			over = 1 / v
		}
		for i := range k {
			scaled.Data[i*scaled.Stride+j] *= over
		}
	}
	return dense.Mul(noTrans, scaled, trans, eig.vectors), nil
}

// subtract takes g_i·fitted from x.
func (r *Response) subtract(x []float64, i int, fitted blas64.General) {
	if r.codes != nil {
		dense.Axpy(-1, dense.Row(fitted, int(r.codes[i])), x)
		return
	}
	for a, g := range dense.Row(r.factors, i) {
		dense.Axpy(-g, dense.Row(fitted, a), x)
	}
}

func (f *fitting) embed(ctx context.Context, s *spectralFeatures, w blas64.General) (*embedding, error) {
	xw, err := f.data.project(ctx, w)
	if err != nil {
		return nil, err
	}
	return s.embed(ctx, inMemory(xw), dense.Mul(noTrans, f.held.x, noTrans, w))
}

// still reports whether a round has changed neither W nor Y by more than the angle.
func (f *fitting) still(before *evaluation, y, next *embedding) (bool, error) {
	if before == nil || y.y.Cols != next.y.Cols {
		return false, nil
	}
	w, err := largestAngle(before.w, f.it.at.w)
	if err != nil || w > f.Angle {
		return false, err
	}
	clusters, err := largestAngle(y.y, next.y)
	return clusters <= f.Angle, err
}

// label clusters the rows of Y by k-means, each divided by its norm (Ng, Jordan & Weiss
// 2001).
func (f *fitting) label(ctx context.Context, y *embedding) error {
	c, err := cluster.KMeans{Clusters: f.Clusters, Seed: f.Seed}.Fit(ctx, f.data.engine, spectral.UnitRows(y.y))
	if err != nil {
		return fmt.Errorf("clusters of the spectral embedding: %w", err)
	}
	f.fit.Labels = c.Labels
	return nil
}

// gammaOf returns Γ of a round: of the embedding, and of what is known.
func (f *fitting) gammaOf(y *embedding) *gamma {
	g := &gamma{n: f.data.n}
	if f.Paradigm == Unsupervised {
		g.parts = append(g.parts, ofFactors(centredColumns(y.y), 1))
		return g
	}
	scaled := dense.Clone(y.y)
	for i := range scaled.Rows {
		for j := range scaled.Cols {
			scaled.Data[i*scaled.Stride+j] /= math.Sqrt(y.degrees[i])
		}
	}
	if f.weights[0] == 0 {
		f.weights = [2]float64{1, f.Mu}
		if f.Relative {
			f.weights[0] = 1 / ofFactors(scaled, 1).norm()
			f.weights[1] = f.Mu / f.known.centred(1).norm()
		}
		if f.Paradigm == Alternative {
			f.weights[1] = -f.weights[1]
		}
	}
	g.parts = append(g.parts, ofFactors(scaled, f.weights[0]), f.known.centred(f.weights[1]))
	return g
}
