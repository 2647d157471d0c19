package askls

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
)

// core is the eigendecomposition of M on the subspace where it differs from 1/γ: see lowrank.go.
type core struct {
	gamma          float64
	values         []float64
	vectors        blas64.General
	right          blas64.General // [0; 0; R₂; T₂]
	source, target blas64.General // Σ·(R₁)ᵀ and Σ·(T₁)ᵀ without the constant, r×(r+1)
}

// newCore returns the core of K = U·diag(values)·Vᵀ, from the triangular factors of [1 U y] and
// [1 V y]. Cost: about 9·(2r+4)³ flops.
func newCore(source, target blas64.General, values []float64, gamma float64) (*core, error) {
	p := 1 + len(values)
	k := source.Cols - p
	r, t := matrix.Columns(matrix.Rows(source, 0, p), 0, p), matrix.Columns(matrix.Rows(target, 0, p), 0, p)
	weights := append([]float64{0}, values...)
	scaled := matrix.Clone(r)
	dense.ScaleColumns(scaled, weights)
	scaledTarget := matrix.Clone(t)
	dense.ScaleColumns(scaledTarget, weights)
	c := &core{gamma: gamma, right: matrix.New(2*p+2, k)}
	c.source, c.target = matrix.Rows(matrix.Transpose(scaled), 1, p-1), matrix.Rows(matrix.Transpose(scaledTarget), 1, p-1)
	copyInto(matrix.Rows(c.right, 2, p), matrix.Columns(matrix.Rows(source, 0, p), p, k))
	copyInto(matrix.Rows(c.right, 2+p, p), matrix.Columns(matrix.Rows(target, 0, p), p, k))
	return c, c.decompose(bordered(dense.Mul(blas.NoTrans, scaled, blas.Trans, t), firstColumn(r), firstColumn(t), gamma))
}

func (c *core) decompose(m blas64.General) (err error) {
	if c.values, c.vectors, err = symeig.Decompose(m); err != nil {
		return fmt.Errorf("the core of the system: %w: scale the kernel down", err)
	}
	return nil
}

func firstColumn(m blas64.General) []float64 {
	v := make([]float64, m.Rows)
	for i := range v {
		v[i] = m.Data[i*m.Stride]
	}
	return v
}

// condition returns the condition number of M in the 2-norm.
func (c *core) condition() float64 {
	least, most := 1/c.gamma, 1/c.gamma
	for _, v := range c.values {
		least, most = min(least, math.Abs(v)), max(most, math.Abs(v))
	}
	return most / least
}

// solveBy returns h(M)·r.
func (c *core) solveBy(h func(float64) float64, r blas64.General) blas64.General {
	along := dense.Mul(blas.Trans, c.vectors, blas.NoTrans, r)
	for i, v := range c.values {
		by := h(v)
		row := matrix.Row(along, i)
		for j := range row {
			row[j] *= by
		}
	}
	return dense.Mul(blas.NoTrans, c.vectors, blas.NoTrans, along)
}

// inverseBy returns the function of an eigenvalue that inverts the system.
func inverseBy(ridge float64) func(float64) float64 {
	if ridge == 0 {
		return func(v float64) float64 { return 1 / v }
	}
	return func(v float64) float64 { return v / (v*v + ridge) }
}

// functions returns f_s and f_t as weights of u(x) and v(x), r×k, and biases.
func (c *core) functions(ridge float64) (source, target blas64.General, biases [2][]float64) {
	x := partsOf(c.solveBy(inverseBy(ridge), c.right))
	source = dense.Mul(blas.NoTrans, c.target, blas.NoTrans, x.b)
	target = dense.Mul(blas.NoTrans, c.source, blas.NoTrans, x.a)
	return source, target, [2][]float64{x.b1, x.b2}
}
