package scores

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Reconstruction recovers a directed graph from features of its nodes, as paper 2
// (KSVD), Table 2 and its appendix, do: node i gets as many out-edges as it has
// in the graph, to the nodes that are nearest in feature space. What the paper
// leaves open is a choice here: what "nearest" means is the choice of the method,
// which features is that of the rows, and Loops says whether a node may be its
// own neighbour, as it should be exactly when the graph has self-loops (A+I).
//
// Of candidates that are equally near those with lower numbers are taken. A node
// with more edges than there are candidates gets all candidates. Candidates that
// differ by rounding alone, as nodes with the same edges do in features from an
// SVD, are not equal: then the last bits of the features decide, and figures of
// such graphs move by a few per cent from one SVD to another.
//
// Cost: one exact pass over the n×n tiles, 2 or 3·n²·r flops for r features, and
// 12 bytes an edge: for a hundred thousand nodes rather than a million.
type Reconstruction struct {
	Degrees []int // out-edges of each node, see [OutDegrees]
	Loops   bool
}

// OutDegrees returns the number of entries in each row of an adjacency matrix.
func OutDegrees(a *stream.CSR) []int {
	degrees := make([]int, a.Rows)
	for i := range degrees {
		degrees[i] = int(a.Start[i+1] - a.Start[i])
	}
	return degrees
}

// squaredDistance has exactly 0 for equal rows.
var squaredDistance = kernelgen.New(kernelgen.Profile{
	Name: "squareddistance", Base: kernelgen.SquaredDistance,
	F: func(r2 float64) float64 { return r2 },
})

// ByDistance takes the nodes whose row of to has the least Euclidean distance
// from the node's row of from. For distances "in feature space" both are the same
// rows: the left features, the right ones, or both side by side.
func (r Reconstruction) ByDistance(ctx context.Context, e stream.Engine, from, to stream.Gatherer) (*stream.CSR, error) {
	return r.nearest(ctx, e, from, to, ranking{kernel: squaredDistance, sign: 1})
}

// ByProduct takes the nodes j with the largest Σ_k u_ik·values_k·v_jk, where u are
// the rows of left and v those of right: the largest entries of row i of the
// factored matrix U·diag(values)·Vᵀ. nil values are all 1.
func (r Reconstruction) ByProduct(ctx context.Context, e stream.Engine, left, right stream.Gatherer, values []float64) (*stream.CSR, error) {
	if d := len(left.Info().Columns); values != nil && len(values) != d {
		panic(fmt.Sprintf("scores: %d values for %d features", len(values), d))
	}
	return r.nearest(ctx, e, left, right, ranking{kernel: kernelgen.Linear(), weights: values, sign: -1})
}

// ranking says which pairs of rows are near: those with small sign·k(w∘x, y).
type ranking struct {
	kernel  kernelgen.Kernel
	weights []float64 // nil for 1
	sign    float64
}

// nearest visits all tiles. The order in which a node meets its candidates does
// not matter, since no two candidates are equal.
func (r Reconstruction) nearest(ctx context.Context, e stream.Engine, from, to stream.Gatherer, by ranking) (*stream.CSR, error) {
	if err := r.check(from.Info(), to.Info()); err != nil {
		return nil, err
	}
	found := newNeighbours(r.Degrees)
	err := stream.Pairs(ctx, e, "graph reconstruction", from, to, stream.Full, func() func(i, j *stream.Block) error {
		t := tileOf{ranking: by, tile: stream.NewMatrix(stream.PairRows, stream.PairRows), scaled: stream.NewMatrix(stream.PairRows, len(from.Info().Columns))}
		return func(i, j *stream.Block) error {
			tile, err := t.fill(from, to, i, j)
			if err != nil {
				return err
			}
			for a := range tile.Rows {
				for b, score := range tile.Data[a*tile.Stride : a*tile.Stride+tile.Cols] {
					node, other := int(i.Start)+a, int(j.Start)+b
					if node == other && !r.Loops {
						continue
					}
					found.offer(node, candidate{by.sign * score, int32(other)})
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return found.graph(), nil
}

func (r Reconstruction) check(from, to stream.Info) error {
	n, d := int64(len(r.Degrees)), len(from.Columns)
	if len(to.Columns) != d {
		panic(fmt.Sprintf("scores: features of %d and %d columns", d, len(to.Columns)))
	}
	if d == 0 {
		return fmt.Errorf("scores: nodes without features have no neighbours")
	}
	for _, side := range []stream.Info{from, to} {
		if side.Rows != n {
			return fmt.Errorf("%s: %d rows of features for a graph of %d nodes", side.Name, side.Rows, n)
		}
	}
	for node, k := range r.Degrees {
		if k < 0 || int64(k) > n {
			return fmt.Errorf("scores: node %d cannot have %d edges to %d nodes", node, k, n)
		}
	}
	return nil
}

// tileOf makes the tiles of one worker.
type tileOf struct {
	ranking
	tile, scaled blas64.General
	work         kernelgen.Workspace
}

// fill computes the kernel between two blocks.
func (t *tileOf) fill(from, to stream.Source, i, j *stream.Block) (blas64.General, error) {
	for _, side := range []struct {
		of stream.Source
		b  *stream.Block
	}{{from, i}, {to, j}} {
		if err := sketch.CheckFinite(side.b.X); err != nil {
			return blas64.General{}, fmt.Errorf("%s: rows from %d on: %w", side.of.Info().Name, side.b.Start, err)
		}
	}
	tile := t.tile
	tile.Rows, tile.Cols = i.X.Rows, j.X.Rows
	t.kernel.Fill(tile, t.weighted(i.X), t.kernel.Pack(j.X), &t.work)
	for a := range tile.Rows {
		for b, score := range tile.Data[a*tile.Stride : a*tile.Stride+tile.Cols] {
			if score-score != 0 {
				return tile, fmt.Errorf("%s: the score of nodes %d and %d is %v: scale the features down", from.Info().Name, i.Start+int64(a), j.Start+int64(b), score)
			}
		}
	}
	return tile, nil
}

// weighted returns x with its columns multiplied by the weights.
func (t *tileOf) weighted(x blas64.General) blas64.General {
	if t.weights == nil {
		return x
	}
	scaled := stream.RowSlice(t.scaled, 0, x.Rows)
	for i := range x.Rows {
		row := scaled.Data[i*scaled.Stride : i*scaled.Stride+scaled.Cols]
		for k, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			row[k] = v * t.weights[k]
		}
	}
	return scaled
}
