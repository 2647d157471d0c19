package lab

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Dense returns a matrix of gonum on the numbers of m.
func Dense(m blas64.General) *mat.Dense {
	var d mat.Dense
	d.SetRawMatrix(m)
	return &d
}

// Row returns row i of m, not copied.
func Row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// PickRows returns rows of x, copied.
func PickRows(x blas64.General, rows []int64) blas64.General {
	some := stream.NewMatrix(len(rows), x.Cols)
	for i, r := range rows {
		copy(Row(some, i), Row(x, int(r)))
	}
	return some
}

// Kernel returns the kernel matrix between the rows of x and of y.
func Kernel(k kernelgen.Kernel, x, y blas64.General) *mat.Dense {
	a := stream.NewMatrix(x.Rows, y.Rows)
	panel := k.Pack(y)
	var w kernelgen.Workspace
	for first := 0; first < x.Rows; first += stream.PairRows {
		n := min(stream.PairRows, x.Rows-first)
		k.Fill(stream.RowSlice(a, first, n), stream.RowSlice(x, first, n), panel, &w)
	}
	return Dense(a)
}

// Eigen returns the eigenvalues of the symmetric part of a, descending, and the
// eigenvectors as columns.
func Eigen(a *mat.Dense) ([]float64, *mat.Dense, error) {
	n := a.RawMatrix().Rows
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(s, true) {
		return nil, nil, errors.New("the eigenvalues of a symmetric matrix did not converge")
	}
	var ascending mat.Dense
	eig.VectorsTo(&ascending)
	values, vectors := eig.Values(nil), mat.NewDense(n, n, nil)
	for j := range n {
		vectors.SetCol(j, mat.Col(nil, n-1-j, &ascending))
	}
	slices.Reverse(values)
	return values, vectors, nil
}
