package ksvd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Exact is KSVD (paper, Algorithm 1) by block Krylov iteration on exact tiles. It computes the leading singular
// triplets of G to a residual. Centering multiplies by I − 11ᵀ/N from the left and I − 11ᵀ/M from the right. It is
// applied to the vectors, at no cost; the first pass computes the means that new rows need.
//
// New rows are embedded by u(x) = G(x, ·)·V·diag(σ)⁻¹ and v(z) = Gᵀ(z, ·)·U·diag(σ)⁻¹, which reproduce U and V on the
// fitted rows up to residual/σ.
//
// Cost: one pass over each side, which loads the rows. Each iteration multiplies G by b = r + 8 vectors from either
// side: 4·N·M·b flops and all entries, which are evaluated only once if N·M ≤ [MaxFormed]. Memory: the rows twice, and
// 32·(N+M)·b numbers. Between sparse rows, the cost of a tile is its entries and the paths through it. The model holds
// all rows.
type Exact struct {
	Rank       int // r
	Iterations int // limit of the iterations; 0 means 300
	// Tolerance is the tolerance of the residuals ‖Gv−σu‖ and ‖Gᵀu−σv‖ of all r triplets, relative to the largest σ. It
	// bounds the error of a singular value. If a gap separates the value from others, its error is tolerance²/gap, and
	// that of its vector tolerance/gap. 0 means 1e-10.
	ResidualTol float64
	Center      bool
	Seed        uint64
}

// MaxFormed is the largest number of entries of G that is formed in memory: 128 MB.
const MaxFormed = 4000 * 4000

// fitsInMemory reports whether G is held in memory.
func fitsInMemory(s model.Size) bool { return float64(s.Rows)*float64(s.Cols) <= MaxFormed }

func (m Exact) settings() (Exact, error) {
	m.Iterations, m.ResidualTol = cmp.Or(m.Iterations, 300), cmp.Or(m.ResidualTol, 1e-10)
	if m.Rank < 1 || m.Iterations < 1 || !(m.ResidualTol > 0) {
		return m, fmt.Errorf("rank %d and passes %d must be at least 1, and tolerance %v positive", m.Rank, m.Iterations, m.ResidualTol)
	}
	return m, nil
}

// Fit decomposes the kernel matrix of data.
func (m Exact) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Exact) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	if k, err = family.Resolve(ctx, e, d, k, m.Seed); err != nil {
		return nil, err
	}
	t, err := tiles.New(k, d.sparse())
	if err != nil {
		return nil, err
	}
	if m.Center {
		if err := d.setOrigin(ctx, t, m.Seed); err != nil {
			return nil, err
		}
	}
	g, err := newMatrix(ctx, e, d, t, m.Center, false)
	if err != nil {
		return nil, err
	}
	n, cols := g.left.Count(), g.right.Count()
	svd := tiles.SVD{Rank: min(m.Rank, n, cols), Tolerance: m.ResidualTol, Passes: m.Iterations, Seed: m.Seed, Centered: m.Center}
	r, err := decompose(ctx, svd, g.product, n, cols)
	if err != nil {
		return nil, err
	}
	found := g.functions(r)
	found.Method, found.Seed, found.Centered = "exact", m.Seed, m.Center
	fit := &Fit{Model: found, U: r.U, V: r.V, data: d, sums: g.sums}
	fit.Report = model.Report{KernelEntries: g.Entries(), ExactPasses: g.grid.Passes, SourcePasses: 1, Residuals: r.Residuals()}
	fit.Note(rankNote(len(r.Values), m.Rank)...)
	if worst := fit.Residual(); worst > m.ResidualTol {
		fit.NotConverged = true
		fit.Warn(fmt.Sprintf("after %d iterations the residuals ‖Gv−σu‖ and ‖Gᵀu−σv‖ are up to %.1e of the largest singular value; more passes make them smaller", r.Passes, worst))
	}
	return fit, nil
}

// Matrix is the kernel matrix G of data, not centered, prepared for products. It serves solvers of linear systems in G,
// and functions of a row that are sums over all rows of the other side.
type Matrix struct {
	data        *Data
	grid        *tiles.Grid
	left, right *tiles.Rows
	sums        *tiles.Sums
	product     krylov.Operator
}

// NewMatrix loads both sides and computes the row sums of a normalised kernel. form holds all entries in memory, which
// happens anyway up to [MaxFormed] entries.
//
// Cost: one pass over each side; for a normalised kernel one over all entries, and one more if they are held. Memory:
// the rows twice, and N·M numbers if held.
func NewMatrix(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel, form bool) (*Matrix, error) {
	t, err := tiles.New(k, d.sparse())
	if err != nil {
		return nil, err
	}
	return newMatrix(ctx, e, d, t, false, form)
}

func newMatrix(ctx context.Context, e stream.Engine, d *Data, t *tiles.Tiles, center, form bool) (m *Matrix, err error) {
	m = &Matrix{data: d}
	if m.left, m.right, err = d.load(ctx, t); err != nil {
		return nil, err
	}
	if t.Normalised() && sumsByPaths(t, d.size()) {
		if m.sums, err = pathStatistics(ctx, e, d, t, false); err != nil {
			return nil, err
		}
	}
	m.grid = t.NewGrid(e, d.names(), m.left, m.right)
	if m.sums == nil {
		if m.sums, err = m.grid.Sums(ctx, false); err != nil {
			return nil, err
		}
	}
	op := &tiles.Operator{Grid: m.grid, Sums: m.sums, Centered: center}
	if m.product = op; !form && !fitsInMemory(d.size()) {
		return m, nil
	}
	g, err := op.Form(ctx)
	if err != nil {
		return nil, err
	}
	m.product = g
	return m, checkFinite("G", g.General)
}

// Multiply stores G·q in gq and Gᵀ·p in gtp. Cost: an exact pass unless the entries are held, and 4·N·M flops for each
// column of q and p.
func (m *Matrix) Multiply(ctx context.Context, q, gq, p, gtp blas64.General) error {
	return m.product.Multiply(ctx, q, gq, p, gtp)
}

// Held returns G, empty unless it is in memory. It must not be changed.
func (m *Matrix) Held() blas64.General {
	if held, ok := m.product.(krylov.Matrix); ok {
		return held.General
	}
	return blas64.General{}
}

// Entries returns the number of entries of G evaluated.
func (m *Matrix) Entries() int64 { return m.grid.Tiles.Entries.Load() }

// Functions returns a model whose sides are the functions of a row
//
//	u(x) = Σ_j G(x, z_j)·left_j      v(z) = Σ_i G(x_i, z)·right_i
//
// for left (M×r) and right (N×r). The model shares their memory and that of the rows, which are all landmarks. Its
// Values are 1.
func (m *Matrix) Functions(left, right blas64.General) *Model {
	f := m.functions(&krylov.Triplets{Values: slices.Repeat([]float64{1}, left.Cols), U: right, V: left})
	f.Method = "functions"
	return f
}

// functions returns the model of triplets of G, with both sides as functions of a row.
func (m *Matrix) functions(r *krylov.Triplets) *Model {
	return m.data.functions(m.grid.Tiles, m.left, m.right, sampleAll(m.left.Count()), sampleAll(m.right.Count()), m.sums,
		&krylov.Triplets{Values: r.Values, U: matrix.Clone(r.U), V: matrix.Clone(r.V)})
}
