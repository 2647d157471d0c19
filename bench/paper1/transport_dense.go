package main

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// The reference for Table I: everything formed, plain loops and products, and nothing of
// the packages that are measured.

// transportRounds are the rounds of Sinkhorn's iteration in the paper.
const transportRounds = 10

// scalings are the vectors of a plan T = diag(u)·K·diag(v).
type scalings struct {
	u, v []float64
	bad  int // products with K that were not positive, of all rounds
}

// sinkhorn makes so many rounds as the paper has them, u = a ⊘ (K·v) and v = b ⊘ (Kᵀ·u),
// from v = 1, with uniform masses a and b. Products that are not positive are counted, and
// divided by nevertheless.
func sinkhorn(m, n int, times, transposed func(x []float64) []float64) *scalings {
	s := &scalings{v: make([]float64, n)}
	for j := range s.v {
		s.v[j] = 1
	}
	divide := func(product []float64) []float64 {
		size := float64(len(product))
		for i, p := range product {
			if !(p > 0) {
				s.bad++
			}
			product[i] = 1 / (size * p)
		}
		return product
	}
	for range transportRounds {
		s.u = divide(times(s.v))
		s.v = divide(transposed(s.u))
	}
	return s
}

// densePlan is the plan that is approximated.
type densePlan struct {
	t    blas64.General
	norm float64 // ‖T‖₂
}

// newDensePlan forms the plan between colours.
func newDensePlan(x, y blas64.General) (*densePlan, error) {
	t := stream.NewMatrix(x.Rows, y.Rows)
	for i := range t.Rows {
		row, a := dense.Row(t, i), dense.Row(x, i)
		for j := range row {
			b, square := dense.Row(y, j), 0.0
			for k, v := range a {
				square += (v - b[k]) * (v - b[k])
			}
			row[j] = math.Exp(-square / transportSigma)
		}
	}
	s := sinkhorn(t.Rows, t.Cols, func(v []float64) []float64 { return dense.MulVector(blas.NoTrans, t, v) },
		func(u []float64) []float64 { return dense.MulVector(blas.Trans, t, u) })
	dense.ScaleRows(t, s.u)
	dense.ScaleColumns(t, s.v)
	p := &densePlan{t: t}
	norms, err := p.errors([]*lowRankPlan{{u: stream.NewMatrix(t.Rows, 0), v: stream.NewMatrix(t.Cols, 0)}})
	if err != nil {
		return nil, err
	}
	p.norm = norms[0]
	return p, nil
}

// mapped returns what the plan makes of the right rows y for each left one: their mean,
// weighed by the row of the plan.
func (p *densePlan) mapped(y blas64.General) blas64.General {
	return meanOf(dense.Mul(blas.NoTrans, p.t, blas.NoTrans, y), dense.MulVector(blas.NoTrans, p.t, ones(p.t.Cols)))
}

// meanOf divides the rows of sums by their weights.
func meanOf(sums blas64.General, weights []float64) blas64.General {
	dense.ScaleRows(sums, dense.Reciprocals(weights))
	return sums
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// lowRankPlan is a plan u·vᵀ.
type lowRankPlan struct {
	u, v blas64.General
	bad  int // as in scalings
}

// newLowRankPlan makes the kernel matrix u·vᵀ a plan, in place.
func newLowRankPlan(u, v blas64.General) *lowRankPlan {
	product := func(l, r blas64.General) func(x []float64) []float64 {
		return func(x []float64) []float64 {
			return dense.MulVector(blas.NoTrans, l, dense.MulVector(blas.Trans, r, x))
		}
	}
	s := sinkhorn(u.Rows, v.Rows, product(u, v), product(v, u))
	dense.ScaleRows(u, s.u)
	dense.ScaleRows(v, s.v)
	return &lowRankPlan{u: u, v: v, bad: s.bad}
}

func (p *lowRankPlan) mapped(y blas64.General) blas64.General {
	weights := dense.MulVector(blas.NoTrans, p.u, dense.MulVector(blas.Trans, p.v, ones(p.v.Rows)))
	return meanOf(dense.Mul(blas.NoTrans, p.u, blas.NoTrans, dense.Mul(blas.Trans, p.v, blas.NoTrans, y)), weights)
}

// subtract takes u·(vᵀ·x) from y.
func subtract(y, x []float64, u, v blas64.General) {
	if u.Cols > 0 {
		product := dense.MulVector(blas.NoTrans, u, dense.MulVector(blas.Trans, v, x))
		dense.Axpy(-1, product, y)
	}
}

// The norms of errors are settled when they change by less than a thousandth.
const (
	normLag       = 4
	normTolerance = 1e-3
	normSteps     = 60
)

// errors returns ‖T − T̂‖₂ for several plans T̂, by Lanczos processes on EᵀE side by side, so
// that the products with T are of blocks; NaN where a plan is not finite.
func (p *densePlan) errors(plans []*lowRankPlan) ([]float64, error) {
	type process struct {
		*lowRankPlan
		*krylov.Lanczos
		number int
	}
	norms := make([]float64, len(plans))
	var left []process
	for i, plan := range plans {
		left = append(left, process{plan, krylov.NewLanczos(p.t.Cols, sketch.NewRandom(1, "norm"), normLag, normTolerance), i})
	}
	for len(left) > 0 {
		x := stream.NewMatrix(p.t.Cols, len(left))
		for j, l := range left {
			putColumn(x, j, l.Vector())
		}
		y := dense.Mul(blas.NoTrans, p.t, blas.NoTrans, x)
		for j, l := range left {
			e := column(y, j)
			subtract(e, l.Vector(), l.u, l.v)
			putColumn(y, j, e)
		}
		z := dense.Mul(blas.Trans, p.t, blas.NoTrans, y)
		var more []process
		for j, l := range left {
			w := column(z, j)
			subtract(w, column(y, j), l.v, l.u)
			done, err := l.Step(w)
			if err == krylov.ErrNotFinite {
				norms[l.number] = math.NaN()
				continue
			}
			if err != nil {
				return nil, err
			}
			norms[l.number] = math.Sqrt(l.Norm())
			if !done && l.Steps() < normSteps {
				more = append(more, l)
			}
		}
		left = more
	}
	return norms, nil
}

func column(m blas64.General, j int) []float64 {
	x := make([]float64, m.Rows)
	for i := range x {
		x[i] = m.Data[i*m.Stride+j]
	}
	return x
}

func putColumn(m blas64.General, j int, x []float64) {
	for i, v := range x {
		m.Data[i*m.Stride+j] = v
	}
}
