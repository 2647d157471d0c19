package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// A basis is the range of K(·, J) of a positive semi-definite kernel, whitened by what the
// landmarks tell of each other before the pass:
//
//	W = K(X_J, X_J),  UᵀU = W + ridge
//	F = K(·, X_J)·U⁻¹,  FᵀF = V·Λ·Vᵀ,  Q = F·V·Λ^(−½)
//
// Q from the triangular factor of K(·, X_J) is orthonormal to ε·cond, which may be 1e-3. The
// condition of F is about the root of that: Λ are the eigenvalues of the Nyström approximation
// FFᵀ of A. A row of F is at most √k(x, x) long, so that no row drowns the others.
type basis struct {
	upper   blas64.General // U
	vectors blas64.General // V, but for directions that are rounding
	roots   []float64      // of Λ, descending
}

// dependence is the pivot, relative to the largest diagonal entry of W, at which a landmark
// depends on those before it.
const dependence = 1e-13

// ridges are tried one after another. They are relative to the trace of W; the first is about
// its rounding.
var ridges = []float64{4 * 0x1p-52, 64 * 0x1p-52, 1024 * 0x1p-52}

// whiten leaves out landmarks that depend on others, by pivoted Cholesky of W, and returns U.
func (f *landmarkFit) whiten(ctx context.Context, e stream.Engine) (u blas64.General, err error) {
	w, err := f.tiles.between(ctx, e, f.landmarks.rows, f.landmarks)
	if err != nil {
		return w, err
	}
	largest, order := 0.0, make([]int, w.Rows)
	for i := range w.Rows {
		largest = math.Max(largest, dense.Row(w, i)[i])
	}
	_, rank, _ := lapack64.Pstrf(upperSymmetric(dense.Clone(w)), order, dependence*largest, make([]float64, 2*w.Rows))
	if rank < w.Rows {
		kept := slices.Sorted(slices.Values(order[:max(1, rank)]))
		f.landmarks, w = f.tiles.pickIndices(f.landmarks, kept), dense.PickRows(dense.PickColumns(w, kept), kept)
	}
	scale := dense.Trace(w)
	if scale == 0 {
		scale = 1
	}
	for _, ridge := range ridges {
		u = dense.Clone(w)
		for i := range u.Rows {
			dense.Row(u, i)[i] += ridge * scale
		}
		if _, ok := lapack64.Potrf(upperSymmetric(u)); ok {
			return u, nil
		}
	}
	return u, notDefinite(f.tiles.kernel)
}

func upperSymmetric(m blas64.General) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Upper, N: m.Rows, Stride: m.Stride, Data: m.Data}
}

// streamBasis makes the pass, and finds Q and tr(A).
func (f *landmarkFit) streamBasis(ctx context.Context, e stream.Engine, src stream.Source) error {
	u, err := f.whiten(ctx, e)
	if err != nil {
		return err
	}
	by, err := sketch.NewWhitening(u)
	if err != nil {
		return err
	}
	s, err := f.scout(ctx, e, u)
	if err != nil {
		return err
	}
	found, err := f.streamGram(ctx, e.Given(u), src, s, by)
	if err != nil {
		return err
	}
	f.take(found.B)
	eig, err := newEigen("the sketch", found.A.Matrix())
	if err != nil {
		return err
	}
	r := dense.Rank(eig.Values, dependence)
	f.basis = &basis{upper: u, vectors: dense.Columns(eig.Vectors, 0, r), roots: dense.Roots(eig.Values[:r])}
	f.use(r, 0)
	return nil
}

// streamGram makes the pass that sums FᵀF.
func (f *landmarkFit) streamGram(ctx context.Context, e stream.Engine, src stream.Source, s *scout, by *sketch.Whitening) (*ranged[*sketch.WhitenedGram], error) {
	if f.wide(f.tiles.kernel) {
		return f.streamWide(ctx, e, src, s, by)
	}
	pass := sketchPass{tiles: f.tiles, rows: f.landmarks}
	return streamRange(ctx, e, pass, src, true, s, func() *sketch.WhitenedGram { return sketch.NewWhitenedGram(by) })
}

// scoutRows is how many rows of the sample a scout learns from, for each landmark.
const scoutRows = 4

// scout prepares for finding rows of high leverage in F, by a sample of the core points.
func (f *landmarkFit) scout(ctx context.Context, e stream.Engine, u blas64.General) (*scout, error) {
	const purpose = "scout"
	s := &scout{least: leastLeverage, random: sketch.NewRandom(f.Seed, purpose)}
	if f.points.scouted == 0 {
		return s, nil
	}
	sample := f.tiles.without(f.core, f.landmarks)
	if most := scoutRows * u.Rows; most < sample.rows.Rows {
		evenly := make([]int, most)
		for i := range evenly {
			evenly[i] = i * sample.rows.Rows / most
		}
		sample = f.tiles.pickIndices(sample, evenly)
	}
	y, err := f.tiles.between(ctx, e, sample.rows, f.landmarks)
	if err != nil {
		return nil, err
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upperTriangle(u), y)
	g := stream.NewMatrix(u.Rows, u.Rows)
	blas64.Syrk(blas.Trans, 1, y, 0, upperSymmetric(g))
	ridge := math.Max(scoutRidgeOfGram*dense.Trace(g), tailTrace(g, f.Rank)/float64(f.Rank))
	for i := range g.Rows {
		dense.Row(g, i)[i] += ridge
	}
	if _, ok := lapack64.Potrf(upperSymmetric(g)); !ok || !dense.Finite(g) {
		return s, nil
	}
	s.keep, s.project = f.points.scouted, scoutProjection(g.Rows, f.Seed, purpose)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upperTriangle(g), s.project)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upperTriangle(u), s.project)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upperTriangle(g), y)
	s.know(sample.number, y, f.landmarks.number)
	return s, nil
}

// tailTrace bounds from above what rank c leaves of the trace of a Gram matrix, by pivoted
// Cholesky.
func tailTrace(g blas64.General, c int) (sum float64) {
	r := dense.Clone(g)
	_, rank, _ := lapack64.Pstrf(upperSymmetric(r), make([]int, g.Rows), 0, make([]float64, 2*g.Rows))
	for i := c; i < rank; i++ {
		tail := dense.Row(r, i)[i:]
		sum += dense.Dot(tail, tail)
	}
	return sum
}

// leastLeverage is ℓ of a row that has more in some direction than all of the sample. Others
// would only bias the core: on a slow spectrum they raise its spectral error by a quarter. With
// λ² at what rank c leaves, directions that truncation drops do not count.
const leastLeverage = 1

// scoutRidgeOfGram is the least λ² relative to the trace of the Gram matrix of the sample.
const scoutRidgeOfGram = 1e-12

// take takes what a pass has found besides the range: tr(A), and rows for the core, which
// stand for themselves in the error estimate.
func (f *landmarkFit) take(b *sketch.Both[*sketch.ColumnSums, *sketch.Priority]) {
	f.trace = b.A.Totals()[0]
	found := f.tiles.found(b.B)
	if len(found.number) == 0 {
		return
	}
	found = f.tiles.without(found, f.landmarks)
	f.core = f.tiles.join(f.core, found)
	f.held = f.tiles.without(f.held, found)
	f.held.beside = found
}

// use makes the leading k columns of Q the embedding, and as many random combinations of the
// others as asked for.
func (f *landmarkFit) use(k, probes int) {
	b := f.basis
	v := scaledColumns(b.vectors, dense.Reciprocals(b.roots))
	t := stream.NewMatrix(v.Rows, k+probes)
	for i := range v.Rows {
		copy(dense.Row(t, i), dense.Row(v, i)[:k])
	}
	if probes > 0 {
		f.singular = append(f.singular, slices.Repeat(b.roots[len(b.roots)-1:], probes)...)
		rest := dense.Columns(v, k, v.Cols-k)
		mix := stream.NewMatrix(rest.Cols, probes)
		sketch.NewRandom(f.Seed, "probes of the range").Normals(mix)
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, rest, householder.QR(mix).Thin(), 0, dense.Columns(t, k, probes))
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upperTriangle(b.upper), t)
	f.singular = slices.Clone(b.roots[:k])
	f.side = &Embedding{Landmarks: f.landmarks.rows, Rows: f.landmarks.number, Projection: t}
}
