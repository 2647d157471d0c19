package sketch

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/simd"
)

// A Guide is what a sample of the rows of a tall matrix A tells beforehand: a matrix P for
// which the columns of W = A·P⁻¹ are nearly orthogonal to each other, or near enough. A
// [GuidedQR] then needs the Gram matrix of W alone. A Guide never changes and may be shared
// between goroutines.
//
// There are two kinds of P, by what rounding in the Gram matrix may cost, see
// [GuidedQR.Loss]:
//
//	P⁻¹ = H·D   where k directions stand out: k reflections H make columns of them,
//	            which D scales down to the others, in 4·cols·k flops a row
//	P = R_S     the R factor of the sample, in cols² flops a row
//
// Both are stable: a row w of W belongs exactly to a row a + e with |e| ≤ cε·|w|·|P|, and
// so ‖e‖ ≤ c'ε·‖a‖ in the first.
//
// The first is taken if the singular values that are left, of the sample, are within a
// factor of 64 of each other, or within the root of what all of them are.
type Guide struct {
	cols   int
	square float64 // mean squared length of the rows of the sample times P⁻¹

	// W = (A − (A·down)·up)·D, and back by A = W·D⁻¹ − (W·D⁻¹·down)·back.
	down, up, back blas64.General // cols×k, k×cols
	raise          []float64      // 1/D of the first k columns, powers of two

	triangle *simd.Padded // R_S, or nil
	solver   simd.UpperSolver
}

const (
	// guideOff is how far from I the Gram matrix of the sample's W may be.
	guideOff = 0.1
	// guideSpread is the condition of W up to which rounding in its Gram matrix is of no
	// account: ε·64² is 10⁻¹².
	guideSpread = 64
	// guideShare and mostDirections bound the directions that are taken down, to a fraction
	// of all columns: more cost about as much as a triangle.
	guideShare     = 16
	mostDirections = 32
)

// NewGuide returns the guide that a sample of rows gives, which should be drawn uniformly,
// several times as many as there are columns, with such rows added as may be unlike others.
// It returns nil if there are fewer rows than columns, or a column depends on others up to
// rounding, as one of zeros does: then there is nothing to go by.
// Cost about 20·cols³ operations for 4·cols rows.
func NewGuide(sample blas64.General) (*Guide, error) {
	qr := NewQR(sample.Cols)
	if err := qr.Add(sample); err != nil {
		return nil, err
	}
	g := &Guide{cols: sample.Cols, triangle: new(simd.Padded)}
	g.triangle.Reset(g.cols, g.cols)
	for i := range qr.r.rows {
		g.triangle.SetRow(i, i, qr.r.tail(i))
	}
	if qr.r.rows < g.cols || !g.solver.Prepare(g.triangle) {
		return nil, nil
	}
	g.square = float64(g.cols) / float64(sample.Rows)
	g.deflate(sample)
	if g.triangle != nil && !g.orthonormal(sample) {
		return nil, nil
	}
	return g, nil
}

// orthonormal reports whether W = S·P⁻¹ of the sample S has nearly orthonormal columns, as P
// = R_S makes them but for rounding. Where columns depend on others it does not: then W is
// noise there, the same in equal rows, and its Gram matrix may be singular.
func (g *Guide) orthonormal(sample blas64.General) bool {
	s := borrow()
	defer s.giveBack()
	c := &s.cholesky
	c.g.Reset(g.cols, g.cols)
	c.addGuided(sample, g)
	off := 0.0
	for i := range g.cols {
		for j, v := range c.g.Row(i)[i:g.cols] {
			if j == 0 {
				v--
			}
			off += v * v
		}
	}
	return off <= guideOff*guideOff
}

// deflate replaces the triangle by a few directions, if they do.
func (g *Guide) deflate(sample blas64.General) {
	r := g.triangle.General()
	most := min(mostDirections, g.cols/guideShare)
	top, high := leading(g.cols, most+4, timesTriangle(r))
	_, inverse := leading(g.cols, 4, timesInverse(r))
	if len(high) == 0 || len(inverse) == 0 {
		return
	}
	least := 1 / inverse[0]
	if !(least <= high[0]) {
		return // a triangle so near to a singular one that its inverse is noise
	}
	allowed := max(guideSpread, math.Sqrt(high[0]/least)) * least
	for k := 0; k <= most; k = max(1, 2*k) {
		if !(high[k] <= allowed) {
			continue
		}
		g.take(view(top, 0, 0, g.cols, k), high[:k], high[k])
		g.triangle, g.solver = nil, simd.UpperSolver{}
		w := clone(sample)
		g.deflateRows(w, new([]float64))
		g.square = sumOfSquares(w) / float64(w.Rows)
		return
	}
}

// take sets the directions, which D brings from their singular values down to about the
// given one: H = I − Y·T·Yᵀ (R. Schreiber and C. Van Loan 1989, "A storage-efficient WY
// representation for products of Householder transformations").
func (g *Guide) take(v blas64.General, singular []float64, to float64) {
	k := len(singular)
	g.raise = make([]float64, k)
	for j, s := range singular {
		_, e := math.Frexp(s / to)
		g.raise[j] = math.Ldexp(1, max(0, e-1))
	}
	g.down, g.up, g.back = newMatrix(g.cols, k), newMatrix(k, g.cols), newMatrix(k, g.cols)
	if k == 0 {
		return
	}
	reflectors := householder.QR(clone(v))
	for j := range k {
		row(g.down, j)[j] = 1
		for i := j + 1; i < g.cols; i++ {
			row(g.down, i)[j] = row(reflectors.V, i)[j]
		}
	}
	t := reflectorProducts(g.down, reflectors.Tau)
	simd.Gemm(blas.NoTrans, blas.Trans, 1, t, g.down, 0, g.up)
	simd.Gemm(blas.Trans, blas.Trans, 1, t, g.down, 0, g.back)
}

// reflectorProducts returns T of H = I − Y·T·Yᵀ, column after column.
func reflectorProducts(y blas64.General, tau []float64) blas64.General {
	k := y.Cols
	products, t := newMatrix(k, k), newMatrix(k, k)
	simd.Gemm(blas.Trans, blas.NoTrans, 1, y, y, 0, products)
	for j := range k {
		row(t, j)[j] = tau[j]
		for i := range j {
			sum := 0.0
			for l := i; l < j; l++ {
				sum += row(t, i)[l] * row(products, l)[j]
			}
			row(t, i)[j] = -tau[j] * sum
		}
	}
	return t
}

// reflect is w ← w − (w·down)·up, with room for the product.
func (g *Guide) reflect(w, up blas64.General, room *[]float64) {
	if g.down.Cols == 0 || w.Rows == 0 {
		return
	}
	part := matrix(room, w.Rows, g.down.Cols)
	simd.Gemm(blas.NoTrans, blas.NoTrans, 1, w, g.down, 0, part)
	simd.Gemm(blas.NoTrans, blas.NoTrans, -1, part, up, 1, w)
}

// deflateRows is w ← w·H·D.
func (g *Guide) deflateRows(w blas64.General, room *[]float64) {
	g.reflect(w, g.up, room)
	for i := range w.Rows {
		r := row(w, i)
		for j, raise := range g.raise {
			r[j] /= raise
		}
	}
}

// times returns m·P for a matrix m.
func (g *Guide) times(m blas64.General) blas64.General {
	if g.triangle != nil {
		return multiplied(m, g.triangle.General())
	}
	w := clone(m)
	g.lift(w)
	return w
}

// lift is w ← w·D⁻¹·Hᵀ.
func (g *Guide) lift(w blas64.General) {
	for i := range w.Rows {
		r := row(w, i)
		for j, raise := range g.raise {
			r[j] *= raise
		}
	}
	g.reflect(w, g.back, new([]float64))
}

// against is y ← (P·R⁻¹)ᵀ·P·R⁻¹·y.
func (g *Guide) against(r, y blas64.General) {
	inverse := upperTriangular(r)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, inverse, y)
	if g.triangle != nil {
		timesTriangle(g.triangle.General())(y)
	} else {
		w, room := transposed(y), new([]float64)
		g.reflect(w, g.up, room)
		for i := range w.Rows {
			for j, raise := range g.raise {
				row(w, i)[j] *= raise
			}
		}
		g.lift(w) // y·H·D⁻¹·D⁻¹·Hᵀ
		copyRows(y, transposed(w))
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, inverse, y)
}

// timesTriangle returns y ↦ Rᵀ·R·y.
func timesTriangle(r blas64.General) func(y blas64.General) {
	t := upperTriangular(r)
	return func(y blas64.General) {
		blas64.Trmm(blas.Left, blas.NoTrans, 1, t, y)
		blas64.Trmm(blas.Left, blas.Trans, 1, t, y)
	}
}

// timesInverse returns y ↦ R⁻¹·R⁻ᵀ·y.
func timesInverse(r blas64.General) func(y blas64.General) {
	t := upperTriangular(r)
	return func(y blas64.General) {
		blas64.Trsm(blas.Left, blas.Trans, 1, t, y)
		blas64.Trsm(blas.Left, blas.NoTrans, 1, t, y)
	}
}

// leadingRounds make estimates of singular values good to some per cent.
const leadingRounds = 6

// leading estimates the largest eigenvectors of a positive semi-definite matrix of n rows
// that apply multiplies by, and the roots of their eigenvalues, by orthogonal iteration. It
// returns none if they are beyond the range of float64.
func leading(n, k int, apply func(y blas64.General)) (vectors blas64.General, roots []float64) {
	y := newMatrix(n, min(n, k))
	NewRandom(0, "guide").Normals(y)
	for round := range leadingRounds {
		q := householder.QR(y).Thin()
		y = clone(q)
		apply(y)
		if CheckFinite(y) != nil {
			return vectors, nil
		}
		if round < leadingRounds-1 {
			continue
		}
		vectors, roots = q, make([]float64, y.Cols)
		for j := range roots {
			for i := range n {
				roots[j] += row(q, i)[j] * row(y, i)[j]
			}
			roots[j] = math.Sqrt(max(0, roots[j]))
		}
	}
	return vectors, roots
}

func upperTriangular(r blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Cols, Stride: r.Stride, Data: r.Data}
}

func transposed(m blas64.General) blas64.General {
	t := newMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range row(m, i) {
			row(t, j)[i] = v
		}
	}
	return t
}

func multiplied(a, b blas64.General) blas64.General {
	c := newMatrix(a.Rows, b.Cols)
	simd.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	return c
}

func copyRows(dst, src blas64.General) {
	for i := range dst.Rows {
		copy(row(dst, i), row(src, i))
	}
}

// sumOfSquares returns that of the entries.
func sumOfSquares(m blas64.General) (sum float64) {
	for i := range m.Rows {
		r := blas64.Vector{N: m.Cols, Inc: 1, Data: row(m, i)}
		sum += blas64.Dot(r, r)
	}
	return sum
}

// checkCols panics unless the guide, if any, is for so many columns.
func (g *Guide) checkCols(cols int) {
	if g != nil && g.cols != cols {
		panic(fmt.Sprintf("sketch: a guide for %d columns, want %d", g.cols, cols))
	}
}
