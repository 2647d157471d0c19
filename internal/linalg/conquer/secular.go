package conquer

import "math"

// Secular is the equation whose roots are the eigenvalues of diag(p) + ρ·z·zᵀ,
//
//	1 + ρ·Σ_i z_i²/(p_i − λ) = 0,
//
// with poles p = D or, if Squares is set, p = D² with D ≥ 0; the roots are then squares of singular
// values. D must be ascending without close values, ρ > 0, and no z_i small. There is one root
// between each pole and the next, and one above the last.
type Secular struct {
	Rho     float64
	D, Z    []float64
	Squares bool
}

// gap returns p_i − p_j, to nearly full relative accuracy.
func (m *Secular) gap(i, j int) float64 {
	if m.Squares {
		return (m.D[i] - m.D[j]) * (m.D[i] + m.D[j])
	}
	return m.D[i] - m.D[j]
}

// value returns the eigenvalue p_i + x, or its square root if Squares is set.
func (m *Secular) value(i int, x float64) float64 {
	d := m.D[i]
	if m.Squares {
		return d + x/(d+math.Sqrt(d*d+x))
	}
	return d + x
}

// Roots finds all roots and sets row j of gaps to p_i − λ_j. It returns λ or, if Squares is set,
// √λ.
func (m *Secular) Roots(gaps Rows) []float64 {
	values := make([]float64, len(m.D))
	for j := range values {
		values[j] = m.root(j, gaps.Row(j))
	}
	return values
}

// Exact returns the z for which the computed roots are exact, up to the factor √ρ and with the
// signs of Z: ρ·z_i² = Π_j (λ_j − p_i) / Π_{j≠i} (p_j − p_i). Vectors computed from it are
// orthogonal however close the roots are (Gu & Eisenstat 1994, "A stable and efficient algorithm
// for the rank-one modification of the symmetric eigenproblem").
func (m *Secular) Exact(gaps Rows) []float64 {
	z := make([]float64, len(m.D))
	for i := range z {
		z[i] = -gaps.Row(i)[i]
	}
	for j := range z {
		row := gaps.Row(j)
		for i := range z {
			if i != j {
				z[i] *= row[i] / m.gap(i, j)
			}
		}
	}
	for i, v := range z {
		z[i] = math.Copysign(math.Sqrt(math.Max(0, v)), m.Z[i])
	}
	return z
}

// Solve returns all roots, like Roots, and sets the rows of mix to the normalised vectors (z_i/(p_i
// − λ_j))_i for the exact z, with coordinates in the given order. visit, if not nil, may inspect
// and change each vector before it is normalised.
func (m *Secular) Solve(mix Rows, order []int, visit func(j int, vector []float64)) []float64 {
	values := m.Roots(mix)
	z := m.Exact(mix)
	vector := make([]float64, len(z))
	for j := range values {
		gaps := mix.Row(j)
		for i, gap := range gaps {
			vector[i] = z[i] / gap
		}
		Normalised(gaps, vector, order)
		if visit != nil {
			visit(j, vector)
		}
	}
	return values
}

// Normalised stores the vector divided by its norm in dst, with coordinates in the given order.
func Normalised(dst, vector []float64, order []int) {
	square := 0.0
	for _, v := range vector {
		square += v * v
	}
	norm := math.Sqrt(square)
	for at, i := range order {
		dst[at] = vector[i] / norm
	}
}

const secularRounds = 200 // 3 to 6 rounds are typical

// root finds root j and sets gaps to p_i − λ_j, each to nearly full relative accuracy. It computes
// the distance from the nearer pole, by rational interpolation with a pole on either side (Bunch,
// Nielsen & Sorensen 1978, "Rank-one modification of the symmetric eigenproblem") inside a
// shrinking bracket.
func (m *Secular) root(j int, gaps []float64) float64 {
	if len(m.D) == 1 {
		x := m.Rho * m.Z[0] * m.Z[0]
		gaps[0] = -x
		return m.value(0, x)
	}
	s := m.start(j)
	for i := range gaps {
		gaps[i] = m.gap(i, s.origin)
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
	return m.value(s.origin, s.x)
}

// search is the state of the search for a root: x above pole origin, between low and high.
type search struct {
	origin    int
	left      int // the poles of the interpolation are left and left+1
	x         float64
	low, high float64
}

// start finds the pole nearer to a root, and an initial guess that evaluates the other poles at the
// middle of the interval.
func (m *Secular) start(j int) search {
	k := len(m.D)
	if j == k-1 {
		// The root is at most ρ·‖z‖² above the last pole.
		square := 0.0
		for _, z := range m.Z {
			square += z * z
		}
		s := search{origin: j, left: j - 1, high: m.Rho * square * (1 + 4*Epsilon*float64(k))}
		s.x = s.high / 2
		return s
	}
	width := m.gap(j+1, j)
	half := width / 2
	others := 1.0
	for i, z := range m.Z {
		if i != j && i != j+1 {
			others += m.Rho * z * z / (m.gap(i, j) - half)
		}
	}
	here, next := m.Rho*m.Z[j]*m.Z[j], m.Rho*m.Z[j+1]*m.Z[j+1]
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

// value is the value of the secular function at a point. The sums over the poles to its left and to
// its right, and their derivatives, are kept separately.
type value struct {
	sum            float64
	below, above   float64
	dBelow, dAbove float64
	rounding       float64 // rounding error of sum
}

// at evaluates the function at x above the origin of gaps. Poles up to index left count as below.
func (m *Secular) at(x float64, left int, gaps []float64) value {
	var v value
	sums := func(z, gaps []float64) (sum, derivative float64) {
		for i, z := range z {
			t := z / (gaps[i] - x)
			sum += z * t
			derivative += t * t
		}
		return m.Rho * sum, m.Rho * derivative
	}
	v.below, v.dBelow = sums(m.Z[:left+1], gaps[:left+1])
	v.above, v.dAbove = sums(m.Z[left+1:], gaps[left+1:])
	v.sum = 1 + v.below + v.above
	v.rounding = 2 * Epsilon * (1 + 8*(math.Abs(v.below)+math.Abs(v.above)) + math.Abs(x)*(v.dBelow+v.dAbove))
	return v
}

// step returns the distance to the root of the interpolation c + s/(p−x) + S/(q−x), where p and q
// are the distances of the poles. last reports that the root lies above both.
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

// quadratic returns the root of c·x² − a·x + b that lies between the poles.
func quadratic(c, a, b float64) float64 {
	root := math.Sqrt(math.Max(0, a*a-4*b*c))
	if a <= 0 {
		return (a - root) / (2 * c)
	}
	return 2 * b / (a + root)
}
