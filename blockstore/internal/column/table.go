// Package column is what the formats of blockstore have in common. A [Table] is
// a data file whose columns are known before any of them is chosen; a [Choice]
// of columns makes it a source ([NewSource]), whose rows a [Pass] reads; an [Encoder] writes rows.
// Values that are carried along go through [AppendValid] and [AppendNull]; a [NumberFormat] turns
// the words of a file into numbers.
//
// # Who owns what
//
// The caller owns the batch. A pass writes numbers to the slots of its rows and appends to its kept
// columns, and keeps no reference to either. A pass owns its file and its buffers, which end with
// Close. A table owns what was learned when it was opened, such as footers and indexes of rows; all
// its passes read that. Rows of small files are kept in memory where a caller allows it ([Keeper]).
// Chunks of objects are, in package file, for all readers of a session.
package column

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
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
//
// A table holds no file open and is not closed. Its sources open the file again by its Stamp, which
// notices a change; a copy of a pipe belongs to the session. Opening a table is the work of one goroutine. Then blockstore may change what
// About returns, for instance to agree on the kinds of columns in several files. From the first
// Source on nothing changes, and any goroutine may use the table and its sources.
type Table interface {
	// About describes the table. The result belongs to the table.
	About() *TableInfo
	// Source returns the rows of the chosen columns. It keeps c, which nobody changes any more.
	Source(c Choice) (stream.Gatherer, error)
}

// TableInfo is what every table says of itself.
type TableInfo struct {
	Path          string // how messages call the table
	Format        string // one of formats.All, with the compression of text behind a comma; "text" of a pipe
	Cells         rune   // what separates cells of text, ' ' for runs of blanks and tabs; 0 where there are none, or not known
	Columns       []Info // in file order
	Rows          int64
	SeekCost      int64                     // see stream.Info
	ReaderBytes   int64                     // likewise
	Index         int64                     // bytes of what is known of its parts, while it is open
	Versions      map[string]string         // see stream.Info
	PassesToOpen  int                       // full reads that opening has cost
	NearlyNumeric map[int]*stream.DataError // text columns that are numbers but for a few cells, and the first of these
	NotByDefault  []int                     // columns that globs and ranges pass over: a libsvm file's label; no column is a vector then

	NotByDefaultReason string // why these are left out

	// Nested are the lists, maps and structures that can be carried along whole, those around others first. Columns
	// are what lies in them, one for each member of a structure.
	Nested []Nested

	Live     bool  // rows come as somebody makes them, once: Rows is -1 where nothing tells
	Exact    bool  // kept values have the types that those of a file of the same live text have, or are an error
	Whole    bool  // a column that only later lines of a live text have is an error
	Limit    Limit // of what a batch of a live Arrow stream takes
	Copied   bool  // it is the copy of a pipe
	Unmarked bool  // an Arrow stream ends without its end mark

	Reads *file.Reads // what was read of the file
}

// Limit is how much memory is left for something, of how much in all, in bytes. The zero Limit allows everything.
type Limit struct{ Left, Of int64 }

// Check returns a *stream.OverBudgetError if so many bytes are more than is left.
func (l Limit) Check(what string, bytes int64, setting string) error {
	if l.Of == 0 || bytes <= l.Left {
		return nil
	}
	return &stream.OverBudgetError{Need: l.Of - l.Left + bytes, Limit: l.Of, Largest: stream.BudgetItem{What: what, Bytes: bytes, Setting: setting}}
}

// Nested is a list, map or structure that can be carried along whole. Its parts are the columns First..End-1, of which
// some may also be computed with, or carried along by themselves.
type Nested struct {
	Info
	First, End int
	Index      int // among those of the table
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
	// Type is what the values of the column stand for, where the file says more than Kind; the zero Type
	// elsewhere. A column that has one can be carried along, also one of kind Other.
	Type logical.Type
	// Given says that the reader of a text has chosen Type.
	Given bool
	// Found is the type that all texts of a column of a file of text have: dates, timestamps, UUIDs; nil if there is
	// none. They are carried along as text unless it becomes Type.
	Found *logical.Type
	// Meaning is what the integers of the column stand for, where the file says so.
	Meaning Meaning
	// ZeroPadded says that the numbers are kept as the text they are: 007.
	ZeroPadded bool
	// Empty says that no row of a file of text has a value, HasFloats that some numbers of it are no
	// integers.
	Empty, HasFloats bool
	// NoNulls says that no row lacks a value, where the file tells that before its rows are read.
	NoNulls bool
	// Why is what a column of kind Other holds, what else keeps it from being read, or what is
	// lost of its numbers, in words that go behind "holds": lists of lists, values of a
	// compression that is not read, decimals of 38 digits.
	Why string
}

// Describe sets kind, meaning and reason of a column of numbers, integers or text to what its logical type says.
func (c *Info) Describe() {
	switch c.Type.Class {
	case logical.Bool:
		c.Meaning = Boolean
	case logical.Date:
		c.Meaning = Date
	case logical.Timestamp:
		c.Meaning = Timestamp
	case logical.Time:
		c.Meaning = Time
	case logical.Duration:
		c.Meaning = Duration
	case logical.Decimal:
		c.Why = Rounded(int(c.Type.Precision))
	case logical.Bytes, logical.UUID:
		c.Kind, c.Why = Other, "bytes"
	case logical.List, logical.Struct, logical.Map:
		c.Kind, c.Why = Other, c.Type.Class.String()+"s"
	}
}

// Field returns how the column is carried along.
func (c Info) Field() stream.Field {
	f := stream.Field{Name: c.Name, Kind: c.Kind.Kept()}
	switch {
	case c.ZeroPadded:
		f.Kind = stream.String
	case c.Type.Class != logical.None:
		f = stream.FieldOf(c.Name, c.Type)
	}
	f.Nameless, f.NoNulls = c.Nameless, c.NoNulls
	return f
}

// Keepable reports whether the column can be carried along.
func (c Info) Keepable() bool { return c.Kind.Keepable() || c.Type.Class != logical.None }

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
	return words.Of([]string{Plain: "", Boolean: "boolean", Date: "date", Timestamp: "timestamp", Time: "time", Duration: "duration"}, m)
}

// IsTemporal reports whether columns of this meaning are computed with only when they are
// named.
func (m Meaning) IsTemporal() bool { return m >= Date }

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
	return words.Of([]string{Number: "number", Integer: "integer", Text: "text", Vector: "vector", Other: "other"}, k)
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
func (k Kind) Kept() stream.ColumnKind {
	switch k {
	case Integer:
		return stream.Int64
	case Text:
		return stream.String
	}
	return stream.Float64
}

// Choice is what is chosen of a table. It is the part that the sources of all formats share.
// Zero values choose nothing.
type Choice struct {
	info stream.Info
	// Numeric are the columns of the table that rows are made of. One may stand there twice.
	Numeric []int
	// Slot says where in a row the numbers of these columns go: Width places for each, one column
	// after the other. A number of a vector that no row has goes to -1.
	Slot    []int
	Fixed   []Fixed // the places of a row that get one number in all rows
	Kept    []Kept
	Inexact Inexact // what becomes of integers that no float64 holds
	stored  []int   // see Stored; found once: it is asked for with every row
}

// Fixed is the number that all rows have in one place, such as the value of a folder key.
type Fixed struct {
	Slot  int
	Value float64
}

// Kept is a column that is carried along.
type Kept struct {
	Column   int               // of the table; -1: each row has the value of Constant
	Nested   *Nested           // of the table, instead of its first column; else nil
	Kind     stream.ColumnKind // how it is carried; integers may be carried as floats
	Constant *stream.Column    // one value, of kind Kind
}

// Inexact is what becomes of integers that no float64 holds, in columns that are computed
// with: 2^53+1 is the first.
type Inexact uint8

const (
	// InexactRefuse refuses them, naming row and column.
	InexactRefuse Inexact = iota
	// InexactRound takes the nearest float64.
	InexactRound
)

// String returns error or round.
func (i Inexact) String() string { return words.Of([]string{"error", "round"}, i) }

// SetCosts notes what a reader of the chosen columns costs, see [stream.Info].
func (c *Choice) SetCosts(seekCost, readerBytes int64) {
	c.info.SeekCost, c.info.ReaderBytes = seekCost, readerBytes
}

// Info describes the chosen columns.
func (c *Choice) Info() stream.Info { return c.info }

// All returns the chosen columns of the table, numeric ones first, then kept ones in the order of
// Stored, those of a nested value one after the other.
func (c *Choice) All(kept bool) []int {
	list := append([]int(nil), c.Numeric...)
	for _, k := range c.Kept {
		switch {
		case !kept || k.Column < 0:
		case k.Nested != nil:
			for i := k.Nested.First; i < k.Nested.End; i++ {
				list = append(list, i)
			}
		default:
			list = append(list, k.Column)
		}
	}
	return list
}

// Stored returns the kept columns of a batch that the format appends to, as indexes into
// dst.Kept: all but constants, none if dst has no kept columns.
func (c *Choice) Stored(dst *stream.Batch) []int {
	if len(dst.Kept) == 0 {
		return nil
	}
	if c.stored != nil {
		return c.stored
	}
	return c.findStored()
}

// findStored returns the kept columns that are no constants.
func (c *Choice) findStored() (list []int) {
	for k := range c.Kept {
		if c.Kept[k].Column >= 0 {
			list = append(list, k)
		}
	}
	return list
}

// Choose returns a source of columns of t. Its reads fail on integers that no float64 holds.
func Choose(t Table, numeric, kept []int) (stream.Gatherer, error) {
	return ChooseInexact(t, numeric, kept, InexactRefuse)
}

// ChooseInexact makes a source of columns of t: rows have the numbers of numeric in this order.
func ChooseInexact(t Table, numeric, kept []int, inexact Inexact) (stream.Gatherer, error) {
	about := t.About()
	c, names := Choice{Numeric: numeric, Inexact: inexact}, stream.Info{Nameless: len(numeric) > 0}
	for _, i := range numeric {
		column := about.Columns[i]
		names.Nameless = names.Nameless && column.Nameless
		for part := range column.Width {
			c.Slot = append(c.Slot, len(names.Columns))
			names.Columns = append(names.Columns, column.ComponentName(part))
		}
	}
	for _, i := range kept {
		field := about.Columns[i].Field()
		c.Kept, names.Kept = append(c.Kept, Kept{Column: i, Kind: field.Kind}), append(names.Kept, field)
	}
	return NewRows(t, c, names)
}

// NewRows makes a source of what c chooses of t. Columns, Nameless and Kept of names describe it.
func NewRows(t Table, c Choice, names stream.Info) (src stream.Gatherer, err error) {
	about := t.About()
	if err := about.check(c); err != nil {
		return nil, err
	}
	c.stored = c.findStored()
	c.info = stream.Info{Name: about.Path, Rows: about.Rows, SeekCost: about.SeekCost, ReaderBytes: about.ReaderBytes, Versions: about.Versions, PassesToOpen: about.PassesToOpen, OnePass: about.Live, Live: about.Live,
		Columns: names.Columns, Nameless: names.Nameless, Kept: names.Kept}
	err = fault.Guard(about.Path, func() error {
		src, err = t.Source(c)
		return err
	})
	return src, err
}

// check refuses to compute with columns that are no numbers, and to keep those that cannot be read.
func (t *TableInfo) check(c Choice) error {
	for _, i := range c.Numeric {
		if column := t.Columns[i]; !column.Kind.Computable() {
			return fault.Cell(t.Path, -1, column.Name, "it holds %s, and not numbers to compute with", column.Reason()).
				Do("leave it out")
		}
	}
	for _, k := range c.Kept {
		if k.Column >= 0 && k.Nested == nil && !t.Columns[k.Column].Keepable() {
			column := t.Columns[k.Column]
			return fault.Cell(t.Path, -1, column.Name, "it holds %s, and cannot be kept", column.Reason()).
				Do("leave it out")
		}
	}
	return nil
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
	return fmt.Sprintf("leave the column out with `Options.Columns '!%s'`", quote.Bare(name))
}
