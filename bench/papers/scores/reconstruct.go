package scores

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Similarity compares the features of two nodes by a kernel, which is either small or large for similar nodes.
type Similarity struct {
	kernel kernelgen.Kernel
	sign   float64
}

// ByDistance is the Euclidean distance; its square is exactly 0 between equal rows. ByProduct is the inner product,
// large for similar nodes.
var (
	ByDistance = Similarity{kernelgen.New(kernelgen.Profile{Name: "squareddistance", Base: kernelgen.SquaredDistance,
		F: func(r2 float64) float64 { return r2 }}), 1}
	ByProduct = Similarity{kernelgen.Linear(), -1}
)

// tileRows is the number of nodes that a worker reconstructs at a time.
const tileRows = 128

// Reconstruct recovers a directed graph from features of its nodes, as paper 2 does in Table 2: node i has the
// out-degree of the graph a, and its edges lead to the nodes whose row of to is nearest to row i of from. A node may be
// its own neighbour, since a has self-loops. In a tie, nodes with lower numbers come first.
//
// Features of nodes with the same edges differ by rounding alone. The last bits then decide, so results vary by a few
// per cent from one SVD to another.
func Reconstruct(ctx context.Context, a *sparse.CSR, by Similarity, from, to blas64.General) (*sparse.CSR, error) {
	g := &sparse.CSR{Rows: a.Rows, Cols: a.Rows, Start: a.Start, Index: make([]int32, a.NNZ())}
	panel := by.kernel.Pack(to)
	err := stream.Each(ctx, 0, (a.Rows+tileRows-1)/tileRows, func(tile int) error {
		first := tile * tileRows
		n := min(tileRows, a.Rows-first)
		near := stream.NewMatrix(n, to.Rows)
		var work kernelgen.Workspace
		by.kernel.Fill(near, stream.RowSlice(from, first, n), panel, &work)
		for i := range n {
			edges := g.Index[a.Start[first+i]:a.Start[first+i+1]]
			nearest(edges, near.Data[i*near.Stride:][:near.Cols], by.sign)
		}
		return nil
	})
	return g, err
}

// nearest fills edges with the nodes of the smallest sign·score, in the order of nodes.
func nearest(edges []int32, scores []float64, sign float64) {
	if len(edges) == 0 {
		return
	}
	best := edges[:0] // the nearest nodes so far, nearest first
	for node, score := range scores {
		if len(best) == len(edges) {
			if sign*score >= sign*scores[best[len(best)-1]] {
				continue
			}
			best = best[:len(best)-1]
		}
		place, _ := slices.BinarySearchFunc(best, score, func(other int32, score float64) int {
			if sign*scores[other] <= sign*score {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, place, int32(node))
	}
	slices.Sort(edges)
}
