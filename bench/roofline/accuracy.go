package main

import (
	"math"
	"math/big"

	"github.com/nystream/nystream/internal/simd"
)

const sampledEntries = 64

// largestError returns the largest relative error of sampled entries of a tile: the
// base is summed without rounding, the profile computed by package math.
func (j *tileJob[T]) largestError(path simd.Path) float64 {
	defer simd.Use(path)()
	s := j.strips[0]
	x := rowsOf(s.block, 0, stripRows)
	simd.Fill(s.tile, x, j.packed, j.kernel.base, j.profile)
	worst := 0.0
	for n := range sampledEntries {
		i, k := n%stripRows, n*37%landmarks
		want := j.kernel.at(exactBase(j.kernel.base, rowOf(x, i), rowOf(j.rows, k)), j.d)
		worst = max(worst, relativeError(float64(rowOf(s.tile, i)[k]), want))
	}
	return worst
}

func relativeError(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

// exactBase returns the base between two rows, rounded once.
func exactBase[T simd.Float](base simd.Base, x, y []T) float64 {
	const precision = 300 // of numbers of one sign or between 0 and 1
	sum := new(big.Float).SetPrec(precision)
	term, b := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision)
	for k := range x {
		term.SetFloat64(float64(x[k]))
		b.SetFloat64(float64(y[k]))
		if base == simd.Product {
			term.Mul(term, b)
		} else if term.Sub(term, b); base == simd.Square {
			term.Mul(term, term)
		} else {
			term.Abs(term)
		}
		sum.Add(sum, term)
	}
	v, _ := sum.Float64()
	return v
}
