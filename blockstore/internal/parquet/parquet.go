// Package parquet reads and writes Parquet files.
//
// # How they are read
//
// parquet-go gives the footer's and the page headers' structures, the Thrift
// decoder and the writer. The way from a page's bytes to numbers is ours,
// because of what damaged files do to the library (v0.32): a page shorter than
// its header promises is accepted when the buffer behind it happens to be large
// enough, and what is in there comes out as numbers; a damaged LZ4 page doubles
// a buffer for ever; lists in headers and counts in pages are allocated as found.
// It also lets pages be read a few values at a time, so that memory is one page
// a column, whatever the page holds.
//
// A row group is read in tiles of at most tileRows rows, column after column.
// What is checked: the footer as a whole before any page (footer.go),
// every page header before its body is read (page.go), page checksums
// where the writer left them (most writers leave none), and that every column
// gives exactly the rows of its row group. What is not: statistics, page
// indexes and bloom filters, which are never read.
package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
	"github.com/parquet-go/parquet-go/format"
)

// tileRows is how many rows of a column are decoded at a time: few enough that their places in the
// rows of some twenty columns stay in the first cache.
const tileRows = 256

// table is a Parquet file whose footer has been read and checked.
type table struct {
	column.TableInfo
	stamp  file.Stamp
	leaves []leafColumn
	trees  []*nestedNode // of Nested
	groups []rowGroup
	page   int64 // bytes of a page of an object, by the first page header of its largest column; 0 if unknown
}

// leafColumn is one leaf column of the schema.
type leafColumn struct {
	column.Info
	physical format.Type
	size     int // bytes of a value of a fixed-length type
	format   column.NumberFormat
	unmarked bool // text that may be bytes: nothing says which
	maxRep   int
	maxDef   int
	listDef  int // definition level from which a list entry exists
}

// rowGroup is one row group.
type rowGroup struct {
	first, rows int64
	chunks      []pageRange // by leaf
}

// end returns the row behind the last one.
func (g *rowGroup) end() int64 { return g.first + g.rows }

// pageRangeBytes is the size of a pageRange.
const pageRangeBytes = 40

// pageRange is where the pages of one column of a row group are.
type pageRange struct {
	start, end int64
	values     int64 // entries, nulls included
	size       int64 // bytes of all pages, unpacked
	codec      format.CompressionCodec
}

// Open reads and checks the footer of the Parquet file at path. A list
// column gets its width from the first list that is not null.
func Open(ctx context.Context, files *file.Session, path string) (column.Table, error) {
	in, stamp, err := files.OpenEdges(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return OpenFile(ctx, path, in, stamp)
}

// OpenFile is Open of the open file in, which messages call path.
func OpenFile(ctx context.Context, path string, in file.File, stamp file.Stamp) (column.Table, error) {
	t := &table{TableInfo: column.TableInfo{Path: path}, stamp: stamp}
	t.NearlyNumeric = make(map[int]*stream.DataError)
	err := t.readFooter(in)
	if err == nil {
		err = t.findWidths(ctx)
	}
	if err = stamp.CheckUnchanged(in, err); err != nil {
		return nil, err
	}
	t.SeekCost = 1 // also without row groups
	for _, g := range t.groups {
		t.SeekCost = max(t.SeekCost, g.rows)
	}
	if stamp.IsRemote() && len(t.groups) > 0 {
		t.page = t.widestPage(in)
	}
	t.Columns = make([]column.Info, len(t.leaves))
	for i := range t.leaves {
		t.Columns[i] = t.leaves[i].Info
	}
	t.Index = int64(len(t.groups)) * int64(len(t.leaves)) * pageRangeBytes
	return t, nil
}

func (t *table) Source(c column.Choice) (stream.Gatherer, error) {
	wanted := *t
	if c.Inexact == column.InexactRound {
		wanted.leaves = slices.Clone(t.leaves)
		for i := range wanted.leaves {
			wanted.leaves[i].format.Round = true
		}
	}
	wanted.stamp = t.stamp.Places(len(c.All(true)))
	c.SetCosts(wanted.readerCost(&c))
	return column.NewSource(c, wanted.stamp, func(ctx context.Context, f file.File, _ bool) column.Pass {
		return newPass(ctx, &c, &wanted, f)
	}), nil
}

// readerCost returns about how many rows a reader that begins in the middle passes over,
// those of a page, and what it holds: a page and a dictionary for each column, and the
// largest of them compressed. It looks at the first page of each in the largest row group;
// where that is damaged, reading will tell. In an object pages are assumed, unless they are
// large beside the chunks that a reader holds: a budget is not exceeded by a guess.
func (t *table) readerCost(c *column.Choice) (seekCost, held int64) {
	chosen := c.All(true)
	base := readerBytes + columnReaderBytes*int64(len(chosen)) + t.stamp.ReaderBytes()
	for _, k := range c.Kept {
		if k.Nested != nil {
			base += nestedEntries * nestedEntryBytes * int64(k.Nested.End-k.Nested.First)
		}
	}
	if len(t.groups) == 0 {
		return t.SeekCost, base
	}
	if t.page > 0 {
		seekCost, held = sum(chosen, t.SeekCost, t.assumedPage)
		if held <= max(mostAssumed, t.stamp.ReaderBytes()) {
			return seekCost, base + held
		}
	}
	in, err := t.stamp.OpenAnytime()
	if err != nil {
		return t.SeekCost, base
	}
	defer in.Close()
	pages := newPages(t, in)
	defer pages.close()
	seekCost, held = sum(chosen, t.SeekCost, func(i int) (rows, bytes, packed int64) { return t.firstPage(pages, i) })
	return seekCost, base + held
}

// mostAssumed is the most that assumed pages hold.
const mostAssumed = 4 << 20

// sum returns the rows of the longest page, and what pages of the chosen columns hold.
func sum(chosen []int, most int64, page func(leaf int) (rows, bytes, packed int64)) (seekCost, held int64) {
	largest, packed := int64(0), int64(0)
	for _, i := range chosen {
		rows, bytes, compressed := page(i)
		seekCost = max(seekCost, min(rows, most))
		held += bytes
		largest, packed = max(largest, bytes), max(packed, compressed)
	}
	return max(1, seekCost), held + min(packed, largest)
}

// widestPage returns the bytes of the first page, with those of a dictionary, of the column
// with the most bytes: writers bound pages of all columns by the same bytes or rows.
func (t *table) widestPage(in file.File) int64 {
	widest := 0
	chunks := t.largestGroup().chunks
	for i, c := range chunks {
		if c.size > chunks[widest].size {
			widest = i
		}
	}
	if len(t.leaves) == 0 {
		return 0
	}
	pages := newPages(t, in)
	defer pages.close()
	_, bytes, _ := t.firstPage(pages, widest)
	return bytes
}

// assumedPage is firstPage of an object, without reading it.
func (t *table) assumedPage(leaf int) (rows, bytes, packed int64) {
	group := t.largestGroup()
	chunk := group.chunks[leaf]
	bytes = min(chunk.size, t.page)
	rows = group.rows
	if chunk.size > 0 {
		rows = int64(float64(rows) * float64(bytes) / float64(chunk.size))
	}
	if chunk.codec != format.Uncompressed {
		packed = min(bytes, chunk.end-chunk.start)
	}
	return max(1, rows), bytes, packed
}

// largestGroup returns the row group with the most rows.
func (t *table) largestGroup() rowGroup {
	return slices.MaxFunc(t.groups, func(a, b rowGroup) int { return cmp.Compare(a.rows, b.rows) })
}

// What a reader holds besides pages: 0.9 MB were measured, and for each column its levels and
// decoders.
const (
	readerBytes       = 1 << 20
	columnReaderBytes = 2*tileRows + 5<<8
)

// firstPage returns the rows of the first data page of a column, its bytes with those of a
// dictionary before it, and the larger of the two compressed, 0 where they are not.
func (t *table) firstPage(pages *pages, leaf int) (rows, bytes, packed int64) {
	chunk := t.largestGroup().chunks[leaf]
	for at := chunk.start; at < chunk.end; {
		h, body, err := pages.header(at, chunk.end)
		if err != nil {
			break
		}
		bytes += int64(h.UncompressedPageSize)
		if chunk.codec != format.Uncompressed {
			packed = max(packed, int64(h.CompressedPageSize))
		}
		entries, _, err := pageCounts(&h, true)
		if h.Type != format.DictionaryPage && h.Type != format.IndexPage {
			if err != nil {
				break
			}
			return max(1, entries/int64(t.leaves[leaf].Width)), bytes, packed
		}
		at = body + int64(h.CompressedPageSize)
	}
	return t.SeekCost, bytes, packed
}

// findWidths gives every list column its width. One that cannot be read, or whose lists
// differ as far as is seen without reading all, is no column of numbers. Bytes that nothing
// marks as text are no text.
func (t *table) findWidths(ctx context.Context) error {
	if !slices.ContainsFunc(t.leaves, func(c leafColumn) bool { return c.Kind == column.Vector || c.Kind == column.Text && c.unmarked }) {
		return nil
	}
	file, err := t.stamp.Open(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	for i := range t.leaves {
		c := &t.leaves[i]
		if c.Kind == column.Text && c.unmarked && t.holdsBytes(file, i) {
			c.refuse("bytes")
			c.Type = logical.Type{Class: logical.Bytes}
		}
		if c.Kind != column.Vector {
			continue
		}
		switch width, err := t.firstWidth(file, i); {
		case err != nil && t.stamp.IsRemote() && fault.IsReading(err):
			return err
		case err == errLongList:
			c.refuse(err.Error())
		case err != nil:
			c.refuse("lists that cannot be read")
			t.NearlyNumeric[i] = fault.New("%v", err)
			var data *stream.DataError
			if errors.As(err, &data) {
				t.NearlyNumeric[i] = fault.New("%s", data.What)
			}
		case width == 0: // no list with anything in it
			c.refuse("no lists with anything in them")
		case t.isRagged(i, width):
			c.refuse("lists of different lengths")
		default:
			c.Width = width
		}
	}
	return nil
}

// errLongList says what a column holds that is no row of numbers.
var errLongList = fmt.Errorf("lists of more than %d numbers", column.MaxWidth)

// isRagged reports whether the numbers of entries, of which a null list is one, rule out
// that all lists of a leaf that are not null have the given width.
func (t *table) isRagged(leaf, width int) bool {
	for _, g := range t.groups {
		more := g.chunks[leaf].values - g.rows
		if more < 0 || more > g.rows*int64(width-1) || width > 1 && more%int64(width-1) != 0 {
			return true
		}
	}
	return false
}

// firstWidth returns the length of the first list of leaf that is neither null nor empty.
func (t *table) firstWidth(file file.File, leaf int) (int, error) {
	pages := newPages(t, file)
	defer pages.close()
	for g := range t.groups {
		r := newColumnReader(pages, t, leaf)
		r.open(g)
		if width, err := r.listLength(); width > 0 || err != nil {
			return width, err
		}
	}
	return 0, nil
}

// holdsBytes reports whether the first values of a leaf are no text. Where they cannot be read,
// reading will tell.
func (t *table) holdsBytes(file file.File, leaf int) bool {
	pages := newPages(t, file)
	defer pages.close()
	r := newColumnReader(pages, t, leaf)
	for g := range t.groups {
		if r.open(g); r.chunk.values == 0 {
			continue
		}
		values := 0
		for left := 4 * tileRows; left > 0; { // of the first page
			entries, _, n, err := r.step(left)
			if err != nil {
				return false
			}
			if slices.ContainsFunc(r.Texts[:n], func(text string) bool { return !utf8.ValidString(text) }) {
				return true
			}
			values, left = values+n, left-entries
			if r.pos == r.n && r.left == 0 {
				break
			}
		}
		if values > 0 {
			return false
		}
	}
	return false
}

// groupOf returns the row group that holds row.
func (t *table) groupOf(row int64) int {
	i := sort.Search(len(t.groups), func(i int) bool { return t.groups[i].end() > row })
	if row < 0 || i == len(t.groups) {
		panic(fmt.Sprintf("blockstore: row %d is not in %s", row, t.Path))
	}
	return i
}

// maxPageBytes is the most a page may occupy, compressed or not. Writers make
// pages of about 1 MiB.
const maxPageBytes = compression.MaxBytes

// maxFooterBytes is the most a footer may occupy: the footer is read at once.
const maxFooterBytes = 64 << 20
