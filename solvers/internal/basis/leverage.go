package basis

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Leverage finds rows that a uniform sample is likely to miss, and that have a large part in some
// direction of a sketch Y = K(·, J) all the same. In the pass that evaluates Y it draws rows with
// probabilities in proportion to their ridge leverage
//
//	ℓ(x) = y(x)ᵀ·(Y_Sᵀ·Y_S + λ²I)⁻¹·y(x)         S a uniform sample
//
// estimated by a random projection: that needs no kernel entry, and few flops. A row unlike all of
// S has a very large ℓ and is sure to be found. So is a row of S that is unlike the others: its ℓ
// is that without itself in S, ℓ/(1−ℓ). (Calandriello, Lazaric and Valko 2017, "Distributed
// adaptive sampling for kernel matrix approximation"; without replacement: see [sketch.Priority].)
type Leverage struct {
	Project blas64.General // p × leverageColumns
	Keep    int            // rows to find; 0 for none

	known   map[int64]float64 // ℓ of rows of S; 0 for rows that are not wanted
	least   float64           // smallest ℓ of a row to find
	largest bool              // find the rows of largest ℓ, instead of drawing rows
	random  sketch.Random
}

const (
	// leverageColumns makes ℓ right to about a third: it only says how likely a row is drawn.
	leverageColumns = 16
	// leverageRidge is λ relative to the largest singular value of Y_S.
	leverageRidge = 1e-10
	// whitenedRidge is the least λ² relative to the trace of the Gram matrix of a whitened sketch.
	whitenedRidge = 1e-12
	// leastLeverage is the ℓ of a row that has more in some direction than the whole sample.
	// Others would only bias a core: on a slow spectrum they raise its spectral error by a
	// quarter. With λ² at the residual of rank c, directions that truncation drops do not count.
	leastLeverage = 1
)

// SampleRows is the number of rows of the sample per landmark that [WhitenedLeverage] learns from.
const SampleRows = 4

// NewLeverage prepares for finding keep rows besides those with the numbers given, by a sample of
// rows of the named source of the pass. The sketch is m.
func NewLeverage(ctx context.Context, e stream.Engine,
	m *Map, sample *Panel, name string, besides []int64, keep int, seed uint64, purpose string) (*Leverage, error) {
	if keep == 0 {
		return &Leverage{}, nil
	}
	y, err := m.Of(ctx, e, sample, name)
	if err != nil {
		return nil, err
	}
	return ridgeLeverage(y, sample.Number, besides, keep, seed, purpose)
}

// LargestLeverage prepares to find the keep rows of largest ℓ, from the sketch y of a sample of rows with the given
// numbers. It is deterministic: among equal ℓ, the first rows win.
func LargestLeverage(y blas64.General, numbers []int64, keep int, seed uint64, purpose string) (*Leverage, error) {
	if keep == 0 {
		return &Leverage{}, nil
	}
	s, err := ridgeLeverage(y, numbers, nil, keep, seed, purpose)
	if err == nil {
		s.largest = true
	}
	return s, err
}

// ridgeLeverage returns ridge leverage from the sketch y of a sample. λ is relative to the largest singular value of y.
func ridgeLeverage(y blas64.General, numbers, besides []int64, keep int, seed uint64, purpose string) (*Leverage, error) {
	s := &Leverage{random: sketch.NewRandom(seed, purpose)}
	qr := sketch.NewQR(y.Cols)
	if err := qr.Add(y); err != nil {
		return nil, err
	}
	d, err := dense.NewSVD(qr.R())
	if err != nil {
		return nil, err
	}
	ridge := leverageRidge * d.S[0]
	if ridge == 0 {
		return s, nil
	}
	for i, v := range d.S {
		d.S[i] = 1 / math.Hypot(v, ridge)
	}
	dense.ScaleColumns(d.V, d.S)
	s.Keep, s.Project = keep, dense.Mul(blas.NoTrans, d.V, blas.NoTrans, projection(d.V.Cols, seed, purpose))
	s.know(numbers, dense.Mul(blas.NoTrans, y, blas.NoTrans, d.V), besides)
	return s, nil
}

// WhitenedLeverage is [NewLeverage] for the whitened sketch K(·, landmarks)·U⁻¹, by some of the
// sample that are no landmarks. Only rows of leverage 1 are found. λ² is the mean over c of what
// rank c leaves of the trace.
func WhitenedLeverage(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, sample, landmarks *Panel, u blas64.General, c, keep int, seed uint64, purpose string) (*Leverage, error) {
	s := &Leverage{least: leastLeverage, random: sketch.NewRandom(seed, purpose)}
	if keep == 0 {
		return s, nil
	}
	if sample = sample.Without(landmarks); SampleRows*u.Rows < sample.Count() {
		evenly := make([]int, SampleRows*u.Rows)
		for i := range evenly {
			evenly[i] = i * sample.Count() / len(evenly)
		}
		sample = sample.Pick(evenly)
	}
	y, err := t.Between(ctx, e, sample.Cols, landmarks.Cols, PanelRows)
	if err != nil {
		return nil, err
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, Upper(u), y)
	g := matrix.New(u.Rows, u.Rows)
	blas64.Syrk(blas.Trans, 1, y, 0, Symmetric(g))
	ridge := math.Max(whitenedRidge*dense.Trace(g), tailTrace(g, c)/float64(c))
	for i := range g.Rows {
		matrix.Row(g, i)[i] += ridge
	}
	if _, ok := lapack64.Potrf(Symmetric(g)); !ok || !dense.Finite(g) {
		return s, nil
	}
	s.Keep, s.Project = keep, projection(g.Rows, seed, purpose)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, Upper(g), s.Project)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, Upper(u), s.Project)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, Upper(g), y)
	s.know(sample.Number, y, landmarks.Number)
	return s, nil
}

// tailTrace bounds what rank c leaves of the trace of a Gram matrix from above, by pivoted Cholesky.
func tailTrace(g blas64.General, c int) (sum float64) {
	r := matrix.Clone(g)
	_, rank, _ := lapack64.Pstrf(Symmetric(r), make([]int, g.Rows), 0, make([]float64, 2*g.Rows))
	for i := c; i < rank; i++ {
		tail := matrix.Row(r, i)[i:]
		sum += dense.Dot(tail, tail)
	}
	return sum
}

// projection returns a random projection of so many dimensions to leverageColumns.
func projection(dimensions int, seed uint64, purpose string) blas64.General {
	m := matrix.New(dimensions, leverageColumns)
	sketch.NewRandom(seed, purpose+" projection").Normals(m)
	dense.Scale(1/math.Sqrt(leverageColumns), m)
	return m
}

// know keeps ℓ of the rows of the sample, whose sketch is given in coordinates in which
// Y_Sᵀ·Y_S + λ²I is the identity.
func (s *Leverage) know(number []int64, y blas64.General, besides []int64) {
	s.known = make(map[int64]float64, len(number))
	for i, r := range number {
		inside := dense.Dot(matrix.Row(y, i), matrix.Row(y, i))
		s.known[r] = inside / max(1-inside, 1e-12)
	}
	for _, r := range besides {
		s.known[r] = 0
	}
}

// Sampler returns a function that gives the priorities ℓ(x)/u of at most [tilesize.PanelRows] rows of
// the sketch, 0 for rows that need not be found. The result is valid until the next call.
func (s *Leverage) Sampler() func(y blas64.General, start int64) []float64 {
	priority, projected := make([]float64, tilesize.PanelRows), matrix.New(tilesize.PanelRows, leverageColumns)
	return func(y blas64.General, start int64) []float64 {
		out := priority[:y.Rows]
		clear(out)
		if s.Keep == 0 {
			return out
		}
		part := matrix.Rows(projected, 0, y.Rows)
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, y, s.Project, 0, part)
		for i := range out {
			number := start + int64(i)
			leverage, known := s.known[number]
			if !known {
				leverage = dense.Dot(matrix.Row(part, i), matrix.Row(part, i))
			}
			if leverage < s.least {
				continue
			}
			out[i] = leverage
			if !s.largest {
				draws := s.random.At(uint64(number))
				out[i] /= 1 - draws.Float64()
			}
		}
		return out
	}
}
