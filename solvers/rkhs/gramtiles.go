package rkhs

import (
	"context"
	"fmt"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// gramTiles are the features Φ of rows in memory, known by their Gram matrix G = ΦᵀΦ of
// which tiles are evaluated when they are wanted: feature i is √w_i·φ(z_i), less the means
// over each part of the rows where they are centred.
type gramTiles struct {
	kernel  kernelgen.Kernel
	engine  stream.Engine
	rows    blas64.General
	roots   []float64 // √w_i, of norm 1 over each part
	parts   int       // 1, or 2 where the second half of the rows is y
	centred bool
	entries int64 // kernel entries evaluated
	passes  int
}

// part returns the rows of a part of a matrix with a row for each feature.
func (g *gramTiles) part(m blas64.General, i int) blas64.General {
	n := m.Rows / g.parts
	return stream.RowSlice(m, i*n, n)
}

// multiply returns G·a.
func (g *gramTiles) multiply(ctx context.Context, a blas64.General) (blas64.General, error) {
	v, err := g.values(ctx, g.coefficients(a))
	if err != nil {
		return v, err
	}
	dense.ScaleRows(v, g.roots)
	g.centre(v)
	return v, nil
}

// coefficients returns those of Φ·a beside k(z_i, ·).
func (g *gramTiles) coefficients(a blas64.General) blas64.General {
	c := dense.Clone(a)
	g.centre(c)
	dense.ScaleRows(c, g.roots)
	return c
}

// centre takes away the part along √w.
func (g *gramTiles) centre(m blas64.General) {
	if !g.centred {
		return
	}
	for i := range g.parts {
		part, roots := g.part(m, i), g.roots[i*len(g.roots)/g.parts:][:len(g.roots)/g.parts]
		means := dense.MulVector(blas.Trans, part, roots)
		for j := range part.Rows {
			dense.Axpy(-roots[j], means, dense.Row(part, j))
		}
	}
}

// values returns those of Σ c_i·k(z_i, ·) at all rows: an exact pass. Each row block has a
// sum for the tiles in which its rows are rows, and another for those in which they are
// columns, both in a fixed order: see stream.Pairs.
func (g *gramTiles) values(ctx context.Context, c blas64.General) (blas64.General, error) {
	v, mirror := stream.NewMatrix(c.Rows, c.Cols), stream.NewMatrix(c.Rows, c.Cols)
	src := stream.FromMatrix("rows", g.rows)
	var entries atomic.Int64
	err := stream.Pairs(ctx, g.engine, "exact pass", src, src, stream.Upper, func() func(i, j *stream.Block) error {
		var work kernelgen.Workspace
		side := min(stream.PairRows, c.Rows)
		room := make([]float64, side*side)
		return func(i, j *stream.Block) error {
			tile := blas64.General{Rows: i.X.Rows, Cols: j.X.Rows, Stride: j.X.Rows, Data: room[:i.X.Rows*j.X.Rows]}
			g.kernel.Fill(tile, i.X, g.kernel.Pack(j.X), &work)
			entries.Add(int64(len(tile.Data)))
			of := func(m blas64.General, b *stream.Block) blas64.General {
				return stream.RowSlice(m, int(b.Start), b.X.Rows)
			}
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, tile, of(c, j), 1, of(v, i))
			if i.Index != j.Index {
				dense.Gemm(blas.Trans, blas.NoTrans, 1, tile, of(c, i), 1, of(mirror, j))
			}
			return nil
		}
	})
	if err != nil {
		return v, err
	}
	g.passes++
	g.entries += entries.Load()
	dense.Add(1, mirror, v)
	if i, j, bad := dense.NotFinite(v); bad {
		return v, fmt.Errorf("kernel %s gives %v at row %d: scale the columns (`scale standard`) or drop the row", g.kernel, dense.Row(v, i)[j], i)
	}
	return v, nil
}

// means returns those of functions over the rows of a part, from their values.
func (g *gramTiles) means(values blas64.General, part int) []float64 {
	rows := dense.Clone(g.part(values, part))
	roots := g.roots[part*rows.Rows:][:rows.Rows]
	dense.ScaleRows(rows, roots)
	return dense.MulVector(blas.Trans, rows, roots)
}
