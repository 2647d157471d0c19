package simd

import "fmt"

// Gram sets dst to XᵀX, or adds XᵀX to it, in rows·cols² operations: only
// groups of [Lanes] columns that meet the upper triangle are computed, and what
// is below them is left as it is. dst is square, of as many columns as x has;
// anything else panics. The padding of the rows of x must hold zeros, as SetRow
// leaves it, and so will that of dst.
//
// Both sides are read from x where it is. The first-level cache should hold a few
// rows; x is best no larger than half the second-level cache.
func Gram(dst, x *Padded, add bool) {
	if dst.rows != x.cols || dst.cols != x.cols {
		panic(fmt.Sprintf("simd: Gram matrix of %d columns into %d×%d", x.cols, dst.rows, dst.cols))
	}
	if active == Go || x.rows == 0 {
		gramGo(dst, x, add)
		return
	}
	n := wholeGroups(x.cols)
	for i := 0; i < n; i += Lanes {
		s := sweep{x: x.at(0, i), xRow: 8, xStep: x.rowBytes(),
			p: x.at(0, i), pGroup: groupBytes, pStep: x.rowBytes(),
			dst: dst.at(i, i), dstRow: dst.rowBytes(), rows: Lanes, cols: n - i, steps: x.rows, add: add}
		s.run()
	}
}

// gramGo is Gram in plain Go. It rounds every product.
func gramGo(dst, x *Padded, add bool) {
	n := wholeGroups(x.cols)
	if !add {
		for i := range n {
			clear(dst.padded(i)[i/Lanes*Lanes : n])
		}
	}
	for k := range x.rows {
		row := x.padded(k)[:n]
		for i, a := range row {
			first := i / Lanes * Lanes
			sums := dst.padded(i)[first:n]
			for j, b := range row[first:] {
				sums[j] += float64(a * b)
			}
		}
	}
}
