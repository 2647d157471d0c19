package ksvd

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// disjoint is what G would be if no two rows had anything in common. Then an entry
// depends on the squared norms of its two rows alone:
//
//	G⁰_ij = left_i·table(group of i, group of j)·right_j
//
// For inner products and cosines that is a constant for each row, and exponentials of
// squared distances are exp(c‖x‖²)·exp(c‖z‖²): one group on either side. For any other
// function of the distance a group is the rows with one norm.
type disjoint struct {
	table blas64.General
	sides [2]disjointSide // left and right
}

type disjointSide struct {
	factor []float64
	group  []int32 // nil: all in group 0
}

// tableNumbers is how many numbers the table may have: as many as G held in memory.
const tableNumbers = HeldEntries

// groups returns how many groups each side of a disjoint has, for data of some shape.
func (e *entries) groups(s model.Shape) [2]int64 {
	if e.grouped() {
		return s.Sparse.Norms
	}
	return [2]int64{1, 1}
}

// grouped reports whether entries between rows that have nothing in common are not products.
func (e *entries) grouped() bool {
	_, split := e.splitExponent()
	return !split
}

// splitExponent returns c where the entry between rows with nothing in common is a multiple
// of exp(c‖x‖²)·exp(c‖z‖²).
func (e *entries) splitExponent() (c float64, ok bool) {
	switch {
	case e.base != kernelgen.SquaredDistance:
		return 0, true
	case e.exponent != 0:
		return e.exponent, true
	}
	p, ok := e.raw.ProductExponential()
	return -p.Scale / 2, ok && p.Damped
}

// newDisjoint prepares it for rows with the given squared norms. For a normalised kernel
// logSums are those of the left rows.
func newDisjoint(e *entries, left, right, logSums []float64) *disjoint {
	a := &disjoint{table: stream.NewMatrix(1, 1)}
	c, split := e.splitExponent()
	switch {
	case !split:
		a.groupNorms(e, left, right)
	case e.exponent != 0:
		return splitNormalised(a, e, c, left, right, logSums)
	default:
		a.table.Data[0] = 0
		e.fromBase(a.table.Data, new(scratch))
		a.sides = [2]disjointSide{{factor: exponentials(c, left)}, {factor: exponentials(c, right)}}
	}
	for i, log := range logSums {
		a.sides[0].factor[i] *= e.weight * math.Exp(-log)
	}
	return a
}

// splitNormalised does so for a kernel of exponentials that is divided by its row sums. A row
// sum is at least that of the row in G⁰, which begins with the largest exponential, so
// neither factor overflows.
func splitNormalised(a *disjoint, e *entries, c float64, left, right, logSums []float64) *disjoint {
	a.table.Data[0] = 1
	shift := math.Inf(-1)
	for _, z := range right {
		shift = max(shift, c*z)
	}
	a.sides = [2]disjointSide{{factor: make([]float64, len(left))}, {factor: make([]float64, len(right))}}
	most := math.Log(e.weight)
	for i, x := range left {
		a.sides[0].factor[i] = math.Exp(most - logSums[i] + c*x + shift)
	}
	for j, z := range right {
		a.sides[1].factor[j] = math.Exp(c*z - shift)
	}
	return a
}

// exponentials returns exp(c·v).
func exponentials(c float64, v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.Exp(c * x)
	}
	return out
}

// groupNorms makes a group of each norm.
func (a *disjoint) groupNorms(e *entries, left, right []float64) {
	var norms [2][]float64
	for side, all := range [][]float64{left, right} {
		distinct := slices.Clone(all)
		slices.Sort(distinct)
		norms[side] = slices.Compact(distinct)
		a.sides[side] = disjointSide{factor: slices.Repeat([]float64{1}, len(all)), group: make([]int32, len(all))}
		for i, v := range all {
			g, _ := slices.BinarySearch(norms[side], v)
			a.sides[side].group[i] = int32(g)
		}
	}
	a.table = stream.NewMatrix(len(norms[0]), len(norms[1]))
	var w scratch
	for i, x := range norms[0] {
		row := dense.Row(a.table, i)
		for j, z := range norms[1] {
			row[j] = e.baseOf(x, z, 0)
		}
		e.fromBase(row, &w)
	}
	e.count.Add(int64(a.table.Rows) * int64(a.table.Cols))
}

// at returns G⁰_ij.
func (a *disjoint) at(i, j int) float64 {
	l, r := &a.sides[0], &a.sides[1]
	return l.factor[i] * dense.Row(a.table, l.at(i))[r.at(j)] * r.factor[j]
}

// at returns the group of a row.
func (s *disjointSide) at(i int) int {
	if s.group == nil {
		return 0
	}
	return int(s.group[i])
}

// times returns table·diag(right)·q, a row for each group of the left side, or, transposed,
// tableᵀ·diag(left)·q. What is left to do is a factor for each row.
func (a *disjoint) times(q blas64.General, transposed bool) blas64.General {
	side, trans, groups := &a.sides[1], blas.NoTrans, a.table.Cols
	if transposed {
		side, trans, groups = &a.sides[0], blas.Trans, a.table.Rows
	}
	sums := stream.NewMatrix(groups, q.Cols)
	for i, f := range side.factor {
		sum := dense.Row(sums, side.at(i))
		for k, v := range dense.Row(q, i) {
			sum[k] += f * v
		}
	}
	return dense.Mul(trans, a.table, blas.NoTrans, sums)
}
