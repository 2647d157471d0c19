package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// largestCost leaves room for potentials, which are sums of costs.
const largestCost = 1e290

// Assign matches the rows of a cost matrix to its columns, each row to at most
// one column and each column to at most one row, as many as min(rows, columns),
// so that the sum of the costs is the least possible. match[i] is the column of
// row i, or −1. Among matchings of equal cost it always takes the same one.
//
// It is the Hungarian algorithm (Kuhn 1955, Munkres 1957) by shortest augmenting
// paths with potentials (Tomizawa 1971, Edmonds and Karp 1972), which makes it
// O(s²·l) for s = min(rows, columns) and l the other one, and O(s + l) memory
// besides a transposed copy when there are more rows than columns. A cost that is
// not finite, or beyond ±1e290, is an error.
func Assign(cost blas64.General) (match []int, total float64, err error) {
	for i := range cost.Rows {
		for j := range cost.Cols {
			v := cost.Data[i*cost.Stride+j]
			if !(math.Abs(v) <= largestCost) {
				return nil, 0, fmt.Errorf("metrics: the cost of row %d with column %d is %v, not a number within ±%g", i, j, v, largestCost)
			}
		}
	}
	if cost.Rows <= cost.Cols {
		match = newMatching(cost).solve()
	} else {
		match = inverse(newMatching(dense.Transpose(cost)).solve(), cost.Rows)
	}
	for i, j := range match {
		if j >= 0 {
			total += cost.Data[i*cost.Stride+j]
		}
	}
	return match, total, nil
}

// inverse is the matching seen from the other side, which has n elements.
func inverse(match []int, n int) []int {
	inv := make([]int, n)
	for i := range inv {
		inv[i] = -1
	}
	for i, j := range match {
		if j >= 0 {
			inv[j] = i
		}
	}
	return inv
}

// matching grows by one row at a time and is the cheapest one of its rows at any
// time, which the potentials prove: cost(i, j) ≥ rowPot[i] + colPot[j], with
// equality on matched pairs.
type matching struct {
	cost           blas64.General // rows ≤ columns
	rowPot, colPot []float64
	rowOf          []int // the row matched to each column, or −1

	// Of the search for a shortest augmenting path:
	distance []float64 // to each column, in reduced costs
	from     []int     // the column before it on the path, or −1
	done     []bool    // the distance is final
}

func newMatching(cost blas64.General) *matching {
	m := &matching{cost: cost, rowPot: make([]float64, cost.Rows), colPot: make([]float64, cost.Cols), rowOf: make([]int, cost.Cols)}
	for j := range m.rowOf {
		m.rowOf[j] = -1
	}
	m.distance, m.from, m.done = make([]float64, cost.Cols), make([]int, cost.Cols), make([]bool, cost.Cols)
	return m
}

// solve matches all rows and returns the column of each.
func (m *matching) solve() []int {
	if m.cost.Rows == 0 {
		return nil
	}
	for i := range m.cost.Rows {
		m.augment(m.search(i), i)
	}
	return inverse(m.rowOf, m.cost.Rows)
}

// search is Dijkstra's algorithm from a row that is not matched to the nearest
// column that is not, over edges that alternate between unmatched and matched. It
// leaves the potentials such that the path has no reduced cost.
func (m *matching) search(start int) (end int) {
	for j := range m.distance {
		m.distance[j], m.from[j], m.done[j] = math.Inf(1), -1, false
	}
	row, reached, column := start, 0.0, -1
	for {
		m.relax(row, reached, column)
		column = m.nearest()
		reached = m.distance[column]
		m.done[column] = true
		row = m.rowOf[column]
		if row < 0 {
			m.raise(start, reached)
			return column
		}
	}
}

// relax looks at the edges of a row that is reached through a column.
func (m *matching) relax(row int, reached float64, through int) {
	cost := m.cost.Data[row*m.cost.Stride:]
	for j, done := range m.done {
		if done {
			continue
		}
		if d := reached + (cost[j] - m.rowPot[row] - m.colPot[j]); d < m.distance[j] {
			m.distance[j], m.from[j] = d, through
		}
	}
}

// nearest is the first of the columns with the least distance that is not final.
func (m *matching) nearest() int {
	best := -1
	for j, done := range m.done {
		if !done && (best < 0 || m.distance[j] < m.distance[best]) {
			best = j
		}
	}
	return best
}

// raise changes the potentials of all rows and columns that are nearer than the
// end of the path.
func (m *matching) raise(start int, length float64) {
	m.rowPot[start] += length
	for j, done := range m.done {
		if !done || m.rowOf[j] < 0 {
			continue
		}
		m.colPot[j] -= length - m.distance[j]
		m.rowPot[m.rowOf[j]] += length - m.distance[j]
	}
}

// augment exchanges matched and unmatched edges on the path that ends in a column.
func (m *matching) augment(column, start int) {
	for {
		before := m.from[column]
		if before < 0 {
			m.rowOf[column] = start
			return
		}
		m.rowOf[column] = m.rowOf[before]
		column = before
	}
}
