package paper2

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// The four methods of Tables 1 and 2.
const (
	methodPCA  = "PCA"
	methodKPCA = "KPCA"
	methodSVD  = "SVD"
	methodKSVD = "KSVD"
)

var graphMethods = []string{methodPCA, methodKPCA, methodSVD, methodKSVD}

// features are what a method makes of the nodes of a graph: the leading singular
// triplets of its matrix, whose left and right vectors are features of a node.
type features struct {
	method string
	gamma  float64 // 0 for linear methods
	values []float64
	u, v   blas64.General // v has no columns where it is u
}

// nonlinear reports whether a method has a γ.
func nonlinear(method string) bool { return method == methodKSVD || method == methodKPCA }

// twoSided reports whether a method has left and right features.
func twoSided(method string) bool { return method == methodKSVD || method == methodSVD }

// graphFeatures returns the features of a method for one γ, by a dense decomposition of
//
//	KSVD   SNE(x_i, z_j) centred, rows x_i against columns z_j of A + I
//	SVD    A + I itself
//	KPCA   RBF(x_i, x_j) centred
//	PCA    x_i·x_j centred
//
// to at most so many triplets. It is ksvd.Exact for ranks that are a good part of
// the number of nodes: there a dense eigendecomposition takes less time than the
// projected ones of a Krylov iteration. Memory: about 6·n² numbers.
func graphFeatures(g *classedGraph, method string, gamma float64, rank int) (*features, error) {
	f := &features{method: method, gamma: gamma, v: stream.NewMatrix(g.nodes(), 0)}
	var err error
	a := g.matrix(method, gamma)
	if !twoSided(method) {
		f.values, f.u, err = leadingEigen(a, rank)
		return f, err
	}
	if f.values, f.u, err = leadingEigen(dense.Mul(blas.NoTrans, a, blas.Trans, a), rank); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", g.name, method, err)
	}
	f.v = dense.Mul(blas.Trans, a, blas.NoTrans, f.u)
	for j := range f.values {
		f.values[j] = math.Sqrt(f.values[j])
		scaleColumn(f.v, j, 1/f.values[j])
	}
	return f, nil
}

// matrix returns what a method decomposes, in full.
func (g *classedGraph) matrix(method string, gamma float64) blas64.General {
	x := g.dense()
	switch method {
	case methodSVD:
		return x
	case methodKSVD:
		k, _ := kernelgen.SNE(gamma).Normaliser()
		a := between(k, x, dense.Transpose(x))
		divideByRowSums(a)
		centre(a)
		return a
	}
	kernel := kernelgen.Linear()
	if method == methodKPCA {
		kernel = kernelgen.RBF(1 / (gamma * gamma))
	}
	a := between(kernel, x, x)
	centre(a)
	return a
}

// between returns a kernel between all rows of x and of z.
func between(k kernelgen.Kernel, x, z blas64.General) blas64.General {
	a := stream.NewMatrix(x.Rows, z.Rows)
	panel := k.Pack(z)
	var w kernelgen.Workspace
	for first := 0; first < x.Rows; first += 256 {
		n := min(256, x.Rows-first)
		k.Fill(stream.RowSlice(a, first, n), stream.RowSlice(x, first, n), panel, &w)
	}
	return a
}

func scaleColumn(a blas64.General, j int, by float64) {
	for i := range a.Rows {
		a.Data[i*a.Stride+j] *= by
	}
}

func divideByRowSums(a blas64.General) {
	for i := range a.Rows {
		r, sum := dense.Row(a, i), 0.0
		for _, v := range r {
			sum += v
		}
		for j := range r {
			r[j] /= sum
		}
	}
}

// centre takes away the means of rows and columns, and gives back the mean of all.
func centre(a blas64.General) {
	rows, cols, all := make([]float64, a.Rows), make([]float64, a.Cols), 0.0
	for i := range a.Rows {
		for j, v := range dense.Row(a, i) {
			rows[i] += v / float64(a.Cols)
			cols[j] += v / float64(a.Rows)
		}
		all += rows[i] / float64(a.Rows)
	}
	for i := range a.Rows {
		r := dense.Row(a, i)
		for j := range r {
			r[j] += all - rows[i] - cols[j]
		}
	}
}

// allFeatures returns the features of a method for each γ that it has, side by side: most
// of a decomposition runs on one processor.
func allFeatures(ctx context.Context, g *classedGraph, method string, gammas []float64, rank int) ([]*features, error) {
	if !nonlinear(method) {
		gammas = []float64{0}
	}
	all := make([]*features, len(gammas))
	err := eachOf(ctx, len(gammas), func(i int) (err error) {
		all[i], err = graphFeatures(g, method, gammas[i], rank)
		return err
	})
	return all, err
}

// eachOf does work 0 to n−1, as much at a time as there are processors.
func eachOf(ctx context.Context, n int, work func(i int) error) error {
	failed := make([]error, n)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if failed[i] = ctx.Err(); failed[i] == nil {
				failed[i] = work(i)
			}
		})
	}
	all.Wait()
	return cmp.Or(failed...)
}

// weighted returns [U·w V·w] with w = scale·(s/s₁)^power for singular values s.
func (f *features) weighted(power, scale float64) blas64.General {
	r := len(f.values)
	x := stream.NewMatrix(f.u.Rows, f.u.Cols+f.v.Cols)
	for j, s := range f.values {
		w := scale * math.Pow(s/f.values[0], power)
		for i := range x.Rows {
			x.Data[i*x.Stride+j] = w * f.u.Data[i*f.u.Stride+j]
			if f.v.Cols > 0 {
				x.Data[i*x.Stride+r+j] = w * f.v.Data[i*f.v.Stride+j]
			}
		}
	}
	return x
}
