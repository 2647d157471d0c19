package main

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/lssvm"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// symmetry is how a kernel matrix is made symmetric, for the LS-SVM beside AsK-LS.
type symmetry uint8

const (
	asymmetric symmetry = iota // as it is: AsK-LS
	meanKernel                 // (K + Kᵀ)/2
	sourceGram                 // K·Kᵀ, of the features as a source (Tsuda 1999)
	targetGram                 // Kᵀ·K, of the features as a target
)

// of returns the symmetric kernel matrix.
func (s symmetry) of(k blas64.General) blas64.General {
	switch s {
	case sourceGram:
		return dense.Mul(blas.NoTrans, k, blas.Trans, k)
	case targetGram:
		return dense.Mul(blas.Trans, k, blas.NoTrans, k)
	}
	return dense.SymmetricPart(k)
}

// beside returns the kernel between new rows and those of k, of which out has K(x, ·) and
// in has K(·, x).
func (s symmetry) beside(k, out, in blas64.General) blas64.General {
	switch s {
	case sourceGram:
		return dense.Mul(blas.NoTrans, out, blas.Trans, k)
	case targetGram:
		return dense.Mul(blas.NoTrans, in, blas.NoTrans, k)
	}
	both := dense.Clone(out)
	for i := range both.Rows {
		dense.Axpy(1, dense.Row(in, i), dense.Row(both, i))
	}
	dense.ScaleRows(both, filled(both.Rows, 0.5))
	return both
}

func filled(n int, value float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = value
	}
	return v
}

// lsSVM returns the decisions of an LS-SVM with a symmetric kernel matrix, a column for
// each class, on rows with the kernel fresh: half the system of AsK-LS,
//
//	M = [0  1ᵀ     ]    M·[b; a] = [0; y]    f(x) = Σ a_i·k(x, x_i) + b
//	    [1  I/γ + K]
//
// or for a ridge λ > 0 (M² + λI)·x = M·r. λ = 1 where M is singular to rounding.
func lsSVM(k, fresh blas64.General, labels []int, classes int, gamma, ridge float64) (blas64.General, error) {
	n := k.Rows
	m, r := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, classes, nil)
	for i := range n {
		m.Set(0, 1+i, 1)
		m.Set(1+i, 0, 1)
		for j, v := range dense.Row(k, i) {
			m.Set(1+i, 1+j, v)
		}
		m.Set(1+i, 1+i, m.At(1+i, 1+i)+1/gamma)
		for c := range classes {
			r.Set(1+i, c, -1)
		}
		r.Set(1+i, labels[i], 1)
	}
	if ridge == 0 && mat.Cond(m, 1) > 1e13 {
		ridge = 1
	}
	if ridge > 0 {
		var square, right mat.Dense
		square.Mul(m, m)
		right.Mul(m, r)
		for i := range n + 1 {
			square.Set(i, i, square.At(i, i)+ridge)
		}
		m, r = &square, &right
	}
	var x mat.Dense
	if err := x.Solve(m, r); err != nil {
		return blas64.General{}, err
	}
	solution := x.RawMatrix()
	decisions := dense.Mul(blas.NoTrans, fresh, blas.NoTrans, stream.RowSlice(solution, 1, n))
	for i := range decisions.Rows {
		dense.Axpy(1, dense.Row(solution, 0), dense.Row(decisions, i))
	}
	return decisions, nil
}

// baseline returns the classes of the test nodes by an LS-SVM.
func (g *classedGraph) baseline(s symmetry, sp split.Split, gamma, ridge float64) ([]int, error) {
	k, back := part(g.kernel, sp.Train, sp.Train), g.kernel.Transpose()
	fresh := s.beside(k, part(g.kernel, sp.Test, sp.Train), part(back, sp.Test, sp.Train))
	decisions, err := lsSVM(s.of(k), fresh, pick(g.labels, sp.Train), g.classes, gamma, ridge)
	if err != nil {
		return nil, err
	}
	return lssvm.Winners(decisions), nil
}

// part returns some rows and columns of a sparse matrix.
func part(k *stream.CSR, rows, cols []int64) blas64.General {
	place := make([]int, k.Cols)
	for j, c := range cols {
		place[c] = j + 1
	}
	p := stream.NewMatrix(len(rows), len(cols))
	for e := range k.PickRows(rows).Entries() {
		if j := place[e.Col]; j > 0 {
			dense.Row(p, int(e.Row))[j-1] += e.Value
		}
	}
	return p
}
