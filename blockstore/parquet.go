package blockstore

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/nystream/nystream/stream"
	"github.com/parquet-go/parquet-go/format"
)

// # How Parquet files are read
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
// What is checked: the footer as a whole before any page (parquet_footer.go),
// every page header before its body is read (parquet_page.go), page checksums
// where the writer left them (most writers leave none), and that every column
// gives exactly the rows of its row group. What is not: statistics, page
// indexes and bloom filters, which are never read.

// tileRows is how many rows of a column are decoded at a time.
const tileRows = 1024

// parquetTable is a Parquet file whose footer has been read and checked.
type parquetTable struct {
	path    string
	size    int64
	changed time.Time
	count   int64
	leaves  []parquetColumn
	groups  []parquetGroup
}

// parquetColumn is one leaf column of the schema.
type parquetColumn struct {
	name     string
	kind     columnKind
	width    int
	physical format.Type
	size     int // bytes of a value of a fixed-length type
	format   numberFormat
	maxRep   int
	maxDef   int
	listDef  int // definition level from which a list entry exists
}

// parquetGroup is one row group.
type parquetGroup struct {
	first, rows int64
	chunks      []parquetChunk // by leaf
}

// parquetChunk is where the pages of one column of a row group are.
type parquetChunk struct {
	start, end int64
	values     int64 // entries, nulls included
	codec      format.CompressionCodec
}

// openParquet reads and checks the footer of the Parquet file at path. A list
// column gets its width from the first list that is not null.
func openParquet(path string) (table, error) {
	t := &parquetTable{path: path}
	err := guard(path, func() error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := t.readFooter(file); err != nil {
			return err
		}
		return t.findWidths(file)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *parquetTable) name() string { return t.path }
func (t *parquetTable) rows() int64  { return t.count }
func (t *parquetTable) once() bool   { return false }
func (t *parquetTable) scans() int   { return 0 }

func (t *parquetTable) columns() []columnInfo {
	infos := make([]columnInfo, len(t.leaves))
	for i, c := range t.leaves {
		infos[i] = columnInfo{name: c.name, kind: c.kind, width: c.width}
	}
	return infos
}

// choose returns a source of the chosen columns.
func (t *parquetTable) choose(numeric, kept []int) (stream.Source, error) {
	info, err := chosenInfo(t, numeric, kept)
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Concat(numeric, kept) {
		if err := t.checkCodecs(i); err != nil {
			return nil, err
		}
	}
	return &parquetSource{table: t, info: info, numeric: numeric, kept: kept}, nil
}

// chosenInfo describes a source of the chosen columns of t. Vector columns
// expand to name.0, name.1, ...
func chosenInfo(t table, numeric, kept []int) (stream.Info, error) {
	info := stream.Info{Name: t.name(), Rows: t.rows(), Once: t.once(), Scans: t.scans()}
	columns := t.columns()
	for _, i := range numeric {
		switch c := columns[i]; c.kind {
		case numberColumn, integerColumn:
			info.Columns = append(info.Columns, c.name)
		case vectorColumn:
			for k := range c.width {
				info.Columns = append(info.Columns, c.name+"."+strconv.Itoa(k))
			}
		default:
			return info, badCell(t.name(), -1, c.name, "it holds no numbers and cannot be a feature; leave it out")
		}
	}
	for _, i := range kept {
		switch c := columns[i]; c.kind {
		case numberColumn, integerColumn, textColumn:
			info.Kept = append(info.Kept, stream.Field{Name: c.name, Kind: keptKind(c.kind)})
		default:
			return info, badCell(t.name(), -1, c.name, "only columns of numbers or strings can be kept")
		}
	}
	return info, nil
}

// findWidths gives every list column its width.
func (t *parquetTable) findWidths(file *os.File) error {
	for i := range t.leaves {
		c := &t.leaves[i]
		if c.kind != vectorColumn {
			continue
		}
		width, err := t.firstWidth(file, i)
		if err != nil {
			return err
		}
		if width == 0 { // no list with anything in it
			c.kind = otherColumn
			width = 1
		}
		c.width = width
	}
	return nil
}

// firstWidth is the length of the first list of leaf that is not null.
func (t *parquetTable) firstWidth(file *os.File, leaf int) (int, error) {
	if t.checkCodecs(leaf) != nil {
		return 0, nil // choose will say so
	}
	pages := newParquetPages(t, file)
	defer pages.close()
	for g := range t.groups {
		r := newParquetColumnReader(pages, t, leaf)
		r.open(g)
		if width, err := r.listLength(); width > 0 || err != nil {
			return width, err
		}
	}
	return 0, nil
}

// parquetSource is chosen columns of a Parquet file.
type parquetSource struct {
	table         *parquetTable
	info          stream.Info
	numeric, kept []int
}

// Info describes the source.
func (s *parquetSource) Info() stream.Info { return s.info }

// Open starts a pass with a file handle of its own.
func (s *parquetSource) Open(ctx context.Context) (stream.Reader, error) {
	file, err := s.table.reopen()
	if err != nil {
		return nil, err
	}
	return newParquetReader(ctx, s, file), nil
}

// reopen opens the file again, unless it has changed since its footer was read.
func (t *parquetTable) reopen() (*os.File, error) {
	return reopenUnchanged(t.path, t.size, t.changed)
}

// reopenUnchanged opens path if it has the size and time of change it had.
func reopenUnchanged(path string, size int64, changed time.Time) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err == nil && (stat.Size() != size || !stat.ModTime().Equal(changed)) {
		err = badFile(path, "the file was changed after it was opened; start again")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// groupOf is the row group that holds row.
func (t *parquetTable) groupOf(row int64) int {
	i, found := slices.BinarySearchFunc(t.groups, row, func(g parquetGroup, row int64) int {
		switch {
		case g.first+g.rows <= row:
			return -1
		case g.first > row:
			return 1
		}
		return 0
	})
	if !found {
		panic(fmt.Sprintf("blockstore: row %d is not in %s", row, t.path))
	}
	return i
}

// checkCodecs says whether every chunk of a leaf is compressed in a way we read.
func (t *parquetTable) checkCodecs(leaf int) error {
	for g, group := range t.groups {
		if codec := group.chunks[leaf].codec; !knownCodec(codec) {
			return badCell(t.path, -1, t.leaves[leaf].name, "row group %d: the compression %s (%d) is not supported; write the file with zstd, snappy or none", g, codec, codec)
		}
	}
	return nil
}

// maxPageBytes is the most a page may occupy, compressed or not. Writers make
// pages of about 1 MiB.
const maxPageBytes = 256 << 20

// maxFooterBytes is the most a footer may occupy: the footer is read at once.
const maxFooterBytes = 64 << 20

// maxVectorWidth bounds the length of a list that becomes columns.
const maxVectorWidth = math.MaxUint16 + 1
