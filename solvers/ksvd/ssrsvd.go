package ksvd

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// SSRSVD is KSVD by the sparse-sign streaming randomized SVD of package lowrank (Xie et al. 2023, Algorithm 4). It is
// for dense rows and does not centre G. Row sums of a normalised kernel are exact, so G may then have at most 2³²
// entries.
//
// Cost: one pass over each side, see [lowrank.SSRSVD]. Row sums take another over the right side, whose rows are held
// in memory and in the model, and all entries of G. The vectors of the fitted rows are orthonormal to about ε times the
// condition number of the sketch.
type SSRSVD struct {
	Rank int // r, at most min(N,M)/4
	Seed uint64
}

func (m SSRSVD) lowrank() lowrank.SSRSVD {
	return lowrank.SSRSVD{Rank: m.Rank, Seed: m.Seed, Sums: lowrank.SumsExact}
}

// check returns an error for an unsupported shape or kernel.
func (m SSRSVD) check(s model.Size, k kernelgen.Kernel) error {
	switch {
	case s.Sparse != nil:
		return fmt.Errorf("method ssrsvd is for dense rows; use nystrom or exact for a graph")
	}
	if _, normalised := k.Normaliser(); normalised && float64(s.Rows)*float64(s.Cols) > exactSumEntries {
		return fmt.Errorf("row sums of kernel %s go over %.3g entries, and method ssrsvd takes them up to %.3g; use nystrom", k,
			float64(s.Rows)*float64(s.Cols), float64(exactSumEntries))
	}
	return nil
}

// Plan returns the cost of a fit.
func (m SSRSVD) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := m.check(s, k); err != nil {
		return nil, err
	}
	p, err := m.lowrank().Plan(e, twoSided(s), k)
	if err == nil && s.OneSource() {
		p.SourcePasses++
	}
	return p, err
}

// Fit decomposes the kernel matrix of data.
func (m SSRSVD) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m SSRSVD) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	shape := d.size()
	if err := m.check(shape, k); err != nil {
		return nil, err
	}
	k, err := family.Resolve(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	fit, err := m.lowrank().Fit(ctx, e, model.Sources{Left: d.left.Source, Right: d.right.Source}, k)
	if err != nil {
		return nil, err
	}
	svd := &Model{Method: "ssrsvd", Kernel: fit.Kernel, Seed: m.Seed, Rows: shape.Rows, Cols: shape.Cols, Sums: SumsExact,
		Compatibility: d.kind, Values: fit.Values, Left: sideOf(fit.Left, shape.Cols), Right: sideOf(fit.Right, shape.Rows)}
	svd.Left.left = true
	svd.Left.Map, svd.Right.Map = d.maps[0], d.maps[1]
	out := &Fit{Model: svd, Report: model.Report{Notes: fit.Notes, Warnings: fit.Warnings, Estimates: fit.Estimates, KernelEntries: fit.KernelEntries, SourcePasses: fit.SourcePasses + d.extraPasses},
		Samples: [2]int{len(svd.Right.Rows), len(svd.Left.Rows)}, data: d}
	return out, out.addSums(ctx, e, fit.Sums)
}

// addSums adds to a model the row sums over all right rows, for new rows and for landmarks of the right side.
func (f *Fit) addSums(ctx context.Context, e stream.Engine, over *lowrank.RowSums) error {
	if over == nil {
		return nil
	}
	t, err := f.tiles()
	if err != nil {
		return err
	}
	f.Left.All = &Landmarks{Dense: over.Rows}
	e.Progress, e.Run = nil, nil
	sums, err := t.NewGrid(e, f.data.names(), f.Right.Landmarks.rows(), f.Left.All.rows()).Sums(ctx, false)
	if err == nil {
		f.Right.LogSums = sums.LogSums
		f.KernelEntries += t.Entries.Load()
	}
	return err
}

// sideOf converts an embedding of package lowrank, with its signs multiplied out.
func sideOf(e *lowrank.Embedding, total int64) *Factor {
	projection := matrix.Clone(e.Projection)
	if e.Signs != nil {
		projection = matrix.New(e.Landmarks.Rows, e.Projection.Cols)
		for k := range projection.Rows {
			row := matrix.Row(e.Projection, e.Signs.Col(k))
			for j, v := range row {
				matrix.Row(projection, k)[j] = e.Signs.Value(k) * v
			}
		}
	}
	if e.Refinement.Rows > 0 {
		projection = dense.Mul(blas.NoTrans, projection, blas.NoTrans, e.Refinement)
	}
	if e.Unit != 0 {
		dense.Scale(e.Unit, projection)
	}
	n := e.Landmarks.Rows
	return &Factor{Landmarks: Landmarks{Dense: e.Landmarks}, Rows: e.Rows, Projection: projection, Weights: slices.Repeat([]float64{float64(total) / float64(n)}, n)}
}
