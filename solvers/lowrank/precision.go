package lowrank

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Precision is the arithmetic of the tiles that a pass computes, which takes
// most of its time.
//
// In float32 they cost about half, if the kernel is of one name and applied in
// registers; sums, products and the other kernels gain something with a hundred
// columns, and lose with few. Rows are centred at the median of the landmarks
// first, and only tiles and their fold are in float32: triangular factors, cores,
// diagonals and the error estimate stay in float64, and an embedding of new rows
// uses the same tiles as the fit, so that factors are as orthonormal as ever.
//
// Before the pass the error of the tiles is bounded on up to 2¹⁸ pairs of the
// landmarks and the other rows that were gathered (core points and held-back
// rows), by [kernelgen.SingleBounds], relative to the largest kernel entry
// between them; a fold counts as another rounding of each entry for every
// nonzero. The bound is of those pairs: rows of the source that lie farther from
// the landmarks than any gathered row may exceed it, and are not looked for,
// except that a kernel entry that is not finite is an error. A bound of 1 or more
// ends the fit before the pass, and one above a tenth of the fit's error estimate
// after it, with a [PrecisionError]: that estimate is of the sketch and the tiles
// together, and nearer to the bound it may be of the tiles alone.
type Precision uint8

const (
	// Float64 is the default.
	Float64 Precision = iota
	// Float32 is for large data and moderate accuracy.
	Float32
)

// String returns float64 or float32.
func (p Precision) String() string { return [...]string{"float64", "float32"}[p] }

// parsePrecision reads a word of a model's header; old models have none.
func parsePrecision(word string) (Precision, error) {
	switch word {
	case "", "float64":
		return Float64, nil
	case "float32":
		return Float32, nil
	}
	return 0, fmt.Errorf("header: precision %q is neither float64 nor float32", word)
}

// rankTolerance returns [RankTolerance], or in float32 where singular values are
// rounding of its tiles.
func (p Precision) rankTolerance() float64 {
	if p == Float32 {
		return 0x1p-23
	}
	return RankTolerance
}

// inWords and advice are for messages.
func (p Precision) inWords() string {
	if p == Float32 {
		return " in float32"
	}
	return ""
}

func (p Precision) advice() string {
	if p == Float32 {
		return "use `precision float64`, "
	}
	return ""
}

// PrecisionError reports that tiles in float32 are not good enough for a fit.
type PrecisionError struct {
	Kernel   string
	Bound    float64 // as Fit.PrecisionBound
	Estimate float64 // of the Frobenius error, as in Fit.Errors; +Inf before the pass
}

func (e *PrecisionError) Error() string {
	bound := fmt.Sprintf("with precision float32 entries of %s are only within %.2g of the largest", e.Kernel, e.Bound)
	switch {
	case !(e.Bound <= math.MaxFloat64):
		bound = fmt.Sprintf("with precision float32 entries of %s or the rows themselves are out of range", e.Kernel)
	case !math.IsInf(e.Estimate, 1):
		bound += fmt.Sprintf(", which is more than a tenth of the error of the fit, about %.2g", e.Estimate)
	}
	return bound + ": use `precision float64`"
}

// sketchOverTiles is how many times larger than the bound of the tiles the error
// estimate of a fit must be to be the sketch's own.
const sketchOverTiles = 10

// comparePrecision refuses tiles in float32 whose error may be what the estimate
// sees.
func (t *tiles) comparePrecision(estimate float64) error {
	if t.precision == Float64 || sketchOverTiles*t.bound <= estimate {
		return nil
	}
	return &PrecisionError{t.kernel.String(), t.bound, estimate}
}

// The pairs that a bound looks at: up to boundColumns landmarks, and as many
// other rows as make boundPairs.
const (
	boundPairs   = 1 << 18
	boundColumns = 512
)

// boundSingle bounds the error of tiles in float32 between landmarks and other
// rows, before anything is computed with them. t.bound is the largest so far.
func (t *tiles) boundSingle(landmarks *panel, signs *sketch.SparseSign, others ...*panel) error {
	if t.precision == Float64 {
		return nil
	}
	b := newPrecisionBound(t.kernel, landmarks.rows)
	for _, p := range others {
		b.add(p.rows, boundPairs/len(others)/max(1, b.columns))
	}
	t.bound = max(t.bound, b.relative()+foldRounding(signs))
	if !(t.bound < 1) {
		return &PrecisionError{t.kernel.String(), t.bound, math.Inf(1)}
	}
	return nil
}

// foldRounding returns what a fold in float32 adds to the error of each entry.
func foldRounding(signs *sketch.SparseSign) float64 {
	if signs == nil {
		return 0
	}
	return float64(signs.NNZ+1) * 0x1p-24
}

// precisionBound compares kernel entries with the bounds of their errors.
type precisionBound struct {
	kernel          kernelgen.Kernel
	bounds          *kernelgen.SingleBounds
	columns         int
	x, bound, entry blas64.General // of foldRows rows
	largest, worst  float64
}

func newPrecisionBound(k kernelgen.Kernel, landmarks blas64.General) *precisionBound {
	columns := thin(landmarks, boundColumns)
	b := &precisionBound{kernel: k, bounds: k.SingleBounds(columns, middle(landmarks)), columns: columns.Rows,
		x: stream.NewMatrix(foldRows, columns.Cols), bound: stream.NewMatrix(foldRows, columns.Rows), entry: stream.NewMatrix(foldRows, columns.Rows)}
	b.addDiagonal(columns)
	return b
}

// add looks at the pairs of at most most rows, at equal steps, and the landmarks.
func (b *precisionBound) add(rows blas64.General, most int) {
	most = min(most, rows.Rows)
	for first := 0; first < most; first += foldRows {
		n := min(foldRows, most-first)
		x, entry, bound := stream.RowSlice(b.x, 0, n), stream.RowSlice(b.entry, 0, n), stream.RowSlice(b.bound, 0, n)
		for i := range n {
			copy(dense.Row(x, i), dense.Row(rows, (first+i)*rows.Rows/most))
		}
		b.bounds.Fill(bound, entry, x)
		for i := range n {
			b.addLargest(dense.Row(entry, i))
			for _, e := range dense.Row(bound, i) {
				b.worst = max(b.worst, e)
			}
		}
		b.addDiagonal(x)
	}
}

func (b *precisionBound) addDiagonal(rows blas64.General) {
	d := make([]float64, rows.Rows)
	b.kernel.Diag(d, rows)
	b.addLargest(d)
}

func (b *precisionBound) addLargest(entries []float64) {
	for _, v := range entries {
		b.largest = max(b.largest, math.Abs(v))
	}
}

// relative returns the largest error relative to the largest entry.
func (b *precisionBound) relative() float64 { return ratio(b.worst, b.largest) }

// thin returns at most most rows of m, at equal steps.
func thin(m blas64.General, most int) blas64.General {
	if m.Rows <= most {
		return m
	}
	s := stream.NewMatrix(most, m.Cols)
	for i := range most {
		copy(dense.Row(s, i), dense.Row(m, i*m.Rows/most))
	}
	return s
}

// middle returns the median of each column: outliers do not move it. It is not saved,
// but worked out again from the landmarks of a model.
func middle(m blas64.General) []float64 {
	c, column := make([]float64, m.Cols), make([]float64, m.Rows)
	for j := range c {
		for i := range column {
			column[i] = m.Data[i*m.Stride+j]
		}
		slices.Sort(column)
		if len(column) > 0 {
			c[j] = column[len(column)/2]
		}
	}
	return c
}
