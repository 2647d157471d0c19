package kernelgen

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/rounding"
	"github.com/nystream/nystream/internal/simd"
)

// medianRows is the largest number of rows whose pairs enter a median.
const medianRows = 1000

// sample holds the rows from which words such as gamma=scale are resolved.
type sample struct {
	rows blas64.General
	// medians caches medians by the name of the distance.
	medians map[string]float64
	// notes report numbers substituted for words that the rows do not determine.
	notes []string
}

func newSample(rows blas64.General) *sample {
	return &sample{rows: withoutRounding(rows), medians: map[string]float64{}}
}

// withoutRounding returns the rows, with columns that are constant up to rounding made exactly constant. rows is not
// changed.
func withoutRounding(rows blas64.General) blas64.General {
	copied := false
	for j := range rows.Cols {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range rows.Rows {
			v := matrix.Row(rows, i)[j]
			low, high = min(low, v), max(high, v)
		}
		if !rounding.Equal(low, high) || low == high {
			continue
		}
		if !copied {
			rows, copied = matrix.Clone(rows), true
		}
		for i := range rows.Rows {
			matrix.Row(rows, i)[j] = low
		}
	}
	return rows
}

// check returns an error if the sample has no rows or columns, or a value that is not finite.
func (s *sample) check() error {
	if s.rows.Cols == 0 {
		return errors.New("the rows have no columns")
	}
	for i := range s.rows.Rows {
		for j, v := range matrix.Row(s.rows, i) {
			if !matrix.IsFinite(v) {
				return fmt.Errorf("row %d, column %d of the sample is %v", i, j, v)
			}
		}
	}
	if s.rows.Rows == 0 {
		return errors.New("the sample has no rows, which gives no scale")
	}
	return nil
}

// note adds a note unless it is there already.
func (s *sample) note(text string) {
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// noScale returns 1 with a note: equal rows determine no scale.
func (s *sample) noScale() float64 {
	s.note("all rows of the sample are equal, which gives no scale: the kernel has 1 in its place")
	return 1
}

// distinct reports whether at least two rows differ.
func (s *sample) distinct() bool {
	for i := 1; i < s.rows.Rows; i++ {
		if !slices.Equal(matrix.Row(s.rows, 0), matrix.Row(s.rows, i)) {
			return true
		}
	}
	return false
}

// inverseVariance returns 1/(d·Var), Var the variance of all entries.
func (s *sample) inverseVariance() (float64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if !s.distinct() {
		return s.noScale(), nil
	}
	n := float64(s.rows.Rows) * float64(s.rows.Cols)
	var mean, variance float64
	s.each(func(v float64) { mean += v / n })
	s.each(func(v float64) { variance += (v - mean) / n * (v - mean) })
	if err := representable("variance of the sample", variance); err != nil {
		return 0, err
	}
	return 1 / variance / float64(s.rows.Cols), nil
}

func (s *sample) each(f func(v float64)) {
	for i := range s.rows.Rows {
		for _, v := range matrix.Row(s.rows, i) {
			f(v)
		}
	}
}

// representable returns an error unless v and 1/v are positive and finite.
func representable(what string, v float64) error {
	if v > 0 && !math.IsInf(v, 1) && !math.IsInf(1/v, 1) {
		return nil
	}
	return fmt.Errorf("the %s is %g, outside the range of float64: scale the data", what, v)
}

func (s *sample) medianSquared() (float64, error) {
	return s.median("squared distance", SquaredDistance, func(v float64) float64 { return v })
}

func (s *sample) medianL2() (float64, error) { return s.median("distance", SquaredDistance, math.Sqrt) }

// medianApart returns the median distance of the pairs of rows that differ.
func (s *sample) medianApart() (float64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if !s.distinct() {
		return s.noScale(), nil
	}
	pairs := slices.DeleteFunc(s.pairs(SquaredDistance), func(v float64) bool { return v <= 0 })
	if len(pairs) == 0 {
		return 0, errors.New("the squared distances of the rows of the sample are below the range of float64: scale the data")
	}
	for i, v := range pairs {
		pairs[i] = math.Sqrt(v)
	}
	m := middle(pairs)
	return m, representable("square of the median distance of the sample", 2*m*m)
}

func (s *sample) medianL1() (float64, error) {
	return s.median("L1 distance", L1Distance, func(v float64) float64 { return v })
}

// median returns the median of f(base) over all pairs i < j of rows. If the median is 0, it returns the mean of the
// positive values; if all rows are equal, 1. Both add a note. It fails if the result is outside the range of float64.
func (s *sample) median(name string, b Base, f func(float64) float64) (float64, error) {
	if m, ok := s.medians[name]; ok {
		return m, nil
	}
	if err := s.check(); err != nil {
		return 0, err
	}
	if !s.distinct() {
		return s.noScale(), nil
	}
	pairs := s.pairs(b)
	for i, v := range pairs {
		pairs[i] = f(v)
	}
	m := middle(pairs)
	if m == 0 && slices.Max(pairs) > 0 {
		m = meanApart(pairs)
		s.note("half of the pairs of rows or more are equal: the mean of the other distances stands in place of the median")
	}
	if err := representable("median "+name+" of the sample", m); err != nil {
		return 0, err
	}
	s.medians[name] = m
	return m, nil
}

// meanApart returns the mean of the positive values.
func meanApart(values []float64) (mean float64) {
	n := 0.0
	for _, v := range values {
		if v > 0 {
			n++
			mean += (v - mean) / n
		}
	}
	return mean
}

// pairs returns the base values of all pairs i < j of the thinned sample.
func (s *sample) pairs(b Base) []float64 {
	x := thin(s.rows, medianRows)
	n := x.Rows
	packed := simd.Pack(x)
	row := matrix.New(1, n)
	values := make([]float64, 0, n*(n-1)/2)
	for i := range n {
		fillBase(b, row, matrix.Rows(x, i, 1), packed)
		values = append(values, row.Data[i+1:]...)
	}
	return values
}

// thin keeps at most n rows, taken at equal steps.
func thin(m blas64.General, n int) blas64.General {
	if m.Rows <= n {
		return m
	}
	out := matrix.New(n, m.Cols)
	for i := range n {
		copy(matrix.Row(out, i), matrix.Row(m, int(int64(i)*int64(m.Rows)/int64(n))))
	}
	return out
}

// middle returns the median; it changes the order of v.
//
// For many values, it sorts only those around the median. A thinned sample gives two values between which the median
// probably lies, and a count confirms it.
func middle(v []float64) float64 {
	n := len(v)
	low, high := (n-1)/2, n/2
	if n >= manyValues {
		few := make([]float64, 0, n/thinning+1)
		for i := 0; i < n; i += thinning {
			few = append(few, v[i])
		}
		slices.Sort(few)
		near, below := selectRange(v, few[len(few)*7/16], few[len(few)*9/16])
		if low >= below && high < below+len(near) {
			slices.Sort(near)
			return near[low-below]/2 + near[high-below]/2
		}
	}
	slices.Sort(v)
	return v[low]/2 + v[high]/2
}

const (
	manyValues = 4096 // from which sampling pays off
	thinning   = 32   // values for each one in the sample
)

// selectRange returns the values from least to most, which it moves to the front of v, and the number of values below.
// It returns none if some values are NaN.
func selectRange(v []float64, least, most float64) (near []float64, below int) {
	k := 0
	for i, x := range v {
		switch {
		case x < least:
			below++
		case x <= most:
			v[i], v[k] = v[k], x
			k++
		case !(x > most):
			return nil, 0
		}
	}
	return v[:k], below
}
