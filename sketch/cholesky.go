package sketch

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// An R factor by matrix products, which run several times as fast as reflections. For a stack S and
// any nonsingular upper triangular P,
//
//	W = S·P⁻¹,  G = WᵀW = UᵀU (Cholesky),  R = U·P   gives   RᵀR = SᵀS.
//
// With P = I this is the Gram matrix, which loses singular values below √ε·σ₁. A P that makes W
// well conditioned avoids the loss:
//
//   - Solving for W is backward stable row by row: the computed W belongs
//     exactly to S + E with |E| ≤ cε·|W||P|. So column j of S is perturbed by at
//     most cε·‖W‖ times the norm of column j of P, whatever the condition of P
//     and the scales of the columns. This is the error of Householder
//     reflections, provided ‖W‖ is moderate and P no larger than S.
//   - Rounding in G and in its factorisation perturbs G by at most cε·‖W‖². If
//     all eigenvalues of G are at least ½, then U is changed to (I + F)·U with
//     ‖F‖ ≤ c'ε·‖W‖², and R to (I + F)·R. That is a small relative change of
//     every singular value of R, the smallest included.
//
// So it does not matter how P was found: W and G alone show whether R is accurate.
//
// Update. To add rows B to a factor R, take S = [B; R] and P = R. The rows of R become those of the
// identity, so G = I + (BR⁻¹)ᵀ(BR⁻¹) has no eigenvalue below 1, and its factorisation cannot fail.
// The trace of the second term is the sum of the squared norms of the rows of BR⁻¹. For a block
// that resembles the earlier rows it is about cols times the ratio of the row counts. R is accepted
// if the trace is within a limit. Exact rank deficiency leaves a zero on the diagonal of R, and
// reflections take over. Numerical rank deficiency does no harm: rounding errors of new rows are
// then compared with rounding errors of earlier rows.
//
// Rounds. Otherwise P is improved until G is near the identity: P ← U·P with a Cholesky factor U of
// the current G. G is first scaled to a diagonal near 1 by powers of two. If its factorisation
// breaks down, a small multiple of the identity is added (T. Fukaya, R. Kannan, Y. Nakatsukasa, Y.
// Yamamoto and Y. Yanagisawa 2020, "Shifted Cholesky QR for computing the QR factorization of
// ill-conditioned matrices"). Their shift is large enough for a proof. Ours starts at the size of
// the rounding errors and grows on failure: a retry costs only cols³/3 operations, and a smaller
// shift gives a better P. Each round divides the condition number of W by about 10⁷. R is accepted
// once ‖G − I‖ ≤ ½ in the Frobenius norm, since all eigenvalues of G are then within [½, 3/2]. That
// never happens if S has singular values below about 10ε·σ₁: the rounding errors of one round are
// not those of the next.
//
// Start. The first block has no R before it. Rounds reduce a subset of its rows, one in eight or
// twice the number of columns, or reflections do if the rounds do not converge. The other rows are
// an update. That is cheaper than rounds over all rows, and it makes rank-deficient blocks cheap.
//
// If all of this fails, [QR] reduces the whole stack by reflections.

// cholesky holds the working memory and the state of the rounds.
type cholesky struct {
	w        simd.Padded // rows of S·P⁻¹, a chunk at a time
	g        simd.Padded // their Gram matrix G, on and above the diagonal
	u        simd.Padded // a Cholesky factor of G for the next round
	p        simd.Padded // the preconditioner
	previous simd.Padded // the factor being updated
	scale    []float64   // powers of two for the columns of G
	solver   simd.UpperSolver
}

// updateLimit bounds the mean squared norm of the columns of B·R⁻¹ in an update. That limits the
// error to about 16 times that of reflections in the worst case (measured: no difference). A block
// above the limit costs two or three times as much as others, and enlarges R for the blocks that
// follow.
const updateLimit = 16

// maxRounds suffices for condition numbers up to about 1e15.
const maxRounds = 3

// chunkBytes is the size of the part of W in use at a time: a quarter of a second-level cache.
const chunkBytes = 1 << 18

// A chunk of many columns has at most wideChunk rows and wideChunkBytes bytes.
const (
	wideChunk      = 256
	wideChunkBytes = 1 << 21
)

// append sets p to the R factor of the stack of block and the upper trapezoidal r. It reports false
// if products are not accurate enough, or if the stack has an entry that is not finite.
func (s *scratch) append(block blas64.General, r triangle) (ok bool) {
	c := &s.cholesky
	c.reset(r.cols)
	if r.rows == r.cols {
		c.setTriangle(r.cols, r.tail)
		return c.update(block)
	}
	return s.appendTrapezoid(block, r)
}

// appendTrapezoid implements append for an r with fewer rows than columns.
func (s *scratch) appendTrapezoid(block blas64.General, r triangle) (ok bool) {
	c, n := &s.cholesky, block.Rows
	if n >= 4*r.cols {
		n = max(2*r.cols, n/8)
	}
	head, rest := matrix.Rows(block, 0, n), matrix.Rows(block, n, block.Rows-n)
	ok, finite := c.factorGram(head, s.unpack(r))
	if !finite {
		return false
	}
	if !ok {
		if rest.Rows == 0 {
			return false
		}
		reduced := s.reduceBlock(head, r)
		c.setTriangle(r.cols, func(i int) []float64 { return matrix.Row(reduced, i)[i:] })
	}
	return rest.Rows == 0 || c.update(rest)
}

func (c *cholesky) reset(cols int) {
	c.g.Reset(cols, cols)
	c.p.Reset(cols, cols)
	c.scale = matrix.Reuse(&c.scale, 1, cols).Data
}

// setTriangle sets p to a square triangle; tail returns row i from the diagonal on.
func (c *cholesky) setTriangle(cols int, tail func(i int) []float64) {
	for i := range cols {
		c.p.SetRow(i, i, tail(i))
	}
}

// update sets p to the R factor of the stack of block and p. On failure p is undefined.
func (c *cholesky) update(block blas64.General) (ok bool) {
	if !c.solver.Prepare(&c.p) {
		return false
	}
	c.addGram(block, &c.solver, false)
	trace := c.trace()
	if !matrix.IsFinite(trace) {
		return false
	}
	for i := range c.g.Cols() {
		c.g.Row(i)[i]++
	}
	if trace <= updateLimit*float64(c.g.Cols()) {
		return c.finish()
	}
	return c.rounds(block, c.saveFactor())
}

// saveFactor copies p to previous before p is overwritten.
func (c *cholesky) saveFactor() blas64.General {
	c.previous.Reset(c.p.Rows(), c.p.Cols())
	for i := range c.p.Rows() {
		c.previous.SetRow(i, 0, c.p.Row(i))
	}
	return c.previous.General()
}

// factorGram sets p to the R factor of the stack of a and b, starting from their Gram matrix.
// finite is false if the sum of the squares of their entries overflows.
func (c *cholesky) factorGram(a, b blas64.General) (ok, finite bool) {
	c.addGram(a, nil, false)
	c.addGram(b, nil, true)
	if !matrix.IsFinite(c.trace()) {
		return false, false
	}
	c.setIdentity()
	return c.rounds(a, b), true
}

// setIdentity sets p to the identity.
func (c *cholesky) setIdentity() {
	one := [1]float64{1}
	for i := range c.p.Rows() {
		c.p.SetRow(i, i, one[:])
	}
}

// rounds improves p until (S·P⁻¹)ᵀ(S·P⁻¹) is near the identity for the stack S of a and b, and then
// sets p to the R factor of S. On entry g must be that Gram matrix for the current p.
func (c *cholesky) rounds(a, b blas64.General) (ok bool) {
	for range maxRounds {
		if !c.precondition() {
			return false
		}
		multiplyUpper(&c.p, &c.u)
		if !c.solver.Prepare(&c.p) {
			return false
		}
		c.addGram(a, &c.solver, false)
		c.addGram(b, &c.solver, true)
		if c.nearIdentity() {
			return c.finish()
		}
	}
	return false
}

// addGram adds WᵀW to g, or sets g to it, for W = rows·R⁻¹ with the R of solver. A nil solver means
// W = rows.
func (c *cholesky) addGram(rows blas64.General, solver *simd.UpperSolver, add bool) {
	n := chunkRows(rows.Cols)
	for first := 0; first < rows.Rows || !add; first += n {
		c.w.Reset(min(n, rows.Rows-first), rows.Cols)
		for i := range c.w.Rows() {
			c.w.SetRow(i, 0, matrix.Row(rows, first+i))
		}
		if solver != nil {
			solver.Solve(&c.w)
		}
		simd.Gram(&c.g, &c.w, add)
		add = true
	}
}

// chunkRows returns the number of rows in a chunk of a matrix with cols columns. Results do not
// depend on it. A chunk of many columns that fits chunkBytes would have too few rows: reading and
// writing the Gram matrix would dominate.
func chunkRows(cols int) int {
	fit := func(bytes int) int { return bytes / 8 / (cols + simd.Lanes) &^ 7 }
	return max(64, fit(chunkBytes), min(wideChunk, fit(wideChunkBytes)))
}

// trace returns the trace of g. It is not finite if any entry of S is not, since every entry is in
// a sum of squares on the diagonal.
func (c *cholesky) trace() (sum float64) {
	for i := range c.g.Rows() {
		sum += c.g.Row(i)[i]
	}
	return sum
}

// nearIdentity reports whether ‖G − I‖ ≤ ½ in the Frobenius norm.
func (c *cholesky) nearIdentity() bool {
	diagonal, above := 0.0, 0.0
	for i := range c.g.Rows() {
		r := c.g.Row(i)[i:]
		diagonal += (r[0] - 1) * (r[0] - 1)
		for _, v := range r[1:] {
			above += v * v
		}
	}
	return diagonal+2*above <= 0.25
}

// finish replaces g by its Cholesky factor U and p by U·P.
func (c *cholesky) finish() (ok bool) {
	for i := range c.g.Rows() {
		c.g.SetRow(i, i, c.g.Row(i)[i:]) // zeros below the diagonal
	}
	if !factorise(&c.g) {
		return false
	}
	multiplyUpper(&c.p, &c.g)
	return true
}

// copyGram sets u to g plus a multiple of the identity.
func (c *cholesky) copyGram(shift float64) {
	c.u.Reset(c.g.Rows(), c.g.Cols())
	for i := range c.g.Rows() {
		c.u.SetRow(i, i, c.g.Row(i)[i:])
		c.u.Row(i)[i] += shift
	}
}

// precondition sets u to a Cholesky factor of g, scaled, and shifted if the factorisation breaks
// down. It fails if a column of W is zero or its square is out of range.
func (c *cholesky) precondition() (ok bool) {
	if !c.equilibrate() {
		return false
	}
	shift := 0.0
	for range 8 {
		c.copyGram(shift)
		if factorise(&c.u) {
			c.unscale()
			return true
		}
		shift = max(100*shift, minShift*c.trace())
	}
	return false
}

// minShift is about the relative rounding error of an entry of G.
const minShift = 0x1p-50

// Diagonal entries of G outside these bounds are not trusted: products that underflowed might
// matter.
const (
	minSquare = 0x1p-1000
	maxSquare = 0x1p1000
)

// equilibrate scales rows and columns of g by powers of two so that diagonal entries are between ¼
// and 1.
func (c *cholesky) equilibrate() (ok bool) {
	for i := range c.scale {
		square := c.g.Row(i)[i]
		if !(square >= minSquare && square <= maxSquare) {
			return false
		}
		_, e := math.Frexp(math.Sqrt(square))
		c.scale[i] = math.Ldexp(1, -e)
	}
	for i, s := range c.scale {
		r := c.g.Row(i)[i:]
		for j, t := range c.scale[i:] {
			r[j] *= s
			r[j] *= t
		}
	}
	return true
}

// unscale undoes equilibrate in the columns of u.
func (c *cholesky) unscale() {
	for i := range c.scale {
		r := c.u.Row(i)[i:]
		for j, t := range c.scale[i:] {
			r[j] /= t
		}
	}
}
