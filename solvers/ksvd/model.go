package ksvd

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
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
	// Report has the larger of ‖Gv−σu‖ and ‖Gᵀu−σv‖ for each triplet as Residuals if the
	// method is exact.
	model.Report
	// U and V are the singular vectors of the fitted rows, N×r and M×r, where the
	// method has them anyway (exact); empty otherwise: see [Fit.Factors].
	U, V blas64.General
	// Samples are how many rows and columns the method has sampled.
	Samples [2]int
	// Accuracy estimates η of the fit, see [Nystrom.Tolerance]; NaN if not asked for.
	Accuracy float64

	data  *Data
	stats *statistics // exact sums and means of the fitted rows; nil if there are none
}

// Rank returns the number of singular triplets.
func (m *Model) Rank() int { return len(m.Values) }

// entries evaluates the kernel of the model.
func (m *Model) entries() (*entries, error) {
	return newEntries(m.Kernel, m.Left.Landmarks.Sparse != nil)
}

// total returns the number of rows of the source of the landmarks of a side.
func (m *Model) total(s *Side) int64 {
	if s == m.Left {
		return m.Cols
	}
	return m.Rows
}

// side returns Left or Right.
func (m *Model) side(side model.Side) *Side {
	if side == model.Right {
		return m.Right
	}
	return m.Left
}

// sides returns the sides that one stands for.
func sides(side model.Side) []model.Side {
	if side == model.Both {
		return []model.Side{model.Left, model.Right}
	}
	return []model.Side{side}
}

// Describe returns what the model says about itself.
func (m *Model) Describe() *model.Description {
	method := m.Method
	if m.Centred {
		method += ", centred"
	}
	return &model.Description{Method: Name, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: m.Cols, Rank: m.Rank(),
		Values: m.Values, Seed: m.Seed, Columns: m.Dimension(model.Left), TwoSided: true,
		Facts: []model.Fact{{Name: "method", Value: method}, {Name: "sums", Value: m.Sums.String()}, {Name: "compatibility", Value: m.Compatibility.String()}}}
}

// Outputs returns the names of the singular vectors of a side: u0, u1, … or v0, v1, …
func (m *Model) Outputs(side model.Side, kind model.Kind) ([]string, error) {
	if err := kind.Only(model.Coordinates); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range sides(side) {
		prefix := map[model.Side]string{model.Left: "u", model.Right: "v"}[s]
		for i := range m.Rank() {
			names = append(names, fmt.Sprint(prefix, i))
		}
	}
	return names, nil
}

// Dimension returns how long the rows of a side are, before C. Rows can be on both sides
// only where these are alike.
func (m *Model) Dimension(side model.Side) int { return m.side(side).dimension() }

// TransformPlan returns what a pass of Transform over rows will hold.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	side := r.Side
	sparse := sourceOf(rows).sparse
	var p *model.Plan
	if sparse != nil {
		p = model.NewPlan(e, rows.Info().Rows, 0)
		p.Add("graph", 4*sparse.Matrix.NNZ()+16*int64(sparse.Matrix.Rows), "")
	} else {
		p = model.NewPlan(e, rows.Info().Rows, m.Dimension(side))
		p.Map("blocks of factors", m.Dimension(side), len(sides(side))*m.Rank())
	}
	for _, side := range sides(side) {
		s, rank := m.side(side), int64(m.Rank())
		landmarks := int64(s.Projection.Rows)
		all := landmarks // rows of the model
		if s.All != nil {
			all = m.Rows + m.Cols
		}
		numbers := 2*landmarks*rank + int64(len(s.Map.Data))
		if sparse != nil {
			numbers += 4*(s.Landmarks.entries()+s.All.entries()) + 8*all
		} else {
			numbers += 2 * all * int64(s.Landmarks.Dense.Cols)
		}
		p.Add("model", numbers, "")
		p.Add("tiles", int64(e.Workers())*stream.PanelRows*(landmarks+2*rank), "`threads`")
	}
	p.Passes = 1
	return p
}

// Transform gives u(x) or v(z) of new rows to emit in row order. Rows of the fit come out
// as in the fit, to rounding. Those of a model of a graph are [stream.SparseRows]: for
// the left side row i holds the edges out of new node i, for the right side the edges
// into it, and the columns are the nodes of the fit. Cost: one pass; see [Side].
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	names, err := r.Names(m)
	if err != nil {
		return err
	}
	worker, err := m.Embedder(r.Side, rows)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "transform", rows, len(names), r.Kept, worker, emit)
}

// EmbedFitted gives the singular vectors of the fitted rows of a side to emit in
// row order. Sums and means are those of the fit. Cost: one pass, and nothing to
// compute where the method has the vectors (exact).
func (f *Fit) EmbedFitted(ctx context.Context, e stream.Engine, side model.Side, emit func(start int64, u blas64.General) error) error {
	have := f.U
	if side == model.Right {
		have = f.V
	}
	if have.Rows > 0 {
		return emit(0, have)
	}
	worker, rows, err := f.FittedEmbedder(side)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "transform", rows, f.Rank(), false, worker, func(b *stream.Block, u blas64.General) error { return emit(b.Start, u) })
}

// Factors returns the singular vectors of all fitted rows, N×r and M×r. Cost: one pass
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
	err = f.EmbedFitted(ctx, e, model.Left, into(u))
	if err == nil {
		err = f.EmbedFitted(ctx, e, model.Right, into(v))
	}
	return u, v, err
}
