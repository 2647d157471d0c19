package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// points holds the rows of a side with a positive mass, in memory, with the logarithms of their masses.
type points struct {
	name   string
	rows   blas64.General
	number []int64 // in the source; nil for all
	count  int64   // rows of the source
	log    []float64
}

// loadPoints reads a side.
func loadPoints(ctx context.Context, d *Data, s model.Side) (*points, error) {
	src := d.Left
	if s == model.Right && d.Right != nil {
		src = d.Right
	}
	m, err := d.masses(s)
	if err != nil {
		return nil, err
	}
	rows, err := stream.ReadAll(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := input.CheckRows(src.Info(), rows, 0); err != nil {
		return nil, err
	}
	p := &points{name: src.Info().Name, rows: rows, count: int64(rows.Rows)}
	if m.w != nil {
		p.number = m.present()
		p.rows = dense.PickRows(rows, ints(p.number))
	}
	p.log = make([]float64, p.rows.Rows)
	for i := range p.log {
		p.log[i] = math.Log(m.at(p.numberOf(i)))
	}
	return p, nil
}

// ints converts row numbers to indices.
func ints(v []int64) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

// numberOf returns the number in the source of point i.
func (p *points) numberOf(i int) int64 {
	if p.number == nil {
		return int64(i)
	}
	return p.number[i]
}

// gridRows is the block size of a pass over strips, small enough to keep all workers busy.
const gridRows = 256

// stripNumbers is the approximate number of entries of a strip, which should stay in the cache of a core.
const stripNumbers = 1 << 17

// stripRows returns the number of rows of a strip with the given number of columns.
func stripRows(cols int) int { return min(64, max(4, stripNumbers/max(1, cols)/4*4)) }

// grid is K between two sets of points, divided into strips of rows.
type grid struct {
	gibbs
	engine      stream.Engine
	left, right *points
	columns     *tiles.Rows // the right points
	passes      int
}

// newGrid returns the grid of two sides. Its passes keep no states: the rows are in memory.
func newGrid(e stream.Engine, g gibbs, left, right *points) *grid {
	e.BlockRows, e.Run = gridRows, nil
	return &grid{gibbs: g, engine: e, left: left, right: right, columns: &tiles.Rows{Dense: right.rows}}
}

// stripVisitor adds a strip of K, or of log K, to a sum. first is the number of its first row. It may overwrite the
// strip.
type stripVisitor func(sum []float64, first int, strip blas64.General) error

// strips makes a pass over K, or log K, in strips of rows. It returns the sum, of the given length, of the visitors'
// contributions.
func (g *grid) strips(ctx context.Context, t *tiles.Tiles, name string, length int, visit func() stripVisitor) ([]float64, error) {
	g.passes++
	src := &stream.RowNumbers{Name: g.left.name, Rows: int64(g.left.rows.Rows)}
	n := g.right.rows.Rows
	sum, err := stream.Fold(ctx, g.engine, name, src, func() *sketch.Sum { return sketch.NewSum(1, length) }, func() func(*sketch.Sum, *stream.Block) error {
		var w kernelgen.Workspace
		buf, do := matrix.New(stripRows(n), n), visit()
		return func(s *sketch.Sum, b *stream.Block) error {
			for first := 0; first < b.X.Rows; first += buf.Rows {
				strip := matrix.Rows(buf, 0, min(buf.Rows, b.X.Rows-first))
				at := int(b.Start) + first
				t.FillDense(strip, matrix.Rows(g.left.rows, at, strip.Rows), g.columns, &w)
				if err := do(s.Data, at, strip); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return sum.Data, nil
}
