package verb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// maxDistinct limits the count of distinct text values.
const maxDistinct = 1000

// add counts a number.
func (c *columnFacts) add(v float64) {
	if !matrix.IsFinite(v) {
		c.Nulls++
		return
	}
	if c.Minimum == nil || v < c.least {
		c.least, c.Minimum = v, report.Number(v)
	}
	if c.Maximum == nil || v > c.most {
		c.most, c.Maximum = v, report.Number(v)
	}
}

// addInteger counts an integer, a date or a time.
func (c *columnFacts) addInteger(k *stream.Column, i int) {
	v := k.Ints[i]
	if k.Type.Class == logical.Uint {
		v ^= math.MinInt64 // maps the unsigned order to the signed one
	}
	if c.Minimum == nil || v < c.low {
		c.low, c.Minimum = v, keptCell(k, i)
	}
	if c.Maximum == nil || v > c.high {
		c.high, c.Maximum = v, keptCell(k, i)
	}
}

// addKept counts a value of a kept column.
func (c *columnFacts) addKept(k *stream.Column, i int) {
	switch {
	case k.Null(i) || k.Kind == stream.String && k.Strings[i] == "":
		c.Nulls++
	case k.Kind == stream.Int64:
		c.addInteger(k, i)
	case k.Kind == stream.Float64:
		c.add(k.Floats[i])
	default:
		if c.values == nil {
			c.values = make(map[string]bool)
		}
		if len(c.values) <= maxDistinct {
			c.values[k.Strings[i]] = true
		}
		c.Distinct = len(c.values)
	}
}

// text returns the statistics in words. means is the meaning of the column.
func (c *columnFacts) text(means string) string {
	if c == nil {
		return ""
	}
	words := ""
	switch {
	case c.Distinct > maxDistinct:
		words = fmt.Sprintf(", more than %s values", report.Count(maxDistinct))
	case c.Distinct > 0:
		words = ", " + report.Counted(c.Distinct, "value", "values")
	case c.Minimum != nil:
		words = fmt.Sprintf(", %s to %s", valueText(c.Minimum, 6, means), valueText(c.Maximum, 6, means))
	}
	if c.Nulls > 0 {
		words += ", " + report.Counted(int(c.Nulls), "null", "nulls")
	}
	return words
}

// setStatistics takes statistics of columns from the footers of files.
func (r *filesResult) setStatistics(found map[int]blockstore.ColumnStatistics) {
	for k, s := range found {
		facts := r.Columns[k].columnFacts
		facts.fromFooter, facts.Nulls = true, s.Nulls
		for i := range s.Bounds.Len() {
			facts.addInteger(&s.Bounds, i)
		}
	}
}

// lacksStatistics reports whether footers lack statistics of a readable column.
func (r *filesResult) lacksStatistics() bool {
	return slices.ContainsFunc(r.Columns, func(c fileColumn) bool { return !c.fromFooter && (c.Kind != "other" || c.Type != "") })
}

// firstRows is the number of rows that inspect shows, and firstCells the number of columns in its text.
const (
	firstRows  = 5
	firstCells = 8
)

// maxNumbers is the approximate number of values that inspect reads without --rows, so that it reads fewer rows of wide
// tables.
const maxNumbers = 1 << 30

// rowsToScan returns the number of rows of the given width that inspect reads, 0 for all.
func (i *inspectCommand) rowsToScan(width int) int64 {
	if i.app.Cmd.Flags().Changed("rows") {
		return i.rows
	}
	return min(i.rows, max(firstRows, maxNumbers/int64(width)))
}

// scan reads rows and computes the statistics of the columns of r.
func (i *inspectCommand) scan(ctx context.Context, src *blockstore.Source, exact []int, r *filesResult) (err error) {
	info := src.Info()
	most := i.rowsToScan(max(1, len(info.Columns)))
	if r.scanned = r.lacksStatistics(); !r.scanned {
		most = firstRows
	}
	cells := len(r.Columns)
	if !i.app.JSON() {
		cells = min(cells, firstCells+1)
	}
	at := newCellIndex(r.Columns, exact, src)
	in, err := src.Open(ctx, 0)
	if err != nil {
		return app.FromData(err)
	}
	defer func() { err = errors.Join(err, app.FromData(in.Close())) }()
	b := newBatch(info, min(256, batchRows(info)))
	// Rows before an error count: run prints them, and then the error.
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := in.Read(b)
		if most > 0 {
			n = int(min(int64(n), most-r.RowsScanned))
		}
		for row := range n {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			at.observe(b, row)
			if len(r.First) < firstRows {
				r.First = append(r.First, at.cells(b, row, cells))
			}
		}
		r.RowsScanned += int64(n)
		if i.app.Progress != nil {
			i.app.Progress.Report(stream.Event{Pass: "inspect", Done: r.RowsScanned, Total: info.Rows})
		}
		switch {
		case errors.Is(err, io.EOF):
			r.Rows = &r.RowsScanned
			return nil
		case err != nil:
			return app.FromData(err)
		case most > 0 && r.RowsScanned == most:
			return nil
		}
	}
}

// cellIndex locates the values of each column in a batch: a number, a kept column, or neither for unreadable columns.
type cellIndex struct {
	columns []fileColumn
	first   []int // index among the numbers, or -1
	kept    []int // index among the kept columns, or -1
}

// newCellIndex locates the columns in the rows of src. apart are its kept columns, in order.
func newCellIndex(columns []fileColumn, exact []int, src *blockstore.Source) *cellIndex {
	p := &cellIndex{columns: columns, first: make([]int, len(columns)), kept: make([]int, len(columns))}
	chosen, _ := src.Positions()
	place, number := 0, 0 // index in a row, and of the column
	for i, c := range columns {
		p.first[i], p.kept[i] = -1, -1
		if place < len(chosen) && chosen[place] == number {
			p.first[i] = place
			place += c.Width
		}
		number += c.Width
	}
	kept, next := src.Info().Kept, 0
	for _, i := range exact {
		if next < len(kept) && kept[next].Name == columns[i].Name {
			p.kept[i] = next
			next++
		}
	}
	return p
}

// observe updates the statistics with a row.
func (p *cellIndex) observe(b *stream.Batch, row int) {
	numbers := matrix.Row(b.X, row)
	for k := range p.columns {
		facts := p.columns[k].columnFacts
		if facts.fromFooter {
			continue
		}
		if from := p.kept[k]; from >= 0 {
			facts.addKept(&b.Kept[from], row)
		} else if first := p.first[k]; first >= 0 {
			for _, v := range numbers[first:][:p.columns[k].Width] {
				facts.add(v)
			}
		}
	}
}

// cells returns the values of the first n columns of a row, for JSON. A column that is not readable has null.
func (p *cellIndex) cells(b *stream.Batch, row, n int) []any {
	cells := make([]any, n)
	for k, c := range p.columns[:n] {
		if from := p.kept[k]; from >= 0 {
			cells[k] = keptCell(&b.Kept[from], row)
		} else if first := p.first[k]; first >= 0 {
			if numbers := matrix.Row(b.X, row)[first:][:c.Width]; c.Kind == "vector" {
				cells[k] = report.Numbers(numbers)
			} else {
				cells[k] = report.Number(numbers[0])
			}
		}
	}
	return cells
}

// keptCell returns a value for JSON.
func keptCell(k *stream.Column, i int) any {
	switch {
	case k.Null(i):
		return nil
	case k.Type.IsTemporal(), k.Type.Class == logical.Bytes, k.Type.Class == logical.UUID:
		return blockstore.ValueText(k, i)
	case k.Type.Class == logical.Uint:
		return uint64(k.Ints[i])
	case k.Kind == stream.Int64:
		return k.Ints[i]
	case k.Kind == stream.Float64:
		return report.Number(k.Floats[i])
	}
	return k.Strings[i]
}

// valueText returns a value in words, given the meaning of its column. Numbers have the given digits.
func valueText(v any, digits int, means string) string {
	switch n := v.(type) {
	case nil:
		return "–"
	case report.Number:
		if math.IsNaN(float64(n)) {
			return "–"
		}
		if means == "boolean" {
			return strconv.FormatBool(n != 0)
		}
		return strconv.FormatFloat(float64(n), 'g', digits, 64)
	case []report.Number:
		return fmt.Sprintf("[%.3g …]", float64(n[0]))
	case int64:
		if means == "boolean" {
			return strconv.FormatBool(n != 0)
		}
	}
	return fmt.Sprint(v)
}

// maxCellLetters is how many letters of a cell a table of rows shows.
const maxCellLetters = 14

// cellText returns a value for the table of the first rows: truncated text, whole dates and integers.
func cellText(cell any, means string) string {
	text := valueText(cell, 5, means)
	if _, words := cell.(string); !words || means != "" {
		return text
	}
	return report.Truncate(text, maxCellLetters)
}

// addFirst adds the first rows as a table.
func (r *filesResult) addFirst(out *report.Report) {
	if len(r.First) == 0 {
		return
	}
	columns := make([][]string, min(len(r.Columns), firstCells+1))
	for k := range columns {
		c := r.Columns[k]
		columns[k] = []string{cellText(c.Name, "")}
		for _, row := range r.First {
			if k < len(row) {
				columns[k] = append(columns[k], cellText(row[k], c.Means))
			}
		}
	}
	out.AddWide("first rows")
	for _, line := range tableLines(columns) {
		out.AddWide(line)
	}
}
