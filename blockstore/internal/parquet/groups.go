package parquet

import (
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/stream"
)

// A row group is buffered until it is complete. It holds groupBytes of numbers, or a share of the
// memory of the run, as much text again, and at most groupRows rows. Pages hold about pageBytes.
const (
	pageBytes  = 256 << 10
	groupBytes = 16 << 20
	leastGroup = 1 << 20
	groupShare = 32 // fraction of the memory
	groupRows  = 1_000_000
)

// writeRows is the number of rows of a column passed to the library at a time. Row groups, and
// pages of numbers, end at multiples of it, whatever the batches.
const writeRows = 1024

// dictionaryBytes is the size of a dictionary after which the pages of a column are plain. A page
// adds at most as much text to a dictionary.
const dictionaryBytes = 1 << 20

// GroupBytes returns the size of the numbers in a row group for a run with the given memory, 0 for
// unlimited.
func GroupBytes(memory int64) int64 {
	if memory <= 0 {
		return groupBytes
	}
	return max(leastGroup, memory/groupShare)
}

// WriterBytes returns the memory of the library while it writes columns columns in a run with the
// given memory: pages and their growing buffers, up to about four row groups, and per-column
// structures. Conversions from NPY took, without reading, 20, 60, 70 and 110 MiB for 20, 200, 2000
// and 5000 columns in groups of groupBytes. In the smallest groups, 5000 columns took 80 MiB.
func WriterBytes(memory int64, columns int) int64 {
	n, g := int64(columns), GroupBytes(memory)
	return 4<<20 + min(g+n*(320<<10), 4*g) + n*(13<<10)
}

// chunkBytes is the memory per column of a row group that the library holds until the end of the
// file, measured as 889 bytes. WriterBytes includes the first countedGroups groups.
const (
	chunkBytes    = 900
	countedGroups = 4
)

// FooterBytes returns the memory of the growing footer of a file of rows rows, besides WriterBytes.
// If memory is less than the writer needs, it assumes the smallest sufficient one: nothing is
// written with less.
func FooterBytes(memory, rows int64, columns int) int64 {
	bytes := footerBytes(memory, rows, columns)
	for ; memory > 0 && memory < WriterBytes(memory, columns)+bytes; bytes = footerBytes(memory, rows, columns) {
		memory += memory/32 + 1<<20
	}
	return bytes
}

// footerBytes is FooterBytes for exactly the given memory.
func footerBytes(memory, rows int64, columns int) int64 {
	perGroup := int64(newGroup(GroupBytes(memory), max(1, columns)).rows)
	groups := (rows + perGroup - 1) / perGroup
	return max(0, groups-countedGroups) * int64(columns) * chunkBytes
}

// group tracks the size of the current row group.
type group struct {
	rows  int   // its maximum
	bytes int64 // maximum for text
	has   int
	text  int64
}

// newGroup returns an empty row group for the given size of numbers in columns columns.
func newGroup(bytes int64, columns int) group {
	return group{rows: int(min(groupRows, max(1, bytes/int64(8*columns)))), bytes: bytes}
}

// pageBytes returns the size of pages of numbers: a column of the row group if that is smaller than
// a page.
func (g *group) pageBytes() int { return min(pageBytes, max(8*g.rows, 4<<10)) }

// fits returns how many of n rows fit in the current tile of the group.
func (g *group) fits(n int) int { return min(n, writeRows-g.has%writeRows, g.rows-g.has) }

// add counts rows, and reports whether the row group is full. If so it resets the counts.
func (g *group) add(rows int) (full bool) {
	g.has += rows
	if full = g.has == g.rows || g.has%writeRows == 0 && g.text >= g.bytes; full {
		g.has, g.text = 0, 0
	}
	return full
}

// addText counts the text of kept column k written to w. It ends a page that may have made the
// dictionary large.
func (e *encoder) addText(w *parquet.ColumnWriter, k int, strings []string) error {
	bytes := int64(0)
	for _, s := range strings {
		bytes += int64(len(s))
	}
	e.group.text += bytes
	if e.pageText[k] += bytes; e.pageText[k] < dictionaryBytes {
		return nil
	}
	e.pageText[k] = 0
	return w.Flush()
}

// start begins the file with its first rows, which decide the columns with a dictionary.
func (e *encoder) start(b *stream.Batch, n int) {
	for k, field := range e.schema.Kept {
		if node := e.nodes.Group[field.Name]; n > 0 && mayRepeat(node) && repeats(&b.Kept[k], min(n, writeRows)) {
			e.nodes.Group[field.Name] = parquet.Encoded(node, &parquet.RLEDictionary)
		}
	}
	e.pageText = make([]int64, len(e.schema.Kept))
	e.w = parquet.NewGenericWriter[any](e.out, parquet.NewSchema("rows", e.nodes),
		parquet.Compression(&parquet.Uncompressed),
		parquet.PageBufferSize(e.group.pageBytes()),
		parquet.ColumnPageBuffers(parquet.NewChunkBufferPool(e.group.pageBytes()/4)),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.DataPageStatistics(false), // the page index has those of pages
		parquet.CreatedBy("nystream", "", ""))
	for _, name := range slices.Sorted(maps.Keys(e.about)) {
		e.w.SetKeyValueMetadata(name, e.about[name])
	}
}

// mayRepeat reports whether a column has a type for which a dictionary pays off if values repeat.
func mayRepeat(node parquet.Node) bool {
	if !node.Leaf() {
		return false
	}
	switch node.Type().Kind() {
	case parquet.Int32, parquet.Int64, parquet.ByteArray:
		return true
	}
	return false
}

// repeats reports whether at most half of the first n values of c are distinct.
func repeats(c *stream.Column, n int) bool {
	switch c.Kind {
	case stream.Int64:
		return distinct(c.Ints[:n]) <= n/2
	case stream.String:
		return distinct(c.Strings[:n]) <= n/2
	}
	return false
}

// distinct returns the number of distinct values.
func distinct[T comparable](values []T) int {
	seen := make(map[T]struct{}, len(values))
	for _, v := range values {
		seen[v] = struct{}{}
	}
	return len(seen)
}
