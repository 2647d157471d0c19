package lowrank

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// A sample tells little of a matrix that few rows carry: it meets too many of them or too few.
// Then the estimate is given with a doubt.

// fewCarriers is below how many drawn rows, carrying all that the drawn rows carry, an estimate
// is doubted: sums over rows that are drawn like these are off by a third and more.
const fewCarriers = 10

// doubtedShare is how much of all squares drawn rows must carry for their number to matter.
const doubtedShare = 0.05

// carriers returns how many drawn rows of one side carry what the drawn rows carry of the
// squares of the block (Kish 1965, the effective size of a sample); the number of rows if that
// is little beside the landmarks, which stand for themselves.
func (b *sampledBlock) carriers() float64 {
	left, right := make([]float64, b.m.Rows), make([]float64, b.m.Cols)
	for _, d := range b.diagonal {
		b.m.Data[d.i*b.m.Stride+d.j] = 0
		v := d.value * d.value * math.Sqrt(b.left.weight(d.i)*b.right.weight(d.j))
		left[d.i] += v
		right[d.j] += v
	}
	for i := range b.m.Rows {
		for j, v := range dense.Row(b.m, i) {
			left[i] += v * v
			right[j] += v * v
		}
	}
	b.placeDiagonal()
	return math.Min(effective(left, b.left.known), effective(right, b.right.known))
}

// effective returns by how many of the numbers after the known ones their sum is carried.
func effective(squares []float64, known int) float64 {
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
	if !(drawn > doubtedShare*sum) {
		return float64(len(squares))
	}
	return drawn * drawn / drawnSquares
}

// unmet returns the largest part of a value, of the model or on the diagonal, whose vector is
// in rows that the sample has not met. The columns of U are orthonormal, so that the squares of what was met
// should add up to 1, up to four standard errors of that sum.
func (s *sampleSide) unmet(values []float64, largest float64) float64 {
	most, w := 0.0, s.of/float64(s.held())
	for j, v := range values {
		var known, drawn, squares float64
		for i := range s.u.Rows {
			u := s.u.Data[i*s.u.Stride+j]
			if u *= u; i < s.known {
				known += u
			} else {
				drawn, squares = drawn+u, squares+u*u
			}
		}
		spread := math.Max(0, squares-drawn*drawn/float64(s.held())) * s.unseen()
		if unmet := 1 - known - w*drawn - 4*w*math.Sqrt(spread); unmet > 1e-6 {
			most = math.Max(most, math.Max(math.Abs(v), largest)*unmet)
		}
	}
	return most
}

// nearlyDiagonal reports whether next to all that was drawn of A is on its diagonal. Rows that
// are near to one another are then few, and a sample meets no two of them.
func (b *sampledBlock) nearlyDiagonal() bool {
	var on, all float64
	for _, d := range b.diagonal {
		if b.drawn(d) {
			v := b.m.Data[d.i*b.m.Stride+d.j]
			on += v * v
		}
	}
	for i := b.left.known; i < b.m.Rows; i++ {
		row := dense.Row(b.m, i)[b.right.known:]
		all += dense.Dot(row, row)
	}
	return on > 0.95*all // the diagonal is not weighed
}

// doubts returns sentences on why the estimate of an error, rest in the spectral norm, may be
// too low, or nil. ofMatrix and ofRest are the carriers of A and of A − Â.
func (b *sampledBlock) doubts(m *Model, ofMatrix, ofRest, rest float64, diagonal bool) []string {
	rows := min(b.left.held(), b.right.held())
	if rows < fewCarriers || b.left.unseen()+b.right.unseen() == 0 {
		return nil
	}
	what, few := "the error", ofRest
	if ofRest >= fewCarriers {
		what, few = "the matrix", ofMatrix
	}
	if few < fewCarriers {
		return []string{fmt.Sprintf("the error estimate may be too low: about %.0f of %d sampled rows carry most of %s; verify measures it", math.Max(1, few), rows, what)}
	}
	if diagonal {
		return []string{"the error estimate may be too low: next to all that was sampled of the matrix is its diagonal, and rows that are near to one another were not met; verify measures it"}
	}
	if s := m.Left.Signs; s != nil && len(m.Values) > 0 && len(m.Values) <= s.Cols/2 && rest > 1e-8*math.Abs(m.Values[0]) {
		return []string{fmt.Sprintf("the error estimate may be too low: the landmarks are alike and make %d of %d columns, and what misses from the matrix is of rows unlike them; verify measures it", len(m.Values), s.Cols)}
	}
	unmet := b.left.unmet(m.Values, b.largest)
	if b.right != b.left {
		unmet = math.Max(unmet, b.right.unmet(m.Values, b.largest))
	}
	if unmet > rest {
		return []string{"the error estimate may be too low: rows that no sample has met carry a part of the model beside which the error of the others is small; verify measures it"}
	}
	return nil
}
