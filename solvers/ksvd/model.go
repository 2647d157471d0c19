package ksvd

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Model is an approximate singular value decomposition of G, G_ij = κ(Cᵀx_i, z_j), centred or not. Both sides are
// functions of a row.
type Model struct {
	Method        string // "exact", "ssrsvd" or "nystrom"
	Kernel        kernelgen.Kernel
	Seed          uint64
	Rows, Cols    int64 // N and M, the size of G in the fit
	Centered      bool
	Origin        []float64 // the kernel is κ(x − Origin, z − Origin) on mapped rows; nil for 0
	Sums          Sums      // exact or sampled
	Compatibility Compatibility
	Values        []float64 // singular values, descending
	Left, Right   *Factor
}

// Fit is a model with the results of its fit.
type Fit struct {
	*Model
	// Report has the larger of ‖Gv−σu‖ and ‖Gᵀu−σv‖ for each triplet as Residuals, if the method is exact.
	model.Report
	// U and V are the singular vectors of the fitted rows, N×r and M×r, if the method is
	// exact; empty otherwise: see [Fit.Fitted].
	U, V blas64.General
	// EstimatedResiduals estimate the larger of ‖Gv−σu‖ and ‖Gᵀu−σv‖ for each triplet with unit vectors u and v,
	// relative to its σ. They use entries between rows and columns that are not landmarks. They are nil unless the
	// method is nystrom.
	EstimatedResiduals []float64
	// Directions compares U and V with the leading singular vectors of G, from the same entries; zero unless the method
	// is nystrom.
	Directions Directions
	// Samples are the numbers of sampled rows and columns.
	Samples [2]int

	data *Data
	sums *tiles.Sums // exact ones of the fitted rows; nil if there are none
}

// Rank returns the number of singular triplets.
func (m *Model) Rank() int { return len(m.Values) }

// tiles evaluates the kernel of the model.
func (m *Model) tiles() (*tiles.Tiles, error) {
	t, err := tiles.New(m.Kernel, m.Left.Landmarks.Sparse != nil)
	if err == nil {
		t.SetOrigin(m.Origin)
	}
	return t, err
}

// side returns Left or Right.
func (m *Model) side(side model.Side) *Factor {
	if side == model.Right {
		return m.Right
	}
	return m.Left
}

// sides returns the left side, the right side or both.
func sides(side model.Side) []model.Side {
	if side == model.Both {
		return []model.Side{model.Left, model.Right}
	}
	return []model.Side{side}
}

// Describe returns a summary of the model.
func (m *Model) Describe() *model.Description {
	method := m.Method
	if m.Centered {
		method += ", centred"
	}
	return &model.Description{Method: Name, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: m.Cols, Rank: m.Rank(),
		Values: m.Values, Seed: m.Seed, Columns: m.Dimension(model.Left), TwoSided: true,
		Facts: []model.Fact{{Name: "method", Value: method}, {Name: "sums", Value: m.Sums.String()}, {Name: "compatibility", Value: m.Compatibility.String()}}}
}

// Outputs returns the names of the singular vectors of a side: u0, u1, … or v0, v1, …
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if err := kind.RequireOneOf(model.Coordinates); err != nil {
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

// Dimension returns the number of columns of the rows of a side, before C.
func (m *Model) Dimension(side model.Side) int { return m.side(side).dimension() }

// TransformPlan returns the cost of Transform for rows.
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
		p.Add("tiles", int64(e.Workers()*s.panelRows())*(landmarks+2*rank), "`Engine.Threads`")
	}
	p.SourcePasses = 1
	return p
}

// Transform passes u(x) or v(z) of new rows to emit in row order. Rows of the fit have the values of the fit, up to
// rounding. A model of a graph takes [sparse.Rows]: on the left, row i holds the outgoing edges of new node i; on the
// right, its incoming edges. The columns are the nodes of the fit. Cost: one pass; see [Factor].
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers that store u or v of new rows in dst. It fails for rows of another length or kind than those of
// the model.
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	t, err := m.tiles()
	if err != nil {
		return nil, err
	}
	from := sourceOf(rows)
	var parts []*embedding
	for _, side := range sides(r.Side) {
		s := m.side(side)
		if err := s.accepts(from); err != nil {
			return nil, err
		}
		parts = append(parts, m.embedding(t, s, nil, from))
	}
	return workerOf(parts...), nil
}

// workerOf makes workers that store several embeddings side by side.
func workerOf(parts ...*embedding) func() model.Worker {
	return func() model.Worker {
		var workers []*embedder
		for _, p := range parts {
			workers = append(workers, p.worker())
		}
		return func(dst blas64.General, b *stream.Block) error {
			for i, w := range workers {
				if err := w.block(matrix.Columns(dst, i*w.Rank(), w.Rank()), b); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// Fitted returns a function that makes workers for the singular vectors of the fitted rows of a side, and the source of
// their pass: the rows, or the vectors themselves if the method is exact. Row sums and means are those of the fit. See
// [stream.MapRows]. With [model.Both], U and V are side by side; this requires a single source on both sides and a
// method other than exact.
func (f *Fit) Fitted(side model.Side) (func() model.Worker, stream.Source, error) {
	rows, vectors := f.data.left, f.U
	if side == model.Right {
		rows, vectors = f.data.right, f.V
	}
	switch {
	case side == model.Both && (f.data.extraPasses == 0 || vectors.Cols > 0):
		return nil, nil, errors.New("the fitted rows of both sides are not those of one source: ask for each side")
	case vectors.Cols > 0:
		return copyRows, stream.FromMatrix("singular vectors of "+rows.name(), vectors), nil
	}
	t, err := f.tiles()
	if err != nil {
		return nil, nil, err
	}
	var parts []*embedding
	for _, one := range sides(side) {
		inner := *f.side(one)
		inner.Map = blas64.General{} // the rows of the data are already mapped
		parts = append(parts, f.embedding(t, &inner, f.sums, rows))
	}
	return workerOf(parts...), rows.Source, nil
}

// copyRows makes workers that copy rows.
func copyRows() model.Worker {
	return func(dst blas64.General, b *stream.Block) error {
		for i := range b.X.Rows {
			copy(matrix.Row(dst, i), matrix.Row(b.X, i))
		}
		return nil
	}
}
