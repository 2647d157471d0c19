package blockstore

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// parquetColumnReader reads one leaf column, a row group at a time. It holds
// one page and the dictionary.
//
// The values of a column are a sequence of entries: values, nulls, and in list
// columns also empty lists. Entries have levels: the definition level says what
// is null, the repetition level where rows begin.
type parquetColumnReader struct {
	pages *parquetPages
	table *parquetTable
	leaf  int
	parquetColumn

	group    int
	chunk    parquetChunk
	at       int64 // offset of the next page header
	seen     int64 // entries in the pages up to here
	pageAt   int64 // offset of the page, for messages
	left     int   // entries of the page whose levels are not decoded
	row      int64 // absolute row of the next entry
	body     []byte
	reps     hybrid
	defs     hybrid
	values   wordDecoder // one of
	strings  textDecoder // the two
	hasDict  bool
	dictWord []uint64
	dictText []string

	// Entries pos..n-1 of a tile are decoded and not yet used.
	pos, n int
	rep    [tileRows]uint8
	def    [tileRows]uint8

	word  [tileRows]uint64
	float [tileRows]float64
	text  []string
	place []int // where the values of a tile of lists go
}

// newParquetColumnReader reads leaf through pages.
func newParquetColumnReader(pages *parquetPages, t *parquetTable, leaf int) *parquetColumnReader {
	r := &parquetColumnReader{pages: pages, table: t, leaf: leaf, parquetColumn: t.leaves[leaf]}
	if !r.isWords() {
		r.text = make([]string, tileRows)
	}
	if r.maxRep > 0 {
		r.place = make([]int, tileRows)
	}
	return r
}

// open goes to the first row of a row group.
func (r *parquetColumnReader) open(group int) {
	r.group = group
	r.chunk = r.table.groups[group].chunks[r.leaf]
	r.at, r.pageAt = r.chunk.start, r.chunk.start
	r.row = r.table.groups[group].first
	r.seen, r.left, r.pos, r.n = 0, 0, 0, 0
	r.hasDict = false
}

// finish checks that all of the row group has been used.
func (r *parquetColumnReader) finish() error {
	if err := r.fill(); err != nil {
		return err
	}
	switch {
	case r.pos == r.n:
		return nil
	case r.maxRep > 0 && r.rep[r.pos] != 0:
		return r.wrongLength(false, 0)
	}
	return r.fault(fmt.Errorf("it holds more than the %d rows of the row group", r.table.groups[r.group].rows))
}

// fault is an error about the page being read.
func (r *parquetColumnReader) fault(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // EOF would mean the end of the rows
	}
	return badCell(r.pages.path, -1, r.name, "row group %d: the page at byte %d: %w", r.group, r.pageAt, err)
}

// fill makes sure that there are unused entries. There are none only when the
// column chunk is used up.
func (r *parquetColumnReader) fill() error {
	if r.pos < r.n {
		return nil
	}
	r.pos, r.n = 0, 0
	if r.left == 0 {
		if _, err := r.nextPage(0); err != nil || r.left == 0 {
			return err
		}
	}
	n := min(r.left, tileRows)
	if r.maxRep > 0 {
		if err := r.decodeLevels(&r.reps, r.rep[:n], r.maxRep); err != nil {
			return err
		}
	}
	if r.maxDef > 0 {
		if err := r.decodeLevels(&r.defs, r.def[:n], r.maxDef); err != nil {
			return err
		}
	}
	r.left -= n
	r.n = n
	return nil
}

// decodeLevels fills dst with levels up to maximum.
func (r *parquetColumnReader) decodeLevels(h *hybrid, dst []uint8, maximum int) error {
	if err := decodeHybrid(h, dst); err != nil {
		return r.fault(err)
	}
	for _, level := range dst {
		if int(level) > maximum {
			return r.fault(fmt.Errorf("level %d where %d is the highest", level, maximum))
		}
	}
	return nil
}

// nextPage goes to the next data page. When that page is known to hold at most
// skip rows it is passed over unread, and its rows are returned.
func (r *parquetColumnReader) nextPage(skip int64) (int64, error) {
	for r.seen < r.chunk.values {
		r.pageAt = r.at
		if r.at >= r.chunk.end {
			return 0, r.fault(fmt.Errorf("the column ends here with %d of its %d values", r.seen, r.chunk.values))
		}
		h, body, err := r.pages.header(r.at, r.chunk.end)
		if err != nil {
			return 0, r.fault(err)
		}
		r.at = body + int64(h.CompressedPageSize)
		passed, err := r.takePage(&h, body, skip)
		if err != nil {
			return 0, r.fault(err)
		}
		if passed > 0 || r.left > 0 {
			return passed, nil
		}
	}
	return 0, nil
}

// takePage loads a page, or passes over it.
func (r *parquetColumnReader) takePage(h *format.PageHeader, body, skip int64) (int64, error) {
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
		return 0, fmt.Errorf("it has %d values where %d are missing", entries, r.chunk.values-r.seen)
	}
	r.seen += entries
	if rows >= 0 && rows <= skip {
		return rows, nil
	}
	r.left = int(entries)
	if h.Type == format.DataPage {
		return 0, r.loadPage(h, body)
	}
	return 0, r.loadPageV2(h, body)
}

// loadDictionary reads the dictionary page.
func (r *parquetColumnReader) loadDictionary(h *format.PageHeader, offset int64) error {
	head := h.DictionaryPageHeader
	switch {
	case r.hasDict:
		return fmt.Errorf("it is a second dictionary")
	case !head.Valid || head.V.NumValues < 0:
		return fmt.Errorf("its header is damaged")
	case head.V.Encoding != format.Plain && head.V.Encoding != plainDictionary:
		return fmt.Errorf("a dictionary encoded as %s", head.V.Encoding)
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
func (r *parquetColumnReader) decodeDictionary(body []byte, n int) error {
	if n > len(body)/r.leastSize() {
		return errShortValues
	}
	if r.isWords() {
		r.dictWord = resizedWords(r.dictWord, n)
		d, err := newWordDecoder(format.Plain, body, r.wordSize(), nil)
		if err != nil {
			return err
		}
		return d.words(r.dictWord)
	}
	r.dictText = make([]string, n)
	d, err := newTextDecoder(format.Plain, body, r.fixedSize(), n, nil)
	if err != nil {
		return err
	}
	return d.texts(r.dictText)
}

// leastSize is the fewest bytes that a plain value takes in a dictionary.
func (r *parquetColumnReader) leastSize() int {
	if r.isWords() {
		return max(1, r.wordSize())
	}
	return max(4, r.fixedSize())
}

// resizedWords is b with length n, new if it must be.
func resizedWords(b []uint64, n int) []uint64 {
	if cap(b) < n {
		return make([]uint64, n)
	}
	return b[:n]
}

// fixedSize is the bytes of a value that is no word, 0 when they differ.
func (r *parquetColumnReader) fixedSize() int {
	if r.physical == format.FixedLenByteArray {
		return r.size
	}
	return 0
}

// loadPage reads a data page of version 1: levels behind their lengths, then
// values, all compressed.
func (r *parquetColumnReader) loadPage(h *format.PageHeader, offset int64) error {
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

// cutLevels cuts levels off the front of a page of version 1.
func cutLevels(body []byte, maximum int, e format.Encoding) (hybrid, []byte, error) {
	if e != format.RLE {
		return hybrid{}, nil, fmt.Errorf("levels in the encoding %s, long out of use, are not supported", e)
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
func (r *parquetColumnReader) loadPageV2(h *format.PageHeader, offset int64) error {
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

// startValues prepares the values of a page for decoding.
func (r *parquetColumnReader) startValues(e format.Encoding, data []byte) (err error) {
	if isDictionary(e) && !r.hasDict {
		return fmt.Errorf("there is no dictionary before it")
	}
	if len(data) == 0 { // nulls only; some encodings leave out their header
		e = format.Plain
	}
	if r.isWords() {
		r.values, err = newWordDecoder(e, data, r.wordSize(), r.dictWord)
	} else {
		r.strings, err = newTextDecoder(e, data, r.fixedSize(), r.left, r.dictText)
	}
	return err
}

// listLength is the number of entries in the first list of the row group that
// is not null, or 0.
func (r *parquetColumnReader) listLength() (int, error) {
	length := 0
	for {
		if err := r.fill(); err != nil || r.pos == r.n {
			return length, err
		}
		for ; r.pos < r.n; r.pos++ {
			if length > 0 && r.rep[r.pos] == 0 {
				return length, nil
			}
			if int(r.def[r.pos]) >= r.listDef {
				length++
			}
		}
		if length > maxVectorWidth {
			return 0, badCell(r.pages.path, r.row, r.name, "a list of more than %d numbers is too long for a row", maxVectorWidth)
		}
	}
}
