package paper2

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// sneGraph is the matrix G of Tables 4 and 5 for the solvers that are compared with
// ours: the SNE kernel between the rows x_i and the columns z_j of an adjacency matrix
// A without weights, centred. It is made in panels of rows and never held:
//
//	G_ij = exp(t_ij)/Σ_j exp(t_ij) − the mean of column j      t_ij = (2·(A²)_ij − ‖z_j‖²)/γ²
//
// since ‖x_i‖² is in all of a row, and the rows sum to 1, so that their means are the
// mean of all. Outside the nonzeros of A² a row is a multiple of exp(−‖z_j‖²/γ²), so
// an entry costs one multiplication: the solvers that need all entries get them at the
// least price there is, which favours them.
type sneGraph struct {
	a       *stream.CSR
	g2      float64   // γ²
	inverse float64   // 1/γ²
	column  []float64 // ‖z_j‖²
	far     []float64 // exp(−‖z_j‖²/γ²)
	farSum  float64
	least   float64 // of column
	sums    []float64
	means   []float64 // of the columns
}

func newSNEGraph(a *stream.CSR, gamma float64, centred bool) *sneGraph {
	s := &sneGraph{a: a, g2: gamma * gamma, inverse: 1 / (gamma * gamma), column: a.ColumnSums(), far: make([]float64, a.Cols),
		least: math.Inf(1), sums: make([]float64, a.Rows), means: make([]float64, a.Cols)}
	for j, c := range s.column {
		s.far[j] = math.Exp(-c * s.inverse)
		s.farSum += s.far[j]
		s.least = math.Min(s.least, c)
	}
	s.finish()
	if !centred {
		clear(s.means)
	}
	return s
}

// paths are the nonzeros of rows of A², for one goroutine.
type paths struct {
	count  []int32 // (A²)_ij, 0 again after use
	column []int32
}

func newPaths(n int) *paths { return &paths{count: make([]int32, n)} }

// load finds row i of A².
func (p *paths) load(a *stream.CSR, i int) {
	p.column = p.column[:0]
	middle, _ := a.Row(i)
	for _, k := range middle {
		ends, _ := a.Row(int(k))
		for _, j := range ends {
			if p.count[j] == 0 {
				p.column = append(p.column, j)
			}
			p.count[j]++
		}
	}
}

func (p *paths) clear() {
	for _, j := range p.column {
		p.count[j] = 0
	}
}

// exponent returns t_ij for a nonzero of A².
func (s *sneGraph) exponent(p *paths, j int32) float64 {
	return (2*float64(p.count[j]) - s.column[j]) * s.inverse
}

// shift returns at least the largest exponent of the row that is loaded, so that nothing
// overflows.
func (s *sneGraph) shift(p *paths) float64 {
	most := -s.least * s.inverse
	for _, j := range p.column {
		most = math.Max(most, s.exponent(p, j))
	}
	return most
}

// finish works out the row sums and the means of the columns, from the paths.
func (s *sneGraph) finish() {
	p, weights := newPaths(s.a.Cols), 0.0
	for i := range s.a.Rows {
		p.load(s.a, i)
		shift := s.shift(p)
		sum, plain := 0.0, s.farSum
		for _, j := range p.column {
			plain -= s.far[j]
			sum += math.Exp(s.exponent(p, j) - shift)
		}
		s.sums[i] = sum + math.Max(0, plain)*math.Exp(-shift)
		w := math.Exp(-shift) / s.sums[i]
		weights += w
		for _, j := range p.column {
			s.means[j] += math.Exp(s.exponent(p, j)-shift)/s.sums[i] - w*s.far[j]
		}
		p.clear()
	}
	for j := range s.means {
		s.means[j] = (s.means[j] + weights*s.far[j]) / float64(s.a.Rows)
	}
}

// fill is row i of G, centred.
func (s *sneGraph) fill(dst []float64, i int, p *paths) {
	p.load(s.a, i)
	shift := s.shift(p)
	w := math.Exp(-shift) / s.sums[i]
	for j, v := range s.far {
		dst[j] = w*v - s.means[j]
	}
	for _, j := range p.column {
		dst[j] = math.Exp(s.exponent(p, j)-shift)/s.sums[i] - s.means[j]
	}
	p.clear()
}

// panelRows is how many rows of G are made at a time.
const panelRows = 512

// panels gives G to visit in panels of rows, each filled by all processors.
func (s *sneGraph) panels(visit func(first int, g blas64.General)) {
	n := s.a.Rows
	buffer := stream.NewMatrix(min(panelRows, n), s.a.Cols)
	workers := runtime.GOMAXPROCS(0)
	all := make([]*paths, workers)
	for w := range all {
		all[w] = newPaths(s.a.Cols)
	}
	for first := 0; first < n; first += panelRows {
		g := stream.RowSlice(buffer, 0, min(panelRows, n-first))
		var work sync.WaitGroup
		for w := range workers {
			work.Go(func() {
				for i := w; i < g.Rows; i += workers {
					s.fill(dense.Row(g, i), first+i, all[w])
				}
			})
		}
		work.Wait()
		visit(first, g)
	}
}

// rows returns some rows of G.
func (s *sneGraph) rows(number []int64) blas64.General {
	g, p := stream.NewMatrix(len(number), s.a.Cols), newPaths(s.a.Cols)
	for k, i := range number {
		s.fill(dense.Row(g, k), int(i), p)
	}
	return g
}

// columns returns some columns of G, each a row of the result. One pass over G.
func (s *sneGraph) columns(number []int64) blas64.General {
	c := stream.NewMatrix(len(number), s.a.Rows)
	s.panels(func(first int, g blas64.General) {
		for k, j := range number {
			for i := range g.Rows {
				c.Data[k*c.Stride+first+i] = g.Data[i*g.Stride+int(j)]
			}
		}
	})
	return c
}

// times returns G·q, and timesTransposed Gᵀ·q. One pass over G each.
func (s *sneGraph) times(q blas64.General) blas64.General {
	y := stream.NewMatrix(s.a.Rows, q.Cols)
	s.panels(func(first int, g blas64.General) {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, g, q, 0, stream.RowSlice(y, first, g.Rows))
	})
	return y
}

func (s *sneGraph) timesTransposed(q blas64.General) blas64.General {
	y := stream.NewMatrix(s.a.Cols, q.Cols)
	s.panels(func(first int, g blas64.General) {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, g, stream.RowSlice(q, first, g.Rows), 1, y)
	})
	return y
}
