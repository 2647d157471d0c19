package rkhs

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// allPairs holds the data of all pairs in memory: Gram matrices from the kernel, and features; weighted, and centred if
// requested.
type allPairs struct {
	grams
	features [2]blas64.General // n×p and n×q
}

// gram returns the Gram matrix of a side.
func (a *allPairs) gram(s PairSide) blas64.General {
	if s == SideX {
		return a.x
	}
	return a.y
}

// cross returns the Gram matrix between the features of two sides, with the rows of the first.
func (a *allPairs) cross(rows, cols PairSide) blas64.General {
	switch {
	case rows == cols:
		return a.gram(rows)
	case rows == SideX:
		return a.xy
	}
	return matrix.Transpose(a.xy)
}

// allPairs loads the rows and evaluates the kernel between all of them.
func (c *decomposition) allPairs(ctx context.Context, e stream.Engine, d *Data) (*allPairs, error) {
	a := &allPairs{grams: grams{cutoff: c.Cutoff}}
	numbers, root := make([]int64, d.n), make([]float64, d.n)
	for i := range numbers {
		numbers[i], root[i] = int64(i), d.rootWeight(int64(i))
	}
	var rows [2]blas64.General
	for _, p := range c.spaces.parts(d) {
		x, err := d.gather(ctx, p.side, numbers)
		if err != nil {
			return nil, err
		}
		rows[p.side] = x
		f := Functions{Space: p.space, Coefficients: identityOf(p.space.Left.Rank())}
		if a.features[p.side], err = f.At(ctx, e, x); err != nil {
			return nil, err
		}
	}
	grams := []struct {
		to   *blas64.General
		x, y PairSide
		want bool
	}{{&a.x, SideX, SideX, true}, {&a.y, SideY, SideY, rows[SideY].Rows > 0}, {&a.xy, SideX, SideY, rows[SideY].Rows > 0 && c.spaces.x == c.spaces.y}}
	for _, g := range grams {
		if !g.want {
			continue
		}
		m, err := gramOf(ctx, e, c.kernels[g.x], rows[g.x], rows[g.y])
		if err != nil {
			return nil, err
		}
		c.prepare(m, root, true, true)
		*g.to = m
	}
	for i := range a.features {
		if a.features[i].Rows > 0 {
			c.prepare(a.features[i], root, true, false)
		}
	}
	return a, nil
}

// prepare multiplies rows, and columns, by √w_i, and centres them: multiplication by I − ssᵀ for the vector s of the
// √w_i, which has norm 1.
func (c *decomposition) prepare(m blas64.General, root []float64, rows, cols bool) {
	if rows {
		dense.ScaleRows(m, root)
	}
	if cols {
		dense.ScaleColumns(m, root)
	}
	if !c.Center {
		return
	}
	if rows {
		means := dense.MulVector(blas.Trans, m, root)
		for i, r := range root {
			matrix.Axpy(-r, means, matrix.Row(m, i))
		}
	}
	if cols {
		for i := range m.Rows {
			row := matrix.Row(m, i)
			matrix.Axpy(-dense.Dot(root, row), root, row)
		}
	}
}

// gramOf returns the kernel between all rows of x and y.
func gramOf(ctx context.Context, e stream.Engine, k kernelgen.Kernel, x, y blas64.General) (blas64.General, error) {
	m := matrix.New(x.Rows, y.Rows)
	err := stream.Pairs(ctx, e, "Gram matrix", stream.FromMatrix("x", x), stream.FromMatrix("y", y), false, func() func(i, j *stream.Block) error {
		var work kernelgen.Workspace
		room := make([]float64, tilesize.PairRows*tilesize.PairRows)
		return func(i, j *stream.Block) error {
			tile := matrix.Of(room, i.X.Rows, j.X.Rows)
			k.Fill(tile, i.X, k.Pack(j.X), &work)
			for a := range tile.Rows {
				copy(matrix.Row(m, int(i.Start)+a)[j.Start:], matrix.Row(tile, a))
			}
			return nil
		}
	})
	return m, err
}
