package paper1

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The reference for Table I: everything formed, plain loops and products, and nothing of
// the packages that are measured.

// transportRounds are the rounds of Sinkhorn's iteration in the paper.
const transportRounds = 10

// plan is a transport plan T that is known by its products: T·x for the left side, and
// Tᵀ·x for the right.
type plan interface {
	product(side model.Side, x *mat.Dense) (*mat.Dense, error)
}

// sinkhorn makes the rounds of the paper, u = a ⊘ (K·v) and v = b ⊘ (Kᵀ·u), from v = 1 with
// uniform masses a and b. Products that are not positive are counted as bad, and divided by
// nevertheless.
func sinkhorn(n int, times, transposed func(x *mat.VecDense) *mat.VecDense) (u, v []float64, bad int) {
	v = make([]float64, n)
	for j := range v {
		v[j] = 1
	}
	divide := func(product *mat.VecDense) []float64 {
		p := product.RawVector().Data
		for i, w := range p {
			if !(w > 0) {
				bad++
			}
			p[i] = 1 / (float64(len(p)) * w)
		}
		return p
	}
	for range transportRounds {
		u = divide(times(mat.NewVecDense(len(v), v)))
		v = divide(transposed(mat.NewVecDense(len(u), u)))
	}
	return u, v, bad
}

// densePlan is the plan that is approximated.
type densePlan struct {
	x, y blas64.General // colours
	t    *mat.Dense
	norm float64 // ‖T‖₂
}

// newDensePlan forms the plan between colours.
func newDensePlan(x, y blas64.General) (*densePlan, error) {
	k := stream.NewMatrix(x.Rows, y.Rows)
	for i := range x.Rows {
		for j := range y.Rows {
			square := 0.0
			for c, v := range x.Data[i*x.Stride:][:x.Cols] {
				v -= y.Data[j*y.Stride+c]
				square += v * v
			}
			k.Data[i*k.Stride+j] = math.Exp(-square / transportSigma)
		}
	}
	t := lab.Dense(k)
	u, v, _ := sinkhorn(y.Rows, times(t), times(t.T()))
	scaleRows(t, u)
	for i := range x.Rows {
		for j, w := range v {
			k.Data[i*k.Stride+j] *= w
		}
	}
	p := &densePlan{x: x, y: y, t: t}
	var err error
	p.norm, err = lab.Norm(y.Rows, p.product)
	return p, err
}

// times returns a function that multiplies vectors by a matrix.
func times(a mat.Matrix) func(x *mat.VecDense) *mat.VecDense {
	return func(x *mat.VecDense) *mat.VecDense {
		var y mat.VecDense
		y.MulVec(a, x)
		return &y
	}
}

func (p *densePlan) product(side model.Side, x *mat.Dense) (*mat.Dense, error) {
	var y mat.Dense
	if side == model.Left {
		y.Mul(p.t, x)
	} else {
		y.Mul(p.t.T(), x)
	}
	return &y, nil
}

// distance returns ‖T − T̂‖₂, NaN if T̂ is not finite.
func (p *densePlan) distance(approximate plan) (float64, error) {
	return lab.Norm(p.y.Rows, func(side model.Side, x *mat.Dense) (*mat.Dense, error) {
		y, err := p.product(side, x)
		if err != nil {
			return nil, err
		}
		z, err := approximate.product(side, x)
		if err == nil {
			y.Sub(y, z)
		}
		return y, err
	})
}

// lowRankPlan is a plan u·vᵀ.
type lowRankPlan struct {
	u, v *mat.Dense
	bad  int // products of Sinkhorn's iteration that were not positive
}

// newLowRankPlan makes the kernel matrix u·vᵀ a plan, in place.
func newLowRankPlan(u, v *mat.Dense) *lowRankPlan {
	p := &lowRankPlan{u: u, v: v}
	left, right, bad := sinkhorn(v.RawMatrix().Rows,
		func(x *mat.VecDense) *mat.VecDense { return times(u)(times(v.T())(x)) },
		func(x *mat.VecDense) *mat.VecDense { return times(v)(times(u.T())(x)) })
	scaleRows(u, left)
	scaleRows(v, right)
	p.bad = bad
	return p
}

func (p *lowRankPlan) product(side model.Side, x *mat.Dense) (*mat.Dense, error) {
	u, v := p.u, p.v
	if side == model.Right {
		u, v = v, u
	}
	var small, y mat.Dense
	small.Mul(v.T(), x)
	y.Mul(u, &small)
	return &y, nil
}

// scaleRows multiplies row i by w[i].
func scaleRows(m *mat.Dense, w []float64) {
	for i, s := range w {
		for j := range m.RawRowView(i) {
			m.RawRowView(i)[j] *= s
		}
	}
}
