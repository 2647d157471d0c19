package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// featureMap is an immutable map φ from rows to features.
type featureMap interface {
	columns() int // number of features
	// applier returns a function for one goroutine that stores φ(x_i) in row i of dst, x.Rows × columns. Features need
	// not be finite.
	applier() func(dst, x blas64.General)
}

// featureSample is the number of rows for the error estimate of a fit with features, and the number of other rows
// available to a map. There are no landmarks.
const featureSample = 512

// featureRows draws the rows available to a map, and others for the error estimate. If there are few rows, each gets
// half.
func featureRows(n int64, seed uint64) (seen, held []int64) {
	half := int(min(featureSample, (n+1)/2))
	s, err := sketch.NewSample(n, half, seed, "feature rows")
	if err != nil {
		panic("lowrank: " + err.Error()) // cannot fail: 1 ≤ half ≤ n
	}
	h, err := sketch.NewSample(n, int(min(n, 2*featureSample)), seed, "held back")
	if err != nil {
		panic("lowrank: " + err.Error())
	}
	left := basis.Without(h.Positions(), s.Positions())
	held = make([]int64, min(len(left), featureSample))
	for i := range held {
		held[i] = left[i*len(left)/len(held)]
	}
	return s.Positions(), held
}

// featureFactor makes the single pass and returns the triangular factor of Z.
func featureFactor(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	src stream.Source, m featureMap) (blas64.General, error) {
	r, err := streamFactors(ctx, e, "fit", src, basis.Features{Width: m.columns(), Worker: func() func(dst, x blas64.General, start int64) error {
		em := newEmbedder(t, &Embedding{features: m}, nil, src.Info().Name)
		return func(dst, x blas64.General, start int64) error { return em.features(dst, x, input.Numbers{From: start}) }
	}})
	if err != nil {
		return blas64.General{}, err
	}
	return r[0], nil
}

// noLandmarks returns an empty matrix with d columns.
func noLandmarks(d int) blas64.General {
	return blas64.General{Cols: d, Stride: max(1, d)}
}

// features stores the features of rows x in dst, and checks both.
func (m *embedder) features(dst, x blas64.General, numbers input.Numbers) error {
	if i, j, bad := dense.NotFinite(x); bad {
		return stream.NewValueError(m.name, numbers.At(i), "", "%v in column %d (counted from 0)", matrix.Row(x, i)[j], j)
	}
	m.apply(dst, x)
	i, j, bad := dense.NotFinite(dst)
	if !bad {
		return nil
	}
	if f, plain := m.e.features.(mapFeatures); plain && m.columns != nil {
		return stream.NewValueError(m.name, numbers.At(i), m.columns[j], "%s", f.reason(matrix.Row(dst, i)[j]))
	}
	return tiles.BadRow(m.name, numbers.At(i), fmt.Sprintf("the random features of kernel %s overflow on this row", m.t.Kernel))
}
