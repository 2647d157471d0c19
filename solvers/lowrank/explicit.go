package lowrank

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// SSRSVDMatrix is a randomized SVD of A = f∘(M), where the rows of M are the rows of a source. A row of A gives the
// same row of Y = A·C, so one pass computes
//
//	Y = A·C = Q·R, W = Yᵀ·A, ‖A‖_F         C with c sparse signs a row (Martinsson and Tropp 2020, §9.2)
//	B = R⁻ᵀ·W = QᵀA = G·diag(σ)·Vᵀ          Â = Q·G·diag(σ)·Vᵀ, truncated to the rank
//
// without keeping Y (W. Yu, Y. Gu, J. Li, S. Liu and Y. Li 2017, "Single-pass PCA of large high-dimensional data"). The
// result equals the randomized SVD of two passes (Halko, Martinsson and Tropp 2011, Algorithm 5.1). Its expected error,
// with c columns and rank r, is at most √(1+r/(c−r−1)) times the best of rank r before truncation. (Sketches of the
// core from both sides, Xie et al. 2023, Algorithm 1, have two more such factors.) A further pass replaces C by all c
// columns of V, a step of subspace iteration. For a matrix with few columns, C is the identity and Â is optimal.
//
// U and V are singular vectors of QᵀA, so ‖A−Â‖_F² is ‖A‖_F²−Σσ². The Frobenius error is therefore known, down to 1e-7,
// where the squares cancel. The spectral error is estimated. Directions below 1e-8 of the largest are lost, since W has
// squares of A; a further pass makes the others accurate up to rounding.
//
// Cost for an m×n matrix: 1 + Refine passes of 4·m·n·c + 2·m·c² flops each, and memory for c·n + c² numbers in each
// partial state. Entries must be between 1e-150 and 1e150 in magnitude, or zero.
type SSRSVDMatrix struct {
	Rank   int // r
	Sketch int // c ≥ r; 0 means 5r, reduced down to 2r if 5r columns of n numbers exceed 128 MB
	Refine int // number of further passes
	Map    kernelgen.ElementMap
	Seed   uint64
}

// signsPerRow is ζ, the number of nonzeros in a row of the sketch (Tropp et al. 2019, §3.9 recommend 8).
const signsPerRow = 8

// The smallest oversampling of a sketch, and the limit of its default size in numbers: 128 MB.
const (
	matrixOversampling = 10
	matrixNumbers      = 1 << 24
)

// maxUnsketched is the largest number of columns of a matrix that is not sketched: that takes no longer than reading it
// as text.
const maxUnsketched = 256

// width returns the number of columns of the sketch of a matrix with n columns; n if the matrix is not sketched.
func (m SSRSVDMatrix) width(n int) int {
	c := m.Sketch
	if c == 0 {
		c = min(5*m.Rank, max(matrixNumbers/n, 2*m.Rank))
		c = max(c, m.Rank+matrixOversampling)
	}
	if n <= max(2*c, maxUnsketched) && m.Sketch == 0 || c > n {
		return n
	}
	return c
}

// check returns an error if the rank is too large for a matrix with the given rows, negative if unknown, and columns.
func (m SSRSVDMatrix) check(rows, cols int64) error {
	most := cols
	if rows >= 0 {
		most = min(rows, cols)
	}
	switch {
	case m.Rank < 1 || int64(m.Rank) > most:
		return fmt.Errorf("`Rank %d`: a %d × %d matrix has rank %d at most", m.Rank, rows, cols, most)
	case m.Sketch != 0 && m.Sketch < m.Rank:
		return fmt.Errorf("`Sketch %d` is below `Rank %d`", m.Sketch, m.Rank)
	case m.Refine < 0:
		return fmt.Errorf("`Refine %d` is below 0", m.Refine)
	}
	return nil
}

// Plan returns the cost of a fit of a matrix with s.Columns columns.
func (m SSRSVDMatrix) Plan(e stream.Engine, s model.Size, _ kernelgen.Kernel) (*model.Plan, error) {
	rows, n := s.Rows, int64(s.Columns)
	if err := m.check(rows, n); err != nil {
		return nil, err
	}
	c := int64(m.width(s.Columns))
	p := newPlanner(e, s.Rows, s.Columns)
	p.SharedPasses = []string{"fit"}
	p.pass(rows, c, c, c*c+(c+1)*n)
	p.KernelEntries = 0
	p.Add("sketch and factors", 6*c*n, "`Sketch`")
	p.SourcePasses += m.Refine
	for range m.Refine {
		p.SharedPasses = append(p.SharedPasses, "refine")
	}
	return p.Plan, nil
}

// Fit approximates f∘(M), where M has the rows of d.Left. It ignores the kernel.
func (m SSRSVDMatrix) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m SSRSVDMatrix) fit(ctx context.Context, e stream.Engine, d model.Sources, _ kernelgen.Kernel) (*Fit, error) {
	info := d.Left.Info()
	if d.Right != nil {
		return nil, fmt.Errorf("a matrix on disk is one source, and its columns are not those of %s", d.Right.Info().Name)
	}
	n := len(info.Columns)
	if err := m.check(info.Rows, int64(n)); err != nil {
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	f := &matrixFit{SSRSVDMatrix: m, engine: e, src: d.Left, n: n, c: m.width(n)}
	return f.fit(ctx)
}
