// Package prepare turns raw rows into the rows that a method sees: it fills or drops nulls, encodes
// words as numbers, scales columns, and drops rows of weight 0. [New] learns the parameters from
// the rows of a fit; the resulting [Preparation] treats new rows the same way.
package prepare

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/stream"
)

// Nulls selects the treatment of rows with a null or a non-finite number.
type Nulls uint8

const (
	// NullsRefuse returns an error that names row and column.
	NullsRefuse Nulls = iota
	// NullsDrop drops such rows.
	NullsDrop
	// NullsZero replaces them by 0.
	NullsZero
	// NullsMean replaces them by the mean of the finite values of the column.
	NullsMean
	// NullsIndicator is NullsMean plus an indicator column NAME_missing for each column that has
	// nulls in the fit.
	NullsIndicator
)

var nullsWords = []string{"error", "drop", "zero", "mean", "indicator"}

func (n Nulls) String() string { return words.Of(nullsWords, n) }

// ParseNulls returns the policy with the given name, such as mean.
func ParseNulls(word string) (Nulls, error) {
	return words.Parse[Nulls]("policy of nulls", nullsWords, word)
}

// Scaling selects how columns are scaled.
type Scaling uint8

const (
	// ScaleNone leaves columns unchanged.
	ScaleNone Scaling = iota
	// ScaleStandard gives each column mean 0 and standard deviation 1
	// (dividing by n, as scikit-learn's StandardScaler). A constant column
	// becomes 0.
	ScaleStandard
	// ScaleMinMax maps each column to [0, 1]. A constant column becomes 0.
	ScaleMinMax
	// ScaleQuantile maps each column to [0, 1] by its empirical distribution function, piecewise
	// linear between at most 1,000 quantiles of a sample of the rows. Equal quantiles share their
	// mean rank. Values outside the range of the quantiles, and constant columns, become 0 or 1.
	ScaleQuantile
)

func (s Scaling) String() string { return words.Of(scalingWords, s) }

var scalingWords = []string{"none", "standard", "minmax", "quantile"}

// Treatment selects how a fit prepares rows.
type Treatment struct {
	Nulls      Nulls
	Scale      Scaling
	Categories Encoding // of the kept columns that are marked as categories
	// Weights is the kept column of row weights, "" for none. A row of weight 0 is dropped. A row
	// of weight k counts as k rows in means, deviations, quantiles and levels.
	Weights string
	// AllColumns keeps numeric columns without any finite value, such as those of a matrix. Nulls
	// then selects the treatment of their values.
	AllColumns bool
}

// Scans reports whether [New] needs a pass.
func (t Treatment) Scans() bool {
	return t.Nulls != NullsRefuse && t.Nulls != NullsZero || t.Scale != ScaleNone || t.Categories != EncodeNone ||
		t.Weights != ""
}

// Preparation maps raw rows to the rows that a method sees. A model stores it, so that new rows are
// treated like the rows of the fit. A prepared row has the numeric columns, then the columns of
// categories, then the indicators of missing values. Numeric columns and ordinal codes are scaled,
// 0/1 columns are not: x' = (x−Shift)·Factor, or the quantile rank of x.
type Preparation struct {
	// Columns are the names of the numeric columns. Nil takes all columns of a source, in order. A
	// source without names ([stream.Info].Nameless) must have as many columns; they are taken in
	// order.
	Columns    []string
	Nulls      Nulls
	Fill       []float64 // replacement of nulls, per numeric column; nil without such a policy
	Missing    []int     // numeric columns that have an indicator, ascending
	Encoding   Encoding
	Categories []Category
	Shift      []float64 // nil without this scaling
	Factor     []float64
	Knots      blas64.General // row j: ascending quantiles of column j; no rows without this scaling
}

// New learns the preparation of src and returns the prepared rows. Mean filling, scaling, dropping,
// categories and weights take one pass together, which counts in PassesToOpen of the result; other
// treatments read only the first rows. It returns an error if that pass is needed and the source
// can be read only once. It also returns an error, with the name of the column, if the mean or
// spread of a column overflows float64, or if a category has more than [MaxLevels] levels.
//
// Numeric columns without any finite value are dropped, see [Source.EmptyColumns], unless t.AllColumns is
// set. If the first rows suggest such a column, one or two more passes check all rows.
func New(ctx context.Context, e stream.Engine, src stream.Source, t Treatment) (*Source, error) {
	info := src.Info()
	p := Preparation{Nulls: t.Nulls}
	for _, f := range info.Kept {
		if f.Category && t.Categories != EncodeNone {
			p.Categories, p.Encoding = append(p.Categories, Category{Column: f.Name}), t.Categories
		}
	}
	if err := checkTextColumns(info, t); err != nil {
		return nil, err
	}
	t.Categories = p.Encoding // no column has text, so there are no levels
	if !t.Scans() && (t.AllColumns || info.OnePass || !beginsEmpty(ctx, src)) {
		p.fillZeros(t, len(info.Columns))
		return newSource(src, p, nil)
	}
	if info.OnePass {
		return nil, fmt.Errorf("%s %w", info.Name, stream.ErrReadOnce)
	}
	categories, err := p.categories(info)
	if err != nil {
		return nil, err
	}
	stats, empty, passes, err := scanColumns(ctx, e, src, t, categories)
	if err != nil {
		return nil, err
	}
	if len(empty) > 0 {
		p.Columns = stats.info.Columns
	}
	p.fillZeros(t, len(stats.info.Columns))
	if err := p.setParameters(stats, t, stats.info); err != nil {
		return nil, err
	}
	s, err := newSource(src, p, stats)
	if err == nil {
		s.info.PassesToOpen += passes - 1
		s.empty, s.rounded = empty, stats.roundedNames(t, p)
	}
	return s, err
}

// checkTextColumns returns an error if words are to be encoded and a column of words is marked
// neither as a category nor as carried.
func checkTextColumns(info stream.Info, t Treatment) error {
	for _, f := range info.Kept {
		if t.Categories != EncodeNone && f.Kind == stream.String && !f.Category && !f.Carried {
			return stream.NewValueError(info.Name, stream.NoRow, f.Name, "`Treatment.Categories %v` makes no numbers of its words: the field is no category", t.Categories).
				WithRemedy("set Category of its stream.Field, or Carried to keep the words as they are")
		}
	}
	return nil
}

// fillZeros sets Fill for NullsZero.
func (p *Preparation) fillZeros(t Treatment, columns int) {
	if t.Nulls == NullsZero {
		p.Fill = make([]float64, columns)
	}
}

// setParameters derives the parameters of the treatment from the statistics of the columns.
func (p *Preparation) setParameters(stats *columnStats, t Treatment, info stream.Info) (err error) {
	if t.Nulls == NullsMean || t.Nulls == NullsIndicator {
		if p.Fill, err = stats.means(info); err != nil {
			return err
		}
	}
	if t.Nulls == NullsIndicator {
		p.Missing = stats.columnsWithNulls()
	}
	for k := range p.Categories {
		p.Categories[k].Levels = stats.words[k].levels()
	}
	if p.Encoding == EncodeOrdinal {
		stats.addCodes()
	}
	if t.Scale == ScaleQuantile {
		p.Knots = stats.quantiles(p.Fill, p.Encoding == EncodeOrdinal)
		return nil
	}
	info.Columns = p.names(info.Columns)
	p.Shift, p.Factor, err = stats.scaling(t.Scale, p.Fill, info)
	return err
}

// Apply prepares src as an earlier New did the rows of a fit. Columns are found by name, in any
// order and among others; if Preparation.Columns is nil, numeric columns are found by position. The
// error for a column that is missing, or that holds numbers instead of text, names it. Dropping
// rows costs a pass that counts them, unless src can be read only once: then the number of rows
// stays unknown and rows cannot be gathered.
func (p Preparation) Apply(ctx context.Context, e stream.Engine, src stream.Source) (*Source, error) {
	if p.Nulls != NullsDrop || src.Info().OnePass {
		return newSource(src, p, nil)
	}
	places, err := p.columnIndices(src.Info())
	if err != nil {
		return nil, err
	}
	stats, err := scan(ctx, e, src, Treatment{Nulls: NullsDrop}, places, nil)
	if err != nil {
		return nil, err
	}
	return newSource(src, p, stats)
}

// Source is a source of prepared rows: nulls treated, categories encoded and columns scaled.
type Source struct {
	Preparation
	src            stream.Source
	info           stream.Info
	rows           *RowPreparer
	numericIndex   []int           // index of each numeric column in src; nil for all, in order
	categories     []int           // indices of the categories among the kept columns of src
	carriedIndex   []int           // indices of the carried kept columns; nil for all
	kept           *keptRows       // map to the raw rows; nil if no row is dropped
	weights        int             // index of the weights among the kept columns of src, if rows are dropped by them; else -1
	countedDrops   int64           // rows with nulls, if counted in advance
	uncountedDrops atomic.Int64    // rows with nulls dropped by readers, if not counted in advance
	zeroWeightRows int64           // rows of weight 0
	empty          []string        // columns without any finite value
	rounded        []string        // columns that are constant up to rounding
	categoryCounts []categoryCount // of the categories
	counted        bool            // New has counted the categories
}

// newSource finds the columns of a preparation in src.
func newSource(src stream.Source, p Preparation, stats *columnStats) (s *Source, err error) {
	s = &Source{Preparation: p, src: src, info: src.Info(), weights: -1}
	if stats != nil && stats.columnIndices != nil {
		s.numericIndex = stats.columnIndices
	} else if s.numericIndex, err = p.columnIndices(s.info); err != nil {
		return nil, err
	}
	if s.categories, err = p.categories(s.info); err != nil {
		return nil, err
	}
	names := p.Columns
	if names == nil {
		names = s.info.Columns
	}
	if s.rows, err = p.Rows(len(names)); err != nil {
		return nil, fmt.Errorf("%s: %w", s.info.Name, err)
	}
	s.categoryCounts = newCategoryCounts(len(s.categories))
	if stats != nil {
		s.info.PassesToOpen++
		for k := range stats.words {
			s.categoryCounts[k].nulls.Store(stats.words[k].nulls.rows)
			s.counted = true
		}
	}
	s.info.Columns = p.Names(names)
	if stats != nil && stats.absent > 0 {
		s.weights = stats.weights
	}
	s.info.Nameless = s.info.Nameless && p.Columns == nil && p.Width() == 0
	s.setCarried()
	if p.Nulls == NullsDrop {
		s.info.Rows = -1
	}
	if stats != nil && s.dropsRows() {
		s.kept = newKeptRows(stats)
		s.zeroWeightRows = stats.absent
		s.countedDrops = s.kept.raw - s.kept.total() - s.zeroWeightRows
		s.info.Rows = s.kept.total()
		if s.info.SeekCost > 0 {
			s.info.SeekCost += s.kept.blockRows
		}
	}
	return s, nil
}

// dropsRows reports whether rows may be dropped.
func (s *Source) dropsRows() bool { return s.Nulls == NullsDrop || s.weights >= 0 }

// setCarried removes the categories from the carried columns, unless a column is both.
func (s *Source) setCarried() {
	if len(s.categories) == 0 && s.weights < 0 {
		return
	}
	fields := s.info.Kept
	s.info.Kept, s.carriedIndex = nil, []int{}
	for i, f := range fields {
		if f.Category && !f.Carried && slices.Contains(s.categories, i) {
			continue
		}
		f.Category = false
		s.info.Kept, s.carriedIndex = append(s.info.Kept, f), append(s.carriedIndex, i)
	}
}

func (s *Source) Info() stream.Info { return s.info }

// Dropped returns the number of rows dropped for nulls, as far as counted.
func (s *Source) Dropped() int64 { return s.countedDrops + s.uncountedDrops.Load() }

// ZeroWeightRows returns the number of rows of weight 0, which are dropped.
func (s *Source) ZeroWeightRows() int64 { return s.zeroWeightRows }

// EmptyColumns returns the names of the numeric columns that [New] dropped because no row had a finite
// value.
func (s *Source) EmptyColumns() []string { return s.empty }

// ConstantColumns returns the names of the columns that are constant up to rounding. Scaling makes them 0:
// their differences are rounding errors, not data.
func (s *Source) ConstantColumns() []string { return s.rounded }

// Open implements [stream.Source]. If rows are dropped, it starts reading at the raw block that
// holds the row.
func (s *Source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
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
	return s.info.Skip(&preparedReader{s: s, r: r, row: raw, left: before}, first-before), nil
}

type preparedReader struct {
	s    *Source
	r    stream.Reader
	raw  rawRows
	row  int64 // the number of the next raw row
	left int64 // rows remaining before it
}

func (r *preparedReader) Close() error { return r.r.Close() }

// Read implements [stream.Reader]. It may return fewer rows than requested if rows are dropped.
func (r *preparedReader) Read(dst *stream.Batch) (int, error) {
	if k := r.s.kept; k != nil && dst.X.Rows > 0 { // a read ends with its raw block
		dst = &stream.Batch{X: matrix.Rows(dst.X, 0, int(min(int64(dst.X.Rows), k.blockRows-r.row%k.blockRows))), Kept: dst.Kept}
	}
	raw := r.s.raw(dst, &r.raw)
	n, err := r.r.Read(raw)
	start := r.row
	r.row += int64(n)
	left, bad := r.s.clean(dst, raw, n, !r.s.counted, func(i int) int64 { return start + int64(i) })
	r.left += int64(left)
	if r.s.kept == nil && bad == nil {
		r.s.uncountedDrops.Add(int64(n - left))
	}
	if bad == nil {
		bad = r.check(err == io.EOF)
	}
	if bad != nil {
		return 0, bad
	}
	return left, err
}

// check compares the remaining rows with their count at the end of each raw block. Readers that
// seek rely on the counts.
func (r *preparedReader) check(ended bool) error {
	k := r.s.kept
	if k == nil || !ended && r.row%k.blockRows != 0 {
		return nil
	}
	block := min(int64(len(k.remainingBefore)-1), (r.row+k.blockRows-1)/k.blockRows)
	if want := k.remainingBefore[block]; r.left != want {
		return fmt.Errorf("%s: after its first %d rows %d are left, and %d were counted: the file changed", r.s.info.Name, r.row, r.left, want)
	}
	return nil
}

// Gather implements [stream.Gatherer].
func (s *Source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if s.dropsRows() {
		return s.gatherKept(ctx, rows, dst)
	}
	raw := s.raw(dst, new(rawRows))
	if err := stream.Gather(ctx, s.src, rows, raw); err != nil {
		return err
	}
	_, err := s.clean(dst, raw, len(rows), false, func(i int) int64 { return rows[i] })
	return err
}

// withoutGather hides the Gather method of a source.
type withoutGather struct{ stream.Source }

// rawRows is the buffer of a reader for rows of its source.
type rawRows struct {
	batch stream.Batch
	x     blas64.General
	kept  []stream.Column
}

// raw returns the batch into which to read the raw rows of dst. Unless numeric columns are
// selected, raw rows are read into the first columns of dst.
func (s *Source) raw(dst *stream.Batch, m *rawRows) *stream.Batch {
	d := s.rows.numeric
	m.batch = stream.Batch{X: blas64.General{Rows: dst.X.Rows, Cols: d, Stride: dst.X.Stride, Data: dst.X.Data}, Kept: dst.Kept}
	if s.numericIndex != nil {
		if d = len(s.src.Info().Columns); m.x.Rows < dst.X.Rows {
			m.x = matrix.New(dst.X.Rows, d)
		}
		m.batch.X = matrix.Rows(m.x, 0, dst.X.Rows)
	}
	if s.carriedIndex == nil {
		return &m.batch
	}
	if m.kept == nil {
		m.kept = s.src.Info().NewKept()
	}
	for k := range dst.Kept {
		m.kept[s.carriedIndex[k]] = dst.Kept[k]
	}
	m.batch.Kept = m.kept
	for k := range m.kept {
		m.kept[k].Reset()
	}
	return &m.batch
}

// clean prepares the first n rows of raw in b, and returns the number that remain. number returns
// the row number for messages; count includes the rows in the counts of categories.
func (s *Source) clean(b, raw *stream.Batch, n int, count bool, number func(i int) int64) (left int, err error) {
	for i := range n {
		if s.weights >= 0 {
			w, reason := weightOf(&raw.Kept[s.weights], i)
			if reason != "" {
				return 0, weightError(s.src.Info(), s.weights, number(i), reason)
			}
			if w == 0 {
				continue
			}
		}
		x := matrix.Row(b.X, i)
		if s.numericIndex != nil {
			copyAt(x, matrix.Row(raw.X, i), s.numericIndex)
		}
		if j := simd.FirstNotFinite(x[:s.rows.numeric]); j >= 0 {
			if s.Nulls == NullsRefuse {
				return 0, nullError(s.info, number(i), j, x[j])
			}
			if s.Nulls == NullsDrop {
				continue
			}
		}
		s.rows.fill(x)
		for k, place := range s.categories {
			c, word := &raw.Kept[place], ""
			if !c.Null(i) {
				word = c.Strings[i]
			}
			if level := s.rows.category(x, k, word); count && level < 0 {
				s.categoryCounts[k].add(word)
			}
		}
		if j := s.rows.scale(x); j >= 0 {
			return 0, s.overflowError(number(i), j)
		}
		if left < i {
			copy(matrix.Row(b.X, left), x)
			for k := range raw.Kept {
				raw.Kept[k].Move(left, i)
			}
		}
		left++
	}
	if left < n {
		for k := range raw.Kept {
			raw.Kept[k].Truncate(left)
		}
	}
	if s.carriedIndex != nil {
		for k := range b.Kept {
			b.Kept[k] = raw.Kept[s.carriedIndex[k]]
		}
	}
	return left, nil
}

func nullError(info stream.Info, row int64, column int, value float64) error {
	what := fmt.Sprint(value)
	if math.IsNaN(value) {
		what = "null or NaN"
	}
	return stream.NewValueError(info.Name, row, info.Columns[column], "%s", what).
		WithRemedy("remove such rows, or fit with `Treatment.Nulls drop`, zero, mean or indicator")
}

func (s *Source) overflowError(row int64, column int) error {
	return stream.NewValueError(s.info.Name, row, s.info.Columns[column],
		"so far from the values that its scaling was made for (shift %g, factor %g) that it overflows", s.Shift[column], s.Factor[column])
}

// keptRows maps the rows that remain to blocks of raw rows. It takes 8 bytes per block.
type keptRows struct {
	blockRows       int64
	raw             int64
	remainingBefore []int64 // rows remaining before block i; one more entry for the end
}

func newKeptRows(stats *columnStats) *keptRows {
	k := &keptRows{blockRows: stats.blockRows, raw: stats.rows, remainingBefore: make([]int64, 1, len(stats.kept)+1)}
	for i, n := range stats.kept {
		k.remainingBefore = append(k.remainingBefore, k.remainingBefore[i]+n)
	}
	return k
}

func (k *keptRows) total() int64 { return k.remainingBefore[len(k.remainingBefore)-1] }

// find returns the first raw row of the block that holds the row, and the number of the first
// remaining row in that block. The row after the last maps to the end of the raw rows.
func (k *keptRows) find(row int64) (raw, before int64) {
	block := sort.Search(len(k.remainingBefore)-1, func(i int) bool { return k.remainingBefore[i+1] > row })
	return min(k.raw, int64(block)*k.blockRows), k.remainingBefore[block]
}
