package lowrank

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// scout finds rows that a uniform sample is likely to miss, and that have a large part
// in some direction of a sketch Y = K(·, J) all the same: those of high leverage. In the
// pass that streams Y it draws rows with probabilities in proportion to
//
//	ℓ(x) = y(x)ᵀ·(Y_Sᵀ·Y_S + λ²I)⁻¹·y(x)         S the uniform sample
//
// as far as random projections to scoutColumns dimensions tell: for that no kernel entry
// is needed, and few flops. A row unlike all of S has a very large ℓ and is sure to be
// found. So is a row of S that is unlike the others: its ℓ is that without itself in S,
// ℓ/(1−ℓ). (Ridge leverage scores from a uniform sample: D. Calandriello, A.
// Lazaric and M. Valko 2017, "Distributed adaptive sampling for kernel matrix
// approximation"; without replacement: see [sketch.Priority].)
type scout struct {
	project blas64.General    // p × scoutColumns
	known   map[int64]float64 // ℓ of rows of S; 0 for rows that need not be found
	keep    int
	least   float64 // ℓ of the rows to find
	random  sketch.Random
}

const (
	// scoutColumns makes ℓ right to about a third: it only says how likely a row is drawn.
	scoutColumns = 16
	// scoutRidge is λ relative to the largest singular value of Y_S.
	scoutRidge = 1e-10
)

// leverageScout prepares for finding keep rows besides those with the numbers given. The sample
// is of rows of the source of the pass, and the sketch is of the given columns.
func (t *tiles) leverageScout(ctx context.Context, e stream.Engine, sample *panel, besides []int64, columns *panel, keep int, seed uint64, purpose string) (*scout, error) {
	s := &scout{keep: keep, random: sketch.NewRandom(seed, purpose)}
	if keep == 0 {
		return s, nil
	}
	y, err := t.between(ctx, e, sample.rows, columns)
	if err != nil {
		return nil, err
	}
	qr := sketch.NewQR(y.Cols)
	if err := qr.Add(y); err != nil {
		return nil, err
	}
	d, err := newSVD("the sketch of the core points", qr.R())
	if err != nil {
		return nil, err
	}
	ridge := scoutRidge * d.S[0]
	if ridge == 0 {
		s.keep = 0
		return s, nil
	}
	for i, v := range d.S {
		d.S[i] = 1 / math.Hypot(v, ridge)
	}
	whiten := scaledColumns(d.V, d.S)
	s.project = dense.Mul(blas.NoTrans, whiten, blas.NoTrans, scoutProjection(whiten.Cols, seed, purpose))
	s.know(sample.number, dense.Mul(blas.NoTrans, y, blas.NoTrans, whiten), besides)
	return s, nil
}

// scoutProjection returns a random projection of so many dimensions to scoutColumns.
func scoutProjection(dimensions int, seed uint64, purpose string) blas64.General {
	m := stream.NewMatrix(dimensions, scoutColumns)
	sketch.NewRandom(seed, purpose+" projection").Normals(m)
	dense.Scale(1/math.Sqrt(scoutColumns), m)
	return m
}

// know keeps ℓ of the rows of the sample, whose sketch is given in coordinates in which
// Y_Sᵀ·Y_S + λ²I is the identity.
func (s *scout) know(number []int64, y blas64.General, besides []int64) {
	s.known = make(map[int64]float64, len(number))
	for i, r := range number {
		inside := dense.Dot(dense.Row(y, i), dense.Row(y, i))
		s.known[r] = inside / max(1-inside, 1e-12)
	}
	for _, r := range besides {
		s.known[r] = 0
	}
}

// looker returns a function that gives the priorities ℓ(x)/u of a panel of rows of the
// sketch, 0 for rows that need not be found. The result is valid until the next call.
func (s *scout) looker() func(y blas64.General, start int64) []float64 {
	priority, projected := make([]float64, stream.PanelRows), stream.NewMatrix(stream.PanelRows, scoutColumns)
	return func(y blas64.General, start int64) []float64 {
		out := priority[:y.Rows]
		clear(out)
		if s.keep == 0 {
			return out
		}
		part := stream.RowSlice(projected, 0, y.Rows)
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, y, s.project, 0, part)
		for i := range out {
			number := start + int64(i)
			leverage, known := s.known[number]
			if !known {
				leverage = dense.Dot(dense.Row(part, i), dense.Row(part, i))
			}
			if leverage < s.least {
				continue
			}
			draws := s.random.At(uint64(number))
			out[i] = leverage / (1 - draws.Float64())
		}
		return out
	}
}
