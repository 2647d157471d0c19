package paper1

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The reference for Table I: dense matrices and plain loops, independent of the measured packages.

// transportRounds is the number of Sinkhorn rounds in the paper.
const transportRounds = 10

// operator is a matrix A given by its products: A·x for the left side, and Aᵀ·x for the right.
type operator interface {
	product(side model.Side, x *mat.Dense) (*mat.Dense, error)
}

// sinkhorn runs the rounds of the paper, u = a ⊘ (K·v) and v = b ⊘ (Kᵀ·u), from v = 1 with uniform masses a and b. It
// counts products that are not positive as bad, but divides by them nevertheless.
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

// densePlan is the exact plan, with its kernel matrix.
type densePlan struct {
	x, y       blas64.General // colours
	t          *mat.Dense     // diag(u)·K·diag(v)
	u, v       []float64
	norm       float64 // ‖T‖₂
	kernelNorm float64 // ‖K‖₂
}

// newDensePlan computes the plan between colours.
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
	p := &densePlan{x: x, y: y, t: t, u: u, v: v}
	var err error
	if p.norm, err = lab.Norm(y.Rows, p.product); err != nil {
		return nil, err
	}
	p.kernelNorm, err = lab.Norm(y.Rows, p.kernel().product)
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

// kernel returns the kernel matrix K = diag(1/u)·T·diag(1/v), without storing a second matrix.
func (p *densePlan) kernel() operator { return densePlanKernel{p} }

type densePlanKernel struct{ plan *densePlan }

func (k densePlanKernel) product(side model.Side, x *mat.Dense) (*mat.Dense, error) {
	outer, inner := k.plan.u, k.plan.v
	if side == model.Right {
		outer, inner = inner, outer
	}
	y, err := k.plan.product(side, dividedRows(x, inner))
	if err != nil {
		return nil, err
	}
	return dividedRows(y, outer), nil
}

// dividedRows returns x with row i divided by w[i].
func dividedRows(x *mat.Dense, w []float64) *mat.Dense {
	inverse := make([]float64, len(w))
	for i, v := range w {
		inverse[i] = 1 / v
	}
	y := mat.DenseCopyOf(x)
	scaleRows(y, inverse)
	return y
}

// distance returns ‖A − Â‖₂ of matrices with the given number of columns, NaN if Â is not finite.
func distance(columns int, of, approximate operator) (float64, error) {
	return lab.Norm(columns, func(side model.Side, x *mat.Dense) (*mat.Dense, error) {
		y, err := of.product(side, x)
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

// factors is a matrix u·vᵀ.
type factors struct{ u, v *mat.Dense }

func (f factors) product(side model.Side, x *mat.Dense) (*mat.Dense, error) {
	u, v := f.u, f.v
	if side == model.Right {
		u, v = v, u
	}
	var small, y mat.Dense
	small.Mul(v.T(), x)
	y.Mul(u, &small)
	return &y, nil
}

// newLowRankPlan turns the kernel matrix k into a plan, in place. It returns the number of products in Sinkhorn's
// iteration that were not positive.
func newLowRankPlan(k factors) (plan factors, bad int) {
	left, right, bad := sinkhorn(k.v.RawMatrix().Rows,
		func(x *mat.VecDense) *mat.VecDense { return times(k.u)(times(k.v.T())(x)) },
		func(x *mat.VecDense) *mat.VecDense { return times(k.v)(times(k.u.T())(x)) })
	scaleRows(k.u, left)
	scaleRows(k.v, right)
	return k, bad
}

// scaleRows multiplies row i by w[i].
func scaleRows(m *mat.Dense, w []float64) {
	for i, s := range w {
		for j := range m.RawRowView(i) {
			m.RawRowView(i)[j] *= s
		}
	}
}
