package prepare

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// maxKnots is the maximal number of quantiles per column.
const maxKnots = 1000

// SampleNumbers returns about how many numbers [New] holds for the quantiles of a source with rows
// rows, -1 if unknown, and the given number of columns.
func SampleNumbers(rows int64, columns int) int64 {
	n := int64(sampleSize(columns))
	if rows >= 0 {
		n = min(n, rows)
	}
	return n * int64(columns+1)
}

// sampleSize returns the number of rows from which the quantiles of d columns are computed: 20,000,
// fewer with more than 400 columns, and at least 2,000. A quantile of n rows has a standard error
// of at most 0.5/√n.
func sampleSize(d int) int { return min(20000, max(2000, 8_000_000/max(1, d))) }

// rowSample is a sample of rows: those whose hashed number is at most limit. It depends only on the
// row numbers. A nil sample takes no rows.
type rowSample struct {
	limit   uint64
	most    int // rows; beyond it the limit is halved
	columns int // including the weights, the last column
	numbers []int64
	x       []float64
}

// newRowSample returns an empty sample. Without weights its limit is set from the number of rows of the source.
func newRowSample(info stream.Info, weighted bool) *rowSample {
	d := len(info.Columns)
	s := &rowSample{limit: math.MaxUint64, most: 2 * sampleSize(d), columns: d}
	if weighted {
		s.columns++
	} else if n := info.Rows; n > int64(sampleSize(d)) {
		s.limit = math.MaxUint64 / uint64(n) * uint64(sampleSize(d))
	}
	return s
}

// hashNumber hashes a row number: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func hashNumber(number int64) uint64 {
	z := uint64(number) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *rowSample) add(number int64, x []float64, weight float64) {
	if s == nil || hashNumber(number) > s.limit {
		return
	}
	s.numbers, s.x = append(s.numbers, number), append(s.x, x...)
	if s.columns > len(x) {
		s.x = append(s.x, weight)
	}
	s.shrink()
}

// merge adds the sample of following rows.
func (s *rowSample) merge(later *rowSample) {
	if s == nil {
		return
	}
	s.numbers, s.x = append(s.numbers, later.numbers...), append(s.x, later.x...)
	if later.limit < s.limit {
		s.limit = later.limit
		s.filter()
	}
	s.shrink()
}

// shrink halves the limit while the sample is too large.
func (s *rowSample) shrink() {
	for len(s.numbers) > s.most {
		s.limit /= 2
		s.filter()
	}
}

// filter drops rows beyond the limit.
func (s *rowSample) filter() {
	n := 0
	for i, number := range s.numbers {
		if hashNumber(number) <= s.limit {
			s.numbers[n] = number
			copy(s.x[n*s.columns:(n+1)*s.columns], s.x[i*s.columns:])
			n++
		}
	}
	s.numbers, s.x = s.numbers[:n], s.x[:n*s.columns]
}

// appendTo appends the serial form of the sample.
func (s *rowSample) appendTo(data []byte) []byte {
	if s == nil {
		return data
	}
	data = binary.LittleEndian.AppendUint64(data, s.limit)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(s.numbers)))
	for i, number := range s.numbers {
		data = binary.LittleEndian.AppendUint64(data, uint64(number))
		for _, v := range s.x[i*s.columns : (i+1)*s.columns] {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	return data
}

// take decodes the form of appendTo for at most rows rows, and returns the remaining data.
func (s *rowSample) take(data []byte, rows int64) (taken *rowSample, rest []byte, err error) {
	if s == nil {
		return nil, data, nil
	}
	size := 8 * (1 + s.columns) // bytes of a row
	if len(data) < 16 {
		return nil, nil, errSample
	}
	n := binary.LittleEndian.Uint64(data[8:])
	t := &rowSample{limit: binary.LittleEndian.Uint64(data), most: s.most, columns: s.columns}
	if data = data[16:]; n > uint64(min(int64(s.most), rows, int64(len(data)/size))) {
		return nil, nil, errSample
	}
	for range n {
		t.numbers = append(t.numbers, int64(binary.LittleEndian.Uint64(data)))
		for j := range s.columns {
			t.x = append(t.x, math.Float64frombits(binary.LittleEndian.Uint64(data[8+8*j:])))
		}
		data = data[size:]
	}
	return t, data, nil
}

// errSample reports a damaged sample.
var errSample = errors.New("column statistics: damaged sample")

// quantiles returns the knots of each column of the sample, with nulls replaced by fill, and
// optionally of the codes of the categories. For a column that is constant up to rounding, all
// knots are so large that every value becomes 0.
func (s *columnStats) quantiles(fill []float64, codes bool) blas64.General {
	m, d := int(min(maxKnots, max(2, s.copies.count()))), len(s.info.Columns)
	knots := matrix.New(len(s.columns), m)
	for j := range d {
		s.columnSample(j, fill).setKnots(matrix.Row(knots, j))
	}
	for k := range s.words {
		if !codes {
			break
		}
		var q quantiles
		s.words[k].codes(func(code float64, n levelCount) { q.add(code, n.weight) })
		q.setKnots(matrix.Row(knots, d+k))
	}
	for _, j := range s.rounded(fill) {
		for i := range m {
			matrix.Row(knots, j)[i] = math.MaxFloat64
		}
	}
	return knots
}

// columnSample returns the sampled values of a column.
func (s *columnStats) columnSample(j int, fill []float64) *quantiles {
	q, width := new(quantiles), s.sample.columns
	for i := range s.sample.numbers {
		x, weight := s.sample.x[i*width:(i+1)*width], 1.0
		if s.weights >= 0 {
			weight = x[width-1]
		}
		v := x[j]
		if !matrix.IsFinite(v) && fill != nil {
			v = fill[j]
		}
		if matrix.IsFinite(v) {
			q.add(v, weight)
		}
	}
	return q
}

// quantiles is a weighted sample of values. A value of weight k counts as k copies.
type quantiles struct {
	values []weighted
	copies rowWeights
}

type weighted struct{ value, weight float64 }

func (q *quantiles) add(v, weight float64) {
	q.values = append(q.values, weighted{v, weight})
	q.copies.add(weight)
}

// setKnots sets equidistant quantiles, including the first and the last copy.
func (q *quantiles) setKnots(knots []float64) {
	n, last, unit := q.copies.count(), int64(len(knots)-1), q.copies.unit()
	if n == 0 {
		return
	}
	slices.SortFunc(q.values, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	at, end := 0, q.values[0].weight // end of the copies of values[at]
	for i := range int64(len(knots)) {
		whole, rest := (n-1)/last, (n-1)%last
		copied := whole*i + (rest*i+last/2)/last
		for at < len(q.values)-1 && end <= (float64(copied)+0.5)*unit {
			at++
			end += q.values[at].weight
		}
		knots[i] = q.values[at].value
	}
}
