package paper4

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

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

func (s symmetry) String() string {
	return []string{"AsK-LS", "LS-SVM (K+Kᵀ)/2", "LS-SVM KKᵀ", "LS-SVM KᵀK"}[s]
}

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
	both := stream.NewMatrix(out.Rows, out.Cols)
	dense.Add(0.5, out, both)
	dense.Add(0.5, in, both)
	return both
}

// ofGraph returns the symmetric kernel matrix between all nodes of a graph. Nodes that are
// not learnt from are in its sums too.
func (s symmetry) ofGraph(k *stream.CSR) (*stream.CSR, error) {
	lists := k // of entries that are multiplied with each other
	if s == sourceGram {
		lists = k.Transpose()
	}
	return stream.NewCSR(k.Rows, k.Rows, func(yield func(stream.Entry) bool) {
		if s == meanKernel {
			for e := range k.Entries() {
				if !yield(stream.Entry{Row: e.Row, Col: e.Col, Value: e.Value / 2}) || !yield(stream.Entry{Row: e.Col, Col: e.Row, Value: e.Value / 2}) {
					return
				}
			}
			return
		}
		for l := range lists.Rows {
			index, value := lists.Row(l)
			for a, i := range index {
				for b, j := range index {
					if !yield(stream.Entry{Row: i, Col: j, Value: value[a] * value[b]}) {
						return
					}
				}
			}
		}
	})
}

// lsSVM is an LS-SVM with a symmetric kernel matrix, of all classes against the rest: half
// the system of AsK-LS,
//
//	M = [0  1ᵀ     ]    M·[b; a] = [0; y]    f(x) = Σ a_i·k(x, x_i) + b
//	    [1  I/γ + K]
//
// or for a ridge λ > 0 (M² + λI)·x = M·r. λ = 1 where M is singular to rounding.
type lsSVM struct{ gamma, ridge float64 }

// foldCount is how many folds stacking leaves out, as AsK-LS does.
const foldCount = 10

// functions learns the labels of samples with the kernel matrix k, and decides on those that
// have the kernel fresh beside them. Folds leave labels out, not the samples themselves: k is
// as they are in it, since in the column of a sample lies a feature of the others.
func (m lsSVM) functions(k, fresh blas64.General, labels []int, classes int) (f functions, err error) {
	targets := stream.NewMatrix(len(labels), classes)
	for i, l := range labels {
		for c := range classes {
			targets.Data[i*classes+c] = -1
		}
		targets.Data[i*classes+l] = 1
	}
	folds, err := split.StratifiedKFold(labels, foldCount, 1)
	if err != nil {
		return f, err
	}
	f.fresh = stream.NewMatrix(fresh.Rows, 2*classes)
	f.heldOut = stream.NewMatrix(k.Rows, 2*classes)
	if err := m.decide(k, fresh, targets, func(i int) []float64 { return dense.Row(f.fresh, i) }); err != nil {
		return f, err
	}
	every := stream.Numbers(classes)
	for _, fold := range folds {
		err := m.decide(block(k, fold.Train, fold.Train), block(k, fold.Test, fold.Train), block(targets, fold.Train, every),
			func(i int) []float64 { return dense.Row(f.heldOut, int(fold.Test[i])) })
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// decide puts the function of each class into both halves of the row of each new sample.
func (m lsSVM) decide(k, fresh, targets blas64.General, row func(i int) []float64) error {
	solution, err := m.solve(k, targets)
	if err != nil {
		return err
	}
	decisions := dense.Mul(blas.NoTrans, fresh, blas.NoTrans, stream.RowSlice(solution, 1, k.Rows))
	for i := range decisions.Rows {
		d := dense.Row(decisions, i)
		dense.Axpy(1, dense.Row(solution, 0), d)
		copy(row(i), d)
		copy(row(i)[len(d):], d)
	}
	return nil
}

// solve returns biases, and a row for each sample.
func (m lsSVM) solve(k, targets blas64.General) (blas64.General, error) {
	n := k.Rows
	system, right := stream.NewMatrix(n+1, n+1), stream.NewMatrix(n+1, targets.Cols)
	for i := range n {
		system.Data[1+i] = 1
		row := dense.Row(system, 1+i)
		row[0] = 1
		copy(row[1:], dense.Row(k, i))
		row[1+i] += 1 / m.gamma
		copy(dense.Row(right, 1+i), dense.Row(targets, i))
	}
	var a, b, x mat.Dense
	a.SetRawMatrix(system)
	b.SetRawMatrix(right)
	if m.ridge == 0 {
		var lu mat.LU
		if lu.Factorize(&a); lu.Cond() < singular {
			err := lu.SolveTo(&x, false, &b)
			return x.RawMatrix(), err
		}
		m.ridge = 1
	}
	var square mat.SymDense
	square.SymOuterK(1, &a)
	for i := range n + 1 {
		square.SetSym(i, i, square.At(i, i)+m.ridge)
	}
	b.Mul(&a, &b)
	var chol mat.Cholesky
	if chol.Factorize(&square); !(chol.Cond() < singular) {
		return right, fmt.Errorf("LS-SVM: condition number %.1e with ridge %v", chol.Cond(), m.ridge)
	}
	err := chol.SolveTo(&x, &b)
	return x.RawMatrix(), err
}

// singular is the condition number from which on a system is.
const singular = 1e13

// block returns some rows and columns of a matrix.
func block(m blas64.General, rows, cols []int64) blas64.General {
	b := stream.NewMatrix(len(rows), len(cols))
	for i, r := range rows {
		copy(dense.Row(b, i), dense.Pick(dense.Row(m, int(r)), cols))
	}
	return b
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
