// Package nasty generates rows that break naive code: zeros, copies, denormal and huge numbers.
package nasty

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Kind is a kind of rows.
type Kind struct {
	Name       string
	rows, cols int
	entry      func(i, j int, u float64) float64 // u is uniform in [0, 1)
}

// Kinds lists all kinds of rows.
var Kinds = []Kind{
	{"zeros", 300, 2, uniformTimes(0)},
	{"equal", 300, 2, func(_, _ int, _ float64) float64 { return 1 }},
	{"one", 1, 2, uniformTimes(1)},
	{"two", 2, 2, uniformTimes(1)},
	{"three", 3, 2, uniformTimes(1)},
	{"wide", 5, 400, uniformTimes(1)},
	{"far", 600, 1, func(i, _ int, _ float64) float64 { return float64(i) * 1000 }},
	{"tiny", 200, 3, uniformTimes(1e-300)},
	{"huge", 200, 3, uniformTimes(1e300)},
	{"denormal", 200, 3, uniformTimes(1e-310)},
	{"mixed", 100, 2, func(_, j int, u float64) float64 { return u * math.Pow(1e200, float64(2*j-1)) }},
	{"copies", 300, 3, func(i, j int, _ float64) float64 { return duplicateEntry(i/60, j) }},
	{"shuffled copies", 1500, 3, func(i, j int, _ float64) float64 { return duplicateEntry(i%7, j) }},
	{"negative", 200, 3, uniformTimes(-1)},
	{"collinear", 200, 3, func(i, j int, _ float64) float64 { return float64((i*7919)%1000) / 1000 * float64(j+1) }},
	{"outlier", 201, 3, uniformExcept(func(i, _ int) bool { return i == 200 }, 1e8)},
	{"half zeros", 100, 2, uniformExcept(func(i, _ int) bool { return i < 50 }, 0)},
	{"a constant column", 100, 2, uniformExcept(func(_, j int) bool { return j == 0 }, 1)},
}

// uniformExcept returns uniform entries, except that some have a fixed value.
func uniformExcept(some func(i, j int) bool, value float64) func(int, int, float64) float64 {
	return func(i, j int, u float64) float64 {
		if some(i, j) {
			return value
		}
		return u
	}
}

// uniformTimes returns uniform entries up to a scale.
func uniformTimes(scale float64) func(int, int, float64) float64 {
	return func(_, _ int, u float64) float64 { return u * scale }
}

// duplicateEntry returns entry j of a row that occurs several times.
func duplicateEntry(row, j int) float64 { return math.Mod(math.Pi*float64(row*3+j+1), 1) }

// Rows returns at most most of the rows, evenly spaced.
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
