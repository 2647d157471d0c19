// Package column defines the interfaces that all formats of blockstore implement. A [Table] is a
// data file whose columns are known before any is chosen. A [Choice] of columns turns it into a
// source ([NewSource]), whose rows a [Pass] reads. An [Encoder] writes rows. [AppendValid] and
// [AppendNull] append kept values, and a [NumberFormat] converts words of a file to numbers.
//
// # Ownership
//
// The caller owns the batch. A pass stores numbers in the slots of its rows, appends to its kept
// columns, and keeps no reference to either. A pass owns its file and its buffers until Close. A
// table owns what opening it determined, such as footers and row indexes; all its passes read that.
// Rows of small files are cached in memory if a caller allows it ([Keeper]). Chunks of objects are
// cached in package file, for all readers of a session.
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
	// Max bounds the columns of a file. A row is dense in memory, so this is 8 MB per row.
	Max = 1_000_000
	// MaxWidth bounds the length of a list that becomes columns.
	MaxWidth = math.MaxUint16 + 1
)

// Table is one data file (or pipe) whose columns are known before any is chosen. Each format
// implements it, in a package of its own. Opening a table reads only what determines its shape: a
// footer, a header or, for text, the whole file once.
//
// A table holds no open file and has no Close. Its sources open the file again by its Stamp, which
// detects changes; a copy of a pipe belongs to the session. One goroutine opens a table. Then
// blockstore may change the result of About, for example to agree on the kinds of columns in
// several files. From the first Source on nothing changes, and any goroutine may use the table and
// its sources.
type Table interface {
	// About returns the description of the table, which the table owns.
	About() *TableInfo
	// Source returns the rows of the chosen columns. It keeps c, which must not change afterwards.
	Source(c Choice) (stream.Gatherer, error)
}

// TableInfo describes a table, in any format.
type TableInfo struct {
	Path          string // name of the table in messages
	Format        string // one of formats.All, with the compression of text behind a comma; "text" of a pipe
	Cells         rune   // delimiter of text cells, ' ' for runs of blanks and tabs; 0 if none or unknown
	Columns       []Info // in file order
	Rows          int64
	SeekCost      int64                     // see stream.Info
	ReaderBytes   int64                     // see stream.Info
	Index         int64                     // memory of its index, in bytes, while it is open
	Versions      map[string]string         // see stream.Info
	PassesToOpen  int                       // complete reads of the file during opening
	NearlyNumeric map[int]*stream.DataError // text columns that are numbers except for a few cells, and the first such cell
	NotByDefault  []int                     // columns that globs and ranges skip: the label of a libsvm file; then no column is a vector

	NotByDefaultReason string // why these are excluded

	// Nested lists the lists, maps and structures that can be kept as a whole, enclosing ones
	// first. Columns has their parts, one for each member of a structure.
	Nested []Nested

	Live     bool  // rows arrive while they are produced, once; Rows is -1 if unknown
	Exact    bool  // kept values have the types of a file of the same live text, or are an error
	Whole    bool  // a column that appears only in later lines of a live text is an error
	Limit    Limit // of the memory of a batch in a live Arrow stream
	Copied   bool  // a copy of a pipe
	Unmarked bool  // an Arrow stream without its end mark

	Reads *file.Reads // read counters of the file
}

// Limit is a memory limit: the bytes left, out of a total. The zero Limit allows everything.
type Limit struct{ Left, Of int64 }

// Check returns a *stream.OverBudgetError if bytes exceeds what is left.
func (l Limit) Check(what string, bytes int64, setting string) error {
	if l.Of == 0 || bytes <= l.Left {
		return nil
	}
	return &stream.OverBudgetError{Need: l.Of - l.Left + bytes, Limit: l.Of, Largest: stream.BudgetItem{What: what, Bytes: bytes, Setting: setting}}
}

// Nested is a list, map or structure that can be kept as a whole. Its parts are the columns
// First..End-1, which may also be features or kept individually.
type Nested struct {
	Info
	First, End int
	Index      int // index in TableInfo.Nested
}

// SetVersion sets the version of the file to a digest of its end, which describes the content.
func (t *TableInfo) SetVersion(end []byte) {
	t.Versions = map[string]string{filepath.Base(t.Path): fmt.Sprintf("%x", sha256.Sum256(end))}
}

// About implements Table.
func (t *TableInfo) About() *TableInfo { return t }

// Info describes one column of a table.
type Info struct {
	Name string
	// Nameless reports that the file has no name for the column. Name is then generated from its
	// position: x0, x1, ...
	Nameless bool
	Kind     Kind
	// Width is the number of numbers per row: 1, or more for a vector column.
	Width int
	// Type is the logical type of the values if the file declares more than Kind, else the zero
	// Type. A column with a Type can be kept, even one of kind Other.
	Type logical.Type
	// Given reports that the caller has chosen Type for a text column.
	Given bool
	// Found is the type that all values of a text column have: dates, timestamps, UUIDs; nil if
	// there is none. They are kept as text unless Found becomes Type.
	Found *logical.Type
	// Meaning is the declared meaning of an integer column.
	Meaning Meaning
	// ZeroPadded reports that numbers such as 007 are kept as text.
	ZeroPadded bool
	// Empty reports that a text column has no value, HasFloats that some of its numbers are not
	// integers.
	Empty, HasFloats bool
	// NoNulls reports that no value is null, if the file declares that.
	NoNulls bool
	// Why describes the values of a column of kind Other, why they cannot be read, or what is lost
	// of them, in words that follow "holds": lists of lists, values of a compression that is not
	// read, decimals of 38 digits.
	Why string
}

// Describe sets kind, meaning and reason of a column of numbers, integers or text according to its
// logical type.
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

// Field returns the column as a kept column.
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

// Keepable reports whether the column can be kept.
func (c Info) Keepable() bool { return c.Kind.Keepable() || c.Type.Class != logical.None }

// Reason describes the values, to explain why they are not numbers.
func (c Info) Reason() string {
	return cmp.Or(c.Why, map[Kind]string{Text: "text", Vector: "lists of numbers"}[c.Kind], "no numbers that can be read")
}

// Meaning is the meaning of an integer column.
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

// IsTemporal reports whether columns of this meaning are features only if named.
func (m Meaning) IsTemporal() bool { return m >= Date }

// Kind is the type of a column as far as it matters for reading.
type Kind uint8

const (
	Number  Kind = iota // floats and decimals, read as float64
	Integer             // integers and bools; kept as int64, else float64
	Text                // strings: can be kept but not be features
	Vector              // a list of numbers of fixed length per row
	Other               // unreadable
)

// String returns the kind's name.
func (k Kind) String() string {
	return words.Of([]string{Number: "number", Integer: "integer", Text: "text", Vector: "vector", Other: "other"}, k)
}

// Computable reports whether a column of this kind can be a feature.
func (k Kind) Computable() bool {
	return k == Number || k == Integer || k == Vector
}

// Keepable reports whether a column of this kind can be kept.
func (k Kind) Keepable() bool {
	return k == Number || k == Integer || k == Text
}

// Kept returns the kind of the kept column.
func (k Kind) Kept() stream.ColumnKind {
	switch k {
	case Integer:
		return stream.Int64
	case Text:
		return stream.String
	}
	return stream.Float64
}

// Choice is a choice of columns of a table, for the sources of all formats. The zero value chooses
// nothing.
type Choice struct {
	info stream.Info
	// Numeric lists the columns that are features. A column may occur twice.
	Numeric []int
	// Slot gives the positions in a row of the numbers of these columns: Width entries for each,
	// one column after another. -1 drops a number of a vector.
	Slot    []int
	Fixed   []Fixed // positions with a constant number
	Kept    []Kept
	Inexact Inexact // policy for integers that float64 cannot represent
	stored  []int   // result of Stored, cached because it is needed for every row
}

// Fixed is a constant number at one position of all rows, such as the value of a folder key.
type Fixed struct {
	Slot  int
	Value float64
}

// Kept is a kept column.
type Kept struct {
	Column   int               // index in the table; -1: each row has the value of Constant
	Nested   *Nested           // of the table, instead of its first column; else nil
	Kind     stream.ColumnKind // kind in the batch; integers may be kept as floats
	Constant *stream.Column    // one value, of kind Kind
}

// Inexact is the policy for feature integers that float64 cannot represent; 2^53+1 is the first.
type Inexact uint8

const (
	// InexactRefuse returns an error with row and column.
	InexactRefuse Inexact = iota
	// InexactRound rounds to the nearest float64.
	InexactRound
)

func (i Inexact) String() string { return words.Of([]string{"error", "round"}, i) }

// SetCosts sets the costs of a reader of the chosen columns, see [stream.Info].
func (c *Choice) SetCosts(seekCost, readerBytes int64) {
	c.info.SeekCost, c.info.ReaderBytes = seekCost, readerBytes
}

// Info describes the chosen columns.
func (c *Choice) Info() stream.Info { return c.info }

// All returns the chosen columns of the table, numeric ones first, then kept ones in the order of
// Stored. A nested value contributes all its columns.
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

// Stored returns the indices in dst.Kept of the columns that the format appends to: all except
// constants. It returns none if dst has no kept columns.
func (c *Choice) Stored(dst *stream.Batch) []int {
	if len(dst.Kept) == 0 {
		return nil
	}
	if c.stored != nil {
		return c.stored
	}
	return c.findStored()
}

// findStored returns the kept columns that are not constants.
func (c *Choice) findStored() (list []int) {
	for k := range c.Kept {
		if c.Kept[k].Column >= 0 {
			list = append(list, k)
		}
	}
	return list
}

// Choose returns a source of columns of t. Its reads fail on integers that float64 cannot
// represent.
func Choose(t Table, numeric, kept []int) (stream.Gatherer, error) {
	return ChooseInexact(t, numeric, kept, InexactRefuse)
}

// ChooseInexact returns a source of columns of t. Rows have the numbers of numeric, in this order.
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

// NewRows returns a source of the chosen columns of t. Columns, Nameless and Kept of names describe
// it.
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

// check returns an error if a feature is not numeric, or if a kept column cannot be read.
func (t *TableInfo) check(c Choice) error {
	for _, i := range c.Numeric {
		if column := t.Columns[i]; !column.Kind.Computable() {
			return fault.Cell(t.Path, -1, column.Name, "it holds %s, and not numbers to compute with", column.Reason()).
				WithRemedy("leave it out")
		}
	}
	for _, k := range c.Kept {
		if k.Column >= 0 && k.Nested == nil && !t.Columns[k.Column].Keepable() {
			column := t.Columns[k.Column]
			return fault.Cell(t.Path, -1, column.Name, "it holds %s, and cannot be kept", column.Reason()).
				WithRemedy("leave it out")
		}
	}
	return nil
}

// Unnamed returns n columns for a format without names: x0, x1, ...
func Unnamed(n int, kind Kind) []Info {
	columns := make([]Info, n, n+1) // a libsvm file adds its label
	for j, name := range stream.NumberedColumns(n) {
		columns[j] = Info{Name: name, Nameless: true, Kind: kind, Width: 1}
	}
	return columns
}

// ComponentName returns the name of one number of the column. Those of a vector are named name.0,
// name.1, ...
func (c Info) ComponentName(part int) string {
	if c.Kind != Vector {
		return c.Name
	}
	return c.Name + "." + strconv.Itoa(part)
}

// ErrListLength reports a list with another length than the first one that is neither null nor
// empty.
func ErrListLength(path string, row int64, name string, length int64, width int) error {
	what := fmt.Sprintf("the list has %d numbers", length)
	if length == 0 {
		what = "the list is empty"
	}
	return fault.Cell(path, row, name, "%s, and the first one has %d: only lists of one length make columns", what, width).
		WithRemedy("%s", LeaveOut(name))
}

// LeaveOut returns advice on how to exclude a column.
func LeaveOut(name string) string {
	return fmt.Sprintf("leave the column out with `Options.Columns '!%s'`", quote.Bare(name))
}
