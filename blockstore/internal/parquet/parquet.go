// Package parquet reads and writes Parquet files.
//
// # Reading
//
// parquet-go provides the structures of footers and page headers, the Thrift decoder and the
// writer. This package decodes pages itself, because of the behaviour of the library (v0.32) on
// damaged files: it accepts a page shorter than its header states if the buffer happens to be large
// enough, and returns old contents as numbers; a damaged LZ4 page doubles a buffer without end;
// list lengths in headers and counts in pages are allocated unchecked. Decoding a few values at a
// time also limits memory to one page per column, whatever the page holds.
//
// A row group is read in tiles of at most tileRows rows, column by column. The whole footer is
// checked before any page (footer.go), every page header before its body (page.go), page checksums
// if the writer stored them (most writers do not), and the number of rows that every column yields
// for its row group. Page indexes and bloom filters are never read.
package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// tileRows is the number of rows of a column decoded at a time: few enough that their destinations
// in rows of about twenty columns stay in the first-level cache.
const tileRows = 256

// table is a Parquet file whose footer has been read and checked.
type table struct {
	column.TableInfo
	stamp  file.Stamp
	leaves []leafColumn
	trees  []*nestedNode // of Nested
	groups []rowGroup
	page   int64 // page size of an object, estimated from the first page header of its largest column; 0 if unknown
}

// leafColumn is one leaf column of the schema.
type leafColumn struct {
	column.Info
	physical format.Type
	size     int // size of a fixed-length value
	format   column.NumberFormat
	unmarked bool // text that may be bytes, without annotation
	maxRep   int
	maxDef   int
	listDef  int // definition level from which on a list entry exists
}

// rowGroup is one row group.
type rowGroup struct {
	first, rows int64
	chunks      []pageRange // by leaf
}

// end returns the row after the last one.
func (g *rowGroup) end() int64 { return g.first + g.rows }

// pageRangeBytes is the size of a pageRange.
const pageRangeBytes = 40

// pageRange is the byte range of the pages of one column of a row group.
type pageRange struct {
	start, end int64
	values     int64 // entries, nulls included
	size       int64 // uncompressed size of all pages
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

// OpenFile is Open for the open file in. path is its name in messages.
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
	t.SeekCost = 1 // even without row groups
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

// readerCost returns about the number of rows that a reader skips when it begins in the middle,
// those of a page, and its memory: a page and a dictionary per column, and the largest of them
// compressed. It inspects the first page of each column in the largest row group, and ignores
// damage, which reading reports. For an object it assumes page sizes, unless they might be large
// compared with the chunks of a reader: memory limits must not depend on a guess.
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
		seekCost, held = pageCosts(chosen, t.SeekCost, t.assumedPage)
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
	seekCost, held = pageCosts(chosen, t.SeekCost, func(i int) (rows, bytes, packed int64) { return t.firstPage(pages, i) })
	return seekCost, base + held
}

// mostAssumed bounds the total size of assumed pages.
const mostAssumed = 4 << 20

// pageCosts returns the number of rows of the longest page, and the memory of pages of the chosen
// columns.
func pageCosts(chosen []int, most int64, page func(leaf int) (rows, bytes, packed int64)) (seekCost, held int64) {
	largest, packed := int64(0), int64(0)
	for _, i := range chosen {
		rows, bytes, compressed := page(i)
		seekCost = max(seekCost, min(rows, most))
		held += bytes
		largest, packed = max(largest, bytes), max(packed, compressed)
	}
	return max(1, seekCost), held + min(packed, largest)
}

// widestPage returns the size of the first page and the dictionary of the column with the most
// bytes. Writers limit pages of all columns by the same bytes or rows.
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

// assumedPage is firstPage for an object, estimated without reading.
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

// Memory of a reader besides pages: 0.9 MB measured, and levels and decoders per column.
const (
	readerBytes       = 1 << 20
	columnReaderBytes = 2*tileRows + 5<<8
)

// firstPage returns the number of rows of the first data page of a column, its size including a
// preceding dictionary, and the larger compressed size of the two, 0 if uncompressed.
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

// findWidths sets the width of every list column. A column that cannot be read, or whose lists are
// known to vary in length, is not numeric. Unannotated byte arrays count as text only if they are
// valid text.
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
		case width == 0: // only null and empty lists
			c.refuse("no lists with anything in them")
		case t.isRagged(i, width):
			c.refuse("lists of different lengths")
		default:
			c.Width = width
		}
	}
	return nil
}

// errLongList describes lists that are too long to be rows of numbers.
var errLongList = fmt.Errorf("lists of more than %d numbers", column.MaxWidth)

// isRagged reports whether the entry counts, in which a null list is one entry, prove that not all
// lists of a leaf have the given width.
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

// holdsBytes reports whether the first values of a leaf are not text. It ignores read errors, which
// reading reports.
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

// groupOf returns the row group that contains row.
func (t *table) groupOf(row int64) int {
	i := sort.Search(len(t.groups), func(i int) bool { return t.groups[i].end() > row })
	if row < 0 || i == len(t.groups) {
		panic(fmt.Sprintf("blockstore: row %d is not in %s", row, t.Path))
	}
	return i
}

// maxPageBytes bounds the size of a page, compressed or not. Writers make pages of about 1 MiB.
const maxPageBytes = compression.MaxBytes

// maxFooterBytes bounds the size of a footer, which is read at once.
const maxFooterBytes = 64 << 20
