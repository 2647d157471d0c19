package stream

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// columnStats are what a scan learns about the columns of a source. Means and
// sums of squares are combined as in Chan, Golub and LeVeque (1983), in the
// fixed tree of a fold.
type columnStats struct {
	nulls     Nulls
	rows      int64   // rows seen
	blockRows int64   // rows in a full block
	kept      []int64 // rows left, per block
	columns   []columnMoments
	words     []wordCounts // of the categories
	sample    *rowSample   // nil without quantiles
}

// columnMoments describe the finite values of one column.
type columnMoments struct {
	N        int64
	Mean, M2 float64
	Min, Max float64
}

// scan reads src once and describes its columns. Rows with a value that is not
// finite are left out or an error, as nulls says; with the other policies only
// the values are left out. words are the places of the categories among the kept columns.
func scan(ctx context.Context, e Engine, src Source, t Treatment, words []int) (*columnStats, error) {
	info := src.Info()
	newStats := func() *columnStats { return newColumnStats(info, t, words) }
	stats, err := Fold(ctx, e, "scan", src, newStats, func() func(*columnStats, *Block) error {
		return func(s *columnStats, b *Block) error { return s.add(b, info, words) }
	})
	if err == nil {
		stats.blockRows = int64(e.blockRows(len(info.Columns)))
	}
	return stats, err
}

func newColumnStats(info Info, t Treatment, words []int) *columnStats {
	s := &columnStats{nulls: t.Nulls, columns: make([]columnMoments, len(info.Columns))}
	for j := range s.columns {
		s.columns[j].Min, s.columns[j].Max = math.Inf(1), math.Inf(-1)
	}
	for _, place := range words {
		s.words = append(s.words, wordCounts{column: info.Kept[place].Name, count: make(map[string]int64)})
	}
	if t.Scale == ScaleQuantile {
		s.sample = newRowSample(info)
	}
	return s
}

func (s *columnStats) add(b *Block, info Info, words []int) error {
	left := int64(0)
	for i := range b.X.Rows {
		x := row(b.X, i)
		if j := firstNonFinite(x); j >= 0 {
			if s.nulls == NullsError {
				return nullError(info, b.Start+int64(i), j, x[j])
			}
			if s.nulls == NullsDrop {
				continue
			}
		}
		left++
		for j, v := range x {
			if finite(v) {
				s.columns[j].add(v)
			}
		}
		for k, place := range words {
			s.words[k].add(&b.Kept[place], i)
		}
		s.sample.add(b.Start+int64(i), x)
	}
	s.rows += int64(b.X.Rows)
	s.kept = append(s.kept, left)
	return s.checkWords(info.Name)
}

// checkWords refuses a column with too many levels.
func (s *columnStats) checkWords(name string) error {
	for k := range s.words {
		if err := s.words[k].check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (m *columnMoments) add(v float64) {
	m.N++
	delta := v - m.Mean
	m.Mean += delta / float64(m.N)
	m.M2 += delta * (v - m.Mean)
	m.Min, m.Max = min(m.Min, v), max(m.Max, v)
}

func (m *columnMoments) merge(o columnMoments) {
	if o.N == 0 {
		return
	}
	if m.N == 0 {
		*m = o
		return
	}
	n := float64(m.N + o.N)
	delta := o.Mean - m.Mean
	m.Mean += delta * (float64(o.N) / n)
	m.M2 += o.M2 + delta*delta*(float64(m.N)/n)*float64(o.N)
	m.N += o.N
	m.Min, m.Max = min(m.Min, o.Min), max(m.Max, o.Max)
}

// Merge adds what a scan of the following rows learnt.
func (s *columnStats) Merge(later *columnStats) error {
	s.rows += later.rows
	s.kept = append(s.kept, later.kept...)
	for j := range s.columns {
		s.columns[j].merge(later.columns[j])
	}
	for k := range s.words {
		s.words[k].merge(&later.words[k])
		if err := s.words[k].check(); err != nil {
			return err
		}
	}
	s.sample.merge(later.sample)
	return nil
}

// Name names the states of this accumulator, whatever its type is called.
func (s *columnStats) Name() string { return "column statistics" }

// MarshalBinary encodes the statistics as little-endian numbers, and behind them levels and the sample.
func (s *columnStats) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	head := []int64{int64(s.nulls), s.rows, s.blockRows, int64(len(s.kept)), int64(len(s.columns))}
	for _, v := range []any{head, s.kept, s.columns} {
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

// UnmarshalBinary decodes what MarshalBinary wrote.
func (s *columnStats) UnmarshalBinary(data []byte) error {
	r := bytes.NewReader(data)
	var head [5]int64
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return fmt.Errorf("stream: column statistics: %w", err)
	}
	kept, columns := head[3], head[4]
	size := int64(binary.Size(columnMoments{}))
	if kept < 0 || columns < 0 || kept > int64(r.Len())/8 || columns > int64(r.Len())/size ||
		kept*8+columns*size > int64(r.Len()) {
		return fmt.Errorf("stream: column statistics: %d blocks and %d columns do not fit %d bytes", kept, columns, r.Len())
	}
	if columns != int64(len(s.columns)) || head[0] != int64(s.nulls) {
		return fmt.Errorf("stream: column statistics of %d columns with null policy %d, not %d and %d", columns, head[0], len(s.columns), s.nulls)
	}
	t := &columnStats{nulls: s.nulls, rows: head[1], blockRows: head[2], words: slices.Clone(s.words),
		kept: make([]int64, kept), columns: make([]columnMoments, columns)}
	if err := errors.Join(binary.Read(r, binary.LittleEndian, t.kept),
		binary.Read(r, binary.LittleEndian, t.columns)); err != nil {
		return err
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
		return fmt.Errorf("stream: column statistics: %d blocks and %d columns do not fit %d bytes", kept, columns, len(data))
	}
	if err := t.checkCounts(); err != nil {
		return err
	}
	*s = *t
	return nil
}

// checkCounts refuses statistics that no rows can have.
func (s *columnStats) checkCounts() error {
	left := s.rows
	for _, n := range s.kept {
		if n < 0 || n > left {
			return fmt.Errorf("stream: column statistics: %d rows left of a block, of %d rows", n, s.rows)
		}
		left -= n
	}
	for _, c := range s.columns {
		if c.N < 0 || c.N > s.rows {
			return fmt.Errorf("stream: column statistics: %d values in %d rows", c.N, s.rows)
		}
	}
	return nil
}

// means returns what nulls are filled with; a column without a finite value gets 0.
func (s *columnStats) means(info Info) ([]float64, error) {
	fill := make([]float64, len(s.columns))
	for j, c := range s.columns {
		if !finite(c.Mean) {
			return nil, c.tooFarApart(info, j)
		}
		fill[j] = c.Mean
	}
	return fill, nil
}

// left returns the number of rows that are left.
func (s *columnStats) left() (rows int64) {
	for _, n := range s.kept {
		rows += n
	}
	return rows
}

// missing returns the columns that have nulls.
func (s *columnStats) missing() (columns []int) {
	for j, c := range s.columns {
		if c.N < s.left() {
			columns = append(columns, j)
		}
	}
	return columns
}

// addCodes adds the moments of the ordinal codes of each category.
func (s *columnStats) addCodes() {
	for k := range s.words {
		var m columnMoments
		s.words[k].codes(func(code float64, rows int64) {
			m.merge(columnMoments{N: rows, Mean: code, Min: code, Max: code})
		})
		s.columns = append(s.columns, m)
	}
}

// scaling returns the shift and factor of each column, counting the values that
// were filled in; nil without scaling.
func (s *columnStats) scaling(how Scaling, fill []float64, info Info) (shift, factor []float64, err error) {
	if how == ScaleNone {
		return nil, nil, nil
	}
	rows := s.left()
	shift, factor = make([]float64, len(s.columns)), make([]float64, len(s.columns))
	for j, c := range s.columns {
		if missing := rows - c.N; missing > 0 && j < len(fill) {
			c.merge(columnMoments{N: missing, Mean: fill[j], Min: fill[j], Max: fill[j]})
		}
		var spread float64
		shift[j], spread = c.center(how)
		if !finite(shift[j]) || !finite(spread) {
			return nil, nil, c.tooFarApart(info, j)
		}
		if spread < minSpread(how) {
			return nil, nil, c.tooClose(info, j)
		}
		factor[j] = 1 / spread
	}
	return shift, factor, nil
}

// center returns what becomes 0 and its distance to what becomes 1. A constant
// column becomes 0.
func (m *columnMoments) center(how Scaling) (shift, spread float64) {
	switch {
	case m.N == 0:
		return 0, 1
	case m.Min == m.Max:
		return m.Min, 1
	case how == ScaleMinMax:
		return m.Min, m.Max - m.Min
	default:
		return m.Mean, math.Sqrt(m.M2 / float64(m.N))
	}
}

// minSpread returns the smallest spread that can be relied on: below it squares lose
// their digits (a standard deviation of 1e-145 is a variance of 1e-290), or the
// factor is no longer finite.
func minSpread(how Scaling) float64 {
	if how == ScaleMinMax {
		return 1e-307
	}
	return 1e-145
}

func (m *columnMoments) tooFarApart(info Info, column int) error {
	return m.spreadError(info, column, "too far apart to compute their mean and spread")
}

func (m *columnMoments) tooClose(info Info, column int) error {
	return m.spreadError(info, column, "too close together to compute their spread")
}

func (m *columnMoments) spreadError(info Info, column int, what string) error {
	return fmt.Errorf("%s: column %q: its values, from %g to %g, are %s in float64: convert its unit, choose another `scale` or `nulls`, or leave the column out",
		info.Name, info.Columns[column], m.Min, m.Max, what)
}
