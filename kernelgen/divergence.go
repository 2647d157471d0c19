package kernelgen

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// The divergence of Kullback & Leibler (1951) between p = x/Σx and q = z/Σz,
//
//	KL(x‖z) = Σ_l p_l·(log p_l − log q_l)
//
// is an inner product of rows with an additional column:
//
//	(p, Σ_l p_l·log p_l) · (−log q, 1)
//
// If q_l = 0, it is +∞ for p_l > 0, and the term is 0 for p_l = 0, where the product 0·∞ would be NaN. So −log 0 is
// represented by a finite number. Its product with the smallest share exceeds every finite divergence, and no sum
// overflows. Smaller shares are raised to the smallest one, which changes results by less than 1e-290.
const (
	leastShare   = 0x1p-980
	logOfZero    = 0x1p1000 // represents −log 0
	infiniteFrom = 2048     // finite divergences are below 1500
)

// shareRows returns the left rows, in buf if it is large enough.
func shareRows(rows blas64.General, buf []float64) blas64.General {
	left := matrix.Reuse(&buf, rows.Rows, rows.Cols+1)
	for i := range rows.Rows {
		shares(matrix.Row(left, i), matrix.Row(rows, i))
	}
	return left
}

// shares sets p to x divided by its sum, followed by Σ p·log p, which is NaN if x is not a valid row of probabilities.
func shares(p, x []float64) {
	largest, total, err := shareScale(x)
	if err != nil {
		noShares(p)
		return
	}
	information := 0.0
	for l, v := range x {
		p[l] = 0
		if v > 0 {
			p[l] = max(leastShare, v/largest/total)
			information += p[l] * math.Log(p[l])
		}
	}
	p[len(x)] = information
}

// packLogs packs the right rows.
func packLogs(rows blas64.General) simd.Packed {
	n := rows.Cols + 1
	right := matrix.New(rows.Rows, n)
	for i := range rows.Rows {
		logShares(matrix.Row(right, i), matrix.Row(rows, i))
	}
	return simd.Pack(right)
}

// logShares sets q to minus the logarithms of z divided by its sum, followed by 1, or by NaN if z is not a valid row of
// probabilities.
func logShares(q, z []float64) {
	largest, total, err := shareScale(z)
	if err != nil {
		noShares(q)
		return
	}
	for l, v := range z {
		switch share := v / largest / total; {
		case v == 0:
			q[l] = logOfZero
		case share >= 0x1p-1022:
			q[l] = -math.Log(share)
		default: // underflow
			q[l] = math.Log(largest) + math.Log(total) - logOf(v)
		}
	}
	q[len(z)] = 1
}

// logOf returns log v, also for subnormal v, for which math.Log of Go 1.26 on amd64 is wrong.
func logOf(v float64) float64 {
	fraction, exponent := math.Frexp(v)
	return math.Log(fraction) + float64(exponent)*math.Ln2
}

// noShares makes every inner product with p NaN.
func noShares(p []float64) {
	clear(p)
	p[len(p)-1] = math.NaN()
}

// shareScale returns the largest entry of x, and the sum of x divided by it. It fails if x is not a valid row of
// probabilities.
func shareScale(x []float64) (largest, total float64, err error) {
	for l, v := range x {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return 0, 0, fmt.Errorf("column %d is %v, neither zero nor a positive finite number", l, v)
		}
		largest = max(largest, v)
	}
	if largest == 0 {
		return 0, 0, errors.New("its sum is 0")
	}
	for _, v := range x {
		total += v / largest
	}
	return largest, total, nil
}

// finishDivergences stores +Inf for the inner products that represent it, and clamps rounding errors below 0.
func finishDivergences(dst blas64.General) {
	for i := range dst.Rows {
		r := matrix.Row(dst, i)
		for j, v := range r {
			switch {
			case v > infiniteFrom:
				r[j] = math.Inf(1)
			case v < 0:
				r[j] = 0
			}
		}
	}
}

// selfDivergences computes the divergences of rows from themselves: 0 up to the rounding errors of a tile.
func selfDivergences(dst []float64, x blas64.General, w *Workspace) {
	for i := 0; i < x.Rows; i += simd.Lanes {
		n := min(simd.Lanes, x.Rows-i)
		rows, data := matrix.Rows(x, i, n), w.take(n*n)
		tile := matrix.Of(data, n, n)
		simd.Fill(tile, w.shareBlock(rows), packLogs(rows), simd.Product, simd.Profile{})
		finishDivergences(tile)
		for j := range n {
			dst[i+j] = tile.Data[j*n+j]
		}
		w.give(data)
	}
}

// checkShares returns an error if x is not a valid row of probabilities.
func checkShares(x []float64) error {
	_, _, err := shareScale(x)
	return err
}
