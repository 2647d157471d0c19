package rkhs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// spaces are the finite-dimensional subspaces of the two RKHSs in a fit. Features f(x) with f(x)·f(x') ≈ k(x, x') are
// coordinates in an orthonormal basis. The two are the same if the operator requires it.
type spaces struct {
	x, y    *lowrank.Model // y is nil for single rows, and x for one space
	doubts  []string
	entries int64
}

// alone returns the space of one side.
func (sp *spaces) alone(s PairSide) *spaces {
	if s == SideY {
		return &spaces{x: sp.y}
	}
	return &spaces{x: sp.x}
}

// definiteWarning returns a warning for a kernel that may be indefinite.
func definiteWarning(k kernelgen.Kernel) []string {
	if k.PositiveSemiDefinite() {
		return nil
	}
	return []string{fmt.Sprintf("kernel %s is not known to be positive semi-definite, as the kernel of an RKHS is: what is negative of it was left out", k)}
}

// newSpaces selects landmarks for both sides. On error, the spaces have the number of entries evaluated.
func (s resolvedSolver) newSpaces(ctx context.Context, e stream.Engine, d *Data) (*spaces, error) {
	sp := &spaces{}
	if s.OneSpace() {
		all := d.n + d.rows(SideY)
		n := s.poolSize(all)
		ofY := n / 2
		if d.rowsY > 0 {
			ofY = int64(math.Round(float64(n) * float64(d.rowsY) / float64(all)))
		}
		rows, err := s.pool(ctx, d, n-ofY, SideX)
		if err != nil {
			return sp, err
		}
		more, err := s.pool(ctx, d, max(1, ofY), SideY)
		if err != nil {
			return sp, err
		}
		both := matrix.New(rows.Rows+more.Rows, rows.Cols)
		copy(both.Data, rows.Data)
		copy(both.Data[len(rows.Data):], more.Data)
		sp.x, err = sp.fit(ctx, e, s, s.kernels[SideX], "x and y", both)
		sp.y = sp.x
		return sp, err
	}
	for which, m := range []**lowrank.Model{&sp.x, &sp.y} {
		if PairSide(which) == SideY && s.Operator.Traits().Single {
			break
		}
		rows, err := s.pool(ctx, d, s.poolSize(d.rows(PairSide(which))), PairSide(which))
		if err != nil {
			return sp, err
		}
		if *m, err = sp.fit(ctx, e, s, s.kernels[which], PairSide(which).String(), rows); err != nil {
			return sp, err
		}
	}
	return sp, nil
}

// pool returns the candidates for landmarks of a side.
func (s Solver) pool(ctx context.Context, d *Data, n int64, which PairSide) (blas64.General, error) {
	return d.gather(ctx, which, d.draw(which, int(n), s.Seed, "landmarks of "+which.String()))
}

// poolLeast is the smallest number of candidates for landmarks, and poolRows their number per landmark.
const (
	poolLeast = 1024
	poolRows  = 5
)

// poolSize returns the number of candidates among n rows.
func (s Solver) poolSize(n int64) int64 {
	if s.Algorithm == AlgorithmExact {
		return n
	}
	return min(n, max(poolLeast, poolRows*int64(s.Landmarks)))
}

// mostFeatures returns the largest number of features in a space of the given number of rows.
func (s Solver) mostFeatures(rows int64) int {
	return int(min(int64(s.Landmarks), rows))
}

// choice returns the choice of landmarks among the given number of rows.
func (s Solver) choice(rows int64) basis.Landmarks {
	count := s.mostFeatures(rows)
	return basis.Landmarks{Rows: rows, Rule: basis.RulePivoted, Features: count, Count: count, Seed: s.Seed}
}

// fit computes the features of one space.
func (sp *spaces) fit(ctx context.Context, e stream.Engine, s resolvedSolver, k kernelgen.Kernel, what string, rows blas64.General) (*lowrank.Model, error) {
	if err := tiles.InSource("rows of "+what, k.CheckRows(rows, 0)); err != nil {
		return nil, err
	}
	f, err := sp.features(ctx, e, s, k, "rows of "+what, rows)
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", what, err)
	}
	sp.doubts = append(sp.doubts, definiteWarning(k)...)
	return f, nil
}

// features returns those of landmarks J: k(x, J)·U⁻¹ with UᵀU = K(J, J).
func (sp *spaces) features(ctx context.Context, e stream.Engine, s resolvedSolver, k kernelgen.Kernel, name string, rows blas64.General) (*lowrank.Model, error) {
	t, pool := tiles.Plain(k), basis.NewPanel(rows, matrix.Numbers(rows.Rows), nil)
	if s.Center {
		basis.SetOrigin(t, rows)
	}
	diagonal := make([]float64, rows.Rows)
	t.SelfEntries(diagonal, rows)
	if slices.Max(diagonal) <= 0 {
		return nil, fmt.Errorf("kernel %s is zero between rows of this data", k)
	}
	defer func() { sp.entries += t.Entries.Load() }()
	landmarks, err := s.landmarks(ctx, e, t, pool, name)
	if err != nil {
		return nil, err
	}
	if err := basis.ChooseScale(ctx, e, t, landmarks.Rows, landmarks); err != nil {
		return nil, err
	}
	landmarks, u, err := basis.Whiten(ctx, e, t, landmarks)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k, err)
	}
	side := &lowrank.Embedding{Landmarks: landmarks.Rows, Rows: landmarks.Number, Projection: basis.Inverse(u), Origin: t.Origin()}
	if t.Scale() != 1 {
		side.Unit = t.Scale()
	}
	n := int64(rows.Rows)
	return &lowrank.Model{Method: "nystrom", Kernel: k, Seed: s.Seed, Rows: n, Cols: n, Left: side,
		Values: slices.Repeat([]float64{1 / t.Scale()}, landmarks.Count())}, nil
}

// landmarks chooses landmarks from a pool of rows.
func (s resolvedSolver) landmarks(ctx context.Context, e stream.Engine, t *tiles.Tiles, pool *basis.Panel, name string) (*basis.Panel, error) {
	if s.Algorithm == AlgorithmExact {
		return s.spanning(ctx, e, t, pool, name)
	}
	return s.choice(int64(pool.Count())).Choose(ctx, e, t, pool, name)
}

// The exact engine starts with firstPivots landmarks. It stops when their residual is below spanned of the trace of the
// kernel, which is rounding. At the limit of landmarks it accepts nearlySpanned.
const (
	firstPivots           = 512
	spannedResidual       = 1e-13
	nearlySpannedResidual = 1e-10
)

// errNotSpanned reports a kernel that does not suit the exact engine.
var errNotSpanned = errors.New("the features of all rows have no span small enough for the exact engine")

// spanning returns landmarks that span the features of all rows up to rounding. Pivoted Cholesky of the Gram matrix is
// the kernel QR of the paper (Proposition 3.4) for features that may be dependent. Each attempt doubles the number of
// pivots. It fails with errNotSpanned once an exponential fit to the spectrum, with a margin, predicts more pivots than
// the limit.
func (s resolvedSolver) spanning(ctx context.Context, e stream.Engine, t *tiles.Tiles, pool *basis.Panel, name string) (*basis.Panel, error) {
	n := pool.Count()
	last := min(n, s.Landmarks)
	for most := min(last, firstPivots); ; most = min(last, 2*most) {
		f, err := basis.NewCholesky(ctx, e, t, pool.Rows, name, most, sketch.NewRandom(s.Seed, "proposals"))
		if err != nil {
			return nil, err
		}
		if err := f.Run(ctx); err != nil {
			return nil, err
		}
		left := f.Left / f.Trace
		switch {
		case most == n || len(f.Pivots) < most || left <= spannedResidual || most == last &&
			left <= nearlySpannedResidual:
			return pool.Pick(f.Chosen()), nil
		case most == last || last < n && math.Pow(left, 2*float64(last)/float64(most)) > nearlySpannedResidual:
			return nil, fmt.Errorf("%w: %d of %d rows leave %.1e of the trace of kernel %s", errNotSpanned, most, n, left, t.Kernel)
		}
	}
}
