package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Novelty measures the novelty of a row (Hoffmann 2007, "Kernel PCA for novelty detection"): its distance in feature
// space from the span of the model's functions,
//
//	d(x)² = k(x, x) − ‖u(x)·Span‖²
//
// relative to the mean of the fitted rows if the model is centred. Its leverage is ‖u(x)‖². The leverages of all fitted
// rows sum to the rank.
type Novelty struct {
	Span blas64.General `json:"-" array:"span,rank,s"`
	// HeldOut are held-out distances of sampled fitted rows from the span, descending. Fitted rows are closer to the
	// span than new rows, and landmarks most of all. The distances therefore come from models of the other folds of the
	// sample, converted to the scale of this model by [sameRank].
	HeldOut []float64 `json:"-" array:"known,m,descending"`
}

// Farthest returns the distance that a fraction share of new rows exceeds. It is NaN if fewer than one of the held-out
// distances does. The median is always defined.
func (n *Novelty) Farthest(share float64) float64 {
	i := int(share * float64(len(n.HeldOut)))
	if i == 0 && share < 0.5 {
		return math.NaN()
	}
	return n.HeldOut[i]
}

// CheckShare returns the reason why a fraction of rows cannot be marked, or nil: tails are multiples of 1/(m+1) for m
// held-out distances.
func (n *Novelty) CheckShare(share float64) []string {
	least := 1 / float64(1+len(n.HeldOut))
	if share >= least {
		return nil
	}
	return []string{fmt.Sprintf("`Novelty %g` is below %.2g, the least share that %d rows of the fit can tell: no row is marked; raise it, or fit "+
		"more rows", share, least, len(n.HeldOut))}
}

// learnNovelty computes the span of the model, and the held-out distances of the sample by fits of the method.
//
// Distances of new rows d from the model and d' from the model of a fold differ by their random landmarks. For a narrow
// kernel, this shifts all distances by more than they vary. Therefore d' is compared with the distances of rows known
// to both models: a row of a fold is assigned the distance from the model of the row of the same rank among these.
func (s *fittedSample) learnNovelty(ctx context.Context, e stream.Engine, method Method, seed uint64) error {
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
	fitted := make([]float64, s.rows.Count())
	for i := range fitted {
		fitted[i] = s.Novelty.distance(matrix.Row(s.u, i), s.diagonal[i])
	}
	random, parts := sketch.NewRandom(seed, "novelty folds"), noveltyFolds(s.rows.Count())
	folds := make([][]int64, parts)
	for _, number := range s.rows.Number {
		draws := random.At(uint64(number))
		k := int(float64(parts) * draws.Float64())
		folds[k] = append(folds[k], number)
	}
	for _, fold := range folds {
		known, err := s.heldOut(ctx, e, method, fold, fitted)
		if err != nil {
			return fmt.Errorf("novelty of held-out rows: %w", err)
		}
		s.Novelty.HeldOut = append(s.Novelty.HeldOut, known...)
	}
	if len(s.Novelty.HeldOut) == 0 {
		return errors.New("one row has none to compare it with: novelty takes two rows or more")
	}
	slices.Sort(s.Novelty.HeldOut)
	if share := float64(s.rows.Count()) / float64(s.Rows); share < 1 {
		blend(s.Novelty.HeldOut, slices.Sorted(slices.Values(fitted)), share)
	}
	slices.Reverse(s.Novelty.HeldOut)
	return nil
}

// noveltyFolds returns the number of folds for a sample of the given size. Small samples need more folds, since their
// models suffer more from held-out rows.
func noveltyFolds(rows int) int {
	if rows > 2000 {
		return 5
	}
	return 10
}

// heldOut returns held-out distances of a fold of the sample, by a model of the other rows. fitted are the distances of
// all rows of the sample.
func (s *fittedSample) heldOut(ctx context.Context, e stream.Engine, method Method, fold []int64, fitted []float64) ([]float64, error) {
	others := s.rows.Select(basis.Without(s.rows.Number, fold))
	if len(fold) == 0 || others.Count() == 0 {
		return nil, nil
	}
	f, err := method.Fit(ctx, e, model.Sources{Left: stream.FromMatrix("sampled rows", others.Rows)}, s.Kernel)
	if err != nil {
		return nil, err
	}
	of := &fittedSample{Model: f.Model, tiles: f.Model.tiles(f.Left)}
	of.Novelty = &Novelty{}
	if err := of.learnSpan(ctx, e); err != nil {
		return nil, err
	}
	told, err := model.TransformMatrix(ctx, e, f.Model, s.rows.Rows, model.Request{Outputs: []model.Output{model.Novelty}})
	if err != nil {
		return nil, err
	}
	s.others += f.KernelEntries + of.tiles.Entries.Load() + int64(told.Rows*f.Left.Entries())
	var known, from, to []float64
	for i, number := range s.rows.Number {
		d := matrix.Row(told, i)[0]
		if _, out := slices.BinarySearch(fold, number); out {
			known = append(known, d)
		} else {
			from, to = append(from, d), append(to, fitted[i])
		}
	}
	slices.Sort(from)
	slices.Sort(to)
	for i, d := range known {
		known[i] = sameRank(d, from, to)
	}
	return known, nil
}

// sameRank returns the number in to of the same rank as d in from, both ascending and of one length. Beyond their ends
// it extrapolates in proportion.
func sameRank(d float64, from, to []float64) float64 {
	last := len(from) - 1
	i, _ := slices.BinarySearch(from, d) // from[i-1] < d <= from[i]
	switch {
	case i > last && from[last] > 0:
		return to[last] * (d / from[last])
	case i > last:
		return max(d, to[last])
	case i == 0 && from[0] > 0:
		return to[0] * (d / from[0])
	case i == 0:
		return to[0]
	}
	t := (d - from[i-1]) / (from[i] - from[i-1])
	return to[i-1] + t*(to[i]-to[i-1])
}

// blend replaces held-out distances, ascending, by weighted means with fitted ones. A model of many rows hardly knows a
// fitted row better than a new one, so held-out distances are weighted by the fraction of all rows used by models of
// folds.
func blend(heldOut, fitted []float64, share float64) {
	for i := range heldOut {
		heldOut[i] = share*heldOut[i] + (1-share)*fitted[i]
	}
}

// learnSpan computes the matrix that makes the model's functions orthonormal in feature space. The Gram matrix of the
// functions is PᵀK(J, J)P, where P is the projection. Functions that are rounding are dropped.
func (s *fittedSample) learnSpan(ctx context.Context, e stream.Engine) error {
	p := s.Left.Projection
	if s.Left.Refinement.Rows > 0 {
		p = dense.Mul(blas.NoTrans, p, blas.NoTrans, s.Left.Refinement)
	}
	landmarks := s.Left.pack()
	k, err := s.tiles.RawEntries(ctx, e, &tiles.Rows{Dense: landmarks.Rows}, landmarks.Cols, basis.PanelRows)
	if err != nil {
		return err
	}
	g := dense.Mul(blas.Trans, p, blas.NoTrans, dense.Mul(blas.NoTrans, k, blas.NoTrans, p))
	unit := make([]float64, g.Rows) // scales functions to equal norms, since values differ by orders of magnitude
	for i := range unit {
		unit[i] = 1 / math.Sqrt(math.Max(matrix.Row(g, i)[i], math.SmallestNonzeroFloat64))
	}
	dense.ScaleRows(g, unit)
	dense.ScaleColumns(g, unit)
	eig, err := newEigen("the Gram matrix of the functions", g)
	if err != nil {
		return err
	}
	r := dense.Rank(eig.Values, basisTolerance)
	s.Novelty.Span = scaledColumns(matrix.Columns(eig.Vectors, 0, r), dense.Reciprocals(dense.Roots(eig.Values[:r])))
	dense.ScaleRows(s.Novelty.Span, unit)
	dense.Scale(1/math.Sqrt(s.Left.unit()), s.Novelty.Span)
	return nil
}

func (n *Novelty) changeBasis(t blas64.General) {
	n.Span = dense.Mul(blas.NoTrans, t, blas.NoTrans, n.Span)
}

// distance returns the distance of a row with the given embedding and k(x, x), centred if the model is.
func (n *Novelty) distance(u []float64, diagonal float64) float64 {
	inside := dense.MulVector(blas.Trans, n.Span, u)
	return math.Sqrt(math.Max(0, diagonal-dense.Dot(inside, inside)))
}

// noveltyFunc returns a function for one goroutine that stores the columns of [model.Novelty] in dst.
func (m *Model) noveltyFunc() func(dst, u, entries []float64, diagonal float64) {
	return func(dst, u, entries []float64, diagonal float64) {
		if c := m.Left.Center; c != nil {
			diagonal -= (2*dense.Dot(entries, c.Weights) - c.Norm) / m.Left.unit()
		}
		d, known := m.Novelty.distance(u, diagonal), m.Novelty.HeldOut
		farther, _ := slices.BinarySearchFunc(known, d, func(v, d float64) int {
			if v >= d {
				return -1
			}
			return 1
		})
		dst[0], dst[1], dst[2] = d, dense.Dot(u, u), float64(1+farther)/float64(1+len(known))
	}
}
