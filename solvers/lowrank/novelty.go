package lowrank

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// Novelty measures how unlike the fitted rows a row is (Hoffmann 2007, "Kernel PCA for novelty
// detection"): its distance in feature space from the span of the model's functions,
//
//	d(x)² = k(x, x) − ‖u(x)·Span‖²
//
// from the mean of the fitted rows if the model is centred. Its leverage is ‖u(x)‖², that of all
// fitted rows adds up to the rank.
type Novelty struct {
	Span blas64.General `json:"-" array:"span,rank,s"`
	// Known are the distances of sampled fitted rows that are not landmarks, descending: a landmark
	// is nearer to the span than a new row would be.
	Known []float64 `json:"-" array:"known,m,descending"`
}

// noveltyColumns is the number of columns of [model.Novelty].
const noveltyColumns = 3

// learnNovelty measures the sample.
func (s *learner) learnNovelty(ctx context.Context, e stream.Engine) error {
	side := s.Left
	if side.features != nil || side.Signs != nil {
		return errors.New("novelty is a distance from the span of landmarks, and this method has none: use pca, landmark or nystrom")
	}
	if !s.Kernel.PositiveSemiDefinite() {
		return errors.New("novelty is a distance in feature space, which this kernel does not have: use one that is positive semi-definite, such as rbf")
	}
	s.Novelty = &Novelty{}
	if err := s.learnSpan(ctx, e); err != nil {
		return err
	}
	for i, number := range s.rows.Number {
		if _, found := slices.BinarySearch(side.Rows, number); !found {
			s.Novelty.Known = append(s.Novelty.Known, s.Novelty.distance(dense.Row(s.u, i), s.diagonal[i]))
		}
	}
	if len(s.Novelty.Known) == 0 {
		return errors.New("all rows are landmarks, and none is left to compare new rows with: ask for fewer `landmarks`")
	}
	slices.Sort(s.Novelty.Known)
	slices.Reverse(s.Novelty.Known)
	return nil
}

// learnSpan finds the matrix that makes the model's functions orthonormal in feature space. The Gram
// matrix of the functions is PᵀK(J, J)P with P the projection; a function that is rounding is left out.
func (s *learner) learnSpan(ctx context.Context, e stream.Engine) error {
	p := s.Left.Projection
	if s.Left.Refinement.Rows > 0 {
		p = dense.Mul(blas.NoTrans, p, blas.NoTrans, s.Left.Refinement)
	}
	landmarks := s.Left.pack()
	k, err := s.tiles.Between(ctx, e, &tiles.Rows{Dense: landmarks.Rows}, landmarks.Cols, basis.PanelRows)
	if err != nil {
		return err
	}
	g := dense.Mul(blas.Trans, p, blas.NoTrans, dense.Mul(blas.NoTrans, k, blas.NoTrans, p))
	unit := make([]float64, g.Rows) // functions of one size, as values differ by much
	for i := range unit {
		unit[i] = 1 / math.Sqrt(math.Max(dense.Row(g, i)[i], math.SmallestNonzeroFloat64))
	}
	dense.ScaleRows(g, unit)
	dense.ScaleColumns(g, unit)
	eig, err := newEigen("the Gram matrix of the functions", g)
	if err != nil {
		return err
	}
	r := dense.Rank(eig.Values, basisTolerance)
	s.Novelty.Span = scaledColumns(dense.Columns(eig.Vectors, 0, r), dense.Reciprocals(dense.Roots(eig.Values[:r])))
	dense.ScaleRows(s.Novelty.Span, unit)
	dense.Scale(1/math.Sqrt(s.Left.unit()), s.Novelty.Span)
	return nil
}

func (n *Novelty) turn(t blas64.General) { n.Span = dense.Mul(blas.NoTrans, t, blas.NoTrans, n.Span) }

// distance returns that of a row with an embedding and k(x, x), centred if the model is.
func (n *Novelty) distance(u []float64, diagonal float64) float64 {
	inside := dense.MulVector(blas.Trans, n.Span, u)
	return math.Sqrt(math.Max(0, diagonal-dense.Dot(inside, inside)))
}

// judge returns a function for one goroutine that puts the columns of [model.Novelty] into dst.
func (m *Model) judge() func(dst, u, entries []float64, diagonal float64) {
	return func(dst, u, entries []float64, diagonal float64) {
		if c := m.Left.Centre; c != nil {
			diagonal -= (2*dense.Dot(entries, c.Weights) - c.Norm) / m.Left.unit()
		}
		d, known := m.Novelty.distance(u, diagonal), m.Novelty.Known
		farther, _ := slices.BinarySearchFunc(known, d, func(v, d float64) int {
			if v >= d {
				return -1
			}
			return 1
		})
		dst[0], dst[1], dst[2] = d, dense.Dot(u, u), float64(1+farther)/float64(1+len(known))
	}
}
