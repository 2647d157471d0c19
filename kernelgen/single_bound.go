package kernelgen

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// The bound of the error of a tile in float32 follows the data. Each base is
// somewhere in an interval, worked out from the lengths of the two rows by the
// usual analysis of sums (Higham 2002, §3.1 and §4.2) with u = 2⁻²⁴: to first
// order
//
//	r²     ± 2r·u·(|x−c| + |y−c|) + (d+4)·u·r²
//	Σ|·|   ± u·(|x−c|₁ + |y−c|₁) + (d+2)·u·Σ|·|
//	x·y    ± (d+3)·u·|x|·|y|
//	cosine ± (d+3)·u
//	KL     exact: computed in float64
//
// and what underflows. The kernel is evaluated at both ends of each interval (at
// the corners, if there are several bases), and what it differs by is the bound,
// with the rounding of the profile and of the entry. That is the truth for
// kernels that rise or fall with each base; for one that turns within an interval
// it is so to first order.

// unit32 is the relative rounding of float32, a little widened so that the
// rounding of the bound itself is covered, and tiny32 bounds what underflows.
const (
	unit32 = 0x1p-24 * (1 + 0x1p-20)
	tiny32 = 0x1p-149
)

// growth returns the largest relative error of n roundings, one after the other.
func growth(n int) float64 {
	nu := float64(n) * unit32
	if nu >= 0.5 {
		return math.Inf(1)
	}
	return nu / (1 - nu)
}

// SingleBounds bounds the errors of tiles in float32 whose columns belong to the
// same rows. One goroutine owns it.
type SingleBounds struct {
	kernel Kernel
	bases  baseSet
	fused  *atom // nil if the profile is applied in float64
	panel  *Panel
	centre []float64
	right  [numBases][]float64 // sizes of the rows of the columns
	left   [numBases][]float64 // of the strip at hand
	work   Workspace
}

// SingleBounds prepares the bounds of the tiles that [Kernel.FillSingle] makes
// with a panel of rows and a centre. It panics if the kernel is not resolved or is
// normalised by its row sums.
func (k Kernel) SingleBounds(rows blas64.General, centre []float64) *SingleBounds {
	k.checkReady()
	if centre == nil {
		centre = make([]float64, rows.Cols)
	}
	b := &SingleBounds{kernel: k, bases: k.bases(), fused: k.fusedSingle(), panel: k.Pack(rows), centre: centre}
	for base := range numBases {
		b.right[base] = rowSizes(nil, base, rows, centre)
	}
	return b
}

// Fill sets entry[i,j] = k(x_i, p_j), in float64, and bound[i,j] to a bound of
// what that of FillSingle differs from it by: +Inf where float32 cannot hold what
// is needed. It holds for the pairs of rows that it is given and says nothing of
// others, but that those nearer to the centre have smaller intervals.
//
// It panics as Fill does. The cost is that of 4 tiles in float64, and twice that
// for every base after the first.
func (s *SingleBounds) Fill(bound, entry, x blas64.General) {
	s.kernel.checkFill(bound, x, s.panel)
	s.kernel.checkFill(entry, x, s.panel)
	for i := 0; i < x.Rows; i += blockRows {
		to := min(i+blockRows, x.Rows)
		s.strip(rowRange(bound, i, to), rowRange(entry, i, to), rowRange(x, i, to))
	}
}

// strip bounds a tile of at most blockRows rows, piece by piece.
func (s *SingleBounds) strip(bounds, entries, x blas64.General) {
	for base := range numBases {
		s.left[base] = rowSizes(s.left[base], base, x, s.centre)
	}
	left := leftSide(s.bases, x, &s.work)
	for j := 0; j < s.panel.rows; j += blockCols {
		to := min(j+blockCols, s.panel.rows)
		n := to - j
		var b bound
		for base := range s.bases.each {
			b[base] = s.work.base(base, x.Rows*n)
			fillBase(base, dense(b[base], x.Rows, n), left[base], s.panel.side(base).Slice(j, to))
		}
		s.piece(bounds, entries, j, to, &b)
	}
}

// piece bounds the columns from ≤ j < to of a strip with the given bases.
func (s *SingleBounds) piece(bounds, entries blas64.General, from, to int, b *bound) {
	w, n := &s.work, to-from
	entry, total := w.take(bounds.Rows*n), w.take(bounds.Rows*n)
	evalTerms(entry, s.kernel.terms, b, w)
	for i, v := range entry {
		total[i] = s.rounding() * math.Abs(v)
	}
	s.addDeviation(total, entry, b, from, n)
	for i, v := range entry {
		total[i] = finished(total[i], v)
	}
	for i := range bounds.Rows {
		copy(simd.Row(bounds, i)[from:to], total[i*n:])
		copy(simd.Row(entries, i)[from:to], entry[i*n:])
	}
	w.give(entry)
	w.give(total)
}

// finished adds what underflows, and makes infinite what float32 cannot hold.
func finished(total, entry float64) float64 {
	total = total*(1+0x1p-6) + 0x1p-126
	if !(total+math.Abs(entry) <= math.MaxFloat32) {
		return math.Inf(1)
	}
	return total
}

// rounding returns the relative error of a profile in float32, and of the entry.
func (s *SingleBounds) rounding() float64 {
	if s.fused == nil {
		return unit32
	}
	_, value := s.fused.profile.fused.Rounding32(1)
	return value + unit32
}

// addDeviation adds by how much the kernel differs at the corners of the box
// that the bases are in, for n columns from column j on.
func (s *SingleBounds) addDeviation(total, entry []float64, b *bound, j, n int) {
	w := &s.work
	var ends [2]bound
	for base := range s.bases.each {
		low, high := w.take(len(entry)), w.take(len(entry))
		for i, v := range b[base] {
			low[i], high[i] = s.interval(base, v, s.left[base][i/n], s.right[base][j+i%n])
		}
		ends[0][base], ends[1][base] = low, high
	}
	worst, value := w.take(len(entry)), w.take(len(entry))
	clear(worst)
	for corner := range s.bases.corners {
		for base, end := range corner {
			b[base] = ends[end][base]
		}
		evalTerms(value, s.kernel.terms, b, w)
		for i, v := range value {
			worst[i] = max(worst[i], math.Abs(v-entry[i])) // NaN stays NaN
		}
	}
	for i, v := range worst {
		total[i] += v
	}
	for base := range s.bases.each {
		addNaN(total, ends[0][base])
		w.give(ends[0][base])
		w.give(ends[1][base])
	}
	w.give(worst)
	w.give(value)
}

// corners yields the corners of a box with an interval for each base of the set:
// 0 for its lower end, 1 for the upper one.
func (s baseSet) corners(yield func([numBases]int) bool) {
	var corner [numBases]int
	for {
		if !yield(corner) {
			return
		}
		b := 0
		for b < len(corner) && (!s[b] || corner[b] == 1) {
			corner[b] = 0
			b++
		}
		if b == len(corner) {
			return
		}
		corner[b] = 1
	}
}

// addNaN makes NaN of the totals whose rows do not fit, which a user's function
// may hide.
func addNaN(total, low []float64) {
	for i, v := range low {
		if v != v {
			total[i] = v
		}
	}
}

// interval returns where the base v of rows of the given sizes lies in float32, with
// the rounding of the argument of a profile that is applied in registers.
func (s *SingleBounds) interval(base Base, v, x, y float64) (low, high float64) {
	low, high = base.interval(v, x, y, s.panel.cols)
	if s.fused != nil {
		low, high = low-s.argument(low), high+s.argument(high)
	}
	return max(base.spec().least, low), min(base.spec().most, high)
}

// argument returns by how much the rounding of a profile moves its argument v.
func (s *SingleBounds) argument(v float64) float64 {
	if v-v != 0 {
		return 0
	}
	argument, _ := s.fused.profile.fused.Rounding32(v)
	return argument
}

// interval returns where the base v of rows of d columns lies when it is computed in
// float32: infinite where it may overflow, NaN if the rows themselves do.
func (b Base) interval(v, x, y float64, d int) (low, high float64) {
	s := b.spec()
	if s.form == inDouble {
		return v, v
	}
	if !(x <= math.MaxFloat64 && y <= math.MaxFloat64) {
		return math.NaN(), math.NaN()
	}
	if s.form == centred && v == 0 {
		return 0, 0 // equal rows, or below 1e-146 and rounded to equal ones
	}
	low, high = s.interval(v, x, y, d)
	return saturated(low), saturated(high)
}

func squaredInterval(v, x, y float64, d int) (low, high float64) {
	r, under := math.Sqrt(v), tiny32*float64(d)
	e := unit32*(x+y) + math.Sqrt(float64(d))*tiny32
	low, high = max(0, r-e), r+e
	return low*low*(1-growth(d+3)) - under, high*high*(1+growth(d+3)) + under
}

func absoluteInterval(v, x, y float64, d int) (low, high float64) {
	e := unit32*(x+y) + 2*tiny32*float64(d)
	return (v - e) * (1 - growth(d+1)), (v + e) * (1 + growth(d+1))
}

func productInterval(v, x, y float64, d int) (low, high float64) {
	n := float64(d)
	e := growth(d+3)*x*y + math.Sqrt(n)*tiny32*(x+y) + tiny32*n
	return v - e, v + e
}

// saturated returns v as float32 has it when it is too large.
func saturated(v float64) float64 {
	switch {
	case v > math.MaxFloat32:
		return math.Inf(1)
	case v < -math.MaxFloat32:
		return math.Inf(-1)
	}
	return v
}

// rowSizes puts into sizes the sizes of rows that the bound of a base asks for.
func rowSizes(sizes []float64, b Base, x blas64.General, centre []float64) []float64 {
	sizes = sizes[:0]
	for i := range x.Rows {
		size := 0.0
		if s := b.spec(); s.form != inDouble {
			size = s.size(simd.Row(x, i), centre)
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// length32 returns ‖x‖ of a row that float32 can hold.
func length32(x, _ []float64) float64 {
	return size32(x, nil, func(v float64) float64 { return v * v }, math.Sqrt)
}

// centredLength32 returns ‖x − centre‖.
func centredLength32(x, centre []float64) float64 {
	return size32(x, centre, func(v float64) float64 { return v * v }, math.Sqrt)
}

// centredSum32 returns Σ|x − centre|.
func centredSum32(x, centre []float64) float64 {
	return size32(x, centre, math.Abs, func(v float64) float64 { return v })
}

// size32 returns norm(Σ of(x−centre)), +Inf if a number is beyond the range of float32. The
// squares of others do not overflow.
func size32(x, centre []float64, of, norm func(float64) float64) float64 {
	size := 0.0
	for k, v := range x {
		if centre != nil {
			v -= centre[k]
		}
		if !(math.Abs(v) <= math.MaxFloat32) {
			return math.Inf(1)
		}
		size += of(v)
	}
	return norm(size)
}
