package ksvd

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// operator is a matrix A that is known by what it does.
type operator interface {
	// multiply puts A·q into aq and Aᵀ·p into atp.
	multiply(ctx context.Context, q, aq, p, atp blas64.General) error
}

// inMemory is a matrix in memory as an operator.
type inMemory struct{ a blas64.General }

func (m inMemory) multiply(_ context.Context, q, aq, p, atp blas64.General) error {
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, m.a, q, 0, aq)
	dense.Gemm(blas.Trans, blas.NoTrans, 1, m.a, p, 0, atp)
	return nil
}

// krylov is a truncated SVD by block Krylov iteration on both sides at once (C.
// Musco and C. Musco 2015, "Randomized block Krylov methods for stronger and faster
// approximate singular value decomposition"), with thick restarts when the spaces
// have grown to krylovBlocks blocks (K. Wu and H. Simon 2000, "Thick-restart Lanczos
// method for large symmetric eigenvalue problems"): the better half of the Ritz vectors
// stays, and the space goes on from their residuals.
//
//	P_{j+1} = orth (A·Q_j, without P₀ … P_j)
//	Q_{j+1} = orth (Aᵀ·P_j, without Q₀ … Q_j)     one multiplication for both
//	PᵀAQ = F·diag(σ)·Gᵀ, U = P·F, V = Q·G         Rayleigh–Ritz
type krylov struct {
	rank      int
	tolerance float64 // on the residuals of all triplets, relative to the largest σ
	passes    int     // at most
	seed      uint64
	centred   bool // A maps 1 to 0, from either side
}

// krylovBlocks is how many blocks a space has at most, and krylovExtra how many
// vectors more than the rank a block has: what lies beyond the rank decides how fast
// residuals fall.
const (
	krylovBlocks = 8
	krylovExtra  = 8
)

// triplets are singular triplets of A, or what is known of them.
type triplets struct {
	values    []float64 // descending, as far as they are more than rounding
	u, v      blas64.General
	residuals []float64 // the larger of ‖Av−σu‖ and ‖Aᵀu−σv‖ relative to σ₁
	passes    int
}

func (r *triplets) residual() float64 {
	most := 0.0
	for _, v := range r.residuals {
		most = math.Max(most, v)
	}
	return most
}

// blockCols is the number of vectors in a block.
func (m krylov) blockCols() int { return m.rank + krylovExtra }

// krylovSpace is a pair of spaces under way.
type krylovSpace struct {
	krylov
	p, q basis
}

// run decomposes an n×m operator.
func (m krylov) run(ctx context.Context, op operator, n, cols int) (*triplets, error) {
	b := m.blockCols()
	most := krylovBlocks * b
	s := &krylovSpace{m, newBasis(n, cols, min(n, most)), newBasis(cols, n, min(cols, most))}
	_, errP := s.p.add(m.random(n, "krylov left"), b, rankTolerance)
	_, errQ := s.q.add(m.random(cols, "krylov right"), b, rankTolerance)
	if err := firstError(errP, errQ); err != nil {
		return nil, err
	}
	for pass := 1; ; pass++ {
		if err := s.multiply(ctx, op); err != nil {
			return nil, err
		}
		small, err := newSVD("the projected matrix", dense.Mul(blas.Trans, s.p.vectors(), blas.NoTrans, s.q.product()))
		if err != nil {
			return nil, err
		}
		r := s.ritz(small, m.rank)
		r.passes = pass
		if pass >= m.passes || pass > 1 && r.residual() <= m.tolerance {
			return r, nil
		}
		if grown, err := s.extend(small); err != nil || !grown {
			return r, err
		}
	}
}

// random are standard normal columns, with mean 0 if A is centred.
func (m krylov) random(n int, purpose string) blas64.General {
	x := stream.NewMatrix(n, min(n, m.blockCols()))
	noise := sketch.NewStream(m.seed, purpose)
	for i := range n {
		draws := noise.At(uint64(i))
		row := dense.Row(x, i)
		for j := range row {
			row[j] = draws.Normal()
		}
	}
	if m.centred {
		dense.CentreColumns(x)
	}
	return x
}

func (s *krylovSpace) multiply(ctx context.Context, op operator) error {
	q, aq := s.q.unknown()
	p, atp := s.p.unknown()
	if err := op.multiply(ctx, q, aq, p, atp); err != nil {
		return err
	}
	s.p.known, s.q.known = s.p.cols, s.q.cols
	return firstError(checkFinite("A·Q", aq), checkFinite("Aᵀ·P", atp))
}

// ritz are at most so many triplets, the largest.
func (s *krylovSpace) ritz(d *dense.SVD, most int) *triplets {
	k := min(most, dense.Rank(d.S, rankTolerance))
	f, g := dense.Columns(d.U, 0, k), dense.Columns(d.V, 0, k)
	r := &triplets{values: d.S[:k],
		u: dense.Mul(blas.NoTrans, s.p.vectors(), blas.NoTrans, f), v: dense.Mul(blas.NoTrans, s.q.vectors(), blas.NoTrans, g)}
	left := residuals(dense.Mul(blas.NoTrans, s.q.product(), blas.NoTrans, g), r.u, r.values)
	right := residuals(dense.Mul(blas.NoTrans, s.p.product(), blas.NoTrans, f), r.v, r.values)
	for j := range left {
		r.residuals = append(r.residuals, math.Max(left[j], right[j]))
	}
	return r
}

// residuals are the norms of the columns of au − u·diag(values), over the largest
// value.
func residuals(au, u blas64.General, values []float64) []float64 {
	sums := make([]float64, len(values))
	for i := range u.Rows {
		product := dense.Row(au, i)
		for j, v := range dense.Row(u, i) {
			d := (product[j] - values[j]*v) / values[0]
			sums[j] += d * d
		}
	}
	return roots(sums)
}

// extend adds a block to both spaces, after a restart if one is full, and says
// whether either has grown. A space of all vectors there are stays as it is.
func (s *krylovSpace) extend(d *dense.SVD) (bool, error) {
	b := s.blockCols()
	full := func(x *basis) bool { return x.room() < b && x.q.Cols < x.q.Rows }
	if full(&s.p) || full(&s.q) {
		keep := min(krylovBlocks/2*b, dense.Rank(d.S, rankTolerance))
		s.p.restart(dense.Columns(d.U, 0, keep))
		s.q.restart(dense.Columns(d.V, 0, keep))
	}
	least := 0.0
	if len(d.S) > 0 {
		least = rankTolerance * d.S[0]
	}
	aq, atp := s.q.newestProduct(), s.p.newestProduct()
	p, errP := s.p.add(aq, b, least)
	q, errQ := s.q.add(atp, b, least)
	return p || q, firstError(errP, errQ)
}

// denseSVD is how large the shorter side of a matrix in memory is for which the full
// SVD is as fast.
const denseSVD = 96

// truncatedSVD are the rank largest triplets of a matrix in memory.
func truncatedSVD(ctx context.Context, a blas64.General, rankWanted int, tolerance float64, seed uint64) (*triplets, error) {
	if min(a.Rows, a.Cols) > denseSVD && 2*rankWanted < min(a.Rows, a.Cols) {
		r, err := krylov{rank: rankWanted, tolerance: tolerance, passes: 100, seed: seed}.run(ctx, inMemory{a}, a.Rows, a.Cols)
		if err == nil {
			dense.FixSigns(r.u, r.v)
		}
		return r, err
	}
	d, err := newSVD("the sampled block", a)
	if err != nil {
		return nil, err
	}
	k := min(rankWanted, dense.Rank(d.S, rankTolerance))
	return &triplets{values: d.S[:k], u: dense.Clone(dense.Columns(d.U, 0, k)), v: dense.Clone(dense.Columns(d.V, 0, k)), residuals: make([]float64, k)}, nil
}
