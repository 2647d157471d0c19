package blockstore

import (
	"fmt"

	"github.com/nystream/nystream/stream"
)

// decoded is values of a Parquet or Arrow column on their way to a batch: as
// words, or as texts when a word cannot hold them.
type decoded struct {
	words  []uint64
	texts  []string
	floats []float64 // made by convert
}

// convert makes floats of the first n values. It returns the index of the first
// integer that a float64 may not hold, or -1.
func (d *decoded) convert(f numberFormat, n int) int {
	d.floats = resized(d.floats, n)
	if f.form != longDecimalForm {
		return f.floats(d.floats, d.words[:n])
	}
	for i, b := range d.texts[:n] {
		d.floats[i] = longDecimal(bigEndianInt(b), f.scale)
	}
	return -1
}

// keep appends value i to c. A column of floats needs convert first.
func (d *decoded) keep(c *stream.Column, f numberFormat, i int) error {
	switch c.Kind {
	case stream.Float64:
		c.Floats = append(c.Floats, d.floats[i])
	case stream.String:
		c.Strings = append(c.Strings, d.texts[i])
	case stream.Int64:
		v, ok := f.integer(d.words[i])
		if !ok {
			return fmt.Errorf("the integer %d does not fit 64 bits with a sign", d.words[i])
		}
		c.Ints = append(c.Ints, v)
	}
	appendValid(c)
	return nil
}

// resized is b with length n, new if it must be.
func resized[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n, n+n/8) // pages differ a little in length
	}
	return b[:n]
}
