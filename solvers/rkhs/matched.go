package rkhs

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// A sample of the pairs has other moments than all of them: other values, and other gaps between
// them, which is more than the features err by. But those of the features are known of all
// pairs. So the features of the sample are exchanged for others that are as near to them as may
// be and have the moments of all pairs: then a fit with the features alone is that of all pairs,
// and the sample has to speak only for what the features leave.

// matched are the features of a sample, and those that have the moments of all pairs: rows are
// multiplied by √w_i, and centred if the operator is. They are those of x and of y side by side.
type matched struct {
	old, new blas64.General
	first    [2]int // column of a side
	count    [2]int
}

// matchedBelow is the part of the largest singular value of the features of a sample below which
// a direction is left as it is.
const matchedBelow = 1e-7

// match returns the features of a sample for the moments of all pairs.
func (s setting) match(ctx context.Context, e stream.Engine, sample *Data, sp *spaces, m *moments) (*matched, error) {
	rows, parts, err := s.features(ctx, e, "features of a sample", sample, sp)
	if err != nil {
		return nil, err
	}
	roots := make([]float64, rows.Rows)
	for i := range roots {
		roots[i] = sample.rootWeight(int64(i))
	}
	out := &matched{old: dense.Clone(dense.Columns(rows, 1, rows.Cols-1))}
	means := dense.MulVector(blas.Trans, out.old, roots)
	addMeans(-1, roots, means, out.old)
	r := m.A.R()
	if out.new, err = withMoments(out.old, dense.Columns(stream.RowSlice(r, 1, r.Rows-1), 1, r.Cols-1)); err != nil {
		return nil, err
	}
	if !s.Centre {
		addMeans(1, roots, means, out.old)
		addMeans(1, roots, dense.Row(r, 0)[1:], out.new)
	}
	for _, p := range parts {
		out.first[p.side], out.count[p.side] = p.first-1, p.space.Left.Rank()
	}
	return out, nil
}

// addMeans adds a multiple of roots·meansᵀ.
func addMeans(by float64, roots, means []float64, m blas64.General) {
	for i, r := range roots {
		dense.Axpy(by*r, means, dense.Row(m, i))
	}
}

// withMoments returns the matrix B nearest to A with BᵀB = RᵀR, but for directions in which A
// hardly has rows: A = U·S·Vᵀ, and B = U·O·R'·Vᵀ for the R' of R·V and the orthogonal O that
// brings it nearest to S (Procrustes).
func withMoments(a, r blas64.General) (blas64.General, error) {
	d, err := dense.NewSVD(a)
	if err != nil {
		return a, err
	}
	k := dense.Rank(d.S, matchedBelow)
	if k == 0 {
		return dense.Clone(a), nil
	}
	triangle := sketch.NewQR(k)
	if err := triangle.Add(mul(r, dense.Columns(d.V, 0, k))); err != nil {
		return a, err
	}
	wanted := triangle.R()
	between := dense.Transpose(wanted)
	dense.ScaleRows(between, d.S[:k])
	turn, err := dense.NewSVD(between)
	if err != nil {
		return a, err
	}
	turned := mul(dense.Mul(blas.NoTrans, turn.U, blas.Trans, turn.V), wanted)
	b := dense.Mul(blas.NoTrans, mul(dense.Columns(d.U, 0, k), turned), blas.Trans, dense.Columns(d.V, 0, k))
	if rest := len(d.S) - k; rest > 0 {
		dense.Add(1, weighted(dense.Columns(d.U, k, rest), d.S[k:], dense.Columns(d.V, k, rest)), b)
	}
	return b, nil
}

// side returns the columns of a side.
func (m *matched) side(of blas64.General, s Side) blas64.General {
	return dense.Columns(of, m.first[s], m.count[s])
}

// of returns what is exchanged of the features of a side, or of both below each other.
func (m *matched) of(s Side, parts int) *exchange {
	if parts == 1 {
		return &exchange{m.side(m.old, s), m.side(m.new, s)}
	}
	return &exchange{below(m.side(m.old, OfX), m.side(m.old, OfY)), below(m.side(m.new, OfX), m.side(m.new, OfY))}
}

// below returns the rows of a and behind them those of b.
func below(a, b blas64.General) blas64.General {
	m := stream.NewMatrix(a.Rows+b.Rows, a.Cols)
	copyInto(stream.RowSlice(m, 0, a.Rows), a)
	copyInto(stream.RowSlice(m, a.Rows, b.Rows), b)
	return m
}

// against returns how far a fit is from the exact operator of a sample with matched features.
func (s setting) against(ctx context.Context, e stream.Engine, sample *Data, m *matched, fit *Fit) (off distances, entries int64, err error) {
	w := s.newWhole(e, sample)
	w.tolerance, w.solveTolerance, w.passes, w.matched = estimateTolerance, estimateSolve, estimateRounds, m
	if err := w.decompose(ctx); err != nil {
		return off, 0, err
	}
	w.report()
	off.values = valuesApart(w.fit.Eigenvalues(), fit.Eigenvalues(), s.Rank)
	t := s.Operator.Traits()
	if s.Task == Eigen {
		t.Range, t.Domain = OfX, OfX
	}
	for i, f := range []*Functions{fit.Left, fit.Right} {
		side := [2]Side{t.Range, t.Domain}[i]
		exact, err := spanOf(w.values[i])
		if err != nil {
			return off, 0, err
		}
		near, err := spanOf(mul(m.side(m.new, side), f.Coefficients))
		if err != nil {
			return off, 0, err
		}
		off.functions = math.Max(off.functions, sineBetween(exact, near))
	}
	return off, w.fit.KernelEntries, nil
}
