package main

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// pathGraph is the matrix of a sneGraph as what it is made of: with w_i the factor of
// row i outside the nonzeros of A²,
//
//	G = w·farᵀ + S − 1·meansᵀ
//
// where S has the nonzeros of A². It is exact, and a product with k vectors takes
// 2·k·(nnz(A²) + 3n) flops instead of 2·k·n². Memory: 12 bytes for each nonzero of A²,
// twice, since Gᵀ is multiplied by the transpose.
type pathGraph struct {
	*sneGraph
	w     []float64
	s, st *stream.CSR // S and Sᵀ
}

func newPathGraph(g *sneGraph) *pathGraph {
	p := newPaths(g.a.Cols)
	t := &pathGraph{sneGraph: g, w: make([]float64, g.a.Rows)}
	s := &stream.CSR{Rows: g.a.Rows, Cols: g.a.Cols, Start: make([]int64, g.a.Rows+1)}
	for i := range g.a.Rows {
		p.loadSorted(g.a, i)
		shift := g.shift(p)
		t.w[i] = math.Exp(-shift) / g.sums[i]
		for _, j := range p.column {
			s.Index = append(s.Index, j)
			s.Value = append(s.Value, math.Exp(g.exponent(p, j)-shift)/g.sums[i]-t.w[i]*g.far[j])
		}
		s.Start[i+1] = int64(len(s.Index))
		p.clear()
	}
	t.s, t.st = s, s.Transpose()
	return t
}

func (t *pathGraph) times(q blas64.General) blas64.General {
	y := sparseTimes(t.s, q)
	far, means := weightedSum(t.far, q), weightedSum(t.means, q)
	for i := range y.Rows {
		r := row(y, i)
		for k := range r {
			r[k] += t.w[i]*far[k] - means[k]
		}
	}
	return y
}

func (t *pathGraph) timesTransposed(q blas64.General) blas64.General {
	y := sparseTimes(t.st, q)
	w, all := weightedSum(t.w, q), weightedSum(nil, q)
	for j := range y.Rows {
		r := row(y, j)
		for k := range r {
			r[k] += t.far[j]*w[k] - t.means[j]*all[k]
		}
	}
	return y
}

// sparseTimes is s·q.
func sparseTimes(s *stream.CSR, q blas64.General) blas64.General {
	y := stream.NewMatrix(s.Rows, q.Cols)
	for i := range s.Rows {
		index, value := s.Row(i)
		r := row(y, i)
		for e, j := range index {
			v := value[e]
			for k, x := range row(q, int(j)) {
				r[k] += v * x
			}
		}
	}
	return y
}

// weightedSum is wᵀ·q; nil weights are all 1.
func weightedSum(w []float64, q blas64.General) []float64 {
	sum := make([]float64, q.Cols)
	for i := range q.Rows {
		v := 1.0
		if w != nil {
			v = w[i]
		}
		for k, x := range row(q, i) {
			sum[k] += v * x
		}
	}
	return sum
}
