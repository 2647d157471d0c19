package prepare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/moments"
	"github.com/nystream/nystream/internal/rounding"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/stream"
)

// columnStats accumulates statistics of the columns of a source. Means and sums of squares are
// combined as in Chan, Golub and LeVeque (1983), in the fixed tree of a fold.
//
// Rows of weight 0 are skipped. A row of weight k counts as k rows.
type columnStats struct {
	scanInput
	rows      int64      // rows read
	absent    int64      // rows of weight 0 among them
	blockRows int64      // rows in a full block
	kept      []int64    // rows that remain, per block
	copies    rowWeights // of the rows that remain
	columns   []columnMoments
	words     []wordCounts // of the categories
	sample    *rowSample   // nil without quantiles
}

// scanInput describes what a scan reads.
type scanInput struct {
	info          stream.Info // with the columns that are scanned
	columnIndices []int       // their indices in the source; nil for all
	nulls         Nulls
	categories    []int // indices of the categories among the kept columns
	weights       int   // index of the weights among the kept columns, -1 for none
	keepEmpty     bool  // columns without any finite value are kept: see [Treatment].AllColumns
}

// columnMoments holds statistics of the finite values of one column.
type columnMoments struct {
	N, Seen  int64   // finite values in rows that remain, and in all rows of positive weight
	Bad      int64   // the first row without a finite value, counted from 1; 0 for none
	BadValue float64 // its value
	moments.Moments
	Min, Max float64
}

// scan reads src once and returns statistics of its columns. t.Nulls decides whether a row with a
// non-finite value is an error or is dropped; other policies skip only the value. A column without
// any finite value is not an error. places are the indices of the numeric columns to read, nil for
// all, and categories those of the categories among the kept columns.
func scan(ctx context.Context, e stream.Engine, src stream.Source, t Treatment, places, categories []int) (*columnStats, error) {
	what := scanInput{info: src.Info(), columnIndices: places, nulls: t.Nulls, categories: categories, weights: -1, keepEmpty: t.AllColumns}
	d := len(what.info.Columns)
	if places != nil {
		what.info.Columns = make([]string, len(places))
		for j, p := range places {
			what.info.Columns[j] = src.Info().Columns[p]
		}
	}
	if t.Weights != "" {
		var err error
		if what.weights, err = weightsIndex(what.info, t.Weights); err != nil {
			return nil, err
		}
		e = e.WithKept()
	}
	newStats := func() *columnStats { return newColumnStats(what, t.Scale == ScaleQuantile) }
	stats, err := stream.Fold(ctx, e, "scan", src, newStats, func() func(*columnStats, *stream.Block) error {
		return (*columnStats).add
	})
	if err == nil {
		stats.blockRows = int64(cmp.Or(max(0, e.BlockRows), stream.BlockRows(d)))
	}
	return stats, err
}

func newColumnStats(what scanInput, quantiles bool) *columnStats {
	s := &columnStats{scanInput: what, columns: make([]columnMoments, len(what.info.Columns))}
	for j := range s.columns {
		s.columns[j].Min, s.columns[j].Max = math.Inf(1), math.Inf(-1)
	}
	for _, place := range what.categories {
		s.words = append(s.words, wordCounts{column: what.info.Kept[place].Name, count: make(map[string]levelCount)})
	}
	if quantiles {
		s.sample = newRowSample(what.info, what.weights >= 0)
	}
	return s
}

// add adds the rows of a block.
func (s *columnStats) add(b *stream.Block) error {
	left, room := int64(0), make([]float64, len(s.columnIndices))
	for i := range b.X.Rows {
		w := 1.0
		if s.weights >= 0 {
			var reason string
			if w, reason = weightOf(&b.Kept[s.weights], i); reason != "" {
				return weightError(s.info, s.weights, b.Start+int64(i), reason)
			}
			if w == 0 {
				s.absent++
				continue
			}
		}
		x := matrix.Row(b.X, i)
		if s.columnIndices != nil {
			copyAt(room, x, s.columnIndices)
			x = room
		}
		if s.addRow(x, b.Start+int64(i), w) {
			left++
			for k, place := range s.scanInput.categories {
				s.words[k].add(&b.Kept[place], i, w)
			}
		}
	}
	s.rows += int64(b.X.Rows)
	s.kept = append(s.kept, left)
	return s.check()
}

// addRow adds a row of positive weight, and reports whether it remains.
func (s *columnStats) addRow(x []float64, number int64, w float64) (left bool) {
	left = true
	if simd.FirstNotFinite(x) >= 0 {
		left = s.nulls != NullsDrop
		for j, v := range x {
			s.columns[j].observe(v, number)
		}
	} else {
		for j := range x {
			s.columns[j].Seen++
		}
	}
	if !left {
		return false
	}
	for j, v := range x {
		if matrix.IsFinite(v) {
			s.columns[j].add(v, w)
		}
	}
	s.copies.add(w)
	s.sample.add(number, x, w)
	return true
}

// check returns an error for forbidden nulls, and for categories with too many levels.
func (s *columnStats) check() error {
	if err := s.checkNulls(); err != nil {
		return err
	}
	if err := checkLevels(s.words); err != nil {
		return fmt.Errorf("%s: %w", s.info.Name, err)
	}
	return nil
}

// checkNulls returns an error for the first null if nulls are errors. Empty columns are dropped and
// do not count.
func (s *columnStats) checkNulls() error {
	if s.nulls != NullsRefuse {
		return nil
	}
	first := -1
	for j, c := range s.columns {
		if c.Bad > 0 && (c.Seen > 0 || s.keepEmpty) && (first < 0 || c.Bad < s.columns[first].Bad) {
			first = j
		}
	}
	if first < 0 {
		return nil
	}
	return nullError(s.info, s.columns[first].Bad-1, first, s.columns[first].BadValue)
}

// constantMoments returns the moments of rows with equal values.
func constantMoments(v float64, rows int64, weight float64) columnMoments {
	return columnMoments{N: rows, Seen: rows, Moments: moments.Moments{Weight: weight, Mean: v}, Min: v, Max: v}
}

// observe records whether the value of a row is finite.
func (m *columnMoments) observe(v float64, number int64) {
	switch {
	case matrix.IsFinite(v):
		m.Seen++
	case m.Bad == 0:
		m.Bad, m.BadValue = number+1, v
	}
}

func (m *columnMoments) add(v, w float64) {
	m.N++
	m.Add(v, w)
	m.Min, m.Max = min(m.Min, v), max(m.Max, v)
}

func (m *columnMoments) merge(o columnMoments) {
	m.Seen += o.Seen
	if m.Bad == 0 {
		m.Bad, m.BadValue = o.Bad, o.BadValue
	}
	if o.N == 0 {
		return
	}
	if m.N == 0 {
		o.Seen, o.Bad, o.BadValue = m.Seen, m.Bad, m.BadValue
		*m = o
		return
	}
	m.Merge(o.Moments)
	m.N += o.N
	m.Min, m.Max = min(m.Min, o.Min), max(m.Max, o.Max)
}

// Merge adds the statistics of the rows that follow.
func (s *columnStats) Merge(later *columnStats) error {
	s.rows, s.absent = s.rows+later.rows, s.absent+later.absent
	s.copies.merge(later.copies)
	s.kept = append(s.kept, later.kept...)
	for j := range s.columns {
		s.columns[j].merge(later.columns[j])
	}
	for k := range s.words {
		s.words[k].merge(&later.words[k])
	}
	s.sample.merge(later.sample)
	return s.check()
}

// Name identifies states of this accumulator, independently of the Go type.
func (s *columnStats) Name() string { return "column statistics" }

// MarshalBinary encodes the statistics as little-endian numbers, followed by levels and sample.
func (s *columnStats) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	head := []int64{int64(s.nulls), s.rows, s.blockRows, int64(len(s.kept)), int64(len(s.columns))}
	for _, v := range []any{head, s.kept, s.columns, int64(s.weights), s.absent, s.copies} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			return nil, err
		}
	}
	data := b.Bytes()
	for k := range s.words {
		data = s.words[k].appendTo(data)
	}
	return s.sample.appendTo(data), nil
}

// UnmarshalBinary decodes a state that MarshalBinary wrote.
func (s *columnStats) UnmarshalBinary(data []byte) error {
	r := bytes.NewReader(data)
	var head [5]int64
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return fmt.Errorf("column statistics: %w", err)
	}
	kept, columns := head[3], head[4]
	size := int64(binary.Size(columnMoments{}))
	tail := int64(16 + binary.Size(rowWeights{}))
	if kept < 0 || columns < 0 || kept > int64(r.Len())/8 || columns > int64(r.Len())/size ||
		kept*8+columns*size+tail > int64(r.Len()) {
		return fmt.Errorf("column statistics: %d blocks and %d columns do not fit %d bytes", kept, columns, r.Len())
	}
	if columns != int64(len(s.columns)) || head[0] != int64(s.nulls) {
		return fmt.Errorf("column statistics of %d columns with null policy %d, not %d and %d", columns, head[0], len(s.columns), s.nulls)
	}
	t := &columnStats{scanInput: s.scanInput, rows: head[1], blockRows: head[2], words: slices.Clone(s.words),
		kept: make([]int64, kept), columns: make([]columnMoments, columns)}
	var weights int64
	for _, v := range []any{t.kept, t.columns, &weights, &t.absent, &t.copies} {
		if err := binary.Read(r, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	if weights != int64(s.weights) {
		return fmt.Errorf("column statistics with weights in kept column %d, not %d", weights, s.weights)
	}
	rest := data[len(data)-r.Len():]
	var err error
	for k := range t.words {
		if rest, err = t.words[k].take(rest, t.rows); err != nil {
			return err
		}
	}
	if t.sample, rest, err = s.sample.take(rest, t.rows); err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("column statistics: %d blocks and %d columns do not fit %d bytes", kept, columns, len(data))
	}
	if err := t.checkCounts(); err != nil {
		return err
	}
	*s = *t
	return nil
}

// checkCounts returns an error for counts that no rows can have.
func (s *columnStats) checkCounts() error {
	left := s.rows - s.absent
	if s.absent < 0 || left < 0 || !s.copies.valid() {
		return fmt.Errorf("column statistics: %d rows of weight 0, of %d", s.absent, s.rows)
	}
	for _, n := range s.kept {
		if n < 0 || n > left {
			return fmt.Errorf("column statistics: %d rows left of a block, of %d rows", n, s.rows)
		}
		left -= n
	}
	for _, c := range s.columns {
		if c.N < 0 || c.N > c.Seen || c.Seen > s.rows || c.Bad < 0 || !(c.Weight >= 0) {
			return fmt.Errorf("column statistics: %d values in %d rows", c.N, s.rows)
		}
	}
	return nil
}

// means returns the replacements of nulls, 0 for a column without a finite value.
func (s *columnStats) means(info stream.Info) ([]float64, error) {
	fill := make([]float64, len(s.columns))
	for j, c := range s.columns {
		if !matrix.IsFinite(c.Mean) {
			return nil, c.tooFarApart(info, j)
		}
		fill[j] = c.Mean
	}
	return fill, nil
}

// remainingRows returns the number of rows that remain.
func (s *columnStats) remainingRows() (rows int64) {
	for _, n := range s.kept {
		rows += n
	}
	return rows
}

// columnsWithNulls returns the columns that have nulls.
func (s *columnStats) columnsWithNulls() (columns []int) {
	for j, c := range s.columns {
		if c.N < s.remainingRows() {
			columns = append(columns, j)
		}
	}
	return columns
}

// addCodes adds the moments of the ordinal codes of each category.
func (s *columnStats) addCodes() {
	for k := range s.words {
		var m columnMoments
		s.words[k].codes(func(code float64, n levelCount) {
			m.merge(constantMoments(code, n.rows, n.weight))
		})
		s.columns = append(s.columns, m)
	}
}

// filledMoments returns the moments of a column after nulls are replaced by fill.
func (s *columnStats) filledMoments(j int, fill []float64) columnMoments {
	c := s.columns[j]
	if missing := s.remainingRows() - c.N; missing > 0 && j < len(fill) {
		weight := max(0, s.copies.Total-c.Weight)
		c.merge(constantMoments(fill[j], missing, weight))
	}
	return c
}

// scaling returns the shift and factor of each column, including replaced nulls; nil without
// scaling.
func (s *columnStats) scaling(how Scaling, fill []float64, info stream.Info) (shift, factor []float64, err error) {
	if how == ScaleNone {
		return nil, nil, nil
	}
	shift, factor = make([]float64, len(s.columns)), make([]float64, len(s.columns))
	for j := range s.columns {
		c := s.filledMoments(j, fill)
		if c.rounded() { // becomes 0
			shift[j] = c.Min
			continue
		}
		var spread float64
		shift[j], spread = c.center(how)
		if !matrix.IsFinite(shift[j]) || !matrix.IsFinite(spread) {
			return nil, nil, c.tooFarApart(info, j)
		}
		if spread < minSpread {
			return nil, nil, c.tooClose(info, j)
		}
		factor[j] = 1 / spread
	}
	return shift, factor, nil
}

// rounded reports whether the values differ, but only by rounding.
func (m *columnMoments) rounded() bool {
	return m.N > 0 && m.Min < m.Max && rounding.Equal(m.Min, m.Max)
}

// rounded returns the indices, among the scaled columns, of those that are constant up to rounding.
func (s *columnStats) rounded(fill []float64) (columns []int) {
	for j := range s.columns {
		if c := s.filledMoments(j, fill); c.rounded() {
			columns = append(columns, j)
		}
	}
	return columns
}

// roundedNames returns the names of the columns that scaling makes 0 because they are constant up to rounding.
func (s *columnStats) roundedNames(t Treatment, p Preparation) (names []string) {
	if t.Scale == ScaleNone {
		return nil
	}
	for _, j := range s.rounded(p.Fill) {
		names = append(names, p.names(s.info.Columns)[j])
	}
	return names
}

// center returns the value that scaling maps to 0, and its distance to the value mapped to 1. A
// constant column becomes 0.
func (m *columnMoments) center(how Scaling) (shift, spread float64) {
	switch {
	case m.N == 0:
		return 0, 1
	case m.Min == m.Max:
		return m.Min, 1
	case how == ScaleMinMax:
		return m.Min, m.Max - m.Min
	default:
		return roundTo(scaleBits, m.Mean, m.Deviation())
	}
}

// scaleBits is the number of bits kept of a deviation, and of a mean relative to the deviation. The remaining bits are
// rounding error: it depends on the order of rows and the unit of weights, and nearly dependent landmarks amplify it.
const scaleBits = 40

// roundTo keeps so many bits of a deviation, and of a mean relative to the deviation.
func roundTo(bits int, mean, deviation float64) (float64, float64) {
	if deviation == 0 || !matrix.IsFinite(deviation) || !matrix.IsFinite(mean) {
		return mean, deviation
	}
	_, exponent := math.Frexp(deviation)
	if digit := math.Ldexp(1, exponent-bits); digit > 0 && matrix.IsFinite(mean/digit) {
		mean = math.RoundToEven(mean/digit) * digit
		deviation = math.RoundToEven(deviation/digit) * digit
	}
	return mean, deviation
}

// minSpread is the smallest spread whose inverse is certainly finite.
const minSpread = 1e-307

func (m *columnMoments) tooFarApart(info stream.Info, column int) error {
	return m.spreadError(info, column, "too far apart to compute their mean and spread")
}

func (m *columnMoments) tooClose(info stream.Info, column int) error {
	return m.spreadError(info, column, "too close together to compute their spread")
}

func (m *columnMoments) spreadError(info stream.Info, column int, what string) error {
	return fmt.Errorf("%s: column %q: its values, from %g to %g, are %s in float64: convert its unit, choose another `Treatment.Scale` or `Treatment.Nulls`, or leave the column out",
		info.Name, info.Columns[column], m.Min, m.Max, what)
}
