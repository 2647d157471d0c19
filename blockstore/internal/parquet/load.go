package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// takePage loads a page or skips it.
func (r *columnReader) takePage(h *format.PageHeader, body, skip int64) (int64, error) {
	switch h.Type {
	case format.DictionaryPage:
		return 0, r.loadDictionary(h, body)
	case format.IndexPage:
		return 0, nil
	}
	entries, rows, err := pageCounts(h, r.maxRep == 0)
	if err != nil {
		return 0, err
	}
	if entries > r.chunk.values-r.seen {
		return 0, fmt.Errorf("it has %d values where only %d are missing", entries, r.chunk.values-r.seen)
	}
	r.seen += entries
	if rows >= 0 && rows <= skip && (entries == 0 || rows > 0 || r.tail) {
		return rows, nil
	}
	r.left = int(entries)
	if h.Type == format.DataPage {
		return 0, r.loadPage(h, body)
	}
	return 0, r.loadPageV2(h, body)
}

// loadDictionary reads the dictionary page.
func (r *columnReader) loadDictionary(h *format.PageHeader, offset int64) error {
	head := h.DictionaryPageHeader
	switch {
	case r.hasDict:
		return fmt.Errorf("it is a second dictionary")
	case !head.Valid || head.V.NumValues < 0:
		return fmt.Errorf("its header has no type of dictionary")
	case head.V.Encoding != format.Plain && head.V.Encoding != plainDictionary:
		return fmt.Errorf("a dictionary in the encoding %s", nameOf(head.V.Encoding))
	}
	body, err := r.pages.body(h, offset, r.chunk.codec, 0, r.body)
	if err != nil {
		return err
	}
	r.body = body
	r.hasDict = true
	return r.decodeDictionary(body, int(head.V.NumValues))
}

// decodeDictionary decodes n plain values.
func (r *columnReader) decodeDictionary(body []byte, n int) error {
	if n > len(body)/r.leastSize() {
		return errShortValues
	}
	if r.isWords() {
		return r.decodeWords(body, n)
	}
	r.dictText = make([]string, n)
	d, err := newTextDecoder(format.Plain, body, r.fixedSize(), n, nil)
	if err != nil {
		return err
	}
	return d.texts(r.dictText)
}

// decodeWords decodes a dictionary of n words.
func (r *columnReader) decodeWords(body []byte, n int) error {
	d, err := newWordDecoder(format.Plain, body, r.wordSize(), nil)
	if err != nil {
		return err
	}
	if plain, ok := d.(numberDecoder); ok && r.slots != nil {
		floats := column.Resized(r.dict.floats, n)
		placed, err := plain.numbers(r.format, floats, 1, n)
		if err != nil {
			return err
		}
		if placed {
			r.dict = dictionary{floats: floats}
			return nil
		}
	}
	r.dict = dictionary{words: column.Resized(r.dict.words, n)}
	return d.words(r.dict.words)
}

// leastSize returns the minimal size of a plain value in a dictionary.
func (r *columnReader) leastSize() int {
	if r.isWords() {
		return max(1, r.wordSize())
	}
	if r.fixedSize() > 0 {
		return r.fixedSize()
	}
	return 4 // the length
}

// fixedSize returns the size of values that are not words, 0 if it varies.
func (r *columnReader) fixedSize() int {
	if r.physical == format.FixedLenByteArray {
		return r.size
	}
	return 0
}

// loadPage reads a data page of version 1: levels after their lengths, then values, compressed
// together.
func (r *columnReader) loadPage(h *format.PageHeader, offset int64) error {
	body, err := r.pages.body(h, offset, r.chunk.codec, 0, r.body)
	if err != nil {
		return err
	}
	r.body = body
	head := &h.DataPageHeader.V
	if r.maxRep > 0 {
		if r.reps, body, err = cutLevels(body, r.maxRep, head.RepetitionLevelEncoding); err != nil {
			return err
		}
	}
	if r.maxDef > 0 {
		if r.defs, body, err = cutLevels(body, r.maxDef, head.DefinitionLevelEncoding); err != nil {
			return err
		}
	}
	return r.startValues(head.Encoding, body)
}

// cutLevels splits levels off the front of a page of version 1.
func cutLevels(body []byte, maximum int, e format.Encoding) (hybrid, []byte, error) {
	if e != format.RLE {
		return hybrid{}, nil, fault.New("levels in the encoding %s, long out of use, are not supported", nameOf(e)).WithRemedy("write the file anew")
	}
	if len(body) < 4 {
		return hybrid{}, nil, errShortValues
	}
	n := binary.LittleEndian.Uint32(body)
	body = body[4:]
	if uint64(n) > uint64(len(body)) {
		return hybrid{}, nil, errShortValues
	}
	return newHybrid(body[:n], levelWidth(maximum)), body[n:], nil
}

// loadPageV2 reads a data page of version 2: levels, then values, which may be
// compressed.
func (r *columnReader) loadPageV2(h *format.PageHeader, offset int64) error {
	head := &h.DataPageHeaderV2.V
	reps, defs := int(head.RepetitionLevelsByteLength), int(head.DefinitionLevelsByteLength)
	if reps < 0 || defs < 0 {
		return errShortValues
	}
	codec := r.chunk.codec
	if head.IsCompressed.Valid && !head.IsCompressed.V {
		codec = format.Uncompressed
	}
	body, err := r.pages.body(h, offset, codec, reps+defs, r.body)
	if err != nil {
		return err
	}
	r.body = body
	r.reps = newHybrid(body[:reps], levelWidth(r.maxRep))
	r.defs = newHybrid(body[reps:reps+defs], levelWidth(r.maxDef))
	return r.startValues(head.Encoding, body[reps+defs:])
}

// startValues prepares decoding the values of a page.
func (r *columnReader) startValues(e format.Encoding, data []byte) (err error) {
	if isDictionary(e) && !r.hasDict {
		return fmt.Errorf("there is no dictionary before it")
	}
	if len(data) == 0 { // only nulls; some encodings then have no header
		e = format.Plain
	}
	if r.isWords() {
		r.values, err = newWordDecoder(e, data, r.wordSize(), &r.dict)
	} else {
		r.strings, err = newTextDecoder(e, data, r.fixedSize(), r.left, r.dictText)
	}
	return err
}
