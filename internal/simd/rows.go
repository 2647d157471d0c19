package simd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// AddDots sets dst[i] += alpha·s, where s is the inner product of row i of a and x. Sums use eight
// lanes, with column j in lane j mod 8, and are not protected against overflow. It panics unless
// the lengths agree. Cost: a is read once.
func AddDots(dst []float64, alpha float64, a blas64.General, x []float64) {
	if len(dst) != a.Rows || len(x) != a.Cols {
		panic(fmt.Sprintf("simd: %d×%d matrix times %d values into %d", a.Rows, a.Cols, len(x), len(dst)))
	}
	if a.Cols == 0 {
		return
	}
	p := rowProduct{dot: true, stride: a.Stride, x: x}
	for i := 0; i < a.Rows; {
		p.a, p.rows = a.Data[i*a.Stride:], rowsTogether(a.Rows-i)
		p.run()
		for r := range p.rows {
			dst[i+r] += float64(alpha * p.dots[r])
		}
		i += p.rows
	}
}

// AddRows sets y[j] += t[0]·a[0][j] + t[1]·a[1][j] + …, in that order. It panics unless the lengths
// agree. Cost: a is read once.
func AddRows(y []float64, a blas64.General, t []float64) {
	if len(t) != a.Rows || len(y) != a.Cols {
		panic(fmt.Sprintf("simd: %d factors of %d×%d matrix into %d values", len(t), a.Rows, a.Cols, len(y)))
	}
	if a.Cols == 0 {
		return
	}
	p := rowProduct{add: true, stride: a.Stride, y: y}
	for i := 0; i < a.Rows; {
		p.a, p.rows = a.Data[i*a.Stride:], rowsTogether(a.Rows-i)
		p.setFactors(t[i:])
		p.run()
		i += p.rows
	}
}

// AddSymmetric sets y += A·x for a symmetric matrix stored as the upper or lower triangle of a,
// which is read once. In a sweep over a few rows, the off-diagonal entries are both multiplied with
// x and added to y. It panics unless the lengths agree.
func AddSymmetric(y []float64, upper bool, a blas64.General, x []float64) {
	n := len(x)
	if len(y) != n || a.Rows != n || a.Cols != n {
		panic(fmt.Sprintf("simd: symmetric %d×%d matrix times %d values into %d", a.Rows, a.Cols, n, len(y)))
	}
	p := rowProduct{dot: true, add: true, stride: a.Stride}
	for i := 0; i < n; {
		p.rows = rowsTogether(n - i)
		end := i + p.rows
		addDiagonal(y[i:end], upper, a.Data[i*a.Stride+i:], a.Stride, x[i:end])
		from, to := 0, i // the columns beside the diagonal
		if upper {
			from, to = end, n
		}
		if from < to {
			p.a, p.x, p.y = a.Data[i*a.Stride+from:], x[from:to], y[from:to]
			p.setFactors(x[i:])
			p.run()
			for r := range p.rows {
				y[i+r] += p.dots[r]
			}
		}
		i = end
	}
}

// addDiagonal is AddSymmetric for a small diagonal block.
func addDiagonal(y []float64, upper bool, a []float64, stride int, x []float64) {
	for i := range x {
		y[i] = multiplyAdd(a[i*stride+i], x[i], y[i])
		for j := range i {
			v := a[i*stride+j]
			if upper {
				v = a[j*stride+i]
			}
			y[i] = multiplyAdd(v, x[j], y[i])
			y[j] = multiplyAdd(v, x[i], y[j])
		}
	}
}

// rowsTogether returns the number of rows in the next product, of left remaining ones.
func rowsTogether(left int) int {
	if left >= 4 {
		return 4
	}
	return 1
}

// A rowProduct computes, for one row or four, the inner products with x into dots if dot is set,
// and adds t times the rows to y if add is set. An entry goes to a fixed lane of its sum, and to y
// in a fixed order, whatever the number of rows at a time.
type rowProduct struct {
	dot, add     bool
	a            []float64 // the first row; the others follow at multiples of stride
	stride, rows int
	x, y         []float64
	t, dots      [4]float64
	sums         [4 * vectorLanes]float64
}

// columns returns the number of columns.
func (p *rowProduct) columns() int { return max(len(p.x), len(p.y)) }

// setFactors copies one factor per row.
func (p *rowProduct) setFactors(t []float64) {
	for r := range p.rows {
		p.t[r] = t[r]
	}
}

func (p *rowProduct) run() {
	whole := 0
	if active != Go {
		whole = p.columns() &^ (vectorLanes - 1)
		for at := 0; at < whole; at += valuesAtATime {
			p.whole(at, min(valuesAtATime, whole-at)/vectorLanes)
		}
	}
	if whole == 0 {
		p.sums = [4 * vectorLanes]float64{}
	}
	if whole < p.columns() {
		p.plain(whole)
	}
	if !p.dot {
		return
	}
	for r := range p.rows {
		s := p.sums[r*vectorLanes:][:vectorLanes]
		p.dots[r] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	}
}

// plain is the reference of whole, for the columns from the given one on.
func (p *rowProduct) plain(from int) {
	for r := range p.rows {
		row := p.a[r*p.stride:][:p.columns()]
		for j := from; j < len(row); j++ {
			if p.dot {
				lane := &p.sums[r*vectorLanes+j%vectorLanes]
				*lane = multiplyAdd(row[j], p.x[j], *lane)
			}
			if p.add {
				p.y[j] = multiplyAdd(row[j], p.t[r], p.y[j])
			}
		}
	}
}

// multiplyAdd is a·b + c, rounded as on the active path.
func multiplyAdd(a, b, c float64) float64 {
	if active == Go {
		return float64(a*b) + c
	}
	return math.FMA(a, b, c)
}
