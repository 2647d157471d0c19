package blockstore

import "fmt"

// arrowDictionary is the values that indexes stand for.
type arrowDictionary struct {
	words []uint64
	texts []string
	valid []bool
}

// arrowDictionaries are dictionaries by number.
type arrowDictionaries map[int64]*arrowDictionary

// size is the number of values.
func (d *arrowDictionary) size() int { return len(d.valid) }

// add appends all values of a to d.
func (d *arrowDictionary) add(f *arrowField, a arrowArray) error {
	if a.length > maxUnpacked/8 {
		return fmt.Errorf("a dictionary of %d values is too large", a.length)
	}
	var s arrowScratch
	for at := int64(0); at < a.length; at += arrowTile {
		n := int(min(a.length-at, arrowTile))
		if err := s.load(f, &a, at, n); err != nil {
			return err
		}
		for i := range n {
			d.valid = append(d.valid, s.valid(i))
		}
		if f.layout == textLayout {
			d.texts = append(d.texts, s.texts[:n]...)
		} else {
			d.words = append(d.words, s.words[:n]...)
		}
	}
	return nil
}

// read adds the dictionary in message m, if field uses it.
func (ds arrowDictionaries) read(m *arrowMessage, fields []arrowField, u *unpacker) error {
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
	buffers, err := newIPCBuffers(batch, m, u)
	if err != nil {
		return err
	}
	a, err := f.child.arrayIn(batch, buffers, nil)
	if err != nil {
		return err
	}
	delta := head.byte(2) != 0
	if ds[id] == nil || !delta {
		ds[id] = &arrowDictionary{}
	}
	return ds[id].add(f.child, a)
}

// dictionaryField is a field that uses a dictionary, or nil.
func dictionaryField(fields []arrowField, id int64) *arrowField {
	for i := range fields {
		if fields[i].layout == dictLayout && fields[i].dict == id {
			return &fields[i]
		}
	}
	return nil
}
