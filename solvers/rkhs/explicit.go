package rkhs

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Explicit is the operator S = Ψ·B·Φᵀ = Σ B_ij·ψ(y_i)⊗φ(x_j) for a matrix B with a row for each y and a column for each
// x (paper, Section 3.2). For n pairs, B = I/n is [CrossCovariance]. B need not be square: see [Unpaired]. Weights of
// pairs only affect means. B is read once, in blocks of rows. Cost: 2·n·m·p flops for n rows, m columns and p features
// of x.
type Explicit struct {
	B      stream.Source
	Single bool // x replaces y: S = Φ·B·Φᵀ
}

// String returns "explicit".
func (Explicit) String() string { return "explicit" }

// Traits reports that all pairs are needed.
func (o Explicit) Traits() Traits {
	if o.Single {
		return Traits{Range: SideX, Domain: SideX, Single: true, AllPairs: true}
	}
	return Traits{Range: SideY, Domain: SideX, AllPairs: true}
}

// checkSize fails unless the matrix has a row for each y and a column for each x.
func (o Explicit) checkSize(shape model.Size) error {
	if o.B == nil {
		return errors.New("operator explicit needs the matrix B")
	}
	info := o.B.Info()
	rows, err := input.KnownRows(o.B)
	n, m := rowsOf(shape, SideY), shape.Rows
	if o.Single {
		n = m
	}
	if err == nil && (rows != n || int64(len(info.Columns)) != m) {
		err = fmt.Errorf("%s is %d×%d: the matrix B has a row for each y and a column for each x, here %d×%d", info.Name, rows, len(info.Columns), n, m)
	}
	return err
}

// Matrix returns Yᵀ·B·X, or Xᵀ·B·X.
func (o Explicit) Matrix(ctx context.Context, e stream.Engine, f *Factors) (Matrix, error) {
	left := f.Y
	if o.Single {
		left = f.X
	}
	info := o.B.Info()
	sum, err := stream.Fold(ctx, e.WithInputs(left, f.X), "matrix B", o.B, func() *sketch.Gram { return sketch.NewGram(left.Cols, f.X.Cols) },
		func() func(*sketch.Gram, *stream.Block) error {
			room := matrix.New(tilesize.PanelRows, f.X.Cols)
			return func(g *sketch.Gram, b *stream.Block) error {
				for first, rows := range b.Panels(tilesize.PanelRows) {
					start := b.Start + int64(first)
					if err := input.CheckRows(info, rows, start); err != nil {
						return err
					}
					bx := matrix.Rows(room, 0, rows.Rows)
					dense.Gemm(blas.NoTrans, blas.NoTrans, 1, rows, f.X, 0, bx)
					if err := g.Add(matrix.Rows(left, int(start), rows.Rows), bx); err != nil {
						return err
					}
				}
				return nil
			}
		})
	if err != nil {
		return Matrix{}, err
	}
	return Matrix{General: sum.Matrix()}, nil
}

// expand returns factors with a row for each x and each y, by another pass over them.
func (s resolvedSolver) expand(ctx context.Context, e stream.Engine, d *Data, sp *spaces, means [2][]float64, f *Factors) error {
	if !d.unpaired(sp) {
		return s.expandPairs(ctx, e, d, sp, means, f)
	}
	for _, which := range []PairSide{SideX, SideY} {
		one, to := sp.alone(which), &Factors{}
		if err := s.expandPairs(ctx, e, d.alone(which), one, [2][]float64{means[which]}, to); err != nil {
			return err
		}
		sp.entries += one.entries
		if which == SideX {
			f.X = to.X
		} else {
			f.Y = to.X
		}
	}
	return nil
}

// expandPairs is expand for pairs, or the rows of one side.
func (s resolvedSolver) expandPairs(ctx context.Context, e stream.Engine, d *Data, sp *spaces, means [2][]float64, f *Factors) error {
	columns, src := sp.columns(d), sp.source(d)
	columns.SqrtWeight = nil
	rows, err := stream.MapRows(ctx, e, "features of all pairs", src, columns.Width(), func() func(blas64.General, *stream.Block) error {
		fill := columns.Worker(src.Info())
		return func(dst blas64.General, b *stream.Block) error {
			for first, panel := range b.Panels(tilesize.PanelRows) {
				if err := fill(matrix.Rows(dst, first, panel.Rows), panel, b.Start+int64(first)); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	sp.count(d)
	for _, p := range sp.parts(d) {
		m := matrix.Clone(matrix.Columns(rows, p.firstColumn, p.space.Left.Rank()))
		if s.Center {
			for i := range m.Rows {
				matrix.Axpy(-1, means[p.side], matrix.Row(m, i))
			}
		}
		if p.side == SideX {
			f.X = m
		} else {
			f.Y = m
		}
	}
	return nil
}

// savedOperator stands for a custom operator in a loaded model.
type savedOperator struct {
	word      string
	ridge     float64
	symmetric bool
}

func (o savedOperator) String() string { return o.word }
func (o savedOperator) Traits() Traits {
	return Traits{Symmetric: o.symmetric, Inverts: o.ridge != 0, Ridge: o.ridge}
}
func (o savedOperator) Matrix(context.Context, stream.Engine, *Factors) (Matrix, error) {
	return Matrix{}, fmt.Errorf("operator %s comes from a saved model, which does not hold its matrix", o.word)
}
