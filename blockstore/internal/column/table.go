// Package column is what the formats of blockstore have in common. A [Table] is
// a data file whose columns are known before any of them is chosen; a [Choice]
// of columns makes it a source ([NewSource]), whose rows a [Pass] reads; an [Encoder] writes rows. Values that
// are carried along go through [AppendValid] and [AppendNull].
package column

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

const (
	// Max is the most columns a file may have. A row is dense in memory,
	// so this is 8 MB a row.
	Max = 1_000_000
	// MaxWidth bounds the length of a list that becomes columns.
	MaxWidth = math.MaxUint16 + 1
)

// Table is one data file (or pipe) whose columns are known, before any of them
// is chosen. Each format has one implementation, in a package of its own. Opening a
// table reads what is needed to know its shape and no more: a footer, a header,
// or, for text, the whole file once.
type Table interface {
	// About describes the table.
	About() *TableInfo
	// Source returns the rows of the chosen columns.
	Source(c Choice) (stream.Gatherer, error)
}

// TableInfo is what every table says of itself.
type TableInfo struct {
	Path     string // how messages call the table
	Format   string // one of formats.All, with the compression of text behind a comma; "text" of a pipe
	Cells    rune   // what separates cells of text, ' ' for runs of blanks and tabs; 0 where there are none, or not known
	Columns  []Info // in file order
	Rows     int64
	Lead     int64             // see stream.Info
	Holds    int64             // likewise
	Index    int64             // bytes of what is known of its parts, while it is open
	Versions map[string]string // see stream.Info
	Scans    int               // full reads that opening has cost
	Spoiled  map[int]string    // text columns that are numbers but for a few cells, and the first of these
	Aside    []int             // columns that globs and ranges pass over: a libsvm file's label; no column is a vector then

	AsideReason string // why columns are aside

	Unmarked bool // an Arrow stream ends without its end mark
}

// SetVersion makes the version of the file a digest of its end, which describes the content.
func (t *TableInfo) SetVersion(end []byte) {
	t.Versions = map[string]string{filepath.Base(t.Path): fmt.Sprintf("%x", sha256.Sum256(end))}
}

// About implements Table.
func (t *TableInfo) About() *TableInfo { return t }

// Info describes one column of a table.
type Info struct {
	Name string
	// Nameless reports that the file does not name the column. Name is then made up from its position: x0, x1, ...
	Nameless bool
	Kind     Kind
	// Width is how many numbers the column gives to a row: 1, or more for a
	// vector column.
	Width int
	// Meaning is what the integers of the column stand for, where the file says so.
	Meaning Meaning
	// Verbatim says that the numbers are kept as the text they are: 007.
	Verbatim bool
	// Empty says that no row of a file of text has a value, HasFloats that some numbers of it are no
	// integers.
	Empty, HasFloats bool
	// Why is what a column of kind Other holds, what else keeps it from being read, or what is
	// lost of its numbers, in words that go behind "holds": lists of lists, values of a
	// compression that is not read, decimals of 38 digits.
	Why string
}

// Kept returns how the column is carried along.
func (c Info) Kept() stream.Kind {
	if c.Verbatim {
		return stream.String
	}
	return c.Kind.Kept()
}

// Reason returns what the column holds, for who cannot compute with it.
func (c Info) Reason() string {
	return cmp.Or(c.Why, map[Kind]string{Text: "text", Vector: "lists of numbers"}[c.Kind], "no numbers that can be read")
}

// Meaning is what integers stand for.
type Meaning uint8

const (
	Plain     Meaning = iota // themselves
	Boolean                  // 0 and 1: false and true
	Date                     // days, or milliseconds, since 1970
	Timestamp                // seconds, or parts of them, since 1970
	Time                     // seconds, or parts of them, since midnight
	Duration                 // seconds, or parts of them
)

// String returns the name of the meaning, "" for plain integers.
func (m Meaning) String() string {
	return [...]string{Plain: "", Boolean: "boolean", Date: "date", Timestamp: "timestamp", Time: "time", Duration: "duration"}[m]
}

// Apart reports whether columns of this meaning are computed with only when they are
// named.
func (m Meaning) Apart() bool { return m >= Date }

// Kind is what a column holds, as far as reading cares.
type Kind uint8

const (
	Number  Kind = iota // floats and decimals, given as float64
	Integer             // integers and bools; kept as int64, else float64
	Text                // strings: can be kept, not computed with
	Vector              // a list of numbers of one length per row
	Other               // anything we do not read
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{Number: "number", Integer: "integer", Text: "text", Vector: "vector", Other: "other"}[k]
}

// Computable reports whether a column of this kind can be part of a row.
func (k Kind) Computable() bool {
	return k == Number || k == Integer || k == Vector
}

// Keepable reports whether a column of this kind can be carried along.
func (k Kind) Keepable() bool {
	return k == Number || k == Integer || k == Text
}

// Kept returns how a column of this kind is carried along.
func (k Kind) Kept() stream.Kind {
	switch k {
	case Integer:
		return stream.Int64
	case Text:
		return stream.String
	}
	return stream.Float64
}

// Choice is what is chosen of a table: numeric columns in the order in which
// they make a row, a vector column giving all its numbers, and kept ones. It
// is the part that the sources of all formats share.
type Choice struct {
	info          stream.Info
	Numeric, Kept []int   // columns of the table
	Inexact       Inexact // what becomes of integers that no float64 holds
}

// Inexact is what becomes of integers that no float64 holds, in columns that are computed
// with: 2^53+1 is the first.
type Inexact uint8

const (
	// InexactError refuses them, naming row and column.
	InexactError Inexact = iota
	// InexactRound takes the nearest float64.
	InexactRound
)

// String returns error or round.
func (i Inexact) String() string { return [...]string{"error", "round"}[i] }

// Reading notes what a reader of the chosen columns costs, see [stream.Info].
func (c *Choice) Reading(lead, holds int64) { c.info.Lead, c.info.Holds = lead, holds }

// Info describes the chosen columns.
func (c *Choice) Info() stream.Info { return c.info }

// All returns the chosen columns, numeric ones first.
func (c *Choice) All(kept bool) []int {
	list := append([]int(nil), c.Numeric...)
	if kept {
		list = append(list, c.Kept...)
	}
	return list
}

// Choose makes a source of columns of t, which refuses integers that no float64 holds.
func Choose(t Table, numeric, kept []int) (stream.Gatherer, error) {
	return ChooseInexact(t, numeric, kept, InexactError)
}

// ChooseInexact makes a source of columns of t.
func ChooseInexact(t Table, numeric, kept []int, inexact Inexact) (src stream.Gatherer, err error) {
	c, err := t.About().Choose(numeric, kept, inexact)
	if err != nil {
		return nil, err
	}
	err = fault.Guard(t.About().Path, func() error {
		src, err = t.Source(c)
		return err
	})
	return src, err
}

// Choose checks a choice and names what it gives.
func (t *TableInfo) Choose(numeric, kept []int, inexact Inexact) (Choice, error) {
	c := Choice{Numeric: numeric, Kept: kept, Inexact: inexact}
	c.info = stream.Info{Name: t.Path, Rows: t.Rows, Lead: t.Lead, Holds: t.Holds, Versions: t.Versions, Scans: t.Scans}
	c.info.Nameless = len(numeric) > 0
	for _, i := range numeric {
		column := t.Columns[i]
		c.info.Nameless = c.info.Nameless && column.Nameless
		if !column.Kind.Computable() {
			return c, fault.Cell(t.Path, -1, column.Name, "it holds %s, and not numbers to compute with", column.Reason()).
				Do("leave it out")
		}
		for part := range column.Width {
			c.info.Columns = append(c.info.Columns, column.ComponentName(part))
		}
	}
	for _, i := range kept {
		column := t.Columns[i]
		if !column.Kind.Keepable() {
			return c, fault.Cell(t.Path, -1, column.Name, "it holds %s, and only columns of numbers or text can be kept", column.Reason()).
				Do("leave it out")
		}
		c.info.Kept = append(c.info.Kept, stream.Field{Name: column.Name, Kind: column.Kept()})
	}
	return c, nil
}

// Unnamed returns n columns of a format without names: x0, x1, ...
func Unnamed(n int, kind Kind) []Info {
	columns := make([]Info, n, n+1) // a libsvm file has its label besides
	for j, name := range stream.NumberedColumns(n) {
		columns[j] = Info{Name: name, Nameless: true, Kind: kind, Width: 1}
	}
	return columns
}

// ComponentName returns the name of one number of the column: that of a vector is called name.0,
// name.1, ...
func (c Info) ComponentName(part int) string {
	if c.Kind != Vector {
		return c.Name
	}
	return c.Name + "." + strconv.Itoa(part)
}

// ErrListLength returns the error that a list has another length than the first one that
// is neither null nor empty.
func ErrListLength(path string, row int64, name string, length int64, width int) error {
	what := fmt.Sprintf("the list has %d numbers", length)
	if length == 0 {
		what = "the list is empty"
	}
	return fault.Cell(path, row, name, "%s, and the first one has %d: only lists of one length make columns", what, width).
		Do("%s", LeaveOut(name))
}

// LeaveOut says how to do without a column.
func LeaveOut(name string) string {
	return fmt.Sprintf("leave the column out with `columns '!%s'`", quote.Bare(name))
}
