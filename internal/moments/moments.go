// Package moments accumulates means and variances of numbers whose squares may be out of range.
package moments

import "math"

// Moments holds the weight, the mean and the sum of squared deviations of numbers. The zero value
// is empty.
type Moments struct {
	Weight float64
	Mean   float64
	M2     float64 // weighted sum of squares about the mean, in units of Unit²
	Unit   float64 // a power of two; 0 before the first nonzero number
}

// Add adds a number with a positive weight (Welford 1962).
func (m *Moments) Add(v, w float64) {
	m.Weight += w
	delta := v - m.Mean
	m.Mean += delta * w / m.Weight
	m.adaptUnit(delta)
	if m.Unit > 0 {
		m.M2 += w * (delta / m.Unit) * ((v - m.Mean) / m.Unit)
	}
}

// Merge adds the numbers in o (Chan, Golub & LeVeque 1983).
func (m *Moments) Merge(o Moments) {
	if o.Weight == 0 {
		return
	}
	n := m.Weight + o.Weight
	delta := o.Mean - m.Mean
	m.Mean += delta * (o.Weight / n)
	m.raiseUnit(o.Unit)
	m.adaptUnit(delta)
	if m.Unit > 0 {
		by := o.Unit / m.Unit
		delta /= m.Unit
		m.M2 += o.M2*by*by + delta*delta*(m.Weight/n)*o.Weight
	}
	m.Weight = n
}

// Deviation returns the standard deviation, NaN without numbers.
func (m *Moments) Deviation() float64 { return math.Sqrt(m.M2/m.Weight) * m.Unit }

// The unit stays 1 while numbers are within these bounds; beyond them squares would overflow or
// underflow.
const (
	minUnit = 0x1p-300
	maxUnit = 0x1p300
)

// adaptUnit adapts the unit to a difference, unless the difference is small relative to the current unit.
func (m *Moments) adaptUnit(delta float64) {
	switch size := math.Abs(delta); {
	case size == 0 || size-size != 0 || m.Unit > 0 && size <= maxUnit*m.Unit: // 0, or not finite
	case size < minUnit || size > maxUnit:
		_, exponent := math.Frexp(size)
		m.raiseUnit(math.Ldexp(1, exponent-1))
	default:
		m.raiseUnit(1)
	}
}

// raiseUnit raises the unit to at least the given one, and rescales M2.
func (m *Moments) raiseUnit(unit float64) {
	if unit > m.Unit {
		by := m.Unit / unit
		m.Unit, m.M2 = unit, m.M2*by*by
	}
}
