package lowrank

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// A model of rank c needs few directions of the sketch besides the leading c, and a core of
// fewer directions needs fewer core points.
//
// carriedHalves halves of c are left, by the Nyström approximation of A: on 8,000 images of
// 784 pixels at rank 300, all of them core points, whose eigenvalues fall slowly (the 600th is
// two fifths of the 300th), errors of the model are 1.3 % larger in both norms than with all
// 4c, with 2c 2.3 % and 3.4 %, and with 5/2·c leading singular vectors of the sketch itself
// 3.9 %. On 100,000 rows of U[0,1]^20 at rank 500, with as many core points for each direction,
// they are 2.3 % and 1.9 % larger, in three fifths of the time.
const carriedHalves = 5

// What the directions that are left out may hold at most of the trace of the Nyström
// approximation. Of a core on all rows: with a kernel so narrow that rank c leaves a half of A,
// they hold more, and errors would be 6 % larger. On a sample of rows what they hold leaks into
// the others: where it is 1.3 %, as of images at rank 50, errors are 4 % and 10 % larger.
const (
	carriedPart        = 0.05
	carriedPartSampled = 0.01
)

// carriedFrom is how many directions of a sketch there must be for some to be left out on a
// sample of rows. With fewer the core takes little beside the pass, and the choice of landmarks,
// which may take a part of the whole, would have to look at fewer rows: on satimage at rank 50
// its errors were 15 % larger.
const carriedFrom = 800

// carriedRounds is how often the leading directions are multiplied.
const carriedRounds = 2

// carried returns how many of so many directions of the sketch a fit with t core points
// among n rows carries, and how many core points those take.
func (m Landmark) carried(directions int, t, n int64) (carried int, core int64) {
	return carriedDirections(m.Rank, directions, t, n)
}

func carriedDirections(rank, directions int, t, n int64) (carried int, core int64) {
	carried = carriedHalves * rank / 2
	switch {
	case 4*carried > 3*directions, t < n && directions < carriedFrom:
		return directions, t
	case t == n:
		return carried, t
	}
	return carried, max(int64(directions), t*int64(carried)/int64(directions))
}

// narrow leaves the leading directions of Q, if fewer are to be carried, the others hold
// little, and the kernel between the landmarks is positive definite up to [RankTolerance] of
// its trace.
func (f *landmarkFit) narrow(ctx context.Context, e stream.Engine) error {
	full, points := f.side.Rank(), int64(len(f.core.number))
	k, core := f.carried(full, points, f.rows)
	if k == full {
		return nil
	}
	w, err := f.tiles.between(ctx, e, f.landmarks.rows, f.landmarks)
	if err != nil {
		return err
	}
	a, ok := f.nystromFactor(w)
	if !ok {
		return nil
	}
	x, err := leadingRange(a, k, f.Seed)
	if err != nil {
		return err
	}
	most := carriedPart
	if points < f.rows {
		most = carriedPartSampled
	}
	held := dense.Frobenius(dense.Mul(blas.Trans, x, blas.NoTrans, a)) / dense.Frobenius(a)
	if !(1-held*held <= most) {
		return nil
	}
	side := *f.side
	side.Projection = dense.Mul(blas.NoTrans, side.Projection, blas.NoTrans, x)
	f.side = &side
	return f.thinCore(int(core))
}

// thinCore leaves so many core points: the landmarks, and a sample of the others.
func (f *landmarkFit) thinCore(most int) error {
	if most >= len(f.core.number) {
		return nil
	}
	var left, others []int // indices of core points
	for i, number := range f.core.number {
		if _, is := slices.BinarySearch(f.landmarks.number, number); is {
			left = append(left, i)
		} else {
			others = append(others, i)
		}
	}
	s, err := sketch.NewSample(int64(len(others)), max(0, most-len(left)), f.Seed, "core points left")
	if err != nil {
		return err
	}
	for _, at := range s.Positions() {
		left = append(left, others[at])
	}
	f.core = f.tiles.pickIndices(f.core, left)
	return nil
}

// nystromFactor returns F with FFᵀ = QᵀK(·, J)·(W + νI)⁻¹·K(J, ·)Q, W = K(J, J), which it
// overwrites. ν is what rounding of W is below.
func (f *landmarkFit) nystromFactor(w blas64.General) (factor blas64.General, ok bool) {
	ridge := f.tiles.precision.rankTolerance() * dense.Trace(w)
	for i := range w.Rows {
		w.Data[i*w.Stride+i] += ridge
	}
	if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: w.Cols, Stride: w.Stride, Data: w.Data}); !ok {
		return factor, false
	}
	if factor = dense.Clone(f.factor); f.side.Rank() < factor.Rows { // QᵀK(·, J) = (R·T)ᵀ·R
		factor = dense.Mul(blas.Trans, dense.Mul(blas.NoTrans, f.factor, blas.NoTrans, f.side.Projection), blas.NoTrans, f.factor)
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upperTriangle(w), factor)
	return factor, dense.Finite(factor)
}

// leadingRange returns k orthonormal columns that nearly span the leading left singular
// vectors of a, by subspace iteration from random signs (Halko, Martinsson & Tropp 2011,
// Algorithm 4.4).
func leadingRange(a blas64.General, k int, seed uint64) (x blas64.General, err error) {
	x = stream.NewMatrix(a.Rows, k)
	sketch.NewRandom(seed, "carried directions").Signs(x)
	for range carriedRounds {
		x, _, err = sketch.CholeskyQR(dense.Mul(blas.NoTrans, a, blas.NoTrans, dense.Mul(blas.Trans, a, blas.NoTrans, x)))
		if err != nil {
			return x, err
		}
	}
	return x, nil
}
