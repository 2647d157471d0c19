package askls

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Model is a fitted machine: functions f_s and f_t of a sample for each class.
type Model struct {
	Classes   int   // k
	Samples   int64 // n
	C         float64
	Ridge     float64 // λ of the solved system, 0 for the plain one
	Algorithm Algorithm
	Merge     Merge
	Seed      uint64
	Biases    [2][]float64 // b₁ and b₂ of each class
	// Functions are f_s (left side) and f_t (right side) without their biases, for kernels of rows. With the dense and
	// iterative engines, the landmarks are the training samples and the projections their duals: b = yβ on the left and
	// a = yα on the right.
	Functions *ksvd.Model
	// Edges are the functions for an explicit matrix. Exactly one of Functions and Edges is nil.
	Edges *Edges
	// Stack holds the weights of f_s and f_t and the bias of the log-odds of each class, k×3; empty unless functions
	// are stacked.
	Stack blas64.General
}

// Edges holds f_s and f_t without their biases, for an explicit kernel matrix.
type Edges struct {
	Total  int64          // number of samples of the matrix
	Nodes  []int64        `array:"train,samples,below=nodes"`    // numbers of the training samples, ascending
	Source blas64.General `array:"source_duals,samples,classes"` // duals b, n×k
	Target blas64.General `array:"target_duals,samples,classes"` // duals a, n×k
}

// Kernel returns the text of the kernel, "" for an explicit matrix.
func (m *Model) Kernel() string {
	if m.Functions == nil {
		return ""
	}
	return m.Functions.Kernel.String()
}

// Decide merges functions of samples (B×2k: f_s of all classes, then f_t) into decisions (B×k). The class with the
// largest decision is predicted. Decisions are about 1 for the class and −1 for others, or log-odds with MergeStack.
func (m *Model) Decide(dst, both blas64.General) {
	if both.Cols != 2*m.Classes || dst.Cols != m.Classes || dst.Rows != both.Rows {
		panic(fmt.Sprintf("askls: decisions of %d×%d from functions of %d×%d for %d classes", dst.Rows, dst.Cols, both.Rows, both.Cols, m.Classes))
	}
	for i := range both.Rows {
		m.merge(matrix.Row(dst, i), matrix.Row(both, i))
	}
}

// Evaluate passes f_s and f_t of samples, B×2k, to emit in order. Each row is a sample both as a source and as a
// target. For an explicit matrix, a sparse row has the outgoing edges of a node. Its incoming edges are in Into of the
// rows, or else are columns of a square matrix. A dense row has K(x, x_j) for every sample x_j of the matrix, followed
// by K(x_j, x).
//
// Samples of the fit have the values of the fit, up to rounding. Cost: one pass, and for each row the kernel entries of
// both functions.
func (m *Model) Evaluate(ctx context.Context, e stream.Engine, rows stream.Source, kept bool, emit model.Emit) error {
	worker, err := m.functionWorker(rows)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "decisions", rows, 2*m.Classes, kept, worker, emit)
}

// functionWorker makes workers that store f_s and f_t of samples in dst.
func (m *Model) functionWorker(rows stream.Source) (func() model.Worker, error) {
	worker, err := m.unbiased(rows)
	if err != nil {
		return nil, err
	}
	biases := slices.Concat(m.Biases[0], m.Biases[1])
	return func() model.Worker {
		do := worker()
		return func(dst blas64.General, b *stream.Block) error {
			if err := do(dst, b); err != nil {
				return err
			}
			for i := range dst.Rows {
				matrix.Axpy(1, biases, matrix.Row(dst, i))
			}
			return nil
		}
	}, nil
}

// unbiased makes workers that evaluate both functions without their biases.
func (m *Model) unbiased(rows stream.Source) (func() model.Worker, error) {
	if m.Edges == nil {
		return m.Functions.Worker(rows, model.Request{Side: model.Both})
	}
	if nodes, ok := rows.(*sparse.Rows); ok {
		return m.Edges.ofSparse(nodes)
	}
	return m.Edges.ofDense(rows.Info())
}

// ofSparse multiplies the edges of nodes by the duals.
func (g *Edges) ofSparse(rows *sparse.Rows) (func() model.Worker, error) {
	out, in, name := rows.Matrix, rows.Into, rows.Info().Name
	switch {
	case int64(out.Cols) != g.Total:
		return nil, fmt.Errorf("%s has %d×%d edges, expected a column for each of the %d nodes of the fit", name, out.Rows, out.Cols, g.Total)
	case in == nil && out.Rows != out.Cols:
		return nil, fmt.Errorf("%s has %d×%d edges: the decisions on nodes need the edges into them too, and a square matrix has both",
			name, out.Rows, out.Cols)
	case in == nil:
		in = rows.Transpose()
	case in.Rows != out.Rows || in.Cols != out.Cols:
		return nil, fmt.Errorf("%s has %d×%d edges out and %d×%d in, expected as many", name, out.Rows, out.Cols, in.Rows, in.Cols)
	}
	source, target := g.spread(g.Source), g.spread(g.Target)
	return func() model.Worker {
		return func(dst blas64.General, b *stream.Block) error {
			for i := range dst.Rows {
				row := matrix.Row(dst, i)
				addRow(row[:source.Cols], out, int(b.Start)+i, source)
				addRow(row[source.Cols:], in, int(b.Start)+i, target)
			}
			return nil
		}
	}, nil
}

// ofDense multiplies the halves of dense rows by the duals.
func (g *Edges) ofDense(info stream.Info) (func() model.Worker, error) {
	n, columns := int(g.Total), len(info.Columns)
	if columns != 2*n {
		return nil, fmt.Errorf("%s has %d columns, expected %d: entries of the kernel matrix between a sample and each of the %d samples of the fit, "+
			"and behind them those between each and the sample", info.Name, columns, 2*n, n)
	}
	source, target := g.spread(g.Source), g.spread(g.Target)
	return func() model.Worker {
		return func(dst blas64.General, b *stream.Block) error {
			k := source.Cols
			dense.GemmRows(blas.NoTrans, matrix.Columns(b.X, 0, n), source, 0, matrix.Columns(dst, 0, k))
			dense.GemmRows(blas.NoTrans, matrix.Columns(b.X, n, n), target, 0, matrix.Columns(dst, k, k))
			return nil
		}
	}, nil
}

// spread returns the duals of all nodes, 0 for those not used in training.
func (g *Edges) spread(duals blas64.General) blas64.General {
	all := matrix.New(int(g.Total), duals.Cols)
	for i, node := range g.Nodes {
		copy(matrix.Row(all, int(node)), matrix.Row(duals, i))
	}
	return all
}

// Decisions returns the decisions on samples, one row for each: see [Model.Decide]. Cost: as [Model.Evaluate], and
// memory for the result.
func (m *Model) Decisions(ctx context.Context, e stream.Engine, rows stream.Source) (blas64.General, error) {
	out := blas64.General{Cols: m.Classes, Stride: m.Classes}
	err := m.Transform(ctx, e, rows, model.Request{}, func(_ *stream.Block, decisions blas64.General) error {
		for i := range decisions.Rows {
			out.Data = append(out.Data, matrix.Row(decisions, i)...)
		}
		out.Rows += decisions.Rows
		return nil
	})
	return out, err
}

// Predict returns the class of each sample, the one with the largest decision, the first in a tie.
func (m *Model) Predict(ctx context.Context, e stream.Engine, rows stream.Source) ([]int, error) {
	decisions, err := m.Decisions(ctx, e, rows)
	if err != nil {
		return nil, err
	}
	classes := make([]int, decisions.Rows)
	family.Largest(classes, decisions)
	return classes, nil
}
