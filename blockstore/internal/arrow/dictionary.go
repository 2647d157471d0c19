package arrow

import (
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
)

// dictionary holds the values of an Arrow dictionary.
type dictionary struct {
	words   []uint64
	floats  []float64 // values as floats, NaN for nulls; undefined if inexact
	inexact bool      // float64 cannot represent one of the integers
	texts   []string
	valid   []bool
}

// dictionaries maps ids to dictionaries.
type dictionaries map[int64]*dictionary

// size returns the number of values.
func (d *dictionary) size() int { return len(d.valid) }

// entry returns the entry for the index w of field f.
func (d *dictionary) entry(f *field, w uint64) (int64, error) {
	index := column.NumberFormat{Form: column.UnsignedForm, Bits: f.bits}
	if f.signed {
		index.Form = column.SignedForm
	}
	k, ok := index.Integer(w)
	if !ok || k < 0 || k >= int64(d.size()) {
		return 0, fmt.Errorf("index %d into a dictionary of %d values", k, d.size())
	}
	return k, nil
}

// entryBytes is the memory of an entry: a null flag, and a word with its float64 or a string
// header.
const entryBytes = 1 + 16

// add appends all values of a to d.
func (d *dictionary) add(f *field, a values) error {
	if a.length > compression.MaxBytes/8 {
		return fmt.Errorf("a dictionary of %d values is too large", a.length)
	}
	var s scratch
	for at := int64(0); at < a.length; at += tileRows {
		n := int(min(a.length-at, tileRows))
		if err := s.load(f, &a, at, n); err != nil {
			return err
		}
		for i := range n {
			d.valid = append(d.valid, s.valid(i))
		}
		if f.kind == column.Text {
			d.texts = append(d.texts, s.Texts[:n]...)
			continue
		}
		d.words = append(d.words, s.Words[:n]...)
		if s.convert(f, n) >= 0 {
			d.inexact = true
			continue
		}
		d.floats = append(d.floats, s.Floats[:n]...)
	}
	return nil
}

// read adds the dictionary in message m if a field uses it.
func (ds dictionaries) read(m *message, fields []field, space *workspace) error {
	head, ok := flatRoot(m.meta).table(2)
	if !ok {
		return fmt.Errorf("a dictionary message has no content")
	}
	id := head.int64(0)
	f := dictionaryField(fields, id)
	if f == nil {
		return nil
	}
	batch, err := m.batchOf()
	if err != nil {
		return err
	}
	buffers, err := newIPCBuffers(batch, m, space)
	if err != nil {
		return err
	}
	a, err := f.child.arrayIn(batch, buffers, nil)
	if err != nil {
		return err
	}
	// A delta extends the dictionary, any other message replaces it (Arrow columnar format, Dictionary messages).
	delta := head.byte(2) != 0
	if ds[id] == nil || !delta {
		ds[id] = &dictionary{}
	}
	return ds[id].add(f.child, a)
}

// dictionaryField returns a field that uses a dictionary, or nil.
func dictionaryField(fields []field, id int64) *field {
	for i := range fields {
		if fields[i].layout == dictLayout && fields[i].dict == id {
			return &fields[i]
		}
	}
	return nil
}
