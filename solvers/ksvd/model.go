package ksvd

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Model is an approximate singular value decomposition of G, G_ij = κ(Cᵀx_i, z_j),
// centred or not, with both sides as functions of a row.
type Model struct {
	Method        string // "exact", "ssrsvd" or "nystrom"
	Kernel        kernelgen.Kernel
	Seed          uint64
	Rows, Cols    int64 // N and M, the size of G in the fit
	Centred       bool
	Sums          Sums // exact or sampled
	Compatibility Compatibility
	Values        []float64 // singular values, descending
	Left, Right   *Side
}

// Fit is what a method returns: the model, and what is known about it.
type Fit struct {
	*Model
	// Notes are sentences for the user: what was adjusted or chosen, and why.
	Notes []string
	// KernelEntries is how many entries of G were evaluated.
	KernelEntries int64
	// ExactPasses is how many passes over all entries of G were made.
	ExactPasses int
	// Operator is how the exact method made products with G; OperatorAuto for others.
	Operator Operator
	// SourcePasses is how many passes were made over each side, besides gathering
	// rows by number.
	SourcePasses int
	// U and V are the singular vectors of the fitted rows, N×r and M×r, where the
	// method has them anyway (exact); empty otherwise: see [Fit.Factors].
	U, V blas64.General
	// Residuals are the larger of ‖Gv−σu‖ and ‖Gᵀu−σv‖ for each triplet, relative to
	// the largest σ; nil unless the method is exact.
	Residuals []float64
	// Samples are how many rows and columns the method has sampled.
	Samples [2]int
	// Accuracy estimates η of the fit, see [Nystrom.Tolerance]; NaN if not asked for.
	Accuracy float64

	data  *Data
	known *statistics // exact sums and means of the fitted rows, if known
}

// Rank is the number of singular triplets.
func (m *Model) Rank() int { return len(m.Values) }

// entries evaluates the kernel of the model.
func (m *Model) entries() (*entries, error) {
	return newEntries(m.Kernel, m.Left.Landmarks.Sparse != nil)
}

// total is the number of rows of the source of the landmarks of a side.
func (m *Model) total(s *Side) int64 {
	if s == m.Left {
		return m.Cols
	}
	return m.Rows
}

// Embed gives u(x) or v(z), for side Left or Right of the model, of new rows to emit
// in row order. Rows of the fit come out as in the fit, to rounding. Left rows are
// as long as they were before C. Cost: one pass; see [Side].
func (m *Model) Embed(ctx context.Context, e stream.Engine, side *Side, rows stream.Source, kept bool, emit func(b *stream.Block, u blas64.General) error) error {
	worker, err := m.Embedder(side, rows)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "transform", rows, side.Rank(), kept, worker, emit)
}

// EmbedFitted gives the singular vectors of the fitted rows of a side to emit in
// row order. Sums and means are those of the fit. Cost: one pass, and nothing to
// compute where the method has the vectors (exact).
func (f *Fit) EmbedFitted(ctx context.Context, e stream.Engine, side *Side, emit func(start int64, u blas64.General) error) error {
	have := f.U
	if side == f.Right {
		have = f.V
	}
	if have.Rows > 0 {
		return emit(0, have)
	}
	worker, rows, err := f.FittedEmbedder(side)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "transform", rows, side.Rank(), false, worker, func(b *stream.Block, u blas64.General) error { return emit(b.Start, u) })
}

// Factors are the singular vectors of all fitted rows, N×r and M×r. Cost: one pass
// over each side unless the method is exact.
func (f *Fit) Factors(ctx context.Context, e stream.Engine) (u, v blas64.General, err error) {
	if f.U.Rows > 0 {
		return f.U, f.V, nil
	}
	u, v = stream.NewMatrix(int(f.Rows), f.Rank()), stream.NewMatrix(int(f.Cols), f.Rank())
	into := func(all blas64.General) func(int64, blas64.General) error {
		return func(start int64, part blas64.General) error {
			for i := range part.Rows {
				copy(dense.Row(all, int(start)+i), dense.Row(part, i))
			}
			return nil
		}
	}
	err = firstError(f.EmbedFitted(ctx, e, f.Left, into(u)))
	if err == nil {
		err = f.EmbedFitted(ctx, e, f.Right, into(v))
	}
	return u, v, err
}
