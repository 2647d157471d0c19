package column

import (
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
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
// integer that no float64 holds, or -1.
func (d *Decoded) Convert(f NumberFormat, n int) int {
	d.Floats = Resized(d.Floats, n)
	if f.Form != LongDecimalForm {
		return f.floats(d.Floats, d.Words[:n])
	}
	for i := range d.Texts[:n] {
		integer := d.Integer(f, i)
		d.Floats[i] = textDecimal(integer, max(0, f.Scale))
		if f.Scale <= 0 && !f.Round && !IsExactText(integer, false) {
			return i
		}
	}
	return -1
}

// Integer writes the integer that value i stands for.
func (d *Decoded) Integer(f NumberFormat, i int) string {
	if f.Form != LongDecimalForm {
		return f.Text(d.Words[i])
	}
	return BigEndianInt(d.Texts[i]).String() + strings.Repeat("0", max(0, -f.Scale))
}

// Keep appends value i to c; text only if it is UTF-8. A column of floats needs Convert first.
func (d *Decoded) Keep(c *stream.Column, f NumberFormat, i int) error {
	switch c.Kind {
	case stream.Float64:
		c.Floats = append(c.Floats, d.Floats[i])
	case stream.String:
		if !utf8.ValidString(d.Texts[i]) {
			return fault.Text([]byte(d.Texts[i]), "it holds bytes, or text in another encoding; do not keep the column, or write it anew as UTF-8")
		}
		c.Strings = append(c.Strings, d.Texts[i])
	case stream.Int64:
		v, ok := f.Integer(d.Words[i])
		if !ok {
			return fault.New("the integer %d does not fit 64 bits with a sign, as what is carried along must", d.Words[i]).
				Do("do not keep the column, or store it as text")
		}
		c.Ints = append(c.Ints, v)
	}
	AppendValid(c)
	return nil
}
