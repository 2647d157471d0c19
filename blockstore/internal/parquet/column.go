package parquet

import (
	"fmt"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// columnReader reads one leaf column, a row group at a time. It holds one page and the dictionary.
//
// The values of a column are a sequence of entries: values, nulls, and in list columns also empty
// lists. Entries have levels: the definition level marks nulls, the repetition level the beginnings
// of rows.
type columnReader struct {
	pages *pages
	table *table
	leaf  int
	leafColumn

	group    int
	chunk    pageRange
	at       int64 // offset of the next page header
	seen     int64 // entries in the pages up to here
	pageAt   int64 // offset of the page, for messages
	left     int   // entries of the page without decoded levels
	row      int64 // absolute row of the next entry
	nested   bool  // a leaf of a nested column, see nestedReader
	tail     bool  // the next page may begin with the rest of a skipped row
	body     []byte
	reps     hybrid
	defs     hybrid
	values   wordDecoder // one of values
	strings  textDecoder // and strings is used
	slots    []int       // positions of the numbers of a value in a row, see column.Choice; nil if it is kept
	hasDict  bool
	dict     dictionary
	dictText []string

	// Entries pos..n-1 of a tile are decoded and not yet used.
	pos, n   int
	rep, def []uint8 // nil if all levels are 0

	*tile // of the pages
}

// tile is the memory for the values of one step. All columns of a reader share it.
type tile struct {
	column.Decoded
	destinations []destination // destinations of the values of a tile of lists
}

// destination is the place of a number: a row and a slot, -1 to drop it.
type destination struct{ row, slot int }

// newColumnReader returns a reader of a leaf through pages.
func newColumnReader(pages *pages, t *table, leaf int) *columnReader {
	r := &columnReader{pages: pages, table: t, leaf: leaf, leafColumn: t.leaves[leaf], tile: &pages.tile}
	if r.isWords() {
		r.Words = column.Resized(r.Words, tileRows)
	} else {
		r.Texts = column.Resized(r.Texts, tileRows)
	}
	if r.maxRep > 0 {
		r.rep, r.destinations = make([]uint8, tileRows), column.Resized(r.destinations, tileRows)
	}
	if r.maxDef > 0 {
		r.def = make([]uint8, tileRows)
	}
	return r
}

// open starts reading a row group.
func (r *columnReader) open(group int) {
	r.group = group
	r.chunk = r.table.groups[group].chunks[r.leaf]
	r.at, r.pageAt = r.chunk.start, r.chunk.start
	r.row = r.table.groups[group].first
	r.seen, r.left, r.pos, r.n = 0, 0, 0, 0
	r.hasDict, r.tail = false, false
}

// finish checks that the row group is exhausted.
func (r *columnReader) finish() error {
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

// fault returns an error about the current page.
func (r *columnReader) fault(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // io.EOF would mean the end of the rows
	}
	return fault.Cell(r.pages.path, -1, r.Name, "row group %d: the page at byte %d: %w", r.group, r.pageAt, fault.Damaged(err))
}

// fill makes sure that there are unused entries, unless the column chunk is exhausted.
func (r *columnReader) fill() error {
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
func (r *columnReader) decodeLevels(h *hybrid, dst []uint8, maximum int) error {
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

// nextPage loads the next data page. If the page has at most skip rows it is skipped without being
// read, and their number is returned.
func (r *columnReader) nextPage(skip int64) (int64, error) {
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

// listLength returns the number of entries in the first list of the row group that
// is not null, or 0.
func (r *columnReader) listLength() (int, error) {
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
		if length > column.MaxWidth {
			return 0, errLongList
		}
	}
}
