package symeig

import "math"

// secular is the equation whose roots are the eigenvalues of diag(d) + ρ·z·zᵀ,
//
//	1 + ρ·Σ_i z_i²/(d_i − λ) = 0,
//
// d ascending and no two of them close, ρ > 0, no z_i small: a root between each
// d_j and the next, and one above the last.
type secular struct {
	rho  float64
	d, z []float64
}

func newSecular(rho float64, d, z []float64, kept []int) *secular {
	m := &secular{rho: rho, d: make([]float64, len(kept)), z: make([]float64, len(kept))}
	for i, k := range kept {
		m.d[i], m.z[i] = d[k], z[k]
	}
	return m
}

// solve finds all roots and their vectors: row j of mix, whose columns are in the
// order given. The vectors are those of the matrix with the same d whose eigenvalues
// are exactly the roots as they were found (Gu & Eisenstat 1994, "A stable and
// efficient algorithm for the rank-one modification of the symmetric eigenproblem"),
// so that they are orthogonal however close roots are.
func (m *secular) solve(mix rows, order []int) []float64 {
	k := len(m.d)
	values := make([]float64, k)
	if k == 1 {
		values[0] = m.d[0] + m.rho*m.z[0]*m.z[0]
		mix.row(0)[0] = 1
		return values
	}
	for j := range k {
		values[j] = m.root(j, mix.row(j)) // d_i − λ_j
	}
	z := m.exact(mix)
	vector := make([]float64, k)
	for j := range k {
		square := 0.0
		gaps := mix.row(j)
		for i, gap := range gaps {
			vector[i] = z[i] / gap
			square += vector[i] * vector[i]
		}
		norm := math.Sqrt(square)
		for at, i := range order {
			gaps[at] = vector[i] / norm
		}
	}
	return values
}

// exact is the z for which the roots are exact: ρ·z_i² = Π_j (λ_j − d_i) / Π_{j≠i}
// (d_j − d_i), up to ρ, which does not matter, with the signs of z. Rows of gaps are
// d − λ_j.
func (m *secular) exact(gaps rows) []float64 {
	k := len(m.d)
	z := make([]float64, k)
	for i := range z {
		z[i] = -gaps.row(i)[i]
	}
	for j, dj := range m.d {
		row := gaps.row(j)
		for i, di := range m.d {
			if i != j {
				z[i] *= row[i] / (di - dj)
			}
		}
	}
	for i, v := range z {
		z[i] = math.Copysign(math.Sqrt(math.Max(0, v)), m.z[i])
	}
	return z
}

const secularRounds = 200 // far more than ever: 3 to 6 are the rule

// root finds root j, and fills gaps with d_i − λ_j, each to nearly full relative
// accuracy: it looks for the distance from the nearer of the d beside the root.
// Rational interpolation with a pole on either side (Bunch, Nielsen & Sorensen 1978,
// "Rank-one modification of the symmetric eigenproblem"), inside a bracket that
// shrinks.
func (m *secular) root(j int, gaps []float64) float64 {
	s := m.start(j)
	for i, d := range m.d {
		gaps[i] = d - m.d[s.origin]
	}
	left, right := gaps[s.left], gaps[s.left+1]
	for range secularRounds {
		v := m.at(s.x, s.left, gaps)
		if math.Abs(v.sum) <= v.rounding {
			break
		}
		if v.sum < 0 {
			s.low = s.x
		} else {
			s.high = s.x
		}
		next := s.x + v.step(left-s.x, right-s.x, j > s.left)
		if !(next > s.low && next < s.high) {
			next = s.low + (s.high-s.low)/2
		}
		if next == s.x || !(next > s.low && next < s.high) {
			break
		}
		s.x = next
	}
	for i := range gaps {
		gaps[i] -= s.x
	}
	return m.d[s.origin] + s.x
}

// search is where a root is looked for: x above d[origin], between low and high.
type search struct {
	origin    int
	left      int // the poles of the interpolation are d[left] and d[left+1]
	x         float64
	low, high float64
}

// start finds the nearer of the poles beside a root, and a first guess that takes
// all others as they are in the middle of the interval.
func (m *secular) start(j int) search {
	k := len(m.d)
	if j == k-1 {
		// The root is at most ρ·‖z‖² above the last pole.
		square := 0.0
		for _, z := range m.z {
			square += z * z
		}
		s := search{origin: j, left: j - 1, high: m.rho * square * (1 + 4*epsilon*float64(k))}
		s.x = s.high / 2
		return s
	}
	width := m.d[j+1] - m.d[j]
	half := width / 2
	others := 1.0
	for i, d := range m.d {
		if i != j && i != j+1 {
			others += m.rho * m.z[i] * m.z[i] / ((d - m.d[j]) - half)
		}
	}
	here, next := m.rho*m.z[j]*m.z[j], m.rho*m.z[j+1]*m.z[j+1]
	s := search{origin: j, left: j, high: half}
	a, b := others*width+here+next, here*width
	if others-here/half+next/half < 0 { // the root is in the upper half
		s = search{origin: j + 1, left: j, low: -half}
		a, b = -others*width+here+next, -next*width
	}
	s.x = quadratic(others, a, b)
	if !(s.x > s.low && s.x < s.high) {
		s.x = s.low + (s.high-s.low)/2
	}
	return s
}

// value is the secular function at a point in two sums, over the poles to its left
// and over those to its right, with their derivatives.
type value struct {
	sum            float64
	below, above   float64
	dBelow, dAbove float64
	rounding       float64 // of sum
}

// at evaluates the function at x above the origin of gaps; poles up to the given one
// are below.
func (m *secular) at(x float64, left int, gaps []float64) value {
	var v value
	sums := func(z, gaps []float64) (sum, derivative float64) {
		for i, z := range z {
			t := z / (gaps[i] - x)
			sum += z * t
			derivative += t * t
		}
		return m.rho * sum, m.rho * derivative
	}
	v.below, v.dBelow = sums(m.z[:left+1], gaps[:left+1])
	v.above, v.dAbove = sums(m.z[left+1:], gaps[left+1:])
	v.sum = 1 + v.below + v.above
	v.rounding = 2 * epsilon * (1 + 8*(math.Abs(v.below)+math.Abs(v.above)) + math.Abs(x)*(v.dBelow+v.dAbove))
	return v
}

// step is how far away the root of the interpolation c + s/(p−x) + S/(q−x) is, p and
// q the distances of the poles; last says that it lies above both.
func (v value) step(p, q float64, last bool) float64 {
	c := v.sum - v.dBelow*p - v.dAbove*q
	a := (p+q)*v.sum - p*q*(v.dBelow+v.dAbove)
	b := p * q * v.sum
	if last {
		root := math.Sqrt(math.Max(0, a*a-4*b*c))
		if a >= 0 {
			return (a + root) / (2 * c)
		}
		return 2 * b / (a - root)
	}
	return quadratic(c, a, b)
}

// quadratic is the root of c·x² − a·x + b between the poles.
func quadratic(c, a, b float64) float64 {
	root := math.Sqrt(math.Max(0, a*a-4*b*c))
	if a <= 0 {
		return (a - root) / (2 * c)
	}
	return 2 * b / (a + root)
}
