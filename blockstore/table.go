package blockstore

import (
	"math"
	"strconv"

	"github.com/nystream/nystream/stream"
)

const (
	// maxColumns is the most columns a file may have. A row is dense in memory,
	// so this is 8 MB a row.
	maxColumns = 1_000_000
	// maxVectorWidth bounds the length of a list that becomes columns.
	maxVectorWidth = math.MaxUint16 + 1
)

// table is one data file (or pipe) whose columns are known, before any of them
// is chosen. Each format has one implementation, in its own file. Opening a
// table reads what is needed to know its shape and no more: a footer, a header,
// or, for text, the whole file once.
type table interface {
	about() *tableInfo
	// source gives the rows of the chosen columns. It implements
	// stream.Gatherer unless they can be read only once.
	source(c choice) (stream.Source, error)
}

// tableInfo is what every table says of itself.
type tableInfo struct {
	path    string         // how messages call the table
	columns []columnInfo   // in file order
	rows    int64          // -1 when only a full read would tell
	once    bool           // the rows can be read a single time only
	scans   int            // full reads that opening has cost
	spoiled map[int]string // text columns that are numbers but for a few cells, and the first of these
	aside   []int          // columns that globs and ranges pass over: a libsvm file's label; no column is a vector then
}

func (t *tableInfo) about() *tableInfo { return t }

// columnInfo describes one column of a table.
type columnInfo struct {
	name string
	kind columnKind
	// width is how many numbers the column gives to a row: 1, or more for a
	// vector column.
	width int
}

// columnKind is what a column holds, as far as reading cares.
type columnKind uint8

const (
	numberColumn  columnKind = iota // floats and decimals, given as float64
	integerColumn                   // integers and bools; kept as int64, else float64
	textColumn                      // strings: can be kept, not computed with
	vectorColumn                    // a list of numbers of one length per row
	otherColumn                     // anything we do not read
)

// String is the kind's name.
func (k columnKind) String() string {
	return [...]string{numberColumn: "number", integerColumn: "integer", textColumn: "text", vectorColumn: "vector", otherColumn: "other"}[k]
}

// computable says whether a column of this kind can be part of a row.
func (k columnKind) computable() bool {
	return k == numberColumn || k == integerColumn || k == vectorColumn
}

// keepable says whether a column of this kind can be carried along.
func (k columnKind) keepable() bool {
	return k == numberColumn || k == integerColumn || k == textColumn
}

// kept is how a column of this kind is carried along.
func (k columnKind) kept() stream.Kind {
	switch k {
	case integerColumn:
		return stream.Int64
	case textColumn:
		return stream.String
	}
	return stream.Float64
}

// choice is what is chosen of a table: numeric columns in the order in which
// they make a row, a vector column giving all its numbers, and kept ones. It
// is the part that the sources of all formats share.
type choice struct {
	info          stream.Info
	numeric, kept []int // columns of the table
}

// Info describes the source.
func (c *choice) Info() stream.Info { return c.info }

// columns are the chosen columns, numeric ones first.
func (c *choice) columns(kept bool) []int {
	list := append([]int(nil), c.numeric...)
	if kept {
		list = append(list, c.kept...)
	}
	return list
}

// choose makes a source of columns of t.
func choose(t table, numeric, kept []int) (stream.Source, error) {
	c, err := t.about().choose(numeric, kept)
	if err != nil {
		return nil, err
	}
	return t.source(c)
}

// choose checks a choice and names what it gives.
func (t *tableInfo) choose(numeric, kept []int) (choice, error) {
	c := choice{numeric: numeric, kept: kept}
	c.info = stream.Info{Name: t.path, Rows: t.rows, Once: t.once, Scans: t.scans}
	for _, i := range numeric {
		column := t.columns[i]
		if !column.kind.computable() {
			return c, badCell(t.path, -1, column.name, "it holds no numbers and cannot be a feature; leave it out")
		}
		for part := range column.width {
			c.info.Columns = append(c.info.Columns, column.component(part))
		}
	}
	for _, i := range kept {
		column := t.columns[i]
		if !column.kind.keepable() {
			return c, badCell(t.path, -1, column.name, "only columns of numbers or strings can be kept")
		}
		c.info.Kept = append(c.info.Kept, stream.Field{Name: column.name, Kind: column.kind.kept()})
	}
	return c, nil
}

// unnamedColumns are n columns of a format without names: x0, x1, ...
func unnamedColumns(n int, kind columnKind) []columnInfo {
	columns := make([]columnInfo, n, n+1) // a libsvm file has its label besides
	for j, name := range stream.NumberedColumns(n) {
		columns[j] = columnInfo{name, kind, 1}
	}
	return columns
}

// component names one number of the column: that of a vector is called name.0,
// name.1, ...
func (c columnInfo) component(part int) string {
	if c.kind != vectorColumn {
		return c.name
	}
	return c.name + "." + strconv.Itoa(part)
}
