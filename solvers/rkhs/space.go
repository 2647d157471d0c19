package rkhs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// spaces are the finite-dimensional subspaces of the two RKHSs that a fit works in:
// features f(x) with f(x)·f(x') ≈ k(x, x'), which are coordinates in an orthonormal
// basis. They are the same space where the operator needs that.
type spaces struct {
	x, y    *lowrank.Model // y is nil for single rows, and x for one space
	notes   []string
	entries int64
}

// definiteNote returns a warning of a kernel that may not be positive.
func definiteNote(k kernelgen.Kernel) []string {
	if k.PositiveSemiDefinite() {
		return nil
	}
	return []string{fmt.Sprintf("kernel %s is not known to be positive semi-definite, as the kernel of an RKHS is: what is negative of it was left out", k)}
}

// newSpaces picks landmarks, or draws random features, for both sides. With an error the spaces
// tell the entries that it took.
func (s setting) newSpaces(ctx context.Context, e stream.Engine, d *Data) (*spaces, error) {
	sp := &spaces{}
	if s.OneSpace() {
		n := s.poolSize(2 * d.n)
		rows, err := s.pool(ctx, d, n-n/2, OfX)
		if err != nil {
			return sp, err
		}
		more, err := s.pool(ctx, d, max(1, n/2), OfY)
		if err != nil {
			return sp, err
		}
		both := stream.NewMatrix(rows.Rows+more.Rows, rows.Cols)
		copy(both.Data, rows.Data)
		copy(both.Data[len(rows.Data):], more.Data)
		sp.x, err = sp.fit(ctx, e, s, s.kernels[OfX], "x and y", both)
		sp.y = sp.x
		return sp, err
	}
	for which, m := range []**lowrank.Model{&sp.x, &sp.y} {
		if Side(which) == OfY && s.Operator.Traits().Single {
			break
		}
		rows, err := s.pool(ctx, d, s.poolSize(d.n), Side(which))
		if err != nil {
			return sp, err
		}
		if *m, err = sp.fit(ctx, e, s, s.kernels[which], Side(which).String(), rows); err != nil {
			return sp, err
		}
	}
	return sp, nil
}

// pool returns the rows that landmarks of a side are chosen from.
func (s Solver) pool(ctx context.Context, d *Data, n int64, which Side) (blas64.General, error) {
	return d.gather(ctx, which, d.draw(int(n), s.Seed, "landmarks of "+which.String()))
}

// poolLeast is how many rows landmarks are chosen from at least, and poolRows how many
// for each landmark.
const (
	poolLeast = 1024
	poolRows  = 5
)

// poolSize returns how many of n rows landmarks are chosen from.
func (s Solver) poolSize(n int64) int64 {
	if s.Engine == EngineExact {
		return n
	}
	return min(n, max(poolLeast, poolRows*int64(s.Landmarks)))
}

// method returns what makes features of so many rows, and how many landmarks or random
// features that takes at most.
func (s Solver) method(rows int64) (lowrank.Method, int) {
	most := int(min(int64(s.Landmarks), rows))
	switch {
	case s.Engine == EngineExact:
		return lowrank.RPCholesky{Rank: most, Seed: s.Seed}, most
	case s.Random:
		return lowrank.RFF{Rank: s.Landmarks, Orthogonal: true, Seed: s.Seed}, s.Landmarks
	}
	return lowrank.Nystrom{Rank: most, Rule: lowrank.RulePivoted, Seed: s.Seed}, most
}

// fit makes the features of one space.
func (sp *spaces) fit(ctx context.Context, e stream.Engine, s setting, k kernelgen.Kernel, what string, rows blas64.General) (*lowrank.Model, error) {
	if err := k.CheckRows(rows, 0); err != nil {
		return nil, fmt.Errorf("rows of %s: %w", what, err)
	}
	src := stream.FromMatrix("rows of "+what, rows)
	var f *lowrank.Fit
	var err error
	if s.Engine == EngineExact {
		f, err = sp.exact(ctx, e, src, k, s.Landmarks, s.Seed)
	} else {
		by, _ := s.method(int64(rows.Rows))
		if f, err = by.Fit(ctx, e, model.Sources{Left: src}, k); err == nil {
			sp.entries += f.KernelEntries
		}
	}
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", what, err)
	}
	if f.Left.Rank() == 0 {
		return nil, fmt.Errorf("features of %s: kernel %s is zero between rows of this data", what, k)
	}
	sp.notes = append(sp.notes, definiteNote(k)...)
	return f.Model, nil
}

// The exact engine begins with firstPivots landmarks. It is content with those that leave spanned
// of the trace of the kernel, which is rounding, and with as many as it may take if they leave
// nearlySpanned.
const (
	firstPivots   = 512
	spanned       = 1e-13
	nearlySpanned = 1e-10
)

// errNotSpanned reports that the exact engine is not for this kernel.
var errNotSpanned = errors.New("the features of all rows have no span small enough for the exact engine")

// exact spans the features of all rows but for rounding, by as few pivots as that takes: pivoted
// Cholesky of the Gram matrix is the kernel QR of the paper (Proposition 3.4) for features that
// may be dependent. The number of pivots doubles from fit to fit, unless the spectrum, taken as
// exponential with a margin, tells that the limit is too low.
func (sp *spaces) exact(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, limit int, seed uint64) (*lowrank.Fit, error) {
	n := int(src.Info().Rows)
	last := min(n, limit)
	for most := min(last, firstPivots); ; most = min(last, 2*most) {
		f, err := lowrank.RPCholesky{Rank: most, Seed: seed}.Fit(ctx, e, model.Sources{Left: src}, k)
		if err != nil {
			return nil, err
		}
		sp.entries += f.KernelEntries
		left := f.TraceResidual
		switch {
		case most == n || len(f.Pivots) < most || left <= spanned || most == last && left <= nearlySpanned:
			return f, nil
		case most == last || last < n && math.Pow(left, 2*float64(last)/float64(most)) > nearlySpanned:
			return nil, fmt.Errorf("%w: %d of %d rows leave %.1e of the trace of kernel %s", errNotSpanned, most, n, left, k)
		}
	}
}
