package lowrank

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/matrix"
)

// If few rows carry most of a matrix, a sample has too many or too few of them. A warning then reports that the
// estimate may be too low.

// leastEffective is the effective sample size below which a fit warns: sums over such samples are off by a third or
// more.
const leastEffective = 10

// relevantShare is the fraction of all squares in drawn rows above which their number matters.
const relevantShare = 0.05

// effectiveSize returns the effective sample size of the two sides by the squares of the block (Kish 1965), the smaller
// of the two. It is the number of rows if drawn rows carry little relative to the landmarks, which have weight 1.
func (b *sampledBlock) effectiveSize() float64 {
	left, right := make([]float64, b.m.Rows), make([]float64, b.m.Cols)
	for _, d := range b.diagonal {
		b.m.Data[d.i*b.m.Stride+d.j] = 0
		v := d.value * d.value * math.Sqrt(b.left.weight(d.i)*b.right.weight(d.j))
		left[d.i] += v
		right[d.j] += v
	}
	for i := range b.m.Rows {
		for j, v := range matrix.Row(b.m, i) {
			left[i] += v * v
			right[j] += v * v
		}
	}
	b.placeDiagonal()
	return math.Min(effectiveSize(left, b.left.landmarks), effectiveSize(right, b.right.landmarks))
}

// effectiveSize returns the effective size of the numbers after the first known ones.
func effectiveSize(squares []float64, known int) float64 {
	largest := 0.0
	for _, v := range squares {
		largest = math.Max(largest, v)
	}
	var sum, drawn, drawnSquares float64
	for i, v := range squares {
		if v /= largest; i >= known {
			drawn, drawnSquares = drawn+v, drawnSquares+v*v
		}
		sum += v
	}
	if !(drawn > relevantShare*sum) {
		return float64(len(squares))
	}
	return drawn * drawn / drawnSquares
}

// missedMass returns the largest part of a value, of the model or on the diagonal, whose vector is mostly outside the
// sample. The columns of U are orthonormal: their squares in the sample, scaled up, should sum to 1 within four
// standard errors.
func (s *sampleSide) missedMass(values []float64, largest float64) float64 {
	most, w := 0.0, s.represented/float64(s.held())
	for j, v := range values {
		var known, drawn, squares float64
		for i := range s.u.Rows {
			u := s.u.Data[i*s.u.Stride+j]
			if u *= u; i < s.landmarks {
				known += u
			} else {
				drawn, squares = drawn+u, squares+u*u
			}
		}
		spread := math.Max(0, squares-drawn*drawn/float64(s.held())) * s.unseen()
		if missed := 1 - known - w*drawn - 4*w*math.Sqrt(spread); missed > 1e-6 {
			most = math.Max(most, math.Max(math.Abs(v), largest)*missed)
		}
	}
	return most
}

// warnings returns reasons why the estimate of an error, rest in the spectral norm, may be too low, or nil. ofMatrix
// and ofRest are the effective sizes for A and for A − Â.
func (b *sampledBlock) warnings(m *Model, ofMatrix, ofRest, rest float64) []string {
	rows := min(b.left.held(), b.right.held())
	if rows < leastEffective || b.left.unseen()+b.right.unseen() == 0 {
		return nil
	}
	what, few := "the error", ofRest
	if ofRest >= leastEffective {
		what, few = "the matrix", ofMatrix
	}
	if few < leastEffective {
		return []string{fmt.Sprintf("the error estimate may be too low: about %.0f of %d sampled rows carry most of %s; verify measures it", math.Max(1, few), rows, what)}
	}
	if s := m.Left.Signs; s != nil && len(m.Values) > 0 && len(m.Values) <= s.Cols/2 && rest > 1e-8*math.Abs(m.Values[0]) {
		return []string{fmt.Sprintf("the error estimate may be too low: landmarks are nearly duplicates (rank %d of %d); verify measures it", len(m.Values), s.Cols)}
	}
	missed := b.left.missedMass(m.Values, b.largest)
	if b.right != b.left {
		missed = math.Max(missed, b.right.missedMass(m.Values, b.largest))
	}
	if missed > rest {
		return []string{"the error estimate may be too low: rows outside the sample carry more of the model than the estimated error; verify measures it"}
	}
	return nil
}
