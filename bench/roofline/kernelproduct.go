package main

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// kvCols is how many columns of a strip of K are computed at a time: 256 KB.
const kvCols = 512

// A kernelProduct is y = K·v for the rows of x against themselves. Of K, which
// is symmetric, only the strips on and above the diagonal are computed: an entry
// serves its row and its column.
type kernelProduct struct {
	kernel  kernel
	profile simd.Profile
	x       blas64.General
	packed  simd.Packed
	v       []float64
	sums    [][]float64 // y, a part for each thread
	tiles   [][]float64
}

func newKernelProduct(k kernel, x blas64.General, v []float64, threads int) *kernelProduct {
	p := &kernelProduct{kernel: k, profile: k.profile(x.Cols), x: x, packed: simd.Pack(x), v: v}
	for range threads {
		p.sums = append(p.sums, make([]float64, x.Rows))
		p.tiles = append(p.tiles, make([]float64, stripRows*kvCols))
	}
	return p
}

// run adds up the thread's strips, every so many.
func (p *kernelProduct) run(thread int) {
	clear(p.sums[thread])
	for first := thread * stripRows; first < p.x.Rows; first += len(p.sums) * stripRows {
		p.strip(thread, first, min(stripRows, p.x.Rows-first))
	}
}

// strip adds n rows of K from the diagonal on, and their transpose.
func (p *kernelProduct) strip(thread, first, n int) {
	x := blas64.General(rowsOf(simd.Matrix[float64](p.x), first, n))
	y, end := p.sums[thread], first+n
	t := p.tile(thread, x, first, end)
	timesVector(t, p.v[first:end], y[first:end])
	for j := end; j < p.x.Rows; j += kvCols {
		to := min(p.x.Rows, j+kvCols)
		t := p.tile(thread, x, j, to)
		timesVector(t, p.v[j:to], y[first:end])
		vectorTimes(p.v[first:end], t, y[j:to])
	}
}

// tile computes K between x and the rows from ≤ j < to.
func (p *kernelProduct) tile(thread int, x blas64.General, from, to int) blas64.General {
	t := blas64.General{Rows: x.Rows, Cols: to - from, Stride: to - from, Data: p.tiles[thread][:x.Rows*(to-from)]}
	simd.Fill(simd.Matrix[float64](t), simd.Matrix[float64](x), p.packed.Slice(from, to), p.kernel.base, p.profile)
	return t
}

// timesVector adds t·v to y.
func timesVector(t blas64.General, v, y []float64) {
	blas64.Gemv(blas.NoTrans, 1, t, blas64.Vector{N: len(v), Inc: 1, Data: v}, 1, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// vectorTimes adds vᵀ·t to y, as a product with a matrix of one row, which runs
// on whole vectors.
func vectorTimes(v []float64, t blas64.General, y []float64) {
	row := func(v []float64) blas64.General {
		return blas64.General{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
	}
	simd.Gemm(blas.NoTrans, blas.NoTrans, 1, row(v), t, 1, row(y))
}

// result adds the parts of the threads.
func (p *kernelProduct) result() []float64 {
	y := make([]float64, p.x.Rows)
	for _, part := range p.sums {
		for i, s := range part {
			y[i] += s
		}
	}
	return y
}

// computedEntries returns how many entries of K are computed, for n rows.
func computedEntries(n int) float64 {
	last := n % stripRows
	return (float64(n)*float64(n) + float64(n-last)*stripRows + float64(last*last)) / 2
}

// largestError returns the largest relative error of sampled entries of y = K·v,
// against sums without rounding and package math. v is not negative.
func (p *kernelProduct) largestError(y []float64) float64 {
	worst := 0.0
	x := simd.Matrix[float64](p.x)
	for s := range 4 {
		i := s * (x.Rows - 1) / 3
		var sum, lost float64 // Kahan (1965)
		for j := range x.Rows {
			term := p.kernel.at(plainBase(p.kernel.base, rowOf(x, i), rowOf(x, j)), x.Cols)*p.v[j] - lost
			next := sum + term
			lost = (next - sum) - term
			sum = next
		}
		worst = max(worst, relativeError(y[i], sum))
	}
	return worst
}

// plainBase returns the base between two rows by the plain loop.
func plainBase(base simd.Base, x, y []float64) (sum float64) {
	for k, a := range x {
		switch base {
		case simd.Product:
			sum += a * y[k]
		case simd.Square:
			sum += (a - y[k]) * (a - y[k])
		default:
			sum += math.Abs(a - y[k])
		}
	}
	return sum
}
