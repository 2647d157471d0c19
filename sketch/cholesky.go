package sketch

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// An R factor by products of matrices, which run several times as fast as
// reflections. For a stack S and any nonsingular upper triangular P,
//
//	W = S·P⁻¹,  G = WᵀW = UᵀU (Cholesky),  R = U·P   gives   RᵀR = SᵀS.
//
// With P = I this is the Gram matrix, which loses singular values below √ε·σ₁.
// The part of P is to make W well conditioned; then nothing is lost:
//
//   - Solving for W is backward stable row by row: the W that we get belongs
//     exactly to S + E with |E| ≤ cε·|W||P|. So column j of S is perturbed by at
//     most cε·‖W‖ times the norm of column j of P, whatever the condition of P
//     and the scales of the columns. This is the error that Householder
//     reflections make, if ‖W‖ is moderate and P no larger than S.
//   - Rounding in G and in its factorisation perturbs G by at most cε·‖W‖². If
//     all eigenvalues of G are at least ½, then U is changed to (I + F)·U with
//     ‖F‖ ≤ c'ε·‖W‖², and R to (I + F)·R. That is a small relative change of
//     every singular value of R, the smallest included.
//
// So it does not matter how P was found. What matters can be seen from W and G:
//
// Update. When rows B are added to a factor R, take S = [B; R] and P = R. The
// rows of R become those of the identity, so G = I + (BR⁻¹)ᵀ(BR⁻¹) has no
// eigenvalue below 1, and its factorisation cannot fail. The trace of the second
// term is the sum of the squared norms of the rows of W. For a block that is like
// the rows before it is about the ratio of their numbers times the number of
// columns. If it is within a limit, R is accepted. Exact rank deficiency leaves
// a zero on the diagonal of R, and reflections take over; a numerical one does
// no harm, since rounding errors of new rows are then compared with rounding
// errors of the rows before.
//
// Rounds. Otherwise P is improved until G is near the identity: P ← U·P with a U
// from G as it is. G is first scaled to a diagonal near 1 by powers of two. If
// its factorisation breaks down, a small multiple of the identity is added (T.
// Fukaya, R. Kannan, Y. Nakatsukasa, Y. Yamamoto and Y. Yanagisawa 2020, "Shifted
// Cholesky QR for computing the QR factorization of ill-conditioned matrices").
// Their shift is large enough for a proof; ours begins at the size of the
// rounding errors and grows when it has to, for trying again costs cols³/3
// operations, and a smaller shift gives a better P. Each round divides the
// condition of W by about 10⁷. When ‖G − I‖ ≤ ½ in the Frobenius norm, all
// eigenvalues of G are within [½, 3/2], and R is accepted. When S has singular
// values below about 10ε·σ₁ that does not happen: the rounding errors of one
// round are not those of the next.
//
// Start. The first block has no R before it. Rounds are done for its first rows
// alone, one in eight or twice the number of columns, and if they do not
// converge those rows are reduced by reflections; the rest is an update. That is
// cheaper than rounds over all rows, and it makes rank-deficient blocks cheap.
//
// Where nothing of this works, [QR] reduces the whole stack by reflections.

// cholesky is the working memory, and the state of the rounds.
type cholesky struct {
	w      simd.Padded // rows of S·P⁻¹, a chunk at a time
	g      simd.Padded // their Gram matrix G, on and above the diagonal
	u      simd.Padded // a Cholesky factor of G for the next round
	p      simd.Padded // the preconditioner
	before simd.Padded // the factor that is updated
	scale  []float64   // powers of two for the columns of G
	solver simd.UpperSolver
}

// updateLimit bounds the mean squared norm of the columns of B·R⁻¹ in an update,
// and with it the error, to some 16 times that of reflections at worst (measured:
// no difference). A block above the limit costs two or three times as much as
// others, and raises R for those that follow.
const updateLimit = 16

// mostRounds is enough for condition numbers to about 1e15.
const mostRounds = 3

// chunkBytes is how much of W is worked on at a time: a quarter of a second-level
// cache.
const chunkBytes = 1 << 18

// A chunk of many columns has up to wideChunk rows, and wideChunkBytes.
const (
	wideChunk      = 256
	wideChunkBytes = 1 << 21
)

// append sets p to the R factor of the stack of block and r, where r is upper
// trapezoidal, and reports whether it could. It cannot if the stack has an entry
// that is not finite.
func (s *scratch) append(block blas64.General, r triangle) (ok bool) {
	c := &s.cholesky
	c.reset(r.cols)
	if r.rows == r.cols {
		c.take(r.cols, r.tail)
		return c.update(block)
	}
	return s.start(block, r)
}

// start does the work of append when r is not square.
func (s *scratch) start(block blas64.General, r triangle) (ok bool) {
	c, n := &s.cholesky, block.Rows
	if n >= 4*r.cols {
		n = max(2*r.cols, n/8)
	}
	head, rest := matrix.Rows(block, 0, n), matrix.Rows(block, n, block.Rows-n)
	ok, finite := c.begin(head, s.unpack(r))
	if !finite {
		return false
	}
	if !ok {
		if rest.Rows == 0 {
			return false
		}
		reduced := s.reflect(head, r)
		c.take(r.cols, func(i int) []float64 { return matrix.Row(reduced, i)[i:] })
	}
	return rest.Rows == 0 || c.update(rest)
}

func (c *cholesky) reset(cols int) {
	c.g.Reset(cols, cols)
	c.p.Reset(cols, cols)
	c.scale = matrix.Reuse(&c.scale, 1, cols).Data
}

// take sets p to a triangle, whose rows from the diagonal on are given.
func (c *cholesky) take(cols int, tail func(i int) []float64) {
	for i := range cols {
		c.p.SetRow(i, i, tail(i))
	}
}

// update sets p to the R factor of the stack of block and p.
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
	return c.rounds(block, c.keepFactor())
}

// keepFactor copies p, which is about to be lost.
func (c *cholesky) keepFactor() blas64.General {
	c.before.Reset(c.p.Rows(), c.p.Cols())
	for i := range c.p.Rows() {
		c.before.SetRow(i, 0, c.p.Row(i))
	}
	return c.before.General()
}

// begin sets p to the R factor of the stack of a and b, from nothing. finite is
// false if the sum of the squares of their entries is not finite.
func (c *cholesky) begin(a, b blas64.General) (ok, finite bool) {
	c.addGram(a, nil, false)
	c.addGram(b, nil, true)
	if !matrix.IsFinite(c.trace()) {
		return false, false
	}
	c.takeIdentity()
	return c.rounds(a, b), true
}

// takeIdentity sets p to the identity.
func (c *cholesky) takeIdentity() {
	one := [1]float64{1}
	for i := range c.p.Rows() {
		c.p.SetRow(i, i, one[:])
	}
}

// rounds improves p until (S·P⁻¹)ᵀ(S·P⁻¹) is near the identity for the stack S of
// a and b, and sets p to the R factor of S; g is that Gram matrix for the p at
// hand.
func (c *cholesky) rounds(a, b blas64.General) (ok bool) {
	for range mostRounds {
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

// addGram adds WᵀW to g, or sets g to it, for W = rows·R⁻¹ with the R of solver,
// or W = rows if there is none.
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

// chunkRows returns how many rows of so many columns are worked on at a time. Bits do not
// depend on it. A chunk of many columns that fits chunkBytes would have so few rows that the
// time goes into reading and writing the Gram matrix.
func chunkRows(cols int) int {
	fit := func(bytes int) int { return bytes / 8 / (cols + simd.Lanes) &^ 7 }
	return max(64, fit(chunkBytes), min(wideChunk, fit(wideChunkBytes)))
}

// trace returns the trace of g; it is not finite if a diagonal entry of g is not. Every entry of S is in a
// sum of squares there.
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

// finish replaces g by its Cholesky factor, and multiplies p by that.
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

// precondition sets u to a Cholesky factor of g, scaled and shifted as it must
// be. It fails if a column of W is zero, or beyond the range of its square.
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
		shift = max(100*shift, leastShift*c.trace())
	}
	return false
}

// leastShift is about the relative rounding error of an entry of G.
const leastShift = 0x1p-50

// The diagonal of G is trusted within these: far enough from the smallest
// numbers that the products that were lost do not matter.
const (
	leastSquare = 0x1p-1000
	mostSquare  = 0x1p1000
)

// equilibrate scales rows and columns of g by powers of two to a diagonal between
// ¼ and 1.
func (c *cholesky) equilibrate() (ok bool) {
	for i := range c.scale {
		square := c.g.Row(i)[i]
		if !(square >= leastSquare && square <= mostSquare) {
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
