package paper1

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
	norms, err := p.errors([]approximatePlan{&lowRankPlan{u: stream.NewMatrix(t.Rows, 0), v: stream.NewMatrix(t.Cols, 0)}})
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
	s := sinkhorn(u.Rows, v.Rows, func(x []float64) []float64 { return product(u, v, x) }, func(y []float64) []float64 { return product(v, u, y) })
	dense.ScaleRows(u, s.u)
	dense.ScaleRows(v, s.v)
	return &lowRankPlan{u: u, v: v, bad: s.bad}
}

func (p *lowRankPlan) mapped(y blas64.General) blas64.General {
	weights := dense.MulVector(blas.NoTrans, p.u, dense.MulVector(blas.Trans, p.v, ones(p.v.Rows)))
	return meanOf(dense.Mul(blas.NoTrans, p.u, blas.NoTrans, dense.Mul(blas.Trans, p.v, blas.NoTrans, y)), weights)
}

// times returns T̂·x.
func (p *lowRankPlan) times(x []float64) ([]float64, error) { return product(p.u, p.v, x), nil }

// transposed returns T̂ᵀ·y.
func (p *lowRankPlan) transposed(y []float64) ([]float64, error) { return product(p.v, p.u, y), nil }

// product returns u·(vᵀ·x).
func product(u, v blas64.General, x []float64) []float64 {
	if u.Cols == 0 {
		return make([]float64, u.Rows)
	}
	return dense.MulVector(blas.NoTrans, u, dense.MulVector(blas.Trans, v, x))
}

// approximatePlan is a plan T̂ that is known by its products.
type approximatePlan interface {
	times(x []float64) ([]float64, error)
	transposed(y []float64) ([]float64, error)
}

// The norms of errors are settled when they change by less than a thousandth.
const (
	normLag       = 4
	normTolerance = 1e-3
	normSteps     = 60
)

// errors returns ‖T − T̂‖₂ for several plans T̂, by Lanczos processes on EᵀE side by side, so
// that the products with T are of blocks; NaN where a plan is not finite.
func (p *densePlan) errors(plans []approximatePlan) ([]float64, error) {
	norms := make([]float64, len(plans))
	var left []*errorProcess
	for i, plan := range plans {
		left = append(left, &errorProcess{plan, krylov.NewLanczos(p.t.Cols, sketch.NewRandom(1, "norm"), normLag, normTolerance), i})
	}
	for len(left) > 0 {
		e, err := p.rest(left)
		if err != nil {
			return nil, err
		}
		products := p.product(blas.Trans, e)
		var more []*errorProcess
		for j, l := range left {
			done, err := l.step(column(products, j), column(e, j))
			if err == krylov.ErrNotFinite {
				norms[l.number] = math.NaN()
				continue
			}
			if err != nil {
				return nil, err
			}
			norms[l.number] = math.Sqrt(l.Norm())
			if !done {
				more = append(more, l)
			}
		}
		left = more
	}
	return norms, nil
}

// errorProcess is a Lanczos process for the norm of an error.
type errorProcess struct {
	approximatePlan
	*krylov.Lanczos
	number int
}

// rest returns E times the vector of each process, as columns.
func (p *densePlan) rest(processes []*errorProcess) (blas64.General, error) {
	x := stream.NewMatrix(p.t.Cols, len(processes))
	for j, l := range processes {
		putColumn(x, j, l.Vector())
	}
	e := p.product(blas.NoTrans, x)
	for j, l := range processes {
		approximate, err := l.times(l.Vector())
		if err != nil {
			return e, err
		}
		rest := column(e, j)
		dense.Axpy(-1, approximate, rest)
		putColumn(e, j, rest)
	}
	return e, nil
}

// product returns T·x or Tᵀ·x; a single column does not pay for blocks.
func (p *densePlan) product(transposed blas.Transpose, x blas64.General) blas64.General {
	if x.Cols > 1 {
		return dense.Mul(transposed, p.t, blas.NoTrans, x)
	}
	y := dense.MulVector(transposed, p.t, column(x, 0))
	return blas64.General{Rows: len(y), Cols: 1, Stride: 1, Data: y}
}

// step makes a step, with Tᵀ·e and e given, and reports whether it was the last.
func (l *errorProcess) step(w, e []float64) (done bool, err error) {
	approximate, err := l.transposed(e)
	if err != nil {
		return false, err
	}
	dense.Axpy(-1, approximate, w)
	done, err = l.Step(w)
	return done || l.Steps() == normSteps, err
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
