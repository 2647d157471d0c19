package lab

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Dense returns a gonum matrix that shares the memory of m.
func Dense(m blas64.General) *mat.Dense {
	var d mat.Dense
	d.SetRawMatrix(m)
	return &d
}

// Row returns row i of m, which shares its memory.
func Row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// PickRows returns a copy of the given rows of x.
func PickRows(x blas64.General, rows []int64) blas64.General {
	some := stream.NewMatrix(len(rows), x.Cols)
	for i, r := range rows {
		copy(Row(some, i), Row(x, int(r)))
	}
	return some
}

// FirstRows returns up to most leading rows of x; 0 means all.
func FirstRows(x blas64.General, most int) blas64.General {
	if most == 0 || x.Rows <= most {
		return x
	}
	return stream.RowSlice(x, 0, most)
}

// Kernel returns the kernel matrix between the rows of x and of y.
func Kernel(k kernelgen.Kernel, x, y blas64.General) *mat.Dense {
	a := stream.NewMatrix(x.Rows, y.Rows)
	panel := k.Pack(y)
	var w kernelgen.Workspace
	for first := 0; first < x.Rows; first += tilesize.PairRows {
		n := min(tilesize.PairRows, x.Rows-first)
		k.Fill(stream.RowSlice(a, first, n), stream.RowSlice(x, first, n), panel, &w)
	}
	return Dense(a)
}
