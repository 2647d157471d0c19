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

// GramTile sets dst to XᵀY, or adds XᵀY to it, where X and Y are columns of one matrix: a tile
// of its Gram matrix. Entries have the bits that [Gram] gives them. It takes
// 2·rows·x.Cols()·y.Cols() operations; matrices whose shapes do not agree panic. The padding of
// the rows of x and y must hold zeros, and so will that of dst.
//
// x and y are read where they are, best from the second-level cache.
func GramTile(dst, x, y *Padded, add bool) {
	if dst.rows != x.cols || dst.cols != y.cols || x.rows != y.rows {
		panic(fmt.Sprintf("simd: product of %d×%d, transposed, and %d×%d into %d×%d", x.rows, x.cols, y.rows, y.cols, dst.rows, dst.cols))
	}
	if active == Go || x.rows == 0 {
		gramTileGo(dst, x, y, add)
		return
	}
	s := sweep{x: x.at(0, 0), xRow: 8, xStep: x.rowBytes(),
		p: y.at(0, 0), pGroup: groupBytes, pStep: y.rowBytes(),
		dst: dst.at(0, 0), dstRow: dst.rowBytes(), rows: wholeGroups(x.cols), cols: wholeGroups(y.cols), steps: x.rows, add: add}
	s.run()
}

// gramTileGo is GramTile in plain Go. It rounds every product.
func gramTileGo(dst, x, y *Padded, add bool) {
	rows, cols := wholeGroups(x.cols), wholeGroups(y.cols)
	if !add {
		for i := range rows {
			clear(dst.padded(i)[:cols])
		}
	}
	for k := range x.rows {
		for i, a := range x.padded(k)[:rows] {
			sums := dst.padded(i)[:cols]
			for j, b := range y.padded(k)[:cols] {
				sums[j] += float64(a * b)
			}
		}
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
