package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// columnFacts are what inspect finds out about the values of a column.
type columnFacts struct {
	Nulls    int64          `json:"nulls"` // and NaN and Inf, which fit treats alike
	Minimum  *report.Number `json:"minimum,omitempty"`
	Maximum  *report.Number `json:"maximum,omitempty"`
	Distinct int            `json:"distinct,omitempty"` // values of text, 1001 for more than 1,000

	words map[string]bool
}

// mostDistinct is how many values of text are told from each other.
const mostDistinct = 1000

// add counts a number.
func (c *columnFacts) add(v float64) {
	if !matrix.IsFinite(v) {
		c.Nulls++
		return
	}
	n := report.Number(v)
	if c.Minimum == nil || n < *c.Minimum {
		c.Minimum = &n
	}
	if c.Maximum == nil || n > *c.Maximum {
		c.Maximum = &n
	}
}

// addKept counts a value of a column that is carried along.
func (c *columnFacts) addKept(k *stream.Column, i int) {
	switch {
	case k.Null(i) || k.Kind == stream.String && k.Strings[i] == "":
		c.Nulls++
	case k.Kind == stream.Int64:
		c.add(float64(k.Ints[i]))
	case k.Kind == stream.Float64:
		c.add(k.Floats[i])
	default:
		if c.words == nil {
			c.words = make(map[string]bool)
		}
		if len(c.words) <= mostDistinct {
			c.words[k.Strings[i]] = true
		}
		c.Distinct = len(c.words)
	}
}

// text says it in words.
func (c *columnFacts) text() string {
	if c == nil {
		return ""
	}
	words := ""
	switch {
	case c.Distinct > mostDistinct:
		words = fmt.Sprintf(", more than %s values", report.Count(mostDistinct))
	case c.Distinct > 0:
		words = ", " + report.Counted(c.Distinct, "value", "values")
	case c.Minimum != nil:
		words = fmt.Sprintf(", %.6g to %.6g", float64(*c.Minimum), float64(*c.Maximum))
	}
	if c.Nulls > 0 {
		words += ", " + report.Counted(int(c.Nulls), "null", "nulls")
	}
	return words
}

// firstRows is how many rows inspect shows.
const firstRows = 5

// look reads rows, at most so many, 0 for all, and finds out about the columns of r.
func (i *inspectCommand) look(ctx context.Context, src stream.Source, columns []blockstore.ColumnInfo, r *filesResult, most int64) (err error) {
	info := src.Info()
	at := newCellPlaces(columns, info)
	in, err := src.Open(ctx, 0)
	if err != nil {
		return fromData(err)
	}
	defer func() { err = errors.Join(err, fromData(in.Close())) }()
	b := &stream.Batch{X: matrix.New(256, len(info.Columns)), Kept: make([]stream.Column, len(info.Kept))}
	for k, f := range info.Kept {
		b.Kept[k].Kind = f.Kind
	}
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := in.Read(b)
		if most > 0 {
			n = int(min(int64(n), most-r.Looked))
		}
		for row := range n {
			at.take(r, b, row)
		}
		r.Looked += int64(n)
		if i.app.progress != nil {
			i.app.progress.report(stream.Event{Pass: "inspect", Done: r.Looked, Total: info.Rows})
		}
		switch {
		case errors.Is(err, io.EOF):
			r.Rows = &r.Looked
			return nil
		case err != nil:
			return fromData(err)
		case most > 0 && r.Looked == most:
			return nil
		}
	}
}

// cellPlaces says where the values of each column are in a batch: numbers from a place on,
// or a kept column; neither for columns that cannot be read.
type cellPlaces struct {
	columns []blockstore.ColumnInfo
	first   []int // of the numbers, or -1
	kept    []int // or -1
}

func newCellPlaces(columns []blockstore.ColumnInfo, info stream.Info) *cellPlaces {
	p := &cellPlaces{columns: columns}
	var kept []string
	for _, f := range info.Kept {
		kept = append(kept, f.Name)
	}
	apart, _ := apartColumns(columns)
	firstAfter, keptAfter := make(map[string]int), make(map[string]int) // columns may have the same name
	for i, c := range columns {
		name, first, from := c.Name, -1, -1
		if c.Kind == "vector" {
			name += ".0"
		}
		if slices.Contains(apart, i) {
			from = nextIndex(kept, c.Name, keptAfter)
		} else if c.Kind != "other" {
			first = nextIndex(info.Columns, name, firstAfter)
		}
		p.first, p.kept = append(p.first, first), append(p.kept, from)
	}
	return p
}

// nextIndex returns the first place of a name from where after says on, or -1.
func nextIndex(names []string, name string, after map[string]int) int {
	i := slices.Index(names[after[name]:], name)
	if i < 0 {
		return i
	}
	i += after[name]
	after[name] = i + 1
	return i
}

// take takes note of a row.
func (p *cellPlaces) take(r *filesResult, b *stream.Batch, row int) {
	var cells []any
	for k, c := range p.columns {
		facts, cell := r.Columns[k].columnFacts, any(nil)
		switch {
		case p.kept[k] >= 0:
			column := &b.Kept[p.kept[k]]
			facts.addKept(column, row)
			cell = keptCell(column, row)
		case p.first[k] >= 0:
			numbers := b.X.Data[row*b.X.Stride+p.first[k]:][:c.Width]
			for _, v := range numbers {
				facts.add(v)
			}
			if cell = report.Numbers(numbers); c.Kind != "vector" {
				cell = report.Number(numbers[0])
			}
		}
		cells = append(cells, cell)
	}
	if len(r.First) < firstRows {
		r.First = append(r.First, cells)
	}
}

// keptCell returns a value for JSON.
func keptCell(k *stream.Column, i int) any {
	switch {
	case k.Null(i):
		return nil
	case k.Kind == stream.Int64:
		return k.Ints[i]
	case k.Kind == stream.Float64:
		return report.Number(k.Floats[i])
	}
	return k.Strings[i]
}

// cellText returns a value as the table of the first rows has it.
func cellText(cell any) string {
	const most = 14
	text := ""
	switch v := cell.(type) {
	case nil:
		return "–"
	case report.Number:
		if text = strconv.FormatFloat(float64(v), 'g', 5, 64); math.IsNaN(float64(v)) {
			return "–"
		}
	case []report.Number:
		text = fmt.Sprintf("[%.3g …]", float64(v[0]))
	default:
		text = fmt.Sprint(v)
	}
	if utf8.RuneCountInString(text) > most {
		return string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// addFirst adds the first rows as a table.
func (r *filesResult) addFirst(out *report.Report) {
	if len(r.First) == 0 {
		return
	}
	const most = 8
	var head []string
	for k, c := range r.Columns {
		if k == most {
			head = append(head, "…")
			break
		}
		head = append(head, cellText(c.Name))
	}
	table := [][]string{append(head, "")}
	for _, cells := range r.First {
		var row []string
		for k, cell := range cells {
			if k == most {
				row = append(row, "…")
				break
			}
			row = append(row, cellText(cell))
		}
		table = append(table, append(row, ""))
	}
	for k, line := range report.Columns(table) {
		out.Add(map[bool]string{true: "first rows"}[k == 0], "%s", line)
	}
}
