package model

import (
	"encoding/json"

	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream/prepare"
)

// preparedPrefix is the prefix of the array names of a preparation, by side. Right is used by pairs.
var preparedPrefix = [...]string{Left: "", Right: "right_"}

// PutPreparation adds the arrays of the preparation of a side; the right side is only for pairs. The policy for nulls
// and the categories are in Data, see [input.RowsData].
func (a *Archive) PutPreparation(side Side, p prepare.Preparation) {
	prefix, c := preparedPrefix[side], &codec{archive: a}
	for _, v := range []struct {
		name   string
		values []float64
	}{{"column_shift", p.Shift}, {"column_factor", p.Factor}, {"column_fill", p.Fill}} {
		if v.values != nil {
			c.put(v.values, &slot{name: prefix + v.name}, nil)
		}
	}
	if p.Knots.Rows > 0 {
		c.put(p.Knots, &slot{name: prefix + "column_knots"}, nil)
	}
	if len(p.Missing) > 0 {
		columns := make([]int64, len(p.Missing))
		for i, j := range p.Missing {
			columns[i] = int64(j)
		}
		a.PutInts(prefix+"column_missing", columns)
	}
}

// Preparation returns the preparation of the rows of a side. columns is the number of columns that the model takes, or
// negative for any number. The right side of a matrix, its columns, has no preparation.
func (a *Archive) Preparation(side Side, columns int) (p prepare.Preparation) {
	data := input.RowsData{Nulls: "error"}
	if a.Data != nil {
		a.Check(json.Unmarshal(a.Data, &data))
	}
	if data.Graph != nil || side == Right && data.Input == "matrix" {
		return p
	}
	var err error
	if p.Nulls, err = prepare.ParseNulls(data.Nulls); err != nil {
		a.Fail("data.nulls is %q", data.Nulls)
		return p
	}
	categories := data.Categories
	if p.Columns = data.Columns; data.Input == "pairs" && side == Right {
		p.Columns, categories = data.RightColumns, data.RightCategories
	} else {
		side = Left
	}
	a.takeCategories(&p, categories)
	a.takePreparation(&p, preparedPrefix[side], columns)
	return p
}

// takeCategories reads categorical columns. Their levels are words, in byte order.
func (a *Archive) takeCategories(p *prepare.Preparation, c *input.Categories) {
	if c == nil {
		return
	}
	var err error
	if p.Encoding, err = prepare.ParseEncoding(c.Encoding); err != nil || p.Encoding == prepare.EncodeNone {
		a.Fail("data.categories: encoding %q", c.Encoding)
	}
	p.Categories = c.Columns
	for _, c := range c.Columns {
		before := ""
		for _, level := range c.Levels {
			if level <= before {
				a.Fail("data.categories: the levels of %q do not ascend", c.Column)
				return
			}
			before = level
		}
	}
}

// takePreparation reads the arrays of a preparation of rows with the given number of columns.
func (a *Archive) takePreparation(p *prepare.Preparation, prefix string, columns int) {
	if _, has := a.find(prefix + "column_missing"); has {
		for _, j := range a.Ints(prefix+"column_missing", -1) {
			if n := len(p.Missing); j < 0 || n > 0 && int(j) <= p.Missing[n-1] {
				a.Fail("array %scolumn_missing does not ascend from 0", prefix)
				return
			}
			p.Missing = append(p.Missing, int(j))
		}
	}
	numbers, scaled := int64(-1), int64(-1)
	if columns >= 0 {
		if numbers = int64(columns - p.Width()); numbers < 0 || len(p.Missing) > 0 &&
			int64(p.Missing[len(p.Missing)-1]) >= numbers {
			a.Fail("%d columns, of which categories and indicators of missing values make %d", columns, p.Width())
			return
		}
		if n := int64(len(p.Columns)); n > 0 && n != numbers {
			a.Fail("%d names for %d columns of numbers", n, numbers)
			return
		}
		if scaled = numbers; p.Encoding == prepare.EncodeOrdinal {
			scaled += int64(len(p.Categories))
		}
	}
	if _, has := a.find(prefix + "column_shift"); has {
		p.Shift, p.Factor = a.vector(prefix+"column_shift", scaled), a.vector(prefix+"column_factor", scaled)
	}
	if _, has := a.find(prefix + "column_knots"); has {
		p.Knots = a.matrix(prefix+"column_knots", scaled, -1)
		a.checkKnots(p, prefix)
	}
	if p.Nulls == prepare.NullsZero || p.Nulls == prepare.NullsMean || p.Nulls == prepare.NullsIndicator {
		p.Fill = a.vector(prefix+"column_fill", numbers)
	}
}

// checkKnots fails if knots do not ascend.
func (a *Archive) checkKnots(p *prepare.Preparation, prefix string) {
	if a.Err() != nil {
		return
	}
	k := p.Knots
	if k.Cols < 2 || p.Shift != nil {
		a.Fail("array %scolumn_knots has %d columns beside another scaling, expected at least 2 and none", prefix, k.Cols)
		return
	}
	for i := range k.Rows {
		for j := 1; j < k.Cols; j++ {
			if k.Data[i*k.Stride+j] < k.Data[i*k.Stride+j-1] {
				a.Fail("array %scolumn_knots: row %d does not ascend", prefix, i)
				return
			}
		}
	}
}

// checkPrepared records an error if the fit prepared rows and the caller does not.
func (a *Archive) checkPrepared() {
	if a.TakesPrepared {
		return
	}
	for _, side := range []Side{Left, Right} {
		if !a.Preparation(side, -1).IsIdentity() {
			a.Fail("the fit scaled columns, made numbers of categories or dealt with nulls; open the file by modelfile.Open, " +
				"or set Archive.Prepared, and apply Archive.Preparation to rows before Transform")
		}
	}
}
