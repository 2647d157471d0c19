package number

import (
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// Decoded is values of a Parquet or Arrow column on their way to a batch: as
// words, or as texts when a word cannot hold them.
type Decoded struct {
	Words  []uint64
	Texts  []string
	Floats []float64 // made by convert
}

// Convert makes floats of the first n values. It returns the index of the first
// integer that a float64 may not hold, or -1.
func (d *Decoded) Convert(f Format, n int) int {
	d.Floats = column.Resized(d.Floats, n)
	if f.Form != LongDecimalForm {
		return f.floats(d.Floats, d.Words[:n])
	}
	for i, b := range d.Texts[:n] {
		d.Floats[i] = longDecimal(BigEndianInt(b), f.Scale)
	}
	return -1
}

// Keep appends value i to c. A column of floats needs convert first.
func (d *Decoded) Keep(c *stream.Column, f Format, i int) error {
	switch c.Kind {
	case stream.Float64:
		c.Floats = append(c.Floats, d.Floats[i])
	case stream.String:
		c.Strings = append(c.Strings, d.Texts[i])
	case stream.Int64:
		v, ok := f.Integer(d.Words[i])
		if !ok {
			return fmt.Errorf("the integer %d does not fit 64 bits with a sign", d.Words[i])
		}
		c.Ints = append(c.Ints, v)
	}
	column.AppendValid(c)
	return nil
}
