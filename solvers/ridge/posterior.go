package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
)

// Posterior computes standard deviations of new observations under a Gaussian process with the model as its mean. The
// process has the kernel σ²/λ·k and an unknown constant mean. Its noise has the variance σ² divided by the weight of a
// row, which counts as that many copies. σ² maximises the likelihood. Landmarks replace the kernel as in the
// deterministic training conditional of Quiñonero-Candela & Rasmussen (2005, "A unifying view of sparse approximate
// Gaussian process regression"). With all rows as landmarks it is exact.
type Posterior struct {
	Upper  blas64.General `json:"-" array:"upper,p,p"`  // U of UᵀU = K(J, J)
	Factor blas64.General `json:"-" array:"factor,p,p"` // R of RᵀR = Σ w·(z − z̄)ᵀ(z − z̄) + λI
	Means  []float64      `json:"-" array:"means,p"`    // z̄
	Noise  []float64      `json:"-" array:"noise,t"`    // σ² of each target, divided by its squared unit
	// Unit is the unit of each target; nil means 1. It is set only if squares of some target overflow or underflow.
	Unit   []float64 `json:"-" array:"unit,t,optional"`
	Weight float64   `json:"weight"` // total weight of the rows
}

// posterior prepares standard deviations. Cost: p³/3 flops, memory for 2·p² numbers.
func (c *candidate) posterior(penalty float64) (*Posterior, error) {
	factor, err := c.all.factor(penalty)
	if err != nil {
		return nil, err
	}
	explained := matrix.Clone(c.all.right) // R⁻ᵀ·right: its squares are explained by the model
	blas64.Trsm(blas.Left, blas.Trans, 1, factor, explained)
	p := c.upper.Cols
	v := &Posterior{Upper: matrix.Clone(c.upper), Means: slices.Clone(c.all.means[:p]), Noise: make([]float64, c.outputs),
		Weight: c.all.weight}
	matrix.Axpy(1, c.origin, v.Means)
	v.Factor = blas64.General{Rows: p, Cols: p, Stride: factor.Stride, Data: factor.Data}
	for _, m := range []blas64.General{v.Upper, v.Factor} {
		for i := range p {
			clear(matrix.Row(m, i)[:i])
		}
	}
	for j, norm := range dense.ColumnNorms(explained) { // λ·yᵀ(K + λW⁻¹)⁻¹y = Σ w·(y − ŷ)² + λ·‖B‖²
		v.Noise[j] = max(0, c.all.unexplained[j]-norm*norm) / c.all.weight
	}
	v.measure(c.columns.refer)
	return v, nil
}

// squaresInRange is the largest exponent of a unit whose squares are safely representable.
const squaresInRange = 400

// measure converts the noise from the units of a reference to those of the data.
func (v *Posterior) measure(by *reference) {
	far := func(exponent int) bool { return exponent < -squaresInRange || exponent > squaresInRange }
	if slices.ContainsFunc(by.exponent, far) {
		v.Unit = by.outs(slices.Repeat([]float64{0.5}, len(v.Noise))) // twice the unit may overflow
		blas64.Scal(4, dense.Vector(v.Noise))
		return
	}
	for j, exponent := range by.exponent {
		v.Noise[j] = math.Ldexp(v.Noise[j], 2*exponent)
	}
}

// variances writes the variance of a new observation of weight 1, relative to σ², to dst. k has the entries between
// rows and landmarks, and is overwritten; diagonal has k(x, x) of each row. Cost of a row: 2·p² flops.
func (v *Posterior) variances(dst, diagonal []float64, k blas64.General, lambda float64) {
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(v.Upper), k) // z
	for i := range k.Rows {
		z := matrix.Row(k, i)
		dst[i] = 1 + 1/v.Weight + max(0, diagonal[i]-dense.Dot(z, z))/lambda
		matrix.Axpy(-1, v.Means, z)
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(v.Factor), k)
	for i := range k.Rows {
		z := matrix.Row(k, i)
		dst[i] += dense.Dot(z, z)
	}
}

// deviations writes the standard deviation of each target to dst, from a relative variance.
func (v *Posterior) deviations(dst []float64, variance float64) {
	for j, noise := range v.Noise {
		if dst[j] = math.Sqrt(noise * variance); v.Unit != nil {
			dst[j] *= v.Unit[j]
		}
	}
}
