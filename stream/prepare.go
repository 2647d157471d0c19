package stream

import (
	"context"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/nystream/nystream/internal/quote"
)

// Nulls says what becomes of rows with a null or a number that is not finite.
type Nulls uint8

const (
	// NullsError refuses them, naming row and column.
	NullsError Nulls = iota
	// NullsDrop leaves such rows out.
	NullsDrop
	// NullsZero puts 0 in their place.
	NullsZero
	// NullsMean puts the mean of the column's finite values in their place.
	NullsMean
)

// String returns error, drop, zero or mean.
func (n Nulls) String() string { return [...]string{"error", "drop", "zero", "mean"}[n] }

// Scaling says how columns are scaled.
type Scaling uint8

const (
	// ScaleNone leaves columns as they are.
	ScaleNone Scaling = iota
	// ScaleStandard gives each column mean 0 and standard deviation 1
	// (dividing by n, as scikit-learn's StandardScaler). A constant column
	// becomes 0.
	ScaleStandard
	// ScaleMinMax maps each column to [0, 1]. A constant column becomes 0.
	ScaleMinMax
)

// String returns none, standard or minmax.
func (s Scaling) String() string { return [...]string{"none", "standard", "minmax"}[s] }

// Preparation is how raw rows become the rows a method sees: x' = (x−Shift)·Factor
// after nulls were dealt with. It is a value that a model keeps, so that new
// rows are treated as the rows of the fit were.
type Preparation struct {
	Nulls  Nulls
	Fill   []float64 // what takes the place of a null, per column; nil without such a policy
	Shift  []float64 // nil means no scaling
	Factor []float64
}

// Prepare works out the preparation of src. Mean filling, scaling and dropping
// cost one pass together, which ends up in the Scans of the result; otherwise
// no row is read. A source that can be read only once is refused if that pass is
// needed. It is an error that names the column if its mean or spread is beyond
// the range of float64.
func Prepare(ctx context.Context, e Engine, src Source, nulls Nulls, scale Scaling) (*Prepared, error) {
	d := len(src.Info().Columns)
	p := Preparation{Nulls: nulls}
	if nulls == NullsZero {
		p.Fill = make([]float64, d)
	}
	if nulls != NullsDrop && nulls != NullsMean && scale == ScaleNone {
		return newPrepared(src, p, nil), nil
	}
	info := src.Info()
	if info.Once {
		return nil, OnceError(info.Name)
	}
	stats, err := scan(ctx, e, src, nulls)
	if err == nil && nulls == NullsMean {
		p.Fill, err = stats.means(info)
	}
	if err == nil {
		p.Shift, p.Factor, err = stats.scaling(scale, p.Fill, info)
	}
	if err != nil {
		return nil, err
	}
	return newPrepared(src, p, stats), nil
}

// Apply prepares src as an earlier Prepare did for the rows of a fit; it is an
// error if src has another number of columns. Dropping rows costs a pass that
// counts them, unless src can be read only once: then the number of rows stays
// unknown and rows cannot be gathered.
func (p Preparation) Apply(ctx context.Context, e Engine, src Source) (*Prepared, error) {
	info := src.Info()
	for _, list := range [][]float64{p.Fill, p.Shift, p.Factor} {
		if list != nil && len(list) != len(info.Columns) {
			return nil, fmt.Errorf("%s has %d columns, and was to be prepared like rows of %d", info.Name, len(info.Columns), len(list))
		}
	}
	if p.Nulls != NullsDrop || info.Once {
		return newPrepared(src, p, nil), nil
	}
	stats, err := scan(ctx, e, src, NullsDrop)
	if err != nil {
		return nil, err
	}
	return newPrepared(src, p, stats), nil
}

// Prepared is a source whose nulls are dealt with and whose columns are scaled.
type Prepared struct {
	Preparation
	src   Source
	info  Info
	kept  *keptRows // which raw rows are left; nil if all are
	drops int64
}

func newPrepared(src Source, p Preparation, stats *columnStats) *Prepared {
	s := &Prepared{Preparation: p, src: src, info: src.Info()}
	if stats != nil {
		s.info.Scans++
	}
	if p.Nulls == NullsDrop {
		s.info.Rows = -1
		if stats != nil {
			s.kept = newKeptRows(stats)
			s.drops = s.kept.raw - s.kept.total()
			s.info.Rows = s.kept.total()
			if s.info.Lead > 0 {
				s.info.Lead += s.kept.blockRows
			}
		}
	}
	return s
}

// Info describes the source after preparation.
func (s *Prepared) Info() Info { return s.info }

// Dropped returns the number of rows left out, as far as they have been counted.
func (s *Prepared) Dropped() int64 { return s.drops }

// Open returns a reader of the rows from the given one on. Where rows were
// dropped, it begins with the raw block that holds that row.
func (s *Prepared) Open(ctx context.Context, first int64) (Reader, error) {
	if err := CheckFirst(s.info, first); err != nil {
		return nil, err
	}
	raw, before := first, first
	if s.kept != nil {
		raw, before = s.kept.find(first)
	}
	r, err := s.src.Open(ctx, raw)
	if err != nil {
		return nil, err
	}
	return Skip(&preparedReader{s: s, r: r, row: raw, left: before}, s.info, first-before), nil
}

type preparedReader struct {
	s    *Prepared
	r    Reader
	row  int64 // the number of the next raw row
	left int64 // rows left of those before it
}

func (r *preparedReader) Close() error { return r.r.Close() }

// Read may return fewer rows than asked for, when rows were dropped.
func (r *preparedReader) Read(dst *Batch) (int, error) {
	if k := r.s.kept; k != nil && dst.X.Rows > 0 { // not beyond a raw block
		dst = &Batch{X: RowSlice(dst.X, 0, int(min(int64(dst.X.Rows), k.blockRows-r.row%k.blockRows))), Kept: dst.Kept}
	}
	n, err := r.r.Read(dst)
	start := r.row
	r.row += int64(n)
	left, bad := r.s.clean(dst, n, func(i int) int64 { return start + int64(i) })
	r.left += int64(left)
	if bad == nil {
		bad = r.check(err == io.EOF)
	}
	if bad != nil {
		return 0, bad
	}
	return left, err
}

// check compares the rows that are left with those that were counted, at the end of
// each raw block: readers that begin in the middle rely on them.
func (r *preparedReader) check(ended bool) error {
	k := r.s.kept
	if k == nil || !ended && r.row%k.blockRows != 0 {
		return nil
	}
	block := min(int64(len(k.before)-1), (r.row+k.blockRows-1)/k.blockRows)
	if want := k.before[block]; r.left != want {
		return fmt.Errorf("%s: after its first %d rows %d are left, and %d were counted: the file changed", r.s.info.Name, r.row, r.left, want)
	}
	return nil
}

// Gather fetches prepared rows by number.
func (s *Prepared) Gather(ctx context.Context, rows []int64, dst *Batch) error {
	if s.Nulls == NullsDrop {
		return s.gatherKept(ctx, rows, dst)
	}
	if err := Gather(ctx, s.src, rows, dst); err != nil {
		return err
	}
	_, err := s.clean(dst, len(rows), func(i int) int64 { return rows[i] })
	return err
}

// gatherKept finds rows among those that were not dropped: each raw block that
// holds a wanted row is read and cleaned. A source without random access is
// skimmed.
func (s *Prepared) gatherKept(ctx context.Context, rows []int64, dst *Batch) error {
	if s.kept == nil {
		return OnceError(s.info.Name)
	}
	if s.info.Lead == 0 {
		return skim(ctx, s, rows, dst)
	}
	resetKept(dst.Kept)
	for taken := 0; taken < len(rows); {
		start, before := s.kept.find(rows[taken])
		chunk, left, err := s.rawBlock(ctx, start, dst.Kept != nil)
		if err != nil {
			return err
		}
		found := pick(dst, chunk, rows, taken, before, left)
		if found == 0 {
			return fmt.Errorf("%s: row %d is gone: the file changed", s.info.Name, rows[taken])
		}
		taken += found
	}
	return nil
}

// rawBlock reads and cleans the block of raw rows that begins at start.
func (s *Prepared) rawBlock(ctx context.Context, start int64, kept bool) (chunk *Batch, left int, err error) {
	n := int(min(s.kept.blockRows, s.kept.raw-start))
	chunk = &Batch{X: NewMatrix(n, len(s.info.Columns))}
	if kept {
		chunk.Kept = keptColumns(s.info.Kept)
	}
	if err := readRows(ctx, s.src, start, chunk); err != nil {
		return nil, 0, err
	}
	left, err = s.clean(chunk, n, func(i int) int64 { return start + int64(i) })
	return chunk, left, err
}

// clean applies the preparation to the first n rows of b, in place, and returns
// how many are left. number gives the number of a row for messages.
func (s *Prepared) clean(b *Batch, n int, number func(i int) int64) (left int, err error) {
	for i := range n {
		x := row(b.X, i)
		if j := firstNonFinite(x); j >= 0 {
			if s.Nulls == NullsError {
				return 0, s.nullError(number(i), j, x[j])
			}
			if s.Nulls == NullsDrop {
				continue
			}
			s.fill(x)
		}
		if j := s.scale(x); j >= 0 {
			return 0, s.overflowError(number(i), j)
		}
		if left < i {
			copy(row(b.X, left), x)
			moveKept(b.Kept, left, i)
		}
		left++
	}
	if left < n {
		truncateKept(b.Kept, left)
	}
	return left, nil
}

func (s *Prepared) nullError(row int64, column int, value float64) error {
	what := fmt.Sprint(value)
	if math.IsNaN(value) {
		what = "null or NaN"
	}
	return &BadValueError{Source: s.info.Name, Row: row, Column: s.info.Columns[column],
		Reason: what + "; remove such rows, or fit with `nulls drop`, zero or mean"}
}

func (s *Prepared) overflowError(row int64, column int) error {
	return &BadValueError{Source: s.info.Name, Row: row, Column: s.info.Columns[column],
		Reason: fmt.Sprintf("so far from the values that its scaling was made for (shift %g, factor %g) that it overflows", s.Shift[column], s.Factor[column])}
}

// BadValueError reports a value, or a row, that cannot be computed with.
type BadValueError struct {
	Source string
	Row    int64  // counted from 0
	Column string // "" for the whole row
	Reason string
}

func (e *BadValueError) Error() string {
	column := ""
	if e.Column != "" {
		column = ", column " + quote.Name(e.Column)
	}
	return fmt.Sprintf("%s: row %d (counted from 0)%s: %s", e.Source, e.Row, column, e.Reason)
}

func (s *Prepared) fill(x []float64) {
	for j, v := range x {
		if !finite(v) {
			x[j] = s.Fill[j]
		}
	}
}

// scale scales a row in place and returns the first column that overflows, or -1.
func (s *Prepared) scale(x []float64) (overflow int) {
	if s.Shift == nil {
		return -1
	}
	for j, v := range x {
		x[j] = (v - s.Shift[j]) * s.Factor[j]
	}
	return firstNonFinite(x)
}

func finite(v float64) bool { return v-v == 0 }

// firstNonFinite returns the index of the first value that is not finite, or -1.
func firstNonFinite(x []float64) int {
	for j, v := range x {
		if !finite(v) {
			return j
		}
	}
	return -1
}

// moveKept overwrites value `to` of each column by value `from`.
func moveKept(cols []Column, to, from int) {
	for k := range cols {
		c := &cols[k]
		switch c.Kind {
		case Float64:
			c.Floats[to] = c.Floats[from]
		case Int64:
			c.Ints[to] = c.Ints[from]
		default:
			c.Strings[to] = c.Strings[from]
		}
		if c.Valid != nil {
			c.Valid[to] = c.Valid[from]
		}
	}
}

// truncateKept leaves the first n values of each column.
func truncateKept(cols []Column, n int) {
	for k := range cols {
		c := &cols[k]
		switch c.Kind {
		case Float64:
			c.Floats = c.Floats[:n]
		case Int64:
			c.Ints = c.Ints[:n]
		default:
			c.Strings = c.Strings[:n]
		}
		if c.Valid != nil {
			c.Valid = c.Valid[:n]
		}
	}
}

// keptRows maps the rows that are left to blocks of raw rows. It takes 8 bytes
// for each block of raw rows.
type keptRows struct {
	blockRows int64
	raw       int64
	before    []int64 // rows left before block i; one more entry for the end
}

func newKeptRows(stats *columnStats) *keptRows {
	k := &keptRows{blockRows: stats.blockRows, raw: stats.rows, before: make([]int64, 1, len(stats.kept)+1)}
	for i, n := range stats.kept {
		k.before = append(k.before, k.before[i]+n)
	}
	return k
}

func (k *keptRows) total() int64 { return k.before[len(k.before)-1] }

// find returns the first row of the raw block that holds the row, and the number of
// its first row that is left. The row behind the last is behind all raw rows.
func (k *keptRows) find(row int64) (raw, before int64) {
	block := sort.Search(len(k.before)-1, func(i int) bool { return k.before[i+1] > row })
	return min(k.raw, int64(block)*k.blockRows), k.before[block]
}
