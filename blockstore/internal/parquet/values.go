package parquet

import (
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// step consumes up to limit entries of a column without lists and decodes the values among them. It
// returns the levels of the entries, nil if none can be null, and the number of values.
func (r *columnReader) step(limit int) (entries int, levels []uint8, values int, err error) {
	if entries, levels, values, err = r.skipStep(limit); err == nil {
		err = r.decode(values)
	}
	return entries, levels, values, err
}

// skipStep is step without decoding the values.
func (r *columnReader) skipStep(limit int) (entries int, levels []uint8, values int, err error) {
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

// present counts the levels of values.
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
	if r.format.Form != column.LongDecimalForm {
		return nil
	}
	for _, b := range r.Texts[:n] {
		if len(b) > column.MaxDecimal {
			return r.fault(fault.New("a decimal of %d bytes is longer than %d", len(b), column.MaxDecimal).WithRemedy("%s", column.LeaveOut(r.Name)))
		}
	}
	return nil
}

// entryOf returns the entry of value v of a step.
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

// numbers stores the next rows values in dst[0], dst[stride], ...
func (r *columnReader) numbers(dst []float64, stride, rows int) error {
	for done := 0; done < rows; {
		n, levels, values, err := r.skipStep(rows - done)
		if err != nil {
			return err
		}
		to := dst[done*stride:]
		v, err := r.put(to, stride, values)
		if err != nil {
			return err
		}
		if v >= 0 {
			return r.inexact(r.row+int64(r.entryOf(levels, v)), v)
		}
		r.spread(to, stride, levels, values)
		r.row += int64(n)
		done += n
	}
	return nil
}

// put stores the next n values in dst[0], dst[stride], dst[2*stride] and so on: straight from the
// page if its encoding allows it, else through r.Decoded. It returns the index of the first integer
// that float64 cannot represent, which is then in r.Decoded, or -1.
func (r *columnReader) put(dst []float64, stride, n int) (int, error) {
	if d, ok := r.values.(numberDecoder); ok {
		switch placed, err := d.numbers(r.format, dst, stride, n); {
		case err != nil:
			return -1, r.fault(err)
		case placed:
			return -1, nil
		}
	}
	if err := r.decode(n); err != nil {
		return -1, err
	}
	if bad := r.Convert(r.format, n); bad >= 0 {
		return bad, nil
	}
	for i, v := range r.Floats {
		dst[i*stride] = v
	}
	return -1, nil
}

// inexact reports that value v of a step is an integer that float64 cannot represent.
func (r *columnReader) inexact(row int64, v int) error {
	return fault.Cell(r.pages.path, row, r.Name, "%w", column.ErrInexact(r.Integer(r.format, v)))
}

// spread moves the first values numbers of dst to their entries, from the last one to the first,
// and stores NaN for nulls. Nil levels mean that there are no nulls.
func (r *columnReader) spread(dst []float64, stride int, levels []uint8, values int) {
	for i := len(levels) - 1; i >= values; i-- {
		if int(levels[i]) == r.maxDef {
			values--
			dst[i*stride] = dst[values*stride]
		} else {
			dst[i*stride] = math.NaN()
		}
	}
}

// keep appends the next rows values to c.
func (r *columnReader) keep(c *stream.Column, rows int) error {
	step := r.keepStep
	if c.Kind == stream.Float64 && c.Type.Class != logical.Decimal {
		step = r.keepFloats
	}
	for done := 0; done < rows; {
		n, err := step(c, rows-done)
		if err != nil {
			return err
		}
		r.row += int64(n)
		done += n
	}
	return nil
}

// keepFloats appends up to limit entries to c, straight from the page if its encoding allows it.
func (r *columnReader) keepFloats(c *stream.Column, limit int) (int, error) {
	n, levels, values, err := r.skipStep(limit)
	if err != nil {
		return 0, err
	}
	to := column.GrowFloats(c, n)
	v, err := r.put(to, 1, values)
	if err != nil {
		return 0, err
	}
	if v >= 0 {
		return 0, r.inexact(r.row+int64(r.entryOf(levels, v)), v)
	}
	r.spread(to, 1, levels, values)
	for i, level := range levels {
		if int(level) != r.maxDef {
			column.SetNull(c, len(c.Floats)-n+i)
		}
	}
	return n, nil
}

// keepStep appends up to limit entries to c.
func (r *columnReader) keepStep(c *stream.Column, limit int) (int, error) {
	n, levels, values, err := r.step(limit)
	if err != nil {
		return 0, err
	}
	if c.Kind == stream.Float64 {
		if v := r.ConvertFor(c, r.format, values); v >= 0 {
			return 0, r.inexact(r.row+int64(r.entryOf(levels, v)), v)
		}
	}
	for i, v := 0, 0; i < n; { // runs of values and of nulls
		first := v
		for ; i < n && (levels == nil || int(levels[i]) == r.maxDef); i++ {
			v++
		}
		if bad, err := r.Decoded.Keep(c, r.format, first, v); err != nil {
			return 0, fault.Cell(r.pages.path, r.row+int64(i-v+bad), r.Name, "%w", err)
		}
		for ; i < n && int(levels[i]) != r.maxDef; i++ {
			column.AppendNull(c)
		}
	}
	return n, nil
}

// skip skips rows. It does not read pages without later rows, except in lists whose pages do not
// state their number of rows.
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

// dropTail consumes the entries of a row that began in a skipped page.
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
		if err := r.skipEntries(values); err != nil {
			return err
		}
		r.tail = r.pos == r.n && r.n > 0
	}
	return nil
}

// drop consumes up to limit rows without decoding them.
func (r *columnReader) drop(limit int) (int, error) {
	switch {
	case r.maxRep > 0 && r.nested:
		return limit, r.dropRows(limit)
	case r.maxRep > 0:
		return limit, r.vectors(nil, 0, limit)
	}
	n, _, values, err := r.skipStep(limit)
	if err == nil {
		err = r.skipEntries(values)
	}
	r.row += int64(n)
	return n, err
}

// skipEntries skips the next n values, without decoding them if the encoding allows it.
func (r *columnReader) skipEntries(n int) error {
	if d, ok := r.values.(numberDecoder); ok {
		if err := d.skip(n); err != nil {
			return r.fault(err)
		}
		return nil
	}
	return r.decode(n)
}
