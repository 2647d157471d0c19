package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/internal/basis"
)

// spreadRows is the number of sampled rows and columns used for the spread.
const spreadRows = 256

// spread returns the spread of the entries of A between some rows of the block: see [basis.Spread].
func (b *sampledBlock) spread() float64 {
	rows, columns := evenlySpaced(b.m.Rows, spreadRows), evenlySpaced(b.m.Cols, spreadRows)
	left, right := b.left.roots(), b.right.roots()
	diagonal := make(map[[2]int]float64, len(b.diagonal))
	for _, d := range b.diagonal {
		diagonal[[2]int{d.i, d.j}] = d.value
	}
	some := matrix.New(len(rows), len(columns))
	for p, i := range rows {
		row := matrix.Row(some, p)
		for q, j := range columns {
			if v, is := diagonal[[2]int{i, j}]; is {
				row[q] = v
			} else {
				row[q] = matrix.Row(b.m, i)[j] / (left[i] * right[j])
			}
		}
	}
	return basis.Spread(some)
}

// evenlySpaced returns up to most of the numbers below n, evenly spaced.
func evenlySpaced(n, most int) []int {
	picked := make([]int, min(n, most))
	for i := range picked {
		picked[i] = i * n / len(picked)
	}
	return picked
}

// centredSpread returns the spread of a positive semi-definite matrix, from its trace and that of the centred matrix.
func centredSpread(centred, whole float64) float64 {
	if !(whole > 0) {
		return math.NaN()
	}
	return math.Max(0, centred) / whole
}

// rowsDiffer reports whether two rows of the panels differ.
func rowsDiffer(panels ...blas64.General) bool {
	var first []float64
	for _, p := range panels {
		for i := range p.Rows {
			row := matrix.Row(p, i)
			if first == nil {
				first = row
			}
			for j, v := range row {
				if v != first[j] {
					return true
				}
			}
		}
	}
	return false
}
