package ksvd

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// rescale scales the vectors of a model by ScaleUnit or ScaleOrthonormal, with one pass over each side.
func (f *nystrom) rescale(ctx context.Context, m *Model) error {
	left, err := f.factor(ctx, m, m.Left, f.data.left)
	if err != nil {
		return err
	}
	right, err := f.factor(ctx, m, m.Right, f.data.right)
	if err != nil {
		return err
	}
	f.report.SourcePasses += 1 + f.data.extraPasses
	if f.Scaling == ScaleUnit {
		dense.ScaleColumns(m.Left.Projection, dense.Reciprocals(norms(left)))
		dense.ScaleColumns(m.Right.Projection, dense.Reciprocals(norms(right)))
		return nil
	}
	return f.orthonormalise(m, left, right)
}

// factor computes the triangular factor of the extension of a side in one pass.
func (f *nystrom) factor(ctx context.Context, m *Model, side *Factor, rows source) (blas64.General, error) {
	r := side.Rank()
	if r == 0 {
		return matrix.New(0, 0), nil
	}
	fitted := *side
	fitted.Map = blas64.General{}
	p := m.embedding(f.tiles, &fitted, f.sums, rows)
	defer f.tiles.CountPass(rows.Info().Rows * int64(p.landmarks.Count()))()
	qr, err := stream.Fold(ctx, f.engine.WithInputs(f.tiles.Origin(), side.Projection, side.LogSums, side.Means), "fit", rows, func() *sketch.QR { return sketch.NewQR(r) },
		func() func(*sketch.QR, *stream.Block) error {
			w := p.worker()
			var buf []float64
			return func(qr *sketch.QR, b *stream.Block) error {
				u := matrix.Reuse(&buf, b.X.Rows, r)
				if err := w.block(u, b); err != nil {
					return err
				}
				return qr.Add(u)
			}
		})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}

// norms returns the norms of the columns, 1 for a zero column.
func norms(m blas64.General) []float64 {
	out := dense.ColumnNorms(m)
	for j, v := range out {
		if v == 0 {
			out[j] = 1
		}
	}
	return out
}

// orthonormalise replaces U and V by the singular vectors of U·diag(λ̃)·Vᵀ, from their triangular factors, truncated to
// the rank.
func (f *nystrom) orthonormalise(m *Model, left, right blas64.General) error {
	l, err := newSVD("the factor of U", left)
	if err != nil {
		return err
	}
	r, err := newSVD("the factor of V", right)
	if err != nil {
		return err
	}
	a, b := newWhitening(l), newWhitening(r)
	// U = A·S·Bᵀ with A orthonormal; the core is the product of S·Bᵀ of the left, diag(λ̃), and B·S of the right.
	core := matrix.Clone(a.forward)
	dense.ScaleColumns(core, m.Values)
	d, err := newSVD("the core", dense.Mul(blas.NoTrans, core, blas.Trans, b.forward))
	if err != nil {
		return err
	}
	k := min(f.Rank, dense.Rank(d.S, rankTolerance))
	m.Values = d.S[:k]
	product := func(a, b blas64.General) blas64.General { return dense.Mul(blas.NoTrans, a, blas.NoTrans, b) }
	m.Left.Projection = product(m.Left.Projection, product(a.back, matrix.Columns(d.U, 0, k)))
	m.Right.Projection = product(m.Right.Projection, product(b.back, matrix.Columns(d.V, 0, k)))
	return nil
}

// whitening maps U to orthonormal columns A = U·back, with U = A·forward.
type whitening struct{ back, forward blas64.General }

func newWhitening(d *dense.SVD) whitening {
	k := dense.Rank(d.S, rankTolerance)
	back, forward := matrix.Clone(matrix.Columns(d.V, 0, k)), matrix.Transpose(matrix.Columns(d.V, 0, k))
	dense.ScaleColumns(back, dense.Reciprocals(d.S[:k]))
	dense.ScaleRows(forward, d.S[:k])
	return whitening{back, forward}
}
