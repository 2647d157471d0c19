package parquet

import (
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/number"
	"github.com/nystream/nystream/stream"
)

// step uses up to limit entries of a column without lists: it decodes the
// values among them and returns their levels, nil when none can be null, and
// the number of values.
func (r *columnReader) step(limit int) (entries int, levels []uint8, values int, err error) {
	if entries, levels, values, err = r.use(limit); err == nil {
		err = r.decode(values)
	}
	return entries, levels, values, err
}

// use is step without decoding the values.
func (r *columnReader) use(limit int) (entries int, levels []uint8, values int, err error) {
	if err := r.fill(); err != nil {
		return 0, nil, 0, err
	}
	entries = min(limit, r.n-r.pos)
	if entries == 0 {
		panic("parquet: the footer was let through with fewer values than rows")
	}
	values = entries
	if r.maxDef > 0 {
		levels = r.def[r.pos : r.pos+entries]
		values = r.present(levels)
	}
	r.pos += entries
	if values == entries {
		levels = nil
	}
	return entries, levels, values, nil
}

// present counts the levels that stand for values.
func (r *columnReader) present(levels []uint8) int {
	n := 0
	for _, level := range levels {
		if int(level) == r.maxDef {
			n++
		}
	}
	return n
}

// decode decodes the next n values into r.words or r.texts.
func (r *columnReader) decode(n int) error {
	var err error
	if r.isWords() {
		err = r.values.words(r.Words[:n])
	} else {
		err = r.strings.texts(r.Texts[:n])
	}
	if err != nil {
		return r.fault(err)
	}
	if r.format.Form != number.LongDecimalForm {
		return nil
	}
	for _, b := range r.Texts[:n] {
		if len(b) > number.MaxDecimal {
			return r.fault(fault.New("a decimal of %d bytes is longer than %d", len(b), number.MaxDecimal).Do("%s", column.LeaveOut(r.Name)))
		}
	}
	return nil
}

// entryOf returns the entry that value v of a step belongs to.
func (r *columnReader) entryOf(levels []uint8, v int) int {
	if levels == nil {
		return v
	}
	for i, level := range levels {
		if int(level) == r.maxDef {
			if v == 0 {
				return i
			}
			v--
		}
	}
	return -1
}

// numbers puts the next rows values into dst[0], dst[stride], ...
func (r *columnReader) numbers(dst []float64, stride, rows int) error {
	for done := 0; done < rows; {
		n, levels, values, err := r.step(rows - done)
		if err != nil {
			return err
		}
		if v := r.Convert(r.format, values); v >= 0 {
			return r.inexact(r.row+int64(r.entryOf(levels, v)), v)
		}
		r.scatter(dst[done*stride:], stride, n, levels)
		r.row += int64(n)
		done += n
	}
	return nil
}

// inexact returns the error about value v of a step, an integer that no float64 holds.
func (r *columnReader) inexact(row int64, v int) error {
	return fault.Cell(r.pages.path, row, r.Name, "%w", number.ErrInexact(r.Integer(r.format, v)))
}

// scatter puts the numbers of a step into dst, with NaN for nulls.
func (r *columnReader) scatter(dst []float64, stride, n int, levels []uint8) {
	if levels == nil {
		for i, v := range r.Floats[:n] {
			dst[i*stride] = v
		}
		return
	}
	v := 0
	for i, level := range levels {
		if int(level) == r.maxDef {
			dst[i*stride] = r.Floats[v]
			v++
		} else {
			dst[i*stride] = math.NaN()
		}
	}
}

// keep appends the next rows values to c.
func (r *columnReader) keep(c *stream.Column, rows int) error {
	for done := 0; done < rows; {
		n, levels, values, err := r.step(rows - done)
		if err != nil {
			return err
		}
		if err := r.keepStep(c, n, levels, values); err != nil {
			return err
		}
		r.row += int64(n)
		done += n
	}
	return nil
}

// keepStep appends the entries of a step to c.
func (r *columnReader) keepStep(c *stream.Column, n int, levels []uint8, values int) error {
	if c.Kind == stream.Float64 {
		if v := r.Convert(r.format, values); v >= 0 {
			return r.inexact(r.row+int64(r.entryOf(levels, v)), v)
		}
	}
	v := 0
	for i := range n {
		if levels != nil && int(levels[i]) != r.maxDef {
			column.AppendNull(c)
			continue
		}
		if err := r.Decoded.Keep(c, r.format, v); err != nil {
			return fault.Cell(r.pages.path, r.row+int64(i), r.Name, "%w", err)
		}
		v++
	}
	return nil
}

// skip passes over rows. Pages that hold none of the rows behind them are not
// read, except in lists whose pages do not tell how many rows they hold.
func (r *columnReader) skip(rows int64) error {
	for rows > 0 {
		if r.pos == r.n && r.left == 0 {
			passed, err := r.nextPage(rows)
			if err != nil {
				return err
			}
			r.row += passed
			rows -= passed
			if passed > 0 {
				r.tail = r.maxRep > 0
				continue
			}
		}
		if err := r.dropTail(); err != nil {
			return err
		}
		n, err := r.drop(int(min(rows, tileRows)))
		if err != nil {
			return err
		}
		rows -= int64(n)
	}
	return r.dropTail()
}

// dropTail uses the entries of a row that began in a page that was passed over.
func (r *columnReader) dropTail() error {
	for r.tail {
		if err := r.fill(); err != nil {
			return err
		}
		values := 0
		for ; r.pos < r.n && r.rep[r.pos] != 0; r.pos++ {
			if int(r.def[r.pos]) == r.maxDef {
				values++
			}
		}
		if err := r.pass(values); err != nil {
			return err
		}
		r.tail = r.pos == r.n && r.n > 0
	}
	return nil
}

// drop uses up to limit rows without looking at them.
func (r *columnReader) drop(limit int) (int, error) {
	if r.maxRep > 0 {
		return limit, r.vectors(nil, 0, limit)
	}
	n, _, values, err := r.use(limit)
	if err == nil {
		err = r.pass(values)
	}
	r.row += int64(n)
	return n, err
}

// pass leaves out the next n values, which need no decoding where all have one size.
func (r *columnReader) pass(n int) error {
	if plain, ok := r.values.(*plainWords); ok && r.isWords() {
		if err := plain.pass(n); err != nil {
			return r.fault(err)
		}
		return nil
	}
	return r.decode(n)
}
