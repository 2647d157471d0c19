// Package nasty makes rows that break naive codes: zeros, copies, denormal and huge numbers.
package nasty

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Kind is one kind of rows.
type Kind struct {
	Name       string
	rows, cols int
	entry      func(i, j int, u float64) float64 // u is uniform in [0, 1)
}

// Kinds are all kinds of rows.
var Kinds = []Kind{
	{"zeros", 300, 2, times(0)},
	{"equal", 300, 2, func(_, _ int, _ float64) float64 { return 1 }},
	{"one", 1, 2, times(1)},
	{"two", 2, 2, times(1)},
	{"three", 3, 2, times(1)},
	{"wide", 5, 400, times(1)},
	{"far", 600, 1, func(i, _ int, _ float64) float64 { return float64(i) * 1000 }},
	{"tiny", 200, 3, times(1e-300)},
	{"huge", 200, 3, times(1e300)},
	{"denormal", 200, 3, times(1e-310)},
	{"mixed", 100, 2, func(_, j int, u float64) float64 { return u * math.Pow(1e200, float64(2*j-1)) }},
	{"copies", 300, 3, func(i, j int, _ float64) float64 { return copied(i/60, j) }},
	{"shuffled copies", 1500, 3, func(i, j int, _ float64) float64 { return copied(i%7, j) }},
	{"negative", 200, 3, times(-1)},
	{"collinear", 200, 3, func(i, j int, _ float64) float64 { return float64((i*7919)%1000) / 1000 * float64(j+1) }},
	{"outlier", 201, 3, but(func(i, _ int) bool { return i == 200 }, 1e8)},
	{"half zeros", 100, 2, but(func(i, _ int) bool { return i < 50 }, 0)},
	{"a constant column", 100, 2, but(func(_, j int) bool { return j == 0 }, 1)},
}

// but returns entries that are uniform, but for some that have a value.
func but(some func(i, j int) bool, value float64) func(int, int, float64) float64 {
	return func(i, j int, u float64) float64 {
		if some(i, j) {
			return value
		}
		return u
	}
}

// times returns entries that are uniform up to a scale.
func times(scale float64) func(int, int, float64) float64 {
	return func(_, _ int, u float64) float64 { return u * scale }
}

// copied returns entry j of a row that has copies.
func copied(row, j int) float64 { return math.Mod(math.Pi*float64(row*3+j+1), 1) }

// Rows returns the rows, at most as many as asked for, evenly spaced.
func (k Kind) Rows(most int) blas64.General {
	random := rand.New(rand.NewPCG(1, 2))
	all := matrix.New(k.rows, k.cols)
	for i := range k.rows {
		for j := range k.cols {
			all.Data[i*k.cols+j] = k.entry(i, j, random.Float64())
		}
	}
	if most >= k.rows {
		return all
	}
	few := blas64.General{Rows: most, Cols: k.cols, Stride: k.cols, Data: make([]float64, 0, most*k.cols)}
	for i := range most { // from the first row to the last
		row := i * (k.rows - 1) / max(1, most-1)
		few.Data = append(few.Data, all.Data[row*k.cols:(row+1)*k.cols]...)
	}
	return few
}
