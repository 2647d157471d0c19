package ksvd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Nystrom is the asymmetric Nyström method (paper, Section 4, equations (10) and (11)). With n sampled rows and m
// sampled columns,
//
//	G_{n,m} = Σ λ_s·u_s·v_sᵀ
//	λ̃_s = √(NM/(nm))·λ_s
//	u_s(x) = c/λ_s·Σ_j G(x, z_j)·v_sj      v_s(z) = c/λ_s·Σ_i G(x_i, z)·u_si
//
// The scale l_λ of the paper is chosen so that λ̃_s are the singular values of G, hence c = (nm/(NM))^(1/4) on both
// sides; see [Scaling] for others. The same two formulas are the out-of-sample extension. For a symmetric G, equal
// samples and n = m it is the Nyström method (Williams & Seeger 2001; paper, equation (15)).
//
// A non-uniform sample has weights: the integrals of equation (8) become weighted sums. G_{n,m} is multiplied by the
// square roots of the weights from both sides, and so are u_s and v_s above. For uniform samples the weights are N/n
// and M/m.
//
// Cost: gathering n rows and m columns, n·m entries, and O(n·m·r) flops. Extending to all rows takes one pass over each
// side, with N·m and n·M entries. Exact sums and means take passes over all N·M entries, see [Sums]. Memory: the
// samples twice, n·m numbers and, for sparse rows, 8 bytes for each node and side.
//
// The fit estimates the residuals of the triplets, the error of the leading directions and that of the matrix in both
// norms: see [Fit.EstimatedResiduals] and [Fit.Directions]. For this it holds back four rows for each landmark on each
// side, between 1,024 and 2,048. Cost, with p rows and q columns including the landmarks: p·q + p·m + n·q entries,
// memory for 3·p·q numbers, and a truncated SVD of a p×q matrix.
type Nystrom struct {
	Rank int // r
	// Rows and Cols are the numbers n and m of landmarks: sampled rows and columns, at most N and M. 0 means 20 times
	// the rank for rows, and as many columns as rows. With a Tolerance they are the initial numbers, and 0 means 4
	// times the rank, at least 64.
	Rows, Cols int
	Center     bool
	Sums       Sums
	Scaling    Scaling
	// Tolerance, unless 0, is the tolerance of [Directions.Error]: landmarks are doubled until its estimate is within
	// it.
	Tolerance float64
	// Memory, unless 0, limits the plan of a doubling, in bytes.
	Memory int64
	Seed   uint64
}

// Scaling selects the norms of the singular vectors of the fitted rows.
type Scaling uint8

const (
	// ScaleDerived is equation (11) as derived. Vectors have norms of about 1 if n/N = m/M and the samples are
	// representative. It takes no pass.
	ScaleDerived Scaling = iota
	// ScaleUnit divides each vector by its norm over the fitted rows, in one pass over each side.
	ScaleUnit
	// ScaleOrthonormal makes the vectors orthonormal over the fitted rows. With U and V the extensions of more triplets
	// than the rank, it computes the SVD of their product G_{N,m}·(G_{n,m})⁺·G_{n,M}, with a truncated pseudo-inverse,
	// from the streamed triangular factors of U and V. It takes one pass over each side. The result is nearly always
	// closer to the singular vectors and values of G than the extensions.
	ScaleOrthonormal
)

// blockTolerance is the residual of the decomposition of the sampled block, relative to its largest singular value.
const blockTolerance = 1e-6

func (m Nystrom) settings(s model.Size) (Nystrom, error) {
	if m.Rank < 1 || m.Rows < 0 || m.Cols < 0 || !(m.Tolerance >= 0 && m.Tolerance < 2) {
		return m, fmt.Errorf("rank %d must be at least 1, landmarks %d and %d not negative, and the tolerance %v from 0 to 2", m.Rank, m.Rows, m.Cols, m.Tolerance)
	}
	if m.Tolerance > 0 {
		m.Rows = cmp.Or(m.Rows, max(64, 4*m.Rank))
	}
	m.Rows = cmp.Or(m.Rows, 20*m.Rank)
	m.Cols = cmp.Or(m.Cols, m.Rows)
	m.Rows, m.Cols = int(min(int64(m.Rows), s.Rows)), int(min(int64(m.Cols), s.Cols))
	return m, nil
}

// Fit decomposes the kernel matrix of data.
func (m Nystrom) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Nystrom) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	k, err := family.Resolve(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	t, err := tiles.New(k, d.sparse())
	if err != nil {
		return nil, err
	}
	if m, err = m.settings(d.size()); err != nil {
		return nil, err
	}
	if m.Center {
		if err := d.setOrigin(ctx, t, m.Seed); err != nil {
			return nil, err
		}
	}
	f := &nystrom{Nystrom: m, engine: e, data: d, tiles: t}
	if err := f.exactSums(ctx); err != nil {
		return nil, err
	}
	if m.Tolerance > 0 {
		return f.double(ctx)
	}
	return f.uniform(ctx)
}

// uniform returns the fit with uniform samples.
func (f *nystrom) uniform(ctx context.Context) (*Fit, error) {
	s := f.data.size()
	return f.sampled(ctx, uniformSample(s.Rows, f.Rows, f.Seed, "ksvd rows"), uniformSample(s.Cols, f.Cols, f.Seed, "ksvd columns"))
}

// nystrom is a fit in progress.
type nystrom struct {
	Nystrom
	engine stream.Engine
	data   *Data
	tiles  *tiles.Tiles
	sums   *tiles.Sums    // exact; nil if sampled
	all    [2]*tiles.Rows // both sides, for exact sums
	report model.Report
}

// exactSums computes the exact sums and means, unless they are sampled or not needed.
func (f *nystrom) exactSums(ctx context.Context) (err error) {
	how := f.summing(f.data.size(), f.tiles)
	f.Sums = how.sums
	f.report.Note(how.notes()...)
	if !how.exact() {
		return nil
	}
	if f.all[0], f.all[1], err = f.data.load(ctx, f.tiles); err != nil {
		return err
	}
	f.report.SourcePasses++
	if how.byPaths {
		f.sums, err = pathStatistics(ctx, f.engine, f.data, f.tiles, f.Center)
		return err
	}
	g := f.tiles.NewGrid(f.engine, f.data.names(), f.all[0], f.all[1])
	f.sums, err = g.Sums(ctx, f.Center)
	f.report.ExactPasses = g.Passes
	return err
}

// finish returns the fit with its report.
func (f *nystrom) finish(m *Model) *Fit {
	report := f.report
	report.Notes = append(slices.Clone(report.Notes), rankNote(m.Rank(), f.Rank)...)
	report.KernelEntries = f.tiles.Entries.Load()
	return &Fit{Model: m, Report: report, Samples: [2]int{len(m.Right.Rows), len(m.Left.Rows)}, data: f.data, sums: f.sums}
}
