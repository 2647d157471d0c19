package prepare

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/stream"
)

// RowPreparer applies a [Preparation] to single rows. It is safe for concurrent use and allocates
// nothing per row.
type RowPreparer struct {
	preparation    Preparation
	numeric        int // numeric columns
	scaled         int // numeric columns and ordinal codes
	width          int
	firstColumn    []int // first column of each category
	lookup         []map[string]int
	firstIndicator int // index of the first indicator
	quantile       bool
}

// Rows returns a preparer of rows with the given number of numeric columns. It returns an error if
// the preparation has another number.
func (p Preparation) Rows(columns int) (*RowPreparer, error) {
	r := &RowPreparer{preparation: p, numeric: columns, quantile: p.Knots.Rows > 0}
	r.width, r.scaled = columns, columns
	for _, c := range p.Categories {
		levels := make(map[string]int, len(c.Levels))
		for i, word := range c.Levels {
			levels[word] = i
		}
		r.firstColumn, r.lookup = append(r.firstColumn, r.width), append(r.lookup, levels)
		if p.Encoding == EncodeOrdinal {
			r.width++
		} else {
			r.width += len(c.Levels)
		}
	}
	if p.Encoding == EncodeOrdinal {
		r.scaled = r.width
	}
	r.firstIndicator = r.width
	r.width += len(p.Missing)
	for _, v := range []struct{ have, want int }{{len(p.Fill), columns}, {len(p.Shift), r.scaled},
		{len(p.Factor), r.scaled}, {p.Knots.Rows, r.scaled}} {
		if v.have > 0 && v.have != v.want {
			return nil, fmt.Errorf("it has %d columns, and was to be prepared like rows of %d", v.want, v.have)
		}
	}
	if n := len(p.Missing); n > 0 && (p.Missing[0] < 0 || p.Missing[n-1] >= columns) {
		return nil, fmt.Errorf("it has %d columns, and was to be prepared with an indicator of column %d", columns,
			p.Missing[n-1])
	}
	return r, nil
}

// Numbers returns the number of numeric values in a raw row.
func (r *RowPreparer) Numbers() int { return r.numeric }

// Words returns the number of words in a raw row.
func (r *RowPreparer) Words() int { return len(r.firstColumn) }

// Width returns the number of columns of a prepared row.
func (r *RowPreparer) Width() int { return r.width }

// Prepare stores the prepared form of a raw row in dst, of length Width. Numbers are in the order
// of Preparation.Columns, with NaN for a null, and words in the order of Preparation.Categories,
// with "" for a null. It returns an error if a number is missing or not finite and the fit refused
// or dropped such rows, or if a scaled number overflows.
func (r *RowPreparer) Prepare(dst, row []float64, words ...string) error {
	if len(row) != r.numeric || len(words) != len(r.firstColumn) || len(dst) != r.width {
		return fmt.Errorf("a row of %d numbers and %d words for %d prepared numbers; rows of the fit have %d and %d, and give %d",
			len(row), len(words), len(dst), r.numeric, len(r.firstColumn), r.width)
	}
	copy(dst, row)
	if j := simd.FirstNotFinite(row); j >= 0 && r.preparation.Fill == nil {
		return r.error(j, "is null or not finite, which the fit refused or dropped")
	}
	r.fill(dst)
	for k, word := range words {
		r.category(dst, k, word)
	}
	if j := r.scale(dst); j >= 0 {
		return r.error(j, "overflows when it is scaled")
	}
	return nil
}

// error returns an error about a column of the row.
func (r *RowPreparer) error(column int, what string) error {
	name := fmt.Sprint(column)
	if names := r.preparation.Columns; column < len(names) {
		name = quote.Name(names[column])
	}
	return fmt.Errorf("column %s %s", name, what)
}

// fill replaces missing values in the numeric columns and sets their indicators.
func (r *RowPreparer) fill(x []float64) {
	for i, j := range r.preparation.Missing {
		x[r.firstIndicator+i] = 0
		if !matrix.IsFinite(x[j]) {
			x[r.firstIndicator+i] = 1
		}
	}
	for j, v := range r.preparation.Fill {
		if !matrix.IsFinite(x[j]) {
			x[j] = v
		}
	}
}

// category sets the columns of category k and returns the level of the word, -1 for a null or an
// unknown word.
func (r *RowPreparer) category(x []float64, k int, word string) int {
	level := -1
	if word != "" {
		var known bool
		if level, known = r.lookup[k][word]; !known {
			if level, known = r.lookup[k][levelOf(word)]; !known {
				level = -1
			}
		}
	}
	first := r.firstColumn[k]
	if r.preparation.Encoding == EncodeOrdinal {
		x[first] = float64(level)
		return level
	}
	columns := x[first : first+len(r.lookup[k])]
	clear(columns)
	if level >= 0 {
		columns[level] = 1
	}
	return level
}

// scale scales a row in place and returns the first column that overflows, or -1.
func (r *RowPreparer) scale(x []float64) (overflow int) {
	x = x[:r.scaled]
	switch {
	case r.quantile:
		for j, v := range x {
			x[j] = quantileOf(matrix.Row(r.preparation.Knots, j), v)
		}
	case r.preparation.Shift != nil:
		for j, v := range x {
			x[j] = (v - r.preparation.Shift[j]) * r.preparation.Factor[j]
		}
		return simd.FirstNotFinite(x)
	}
	return -1
}

// Names returns the names of the columns of prepared rows, given those of the numeric columns:
// COLUMN_LEVEL for a level, COLUMN for ordinal codes, COLUMN_missing for an indicator.
func (p Preparation) Names(numeric []string) []string {
	if len(p.Categories) == 0 && len(p.Missing) == 0 {
		return numeric
	}
	names := p.names(numeric)
	if p.Encoding != EncodeOrdinal {
		for _, c := range p.Categories {
			for _, level := range c.Levels {
				names = append(names, c.Column+"_"+level)
			}
		}
	}
	for _, j := range p.Missing {
		names = append(names, numeric[j]+"_missing")
	}
	return names
}

// names returns the names of the scaled columns.
func (p Preparation) names(numeric []string) []string {
	names := slices.Clone(numeric)
	if p.Encoding == EncodeOrdinal {
		for _, c := range p.Categories {
			names = append(names, c.Column)
		}
	}
	return names
}

// columnIndices returns the indices of p.Columns among the numeric columns of a source, nil for all in
// order. A source without names must have as many columns.
func (p Preparation) columnIndices(info stream.Info) (places []int, err error) {
	switch d := len(p.Columns); {
	case p.Columns == nil || !info.Nameless && slices.Equal(p.Columns, info.Columns):
		return nil, nil
	case info.Nameless && len(info.Columns) == d:
		return nil, nil
	case info.Nameless:
		return nil, fmt.Errorf("%s has %d columns without names, and the rows of the fit have %d: %s", info.Name,
			len(info.Columns), d, quote.Names(p.Columns))
	}
	var absent []string
	for _, name := range p.Columns {
		i := slices.Index(info.Columns, name)
		if i < 0 {
			absent = append(absent, name)
		}
		places = append(places, i)
	}
	if len(absent) > 0 {
		return nil, fmt.Errorf("%s has no column of numbers called %s, which the rows of the fit have", info.Name,
			quote.Names(absent))
	}
	return places, nil
}

// categories returns the indices of the categories among the kept columns of a source.
func (p Preparation) categories(info stream.Info) (places []int, err error) {
	for _, c := range p.Categories {
		i := slices.IndexFunc(info.Kept, func(f stream.Field) bool { return f.Name == c.Column })
		switch {
		case i < 0 && slices.Contains(info.Columns, c.Column) || i >= 0 && info.Kept[i].Kind != stream.String:
			return nil, fmt.Errorf("%s: column %s holds numbers, and text in the rows of the fit; write it as text",
				info.Name, quote.Name(c.Column))
		case i < 0:
			return nil, fmt.Errorf("%s has no column of text called %s, which the rows of the fit have", info.Name,
				quote.Name(c.Column))
		}
		places = append(places, i)
	}
	return places, nil
}

// Width returns the number of columns that categories and indicators add to a row.
func (p Preparation) Width() (n int) {
	for _, c := range p.Categories {
		if n++; p.Encoding != EncodeOrdinal {
			n += len(c.Levels) - 1
		}
	}
	return n + len(p.Missing)
}

// Scaled reports whether numeric columns are scaled.
func (p Preparation) Scaled() bool { return p.Shift != nil || p.Knots.Rows > 0 }

// IsIdentity reports whether rows are used unchanged and nulls are errors.
func (p Preparation) IsIdentity() bool {
	return !p.Scaled() && p.Nulls == NullsRefuse && len(p.Categories) == 0
}

// quantileOf returns the rank of v among ascending knots, from 0 to 1: linear between two knots,
// and the mean rank of equal ones. Halves of differences do not overflow.
func quantileOf(knots []float64, v float64) float64 {
	last := len(knots) - 1
	switch {
	case v <= knots[0]:
		return 0
	case v >= knots[last]:
		return 1
	}
	above, found := slices.BinarySearch(knots, v) // the first knot ≥ v
	if found {
		end := above
		for knots[end] == v {
			end++
		}
		return float64(above+end-1) / float64(2*last)
	}
	low, high := knots[above-1], knots[above]
	return (float64(above-1) + (v/2-low/2)/(high/2-low/2)) / float64(last)
}
