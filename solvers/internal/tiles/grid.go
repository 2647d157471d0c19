package tiles

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Grid is the kernel matrix K between all rows of two sides, divided into the blocks of exact passes.
type Grid struct {
	Tiles  *Tiles
	Passes int // number so far, over all entries

	engine      stream.Engine
	names       [2]string
	left, right []*Rows
	rows, cols  int64
}

// NewGrid returns the grid of two sides. names are the names of their sources.
func (t *Tiles) NewGrid(e stream.Engine, names [2]string, left, right *Rows) *Grid {
	g := &Grid{Tiles: t, engine: e, names: names, rows: int64(left.Count()), cols: int64(right.Count()),
		left: left.Blocks(tilesize.PairRows), right: right.Blocks(tilesize.PairRows)}
	for _, r := range g.right {
		r.Prepare() // before workers share it
	}
	return g
}

// Visitor receives a raw tile, and the numbers of its first row and column. It may change the tile but must not retain
// it.
type Visitor = func(tile blas64.General, i, j int) error

// Pairs makes an exact pass over the raw tiles: all of them, or with [stream.Upper] one of each mirrored pair of two
// equal sides. visit is called once for each worker. Tiles with common rows or columns are visited sequentially in a
// fixed order: see [stream.Pairs].
func (g *Grid) Pairs(ctx context.Context, pass string, shape bool, visit func() Visitor) error {
	g.Passes++
	rows := &stream.RowNumbers{Name: g.names[0], Rows: g.rows}
	cols := &stream.RowNumbers{Name: g.names[1], Rows: g.cols}
	return stream.Pairs(ctx, g.engine, pass, rows, cols, shape, func() func(i, j *stream.Block) error {
		var w Work
		buf := make([]float64, min(tilesize.PairRows, g.rows)*min(tilesize.PairRows, g.cols))
		do := visit()
		return func(i, j *stream.Block) error {
			n, m := i.X.Rows, j.X.Rows
			tile := matrix.Of(buf, n, m)
			g.Tiles.Fill(tile, g.left[i.Index], g.right[j.Index], &w)
			return do(tile, int(i.Start), int(j.Start))
		}
	})
}

// Sums are the row sums of K, and the means of its rows and columns.
type Sums struct {
	LogSums            []float64 // logarithms of the row sums; nil unless K is normalised
	RowMeans, ColMeans []float64 // nil unless K is centered
	GrandMean          float64
}

// Sums makes one pass for the row sums of a normalised kernel, and another for the means. It fails if a sum or a mean
// is not finite.
func (g *Grid) Sums(ctx context.Context, means bool) (s *Sums, err error) {
	s = &Sums{}
	if g.Tiles.normalised {
		if s.LogSums, err = g.logSums(ctx); err != nil {
			return nil, err
		}
	}
	if !means {
		return s, nil
	}
	s.begin(g)
	err = g.Pairs(ctx, "means", false, func() Visitor {
		return func(tile blas64.General, i, j int) error {
			s.divide(g.Tiles, tile, i)
			s.add(tile, i, j)
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	s.finish()
	return s, s.Check(g.Tiles, g.names)
}

func (g *Grid) logSums(ctx context.Context) ([]float64, error) {
	sums := make([]logsum.Sum, g.rows)
	err := g.Pairs(ctx, "row sums", false, func() Visitor {
		var w Work
		return func(tile blas64.General, i, _ int) error {
			for k := range tile.Rows {
				g.Tiles.AddSum(&sums[i+k], matrix.Row(tile, k), nil, &w)
			}
			return nil
		}
	})
	logs := make([]float64, len(sums))
	for i := 0; i < len(sums) && err == nil; i++ {
		logs[i], err = g.Tiles.LogSum(sums[i], g.names[0], int64(i))
	}
	return logs, err
}

// LogSumRange returns the row sums of n rows from the given one on, nil without a normaliser.
func (s *Sums) LogSumRange(first, n int) []float64 {
	if s.LogSums == nil {
		return nil
	}
	return s.LogSums[first : first+n]
}

// divide normalises a raw tile. i is the number of its first row.
func (s *Sums) divide(t *Tiles, tile blas64.General, i int) {
	t.Divide(tile, s.LogSumRange(i, tile.Rows))
}

// begin allocates the means of a grid.
func (s *Sums) begin(g *Grid) {
	s.RowMeans, s.ColMeans = make([]float64, g.rows), make([]float64, g.cols)
}

// add adds the entries of a tile to the sums of its rows and columns.
func (s *Sums) add(tile blas64.General, i, j int) {
	cols := s.ColMeans[j:]
	for k := range tile.Rows {
		sum := 0.0
		for l, v := range matrix.Row(tile, k) {
			sum += v
			cols[l] += v
		}
		s.RowMeans[i+k] += sum
	}
}

// finish turns sums of rows and columns into means.
func (s *Sums) finish() {
	for i := range s.RowMeans {
		s.RowMeans[i] /= float64(len(s.ColMeans))
		s.GrandMean += s.RowMeans[i]
	}
	s.GrandMean /= float64(len(s.RowMeans))
	for j := range s.ColMeans {
		s.ColMeans[j] /= float64(len(s.RowMeans))
	}
}

// Check returns an error for the first row or column whose mean is not finite.
func (s *Sums) Check(t *Tiles, names [2]string) error {
	for side, means := range [][]float64{s.RowMeans, s.ColMeans} {
		for i, v := range means {
			if !matrix.IsFinite(v) {
				return BadRow(names[side], int64(i), fmt.Sprintf("the mean of kernel %s over the other side is %v", t.Kernel, v))
			}
		}
	}
	return nil
}

// Center subtracts the means from a block of K. s must hold the means of the rows and columns of the block.
func (s *Sums) Center(block blas64.General) {
	for i := range block.Rows {
		row := matrix.Row(block, i)
		for j, v := range row {
			row[j] = v - s.RowMeans[i] - s.ColMeans[j] + s.GrandMean
		}
	}
}
