package simd

import "fmt"

// Gram sets dst to XᵀX, or adds XᵀX to it, in rows·cols² operations: it computes only groups of
// [Lanes] columns that meet the upper triangle, and leaves entries below them unchanged. It panics
// unless dst is square with the columns of x. The padding of the rows of x must hold zeros, as
// SetRow leaves it; that of dst then does too.
//
// Both sides are read from x in place. The first-level cache should hold a few rows; x should be no
// larger than half the second-level cache.
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

// GramTile sets dst to XᵀY, or adds XᵀY to it, where X and Y are columns of one matrix: a tile of
// its Gram matrix. Entries have the same bits as from [Gram]. It takes 2·rows·x.Cols()·y.Cols()
// operations, and panics if the shapes do not fit. The padding of the rows of x and y must hold
// zeros; that of dst then does too.
//
// x and y are read in place, preferably from the second-level cache.
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
