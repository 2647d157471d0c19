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

// Leverage finds rows that a uniform sample is likely to miss, yet that dominate some direction of a sketch Y = K(·,
// J). It draws rows with probability proportional to their ridge leverage during the pass that evaluates Y:
//
//	ℓ(x) = y(x)ᵀ·(Y_Sᵀ·Y_S + λ²I)⁻¹·y(x)         S a uniform sample
//
// The leverage is estimated by a random projection, which takes no kernel entries and few flops. A row unlike all of S
// has a very large ℓ and is almost certainly found. For a row of S itself, ℓ is corrected to its value without that
// row, ℓ/(1−ℓ). (Calandriello, Lazaric and Valko 2017, "Distributed adaptive sampling for kernel matrix approximation";
// without replacement: see [sketch.Priority].)
type Leverage struct {
	Project blas64.General // p × leverageColumns
	Keep    int            // number of rows to find; 0 for none

	sampleLeverage map[int64]float64 // ℓ of rows of S; 0 for excluded rows
	minLeverage    float64           // smallest ℓ of interest
	takeLargest    bool              // take the rows of largest ℓ instead of drawing
	random         sketch.Random
}

const (
	// leverageColumns gives ℓ a relative error of about a third, enough for probabilities.
	leverageColumns = 16
	// leverageRidge is λ relative to the largest singular value of Y_S.
	leverageRidge = 1e-10
	// whitenedRidge is the smallest λ², relative to the trace of the Gram matrix of a whitened sketch.
	whitenedRidge = 1e-12
	// leastLeverage is the ℓ of a row that outweighs the whole sample in some direction. Rows below it would only bias
	// a core: on a slow spectrum they raise its spectral error by a quarter. With λ² at the residual of rank c,
	// directions dropped by truncation do not count.
	leastLeverage = 1
)

// SampleRows is the number of sample rows per landmark used by [WhitenedLeverage].
const SampleRows = 4

// NewLeverage prepares to find keep rows besides those with the given numbers, from the sketch m of a sample of rows of
// the named source.
func NewLeverage(ctx context.Context, e stream.Engine,
	m *Map, sample *Panel, name string, besides []int64, keep int, seed uint64, purpose string) (*Leverage, error) {
	if keep == 0 {
		return &Leverage{}, nil
	}
	y, err := m.Sketch(ctx, e, sample, name)
	if err != nil {
		return nil, err
	}
	return ridgeLeverage(y, sample.Number, besides, keep, seed, purpose)
}

// LargestLeverage prepares to find the keep rows of largest ℓ, from the sketch y of a sample of rows with the given
// numbers. It is deterministic: in a tie, the first rows win.
func LargestLeverage(y blas64.General, numbers []int64, keep int, seed uint64, purpose string) (*Leverage, error) {
	if keep == 0 {
		return &Leverage{}, nil
	}
	s, err := ridgeLeverage(y, numbers, nil, keep, seed, purpose)
	if err == nil {
		s.takeLargest = true
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
	s.storeLeverage(numbers, dense.Mul(blas.NoTrans, y, blas.NoTrans, d.V), besides)
	return s, nil
}

// WhitenedLeverage is [NewLeverage] for the whitened sketch K(·, landmarks)·U⁻¹, from sample rows that are not
// landmarks. It finds only rows of leverage 1 or more. λ² is the trace beyond rank c, divided by c.
func WhitenedLeverage(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, sample, landmarks *Panel, u blas64.General, c, keep int, seed uint64, purpose string) (*Leverage, error) {
	s := &Leverage{minLeverage: leastLeverage, random: sketch.NewRandom(seed, purpose)}
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
	y, err := t.RawEntries(ctx, e, sample.Cols, landmarks.Cols, PanelRows)
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
	s.storeLeverage(sample.Number, y, landmarks.Number)
	return s, nil
}

// tailTrace returns an upper bound on the trace beyond rank c of a Gram matrix, by pivoted Cholesky.
func tailTrace(g blas64.General, c int) (sum float64) {
	r := matrix.Clone(g)
	_, rank, _ := lapack64.Pstrf(Symmetric(r), make([]int, g.Rows), 0, make([]float64, 2*g.Rows))
	for i := c; i < rank; i++ {
		tail := matrix.Row(r, i)[i:]
		sum += dense.Dot(tail, tail)
	}
	return sum
}

// projection returns a random matrix of dimensions × leverageColumns.
func projection(dimensions int, seed uint64, purpose string) blas64.General {
	m := matrix.New(dimensions, leverageColumns)
	sketch.NewRandom(seed, purpose+" projection").Normals(m)
	dense.Scale(1/math.Sqrt(leverageColumns), m)
	return m
}

// storeLeverage stores ℓ of the rows of the sample. y is their sketch in coordinates in which Y_Sᵀ·Y_S + λ²I is the
// identity.
func (s *Leverage) storeLeverage(number []int64, y blas64.General, besides []int64) {
	s.sampleLeverage = make(map[int64]float64, len(number))
	for i, r := range number {
		inside := dense.Dot(matrix.Row(y, i), matrix.Row(y, i))
		s.sampleLeverage[r] = inside / max(1-inside, 1e-12)
	}
	for _, r := range besides {
		s.sampleLeverage[r] = 0
	}
}

// Sampler returns a function that computes the priorities ℓ(x)/u of at most [tilesize.PanelRows] rows of the sketch, 0
// for excluded rows. The result is valid until the next call.
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
			leverage, known := s.sampleLeverage[number]
			if !known {
				leverage = dense.Dot(matrix.Row(part, i), matrix.Row(part, i))
			}
			if leverage < s.minLeverage {
				continue
			}
			out[i] = leverage
			if !s.takeLargest {
				draws := s.random.At(uint64(number))
				out[i] /= 1 - draws.Float64()
			}
		}
		return out
	}
}
