package askls

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Model is a fitted machine: for each class the functions f_s and f_t of a sample.
type Model struct {
	Classes int   // k
	Samples int64 // n
	C       float64
	Ridge   float64 // λ of the system that was solved, 0 for the plain one
	Engine  Engine
	Merge   Merge
	Seed    uint64
	Biases  [2][]float64 // b₁ and b₂ of each class
	// Functions are f_s (its left side) and f_t (right) without their biases, for kernels of
	// rows. With the engines dense and iterative the landmarks are the training samples
	// and the projections their duals: b = yβ on the left and a = yα on the right.
	Functions *ksvd.Model
	// Edges are the functions for an explicit matrix; one of the two is nil.
	Edges *Edges
	// Stack are the weights of f_s and f_t and the bias of each class's log-odds, k×3;
	// empty unless functions are stacked.
	Stack blas64.General
}

// Edges are f_s and f_t without their biases, for an explicit kernel matrix.
type Edges struct {
	Total  int64          // samples of the matrix
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

// Decide merges the functions of samples (B×2k: f_s of all classes, then f_t) into
// decisions (B×k). The class with the largest one wins. Decisions are about 1 for the class
// and −1 for others, or log-odds with MergeStack.
func (m *Model) Decide(dst, both blas64.General) {
	if both.Cols != 2*m.Classes || dst.Cols != m.Classes || dst.Rows != both.Rows {
		panic(fmt.Sprintf("askls: decisions of %d×%d from functions of %d×%d for %d classes", dst.Rows, dst.Cols, both.Rows, both.Cols, m.Classes))
	}
	for i := range both.Rows {
		m.merge(dense.Row(dst, i), dense.Row(both, i))
	}
}

// Evaluate gives f_s and f_t of samples, B×2k, to emit in their order. Each row is a sample
// both as a source and as a target. Of an explicit matrix, a sparse row of K has the edges
// out of a node; those in are the rows' Into, or else columns of a square matrix. A dense
// row has K(x, x_j) for every sample x_j of the matrix, and then K(x_j, x).
//
// Samples of the fit come out as in the fit, to rounding. Cost: one pass, and for each row
// the kernel entries of both functions.
func (m *Model) Evaluate(ctx context.Context, e stream.Engine, rows stream.Source, kept bool, emit model.Emit) error {
	workers, err := m.workers(rows)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "decisions", rows, 2*m.Classes, kept, func() func(blas64.General, *stream.Block) error {
		do := [2]func(blas64.General, *stream.Block) error{workers[0](), workers[1]()}
		var buf []float64
		return func(dst blas64.General, b *stream.Block) error {
			for side := range do {
				part := shaped(&buf, dst.Rows, m.Classes)
				if err := do[side](part, b); err != nil {
					return err
				}
				m.addBias(dst, part, side)
			}
			return nil
		}
	}, emit)
}

// addBias puts the functions of a side into its columns of dst.
func (m *Model) addBias(dst, part blas64.General, side int) {
	for i := range part.Rows {
		row := dense.Row(dst, i)[side*m.Classes : (side+1)*m.Classes]
		for c, v := range dense.Row(part, i) {
			row[c] = v + m.Biases[side][c]
		}
	}
}

// workers evaluate the functions of either side without their biases.
func (m *Model) workers(rows stream.Source) (w [2]ksvd.Embedder, err error) {
	if m.Edges != nil {
		return m.Edges.workers(rows)
	}
	if w[0], err = m.Functions.Embedder(model.Left, rows); err == nil {
		w[1], err = m.Functions.Embedder(model.Right, rows)
	}
	return w, err
}

// workers multiply rows of the matrix with the duals.
func (g *Edges) workers(rows stream.Source) (w [2]ksvd.Embedder, err error) {
	sparse, ok := rows.(*stream.SparseRows)
	if !ok {
		return g.denseWorkers(rows)
	}
	out, in, name := sparse.Matrix, sparse.Into, rows.Info().Name
	switch {
	case int64(out.Cols) != g.Total:
		return w, fmt.Errorf("%s has %d×%d edges, expected a column for each of the %d nodes of the fit", name, out.Rows, out.Cols, g.Total)
	case in == nil && out.Rows != out.Cols:
		return w, fmt.Errorf("%s has %d×%d edges: the decisions on nodes need the edges into them too, and a square matrix has both", name, out.Rows, out.Cols)
	case in == nil:
		in = sparse.Transpose()
	case in.Rows != out.Rows || in.Cols != out.Cols:
		return w, fmt.Errorf("%s has %d×%d edges out and %d×%d in, expected as many", name, out.Rows, out.Cols, in.Rows, in.Cols)
	}
	for side, k := range []*stream.CSR{out, in} {
		all := g.spread(side)
		w[side] = func() func(blas64.General, *stream.Block) error {
			return func(dst blas64.General, b *stream.Block) error {
				for i := range dst.Rows {
					addRow(dense.Row(dst, i), k, int(b.Start)+i, all)
				}
				return nil
			}
		}
	}
	return w, nil
}

// denseWorkers multiply the halves of dense rows with the duals.
func (g *Edges) denseWorkers(rows stream.Source) (w [2]ksvd.Embedder, err error) {
	n, columns := int(g.Total), len(rows.Info().Columns)
	if columns != 2*n {
		return w, fmt.Errorf("%s has %d columns, expected %d: entries of the kernel matrix between a sample and each of the %d samples of the fit, "+
			"and behind them those between each and the sample", rows.Info().Name, columns, 2*n, n)
	}
	for side := range w {
		all := g.spread(side)
		w[side] = func() func(blas64.General, *stream.Block) error {
			return func(dst blas64.General, b *stream.Block) error {
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, dense.Columns(b.X, side*n, n), all, 0, dst)
				return nil
			}
		}
	}
	return w, nil
}

// spread returns a matrix with a row for every node, 0 where it was not trained on.
func (g *Edges) spread(side int) blas64.General {
	from := g.Source
	if side == 1 {
		from = g.Target
	}
	all := stream.NewMatrix(int(g.Total), from.Cols)
	for i, node := range g.Nodes {
		copy(dense.Row(all, int(node)), dense.Row(from, i))
	}
	return all
}

// Decisions returns the decisions on samples, a row for each: see [Model.Decide]. Cost:
// as [Model.Evaluate], and memory for the result.
func (m *Model) Decisions(ctx context.Context, e stream.Engine, rows stream.Source) (blas64.General, error) {
	out := blas64.General{Cols: m.Classes, Stride: m.Classes}
	err := m.Transform(ctx, e, rows, model.Request{}, func(_ *stream.Block, decisions blas64.General) error {
		for i := range decisions.Rows {
			out.Data = append(out.Data, dense.Row(decisions, i)...)
		}
		out.Rows += decisions.Rows
		return nil
	})
	return out, err
}

// Predict returns the class of each sample: that of the largest decision, of equal ones the
// first.
func (m *Model) Predict(ctx context.Context, e stream.Engine, rows stream.Source) ([]int, error) {
	decisions, err := m.Decisions(ctx, e, rows)
	if err != nil {
		return nil, err
	}
	classes := make([]int, decisions.Rows)
	model.Largest(classes, decisions)
	return classes, nil
}
