package text

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// jsonTable is a file of JSON lines: an object on each line, with members as columns, or an array
// on each line, with elements as columns. Missing members are null.
type jsonTable struct {
	column.TableInfo
	columnIndex map[string]int // of the columns
	index       rowIndex
	stamp       file.Stamp
}

// JSONLines reads the whole file once, in threads parallel parts, 0 for one per processor, to index
// its rows and determine the types of the members. Numbers, booleans and arrays of numbers of fixed
// length can be features.
func JSONLines(ctx context.Context, in Input, threads int) (column.Table, error) {
	if _, err := Head(in.File); err != nil {
		return nil, fault.File(in.Path, "%w", err)
	}
	scan, err := scanJSON(ctx, in, threads)
	if err != nil {
		err = fault.File(in.Path, "%w", err)
	}
	if err := in.Stamp.CheckUnchanged(in.File, err); err != nil {
		return nil, err
	}
	if scan.index.records == 0 {
		return nil, fault.File(in.Path, "the file holds no rows, and JSON lines have no columns without one").WithRemedy("is it the right file?")
	}
	return scan.table(in)
}

// jsonScan is the scan of a file, or of a part of it, during opening.
type jsonScan struct {
	lines       jsonLines
	index       rowIndex
	columnIndex map[string]int
	shared      bool // places and names are shared with another scan
	names       []string
	columns     []*jsonColumn
	room        []jsonColumn // preallocated columns

	elements int  // per line, if lines are arrays
	within   bool // it scans a part after the first line
}

func newJSONScan(in io.ReaderAt, from mark, until int64) *jsonScan {
	return &jsonScan{lines: jsonLines{lines: newLineReader(in, from), until: until}, columnIndex: make(map[string]int)}
}

// scanJSON scans parts of a file in parallel. After an error it scans the file from the beginning,
// to find the first error and its line.
func scanJSON(ctx context.Context, in Input, threads int) (*jsonScan, error) {
	f := file.NewReaderAt(ctx, in.File)
	if length := partLength(in.Stamp); in.Stamp.Size >= 2*length {
		head := newJSONScan(f, fileStart, 1)
		if err := head.run(); err == nil {
			head.shared = true
			all := *head
			parts := parts{head.reader(), in.Stamp.Size, length, threads, head.readerBytes()}
			switch err := scanParts(ctx, parts, head.part, all.join); err {
			case nil:
				return &all, nil
			case errWide: // no part was scanned: the scan of the head continues
				head.shared, head.lines.until = false, 0
				return head, head.run()
			}
		}
	}
	whole := newJSONScan(f, fileStart, 0)
	return whole, whole.run()
}

// part returns the scan of a part. It shares the members of the first line.
func (s *jsonScan) part(in io.ReaderAt, from mark, until int64) *jsonScan {
	p := newJSONScan(in, from, until)
	p.columnIndex, p.names, p.shared = s.columnIndex, slices.Clip(s.names), true
	p.within, p.elements = s.index.records > 0, s.elements
	own := make([]jsonColumn, len(s.names))
	p.columns = make([]*jsonColumn, len(own))
	for i := range own {
		p.columns[i] = &own[i]
	}
	return p
}

func (s *jsonScan) reader() *lineReader { return s.lines.lines }

// columnsRoom is the number of columns allocated at once, to reduce the work of the garbage
// collector.
const columnsRoom = 1024

// jsonColumnBytes is the memory of a scan per column, with its name.
const jsonColumnBytes = 256

// readerBytes estimates the memory of a scan.
func (s *jsonScan) readerBytes() int64 {
	return s.reader().readerBytes() + int64(len(s.names))*jsonColumnBytes
}

// run reads all lines.
func (s *jsonScan) run() error {
	for {
		err := s.lines.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.row()
		}
		if err != nil {
			return AtLine(err, s.lines.start.line)
		}
		s.index.add(s.lines.start)
	}
}

// row adds one line.
func (s *jsonScan) row() error {
	n := 0
	err := s.lines.members(func(key []byte, v jsonValue) error {
		c, err := s.column(n, key)
		if err != nil {
			return err
		}
		n++
		if c.rows > s.index.records {
			return fault.New("the member %q appears twice", key).WithRemedy("mend the line")
		}
		c.rows = s.index.records + 1
		return c.observe(v, s.lines.start.line)
	})
	switch {
	case err != nil || !s.lines.arrays:
	case s.within || s.index.records > 0:
		err = s.sameElements(n)
	default:
		s.elements = n
	}
	return err
}

// sameElements returns an error for an array of another length than the first one.
func (s *jsonScan) sameElements(n int) error {
	if n == s.elements {
		return nil
	}
	return fault.New("an array of %d values, but the first line has %d", n, s.elements).WithRemedy("write null for what is missing")
}

// column returns the column of a name, which is probably the n-th.
func (s *jsonScan) column(n int, key []byte) (*jsonColumn, error) {
	if n < len(s.names) && s.names[n] == string(key) {
		return s.columns[n], nil
	}
	if i, ok := s.columnIndex[string(key)]; ok {
		return s.columns[i], nil
	}
	if err := checkText(key); err != nil {
		return nil, fault.New("the name of a member: %w", err)
	}
	if len(s.names) == column.Max {
		return nil, fault.New("there are more than %d members with different names, the most that can be read", column.Max).
			WithRemedy("write fewer")
	}
	if s.shared {
		s.columnIndex, s.names, s.shared = maps.Clone(s.columnIndex), slices.Clone(s.names), false
	}
	c, name := s.newColumn(), string(key)
	s.columnIndex[name] = len(s.names)
	s.names, s.columns = append(s.names, name), append(s.columns, c)
	return c, nil
}

// newColumn returns a preallocated column. It allocates as many as exist already, at most
// columnsRoom.
func (s *jsonScan) newColumn() *jsonColumn {
	if len(s.room) == 0 {
		s.room = make([]jsonColumn, min(columnsRoom, len(s.columns)+8))
	}
	c := &s.room[0]
	s.room = s.room[1:]
	return c
}

// join adds the result of a later part, which begins on the given line.
func (s *jsonScan) join(p *jsonScan, line int64) error {
	if p.index.records == 0 {
		return nil
	}
	if s.index.records > 0 && s.lines.arrays != p.lines.arrays {
		return errMixedLines
	}
	if s.index.records == 0 {
		s.lines.arrays, s.elements = p.lines.arrays, p.elements
	}
	if err := s.sameElements(p.elements); err != nil {
		return err
	}
	for i, name := range p.names {
		c, err := s.column(i, []byte(name))
		if err != nil {
			return err
		}
		c.join(p.columns[i], line)
	}
	s.index.join(&p.index, line)
	return nil
}

// table returns the result of the scan.
func (s *jsonScan) table(in Input) (column.Table, error) {
	t := &jsonTable{columnIndex: s.columnIndex, index: s.index, stamp: in.Stamp}
	t.TableInfo = column.TableInfo{Path: in.Path, ReaderBytes: in.Stamp.ReaderBytes() + beyondBuffer(s.readerBytes()), Rows: t.index.rows(), SeekCost: t.index.seekCost(), Index: t.index.bytes(), PassesToOpen: 1, NearlyNumeric: make(map[int]*stream.DataError)}
	width := 0
	t.Columns = make([]column.Info, 0, len(s.names))
	for i, name := range s.names {
		c := s.columns[i]
		info := c.info(name)
		info.NoNulls = info.Kind.Keepable() && c.numeric+c.other == t.Rows
		if width += info.Width; width > column.Max {
			return nil, fault.File(in.Path, "its rows have more than the %d numbers that can be read", column.Max).WithRemedy("write fewer")
		}
		if info.Kind == column.Text && c.nearlyNumeric() {
			t.NearlyNumeric[i] = errNearlyNumeric(c.badLine, c.bad, c.numeric, "value")
		}
		t.Columns = append(t.Columns, info)
	}
	if s.lines.arrays {
		for i, name := range stream.NumberedColumns(len(s.names)) {
			t.Columns[i].Name, t.Columns[i].Nameless = name, true
		}
	}
	return t, nil
}

func (t *jsonTable) Source(c column.Choice) (stream.Gatherer, error) {
	cursor := func(in io.ReaderAt) textCursor { return newJSONCursor(&c, t, in) }
	return textSource(c, &t.index, t.stamp, cursor), nil
}

// jsonCursor iterates over the rows of a jsonTable.
type jsonCursor struct {
	*column.Choice
	table   *jsonTable
	lines   jsonLines
	order   []int       // the column of the n-th member of the previous row
	wanted  []bool      // columns
	values  []jsonValue // of the wanted columns
	present []int       // wanted columns present in the row
	slots   slotOffsets
	nulls   []float64 // a row without values
}

// slotOffsets maps each column to the offsets of its slots in Choice.Slot.
type slotOffsets struct {
	first   []int         // -1 for a column that is not a feature
	repeats map[int][]int // further offsets, for columns chosen more than once
}

func newSlotOffsets(c *column.Choice, columns []column.Info) slotOffsets {
	p := slotOffsets{first: slices.Repeat([]int{-1}, len(columns))}
	at := 0
	for _, j := range c.Numeric {
		if p.first[j] < 0 {
			p.first[j] = at
		} else {
			if p.repeats == nil {
				p.repeats = make(map[int][]int)
			}
			p.repeats[j] = append(p.repeats[j], at)
		}
		at += columns[j].Width
	}
	return p
}

func newJSONCursor(c *column.Choice, t *jsonTable, in io.ReaderAt) *jsonCursor {
	r := &jsonCursor{Choice: c, table: t, lines: jsonLines{lines: newLineReader(in, fileStart)},
		wanted: make([]bool, len(t.Columns)), values: make([]jsonValue, len(t.Columns)),
		slots: newSlotOffsets(c, t.Columns), nulls: slices.Repeat([]float64{math.NaN()}, len(c.Info().Columns))}
	for _, i := range c.All(true) {
		r.wanted[i] = true
	}
	return r
}

func (c *jsonCursor) seek(m mark, near int64) { c.lines.lines.seek(m, near) }

func (c *jsonCursor) next() error {
	for _, i := range c.present {
		c.values[i] = jsonValue{}
	}
	c.present = c.present[:0]
	err := c.lines.next()
	if err != nil {
		return err
	}
	n := 0
	err = c.lines.members(func(key []byte, v jsonValue) error {
		i, ok := c.column(n, key)
		if !ok && c.table.Live { // it cannot have been selected by name
			if c.table.Whole {
				return fault.New("the member %q is not in the first lines of the pipe", fault.Shorten(key)).WithRemedy("choose others with `Options.Columns`, or save the pipe to a file")
			}
			if c.lines.arrays {
				n++
			}
			return nil
		}
		if !ok {
			return fault.New("the member %q was not there when the file was opened", fault.Shorten(key)).WithRemedy("was it changed meanwhile?")
		}
		if n++; c.wanted[i] {
			if c.table.Live && c.values[i].kind != jsonNull {
				return fault.New("the member %q appears twice", fault.Shorten(key)).WithRemedy("mend the line")
			}
			c.values[i] = v
			c.present = append(c.present, i)
		}
		return nil
	})
	if err == nil && c.table.Live && c.lines.arrays && n != len(c.table.Columns) {
		err = fault.New("an array of %d values, but the first line has %d", n, len(c.table.Columns)).WithRemedy("write null for what is missing")
	}
	return atLine(err, c.lines.start.line)
}

// column returns the column of a name: probably that of the n-th member of the previous row, or
// column n.
func (c *jsonCursor) column(n int, key []byte) (int, bool) {
	likely := n
	if n < len(c.order) {
		likely = c.order[n]
	}
	if likely < len(c.table.Columns) && !c.lines.arrays && c.table.Columns[likely].Name == string(key) {
		return likely, true
	}
	i, ok := c.table.columnIndex[string(key)]
	if ok && n < len(c.order) {
		c.order[n] = i
	} else if ok {
		c.order = append(c.order, i)
	}
	return i, ok
}

func (c *jsonCursor) store(dst *stream.Batch, i int) error {
	row := matrix.Row(dst.X, i)
	copy(row, c.nulls)
	for _, j := range c.present {
		if c.slots.first[j] < 0 {
			continue
		}
		err := c.storeAt(row, j, c.slots.first[j])
		for _, at := range c.slots.repeats[j] {
			if err == nil {
				err = c.storeAt(row, j, at)
			}
		}
		if err != nil {
			return c.inColumn(j, err)
		}
	}
	for _, k := range c.Stored(dst) {
		j := c.Kept[k].Column
		err := keepJSON(&dst.Kept[k], c.values[j], c.table.Columns[j].HasFloats, c.Inexact)
		if c.table.Live {
			err = keptValueError(&c.table.TableInfo, j, &dst.Kept[k], c.values[j].raw, err)
		}
		if err != nil {
			return c.inColumn(j, err)
		}
	}
	return nil
}

// storeAt stores the value of column j in its slots, which begin at c.Slot[at].
func (c *jsonCursor) storeAt(row []float64, j, at int) error {
	info := &c.table.Columns[j]
	return storeJSON(row, c.Slot[at:][:info.Width], c.values[j], info, c.Inexact)
}

// inColumn adds the line and the column to an error.
func (c *jsonCursor) inColumn(j int, err error) error {
	return inColumn(c.table.Columns[j].Name, AtLine(err, c.lines.start.line))
}

// storeJSON stores a value in its slots of a row.
func storeJSON(row []float64, slots []int, v jsonValue, info *column.Info, inexact column.Inexact) (err error) {
	if info.Kind != column.Vector {
		if v.kind >= jsonString {
			return errNotNumber(v.raw)
		}
		row[slots[0]], err = v.number(info.HasFloats, inexact)
		return err
	}
	column.PutNull(row, slots)
	if v.kind == jsonNull {
		return nil
	}
	if v.kind != jsonNumbers || v.length != len(slots) {
		return fmt.Errorf("%s is no array of %d numbers", fault.Shorten(v.raw), len(slots))
	}
	p, k := jsonParser{rest: v.raw}, 0
	return p.elements(func(v jsonValue) error {
		number, err := v.number(info.HasFloats, inexact)
		if slots[k] >= 0 {
			row[slots[k]] = number
		}
		k++
		return err
	})
}

// keepJSON appends a value to a kept column. floats is as in exactNumber.
func keepJSON(c *stream.Column, v jsonValue, floats bool, inexact column.Inexact) error {
	if v.kind == jsonNull {
		column.AppendNull(c)
		return nil
	}
	if c.Type.Class != logical.None && (v.kind == jsonString || c.Type.Class != logical.Bool) {
		cell, err := v.raw, error(nil)
		if v.kind == jsonString {
			cell, err = unquoted(v.raw)
		}
		if err != nil {
			return err
		}
		return keepTyped(c, cell)
	}
	switch c.Kind {
	case stream.String:
		text, err := v.raw, error(nil)
		if v.kind == jsonString {
			text, err = unquoted(v.raw)
		}
		if err == nil {
			err = checkText(text)
		}
		if err != nil {
			return err
		}
		c.Strings = append(c.Strings, string(text))
	case stream.Int64:
		x, ok := int64(0), v.kind == jsonTrue || v.kind == jsonFalse
		if v.kind == jsonTrue {
			x = 1
		} else if v.kind == jsonNumber {
			x, ok = parseInt(v.raw)
		}
		if !ok {
			return errNotNumber(v.raw)
		}
		c.Ints = append(c.Ints, x)
	case stream.Float64:
		if v.kind >= jsonString {
			return errNotNumber(v.raw)
		}
		x, err := v.number(floats, inexact)
		if err != nil {
			return err
		}
		c.Floats = append(c.Floats, x)
	}
	column.AppendValid(c)
	return nil
}
