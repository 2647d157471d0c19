package column

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Decoded holds values of a Parquet or Arrow column before they are stored in a batch: as words, or
// as texts if a word is too short.
type Decoded struct {
	Words  []uint64
	Texts  []string
	Floats []float64 // set by Convert
}

// Convert converts the first n values to floats. It returns the index of the first integer that
// float64 cannot represent, or -1.
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

// Integer formats value i as an integer.
func (d *Decoded) Integer(f NumberFormat, i int) string {
	if f.Form != LongDecimalForm {
		return f.Text(d.Words[i])
	}
	return BigEndianInt(d.Texts[i]).String() + strings.Repeat("0", max(0, -f.Scale))
}

// ConvertFor converts the first n values to floats for a kept column. Decimals are kept exactly in
// addition, so none of them is rejected.
func (d *Decoded) ConvertFor(c *stream.Column, f NumberFormat, n int) int {
	f.Round = f.Round || c.Type.Class == logical.Decimal
	return d.Convert(f, n)
}

// unscaled returns the unscaled integer of a decimal in the form of [stream.FieldOf], in 16 bytes
// if it fits.
func (d *Decoded) unscaled(f NumberFormat, i int) string {
	var b [MaxDecimal]byte
	text := ""
	if f.Form == LongDecimalForm {
		text = d.Texts[i]
	} else {
		binary.BigEndian.PutUint64(b[:], uint64(f.signed(d.Words[i])))
		text = string(b[:8])
	}
	size := 16
	if len(text) > size {
		size = MaxDecimal
	}
	fill := byte(0)
	if text != "" && text[0]&0x80 != 0 {
		fill = 0xff
	}
	at := size - len(text)
	for k := range at {
		b[k] = fill
	}
	copy(b[at:], text)
	return string(b[:size])
}

// Keep appends the values first..last-1 to c. Text must be UTF-8. A column of floats requires
// ConvertFor first. With an error it returns the index of the value.
func (d *Decoded) Keep(c *stream.Column, f NumberFormat, first, last int) (int, error) {
	switch c.Kind {
	case stream.Float64:
		copy(GrowFloats(c, last-first), d.Floats[first:last])
		for i := first; i < last && c.Type.Class == logical.Decimal; i++ {
			c.Strings = append(c.Strings, d.unscaled(f, i))
		}
	case stream.String:
		texts := d.Texts[first:last]
		if c.Type.Class == logical.None || c.Type.IsText() {
			for i, text := range texts {
				if !utf8.ValidString(text) {
					return first + i, fault.Text([]byte(text), "it holds bytes, or text in another encoding; do not keep the column, or write it anew as UTF-8")
				}
			}
		}
		c.Strings = append(c.Strings, texts...)
		appendValid(c, len(texts))
	case stream.Int64:
		if i := f.appendIntegers(c, d.Words[first:last]); i >= 0 {
			return first + i, fault.New("the integer %d does not fit 64 bits with a sign, as what is carried along must", d.Words[first+i]).
				WithRemedy("do not keep the column, or store it as text")
		}
	}
	return 0, nil
}

// appendIntegers appends the integers that words represent. It returns the index of the first that
// does not fit, or -1.
func (f NumberFormat) appendIntegers(c *stream.Column, words []uint64) int {
	to := GrowInts(c, len(words))
	if f.Form == SignedForm {
		for i, w := range words {
			to[i] = f.signed(w)
		}
		return -1
	}
	for i, w := range words {
		if w > math.MaxInt64 && c.Type.Class != logical.Uint {
			return i
		}
		to[i] = int64(w)
	}
	return -1
}
