package parquet

import (
	"maps"
	"slices"

	"github.com/nystream/nystream/stream"
	"github.com/parquet-go/parquet-go"
)

// A row group is in memory until it is complete. It holds groupBytes of numbers, or a share of the memory of the run,
// as much text again, and at most groupRows rows. Pages hold about pageBytes.
const (
	pageBytes  = 256 << 10
	groupBytes = 16 << 20
	leastGroup = 1 << 20
	groupShare = 32 // parts of the memory
	groupRows  = 1_000_000
)

// writeRows is how many rows of a column are handed to the library at a time. Row groups, and pages of numbers, end
// behind multiples of it, whatever batches the rows come in.
const writeRows = 1024

// dictionaryBytes is the size of a dictionary behind which the pages of a column are plain. A page adds no more text
// than that to a dictionary.
const dictionaryBytes = 1 << 20

// GroupBytes returns the bytes of numbers in a row group of a run that has so much memory, 0 for any.
func GroupBytes(memory int64) int64 {
	if memory <= 0 {
		return groupBytes
	}
	return max(leastGroup, memory/groupShare)
}

// WriterBytes returns what the library holds while it writes so many columns in a run of so much memory: pages and
// their growing buffers, up to some four row groups, and the structures of each column. The parts of conversions from NPY
// that are not of reading took 20, 60, 70 and 110 MiB for 20, 200, 2000 and 5000 columns in groups of groupBytes.
func WriterBytes(memory int64, columns int) int64 {
	n, g := int64(columns), GroupBytes(memory)
	return 8<<20 + min(g+n*(320<<10), 4*g) + n*(8<<10)
}

// chunkBytes is what the library holds, until the end of the file, of each column of a row group: 889 bytes were
// measured. WriterBytes counts those of the first countedGroups.
const (
	chunkBytes    = 900
	countedGroups = 4
)

// FooterBytes returns what the footer of a file of so many rows takes besides WriterBytes, while it grows. In less memory
// than the writer needs it is that in the least that suffices: nothing is written in less.
func FooterBytes(memory, rows int64, columns int) int64 {
	bytes := footerBytes(memory, rows, columns)
	for ; memory > 0 && memory < WriterBytes(memory, columns)+bytes; bytes = footerBytes(memory, rows, columns) {
		memory += memory/32 + 1<<20
	}
	return bytes
}

// footerBytes is FooterBytes in whatever memory.
func footerBytes(memory, rows int64, columns int) int64 {
	perGroup := int64(newGroup(GroupBytes(memory), max(1, columns)).rows)
	groups := (rows + perGroup - 1) / perGroup
	return max(0, groups-countedGroups) * int64(columns) * chunkBytes
}

// group counts what the current row group holds.
type group struct {
	rows  int   // it has at most
	bytes int64 // of text, likewise
	has   int
	text  int64
}

// newGroup returns an empty row group of so many bytes of numbers in columns.
func newGroup(bytes int64, columns int) group {
	return group{rows: int(min(groupRows, max(1, bytes/int64(8*columns)))), bytes: bytes}
}

// pageBytes returns the size of pages of numbers: a column of the row group, if that is less than a page.
func (g *group) pageBytes() int { return min(pageBytes, max(8*g.rows, 4<<10)) }

// fits returns how many of n rows go into the current tile of the group.
func (g *group) fits(n int) int { return min(n, writeRows-g.has%writeRows, g.rows-g.has) }

// add counts rows, and reports whether the row group is full. Then it begins anew.
func (g *group) add(rows int) (full bool) {
	g.has += rows
	if full = g.has == g.rows || g.has%writeRows == 0 && g.text >= g.bytes; full {
		g.has, g.text = 0, 0
	}
	return full
}

// addText counts the text of kept column k that was given to w. It ends a page that may have made the dictionary large.
func (e *encoder) addText(w *parquet.ColumnWriter, k int, strings []string) error {
	bytes := int64(0)
	for _, s := range strings {
		bytes += int64(len(s))
	}
	e.group.text += bytes
	if e.inPage[k] += bytes; e.inPage[k] < dictionaryBytes {
		return nil
	}
	e.inPage[k] = 0
	return w.Flush()
}

// start begins the file with its first rows, which tell the columns that a dictionary makes smaller.
func (e *encoder) start(b *stream.Batch, n int) {
	for k, field := range e.schema.Kept {
		if node := e.nodes.Group[field.Name]; n > 0 && mayRepeat(node) && repeats(&b.Kept[k], min(n, writeRows)) {
			e.nodes.Group[field.Name] = parquet.Encoded(node, &parquet.RLEDictionary)
		}
	}
	e.inPage = make([]int64, len(e.schema.Kept))
	e.w = parquet.NewGenericWriter[any](e.out, parquet.NewSchema("rows", e.nodes),
		parquet.Compression(&parquet.Uncompressed),
		parquet.PageBufferSize(e.group.pageBytes()),
		parquet.ColumnPageBuffers(parquet.NewChunkBufferPool(e.group.pageBytes()/4)),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.DataPageStatistics(false), // those of pages are in the page index
		parquet.CreatedBy("nystream", "", ""))
	for _, name := range slices.Sorted(maps.Keys(e.about)) {
		e.w.SetKeyValueMetadata(name, e.about[name])
	}
}

// mayRepeat reports whether the values of a column are of a type for which dictionaries pay where they repeat.
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

// repeats reports whether at most half of the first n values of c differ.
func repeats(c *stream.Column, n int) bool {
	switch c.Kind {
	case stream.Int64:
		return distinct(c.Ints[:n]) <= n/2
	case stream.String:
		return distinct(c.Strings[:n]) <= n/2
	}
	return false
}

// distinct returns how many different values there are.
func distinct[T comparable](values []T) int {
	seen := make(map[T]struct{}, len(values))
	for _, v := range values {
		seen[v] = struct{}{}
	}
	return len(seen)
}
