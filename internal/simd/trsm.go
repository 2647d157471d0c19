package simd

import (
	"fmt"
	"math"
	"unsafe"
)

// An UpperSolver multiplies by the inverse of an upper triangular matrix R. It processes groups of
// eight columns: the micro-kernel subtracts the contribution of the previous columns, and the group
// is then multiplied by the inverse of the 8×8 triangle on the diagonal.
//
// Solving row by row, without an inverse, is backward stable in the strong sense: each row x̂ of
// the result satisfies x̂·(R + E) = y with |E| ≤ c·ε·|R| (Higham 2002, "Accuracy and stability of
// numerical algorithms", theorem 8.5), however ill-conditioned R is. An explicit inverse V of a
// diagonal triangle D preserves that if |D||V||D| is not much larger than |D| (section 14.2 there),
// a condition that does not depend on the scaling of the rows and columns of D. V is computed row
// by row, so that V·D is close to the identity, the side that matters here. If the condition fails,
// the group is solved by substitution, which is slower and always accurate.
//
// The zero value is ready for Prepare.
type UpperSolver struct {
	r        *Padded
	above    []float64                // by group, the rows of −R above the triangle and in it, 8 lanes each
	inverses [][Lanes * Lanes]float64 // by group, of the triangles on the diagonal
	direct   []bool                   // by group: solved by substitution
}

// growthLimit bounds |D||V||D| relative to |D|, and so the error of a group relative to that of
// substitution.
const growthLimit = 64

// Diagonal entries of R must be within these bounds, so that their inverses are finite.
const (
	minPivot = 0x1p-1000
	maxPivot = 0x1p1000
)

// Prepare prepares for the upper triangle of the square matrix r, whose rows and padding must have
// been set by SetRow, with zeros below the diagonal. It reports false if a diagonal entry is not
// between 2^-1000 and 2^1000; s must not be used then. r must not change while s is used.
func (s *UpperSolver) Prepare(r *Padded) (ok bool) {
	if r.rows != r.cols {
		panic(fmt.Sprintf("simd: triangle of %d×%d", r.rows, r.cols))
	}
	for i := range r.rows {
		if d := r.Row(i)[i]; !(d >= minPivot && d <= maxPivot) {
			return false
		}
	}
	s.r = r
	if active == Go {
		return true
	}
	s.grow(wholeGroups(r.cols))
	for g := range s.direct {
		s.pack(g)
		s.direct[g] = !s.invert(g)
	}
	return true
}

func (s *UpperSolver) grow(n int) {
	if cap(s.above) < n*n {
		s.above = aligned(n * n)
		s.inverses = make([][Lanes * Lanes]float64, n/Lanes)
		s.direct = make([]bool, n/Lanes)
	}
	s.above = s.above[:n*n]
	s.inverses = s.inverses[:n/Lanes]
	s.direct = s.direct[:n/Lanes]
}

// panel returns the packed rows of group g from row k on.
func (s *UpperSolver) panel(g, k int) []float64 {
	n := len(s.direct) * Lanes
	return s.above[g*n*Lanes:][k*Lanes : (g+1)*Lanes*Lanes]
}

// pack copies the rows of −R above group g and in its triangle.
func (s *UpperSolver) pack(g int) {
	panel := s.panel(g, 0)
	for k := range min((g+1)*Lanes, s.r.rows) {
		dst, src := (*[Lanes]float64)(panel[k*Lanes:]), (*[Lanes]float64)(s.r.padded(k)[g*Lanes:])
		for l, v := range src {
			dst[l] = -v
		}
	}
}

// invert computes the inverse of the triangle of group g, extended by the identity in the padding,
// and reports whether it is as accurate as substitution.
func (s *UpperSolver) invert(g int) (good bool) {
	var d, growth [Lanes * Lanes]float64
	s.triangle(g, &d)
	v := &s.inverses[g]
	*v = [Lanes * Lanes]float64{}
	for i := range Lanes {
		v[i*Lanes+i] = 1 / d[i*Lanes+i]
		for j := i + 1; j < Lanes; j++ {
			sum := 0.0
			for k := i; k < j; k++ {
				sum += float64(v[i*Lanes+k] * d[k*Lanes+j])
			}
			v[i*Lanes+j] = -sum / d[j*Lanes+j]
		}
	}
	multiplyMagnitudes(&growth, v, &d)
	multiplyMagnitudes(&growth, &d, &growth)
	for j := range Lanes {
		most, allowed := 0.0, 0.0
		for i := range j + 1 {
			most = max(most, growth[i*Lanes+j])
			allowed = max(allowed, math.Abs(d[i*Lanes+j]))
		}
		if !(most <= growthLimit*allowed) {
			return false
		}
	}
	return true
}

// triangle copies the triangle of group g, with ones on the diagonal of the padding.
func (s *UpperSolver) triangle(g int, d *[Lanes * Lanes]float64) {
	for i := range Lanes {
		if g*Lanes+i >= s.r.rows {
			d[i*Lanes+i] = 1
			continue
		}
		copy(d[i*Lanes:(i+1)*Lanes], s.r.padded(g*Lanes + i)[g*Lanes:])
	}
}

// multiplyMagnitudes sets dst to |a||b| for upper triangular a and b. b may be dst.
func multiplyMagnitudes(dst, a, b *[Lanes * Lanes]float64) {
	for i := range Lanes {
		for j := i; j < Lanes; j++ {
			sum := 0.0
			for k := i; k <= j; k++ {
				sum += float64(math.Abs(a[i*Lanes+k]) * math.Abs(b[k*Lanes+j]))
			}
			dst[i*Lanes+j] = sum
		}
	}
}

// blockGroups is the number of groups updated together by the previous columns.
const blockGroups = 3

// Solve replaces w by W·R⁻¹, in rows·cols² operations. It panics unless w has as many columns as R.
// The padding of its rows must hold zeros, and still does afterwards.
func (s *UpperSolver) Solve(w *Padded) {
	if w.cols != s.r.cols {
		panic(fmt.Sprintf("simd: rows of length %d against a triangle of %d", w.cols, s.r.cols))
	}
	if w.rows == 0 {
		return
	}
	if active == Go {
		solveUpperGo(w, s.r)
		return
	}
	groups := len(s.direct)
	for first, last := 0, 0; first < groups; first = last {
		last = first + split(groups-first, blockGroups)
		s.subtract(w, 0, first, last)
		for g := first; g < last; g++ {
			s.subtract(w, first, g, g+1)
			s.solveGroup(w, g)
		}
	}
}

// subtract subtracts the contribution of the solved groups since to first-1 from groups first to
// last-1.
func (s *UpperSolver) subtract(w *Padded, since, first, last int) {
	if since == first {
		return
	}
	p := s.panel(first, since*Lanes)
	t := sweep{x: w.at(0, since*Lanes), xRow: w.rowBytes(), xStep: 8,
		p: unsafe.Pointer(unsafe.SliceData(p)), pGroup: uintptr(len(s.direct)) * Lanes * groupBytes, pStep: groupBytes,
		dst: w.at(0, first*Lanes), dstRow: w.rowBytes(),
		rows: w.rows, cols: (last - first) * Lanes, steps: (first - since) * Lanes, add: true}
	t.run()
}

// solveGroup multiplies group g by the inverse of its triangle. It works in place, since a tile is
// read before it is written.
func (s *UpperSolver) solveGroup(w *Padded, g int) {
	if s.direct[g] {
		s.substitute(w, g)
		return
	}
	t := sweep{x: w.at(0, g*Lanes), xRow: w.rowBytes(), xStep: 8,
		p: unsafe.Pointer(&s.inverses[g]), pGroup: groupBytes, pStep: groupBytes,
		dst: w.at(0, g*Lanes), dstRow: w.rowBytes(), rows: w.rows, cols: Lanes, steps: Lanes}
	t.run()
}

// substitute solves group g by substitution.
func (s *UpperSolver) substitute(w *Padded, g int) {
	var d [Lanes * Lanes]float64
	s.triangle(g, &d)
	for i := range w.rows {
		x := (*[Lanes]float64)(w.padded(i)[g*Lanes:])
		for j := range Lanes {
			sum := x[j]
			for k := range j {
				sum -= float64(x[k] * d[k*Lanes+j])
			}
			x[j] = sum / d[j*Lanes+j]
		}
	}
}

// solveUpperGo is Solve by substitution in plain Go. It rounds every product.
func solveUpperGo(w, r *Padded) {
	for i := range w.rows {
		x := w.Row(i)
		for k := range x {
			v := x[k] / r.Row(k)[k]
			x[k] = v
			rest := x[k+1:]
			for j, a := range r.Row(k)[k+1:] {
				rest[j] -= float64(v * a)
			}
		}
	}
}
