// Package logical defines logical types of the columns of data files: the meaning of the values,
// independent of their encoding.
package logical

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Type is a logical type. The zero Type is unspecified.
type Type struct {
	Class Class
	Unit  Unit  // of Time, Timestamp and Duration; of a Date milliseconds, or none for days
	Bits  uint8 // of Int, Uint and Float: 8, 16, 32 or 64
	// Precision is the number of digits of a Decimal, Scale the number of them after the decimal
	// point.
	Precision, Scale int8
	Size             int32  // of Bytes, or of Lists, of one length: that length; else 0
	Zone             string // of a Timestamp that is an instant: its time zone, such as UTC; "" for a local time
	// Members holds the element of a List, the members of a Struct, or the key and the value of a
	// Map: see [ListOf], [MapOf].
	Members []Member
}

// Member is a type inside a nested type.
type Member struct {
	Name string
	Type Type
}

// Class is the family of a type.
type Class uint8

// The classes.
const (
	None Class = iota
	Bool
	Int
	Uint
	Float
	Text
	Decimal
	Date // days since 1970
	Time // since midnight
	Timestamp
	Duration
	Bytes
	Unmarked // bytes that may be text; no file says which
	UUID
	Enum       // text restricted to a few words
	Dictionary // text stored once per distinct word
	JSON       // text
	List
	Struct
	Map
)

var classNames = [...]string{"", "bool", "int", "uint", "float", "text", "decimal", "date", "time", "timestamp", "duration", "bytes",
	"unmarked", "uuid", "enum", "dictionary", "json", "list", "struct", "map"}

func (c Class) String() string { return classNames[c] }

// Unit is a unit of time.
type Unit uint8

// The units.
const (
	NoUnit Unit = iota
	Second
	Millisecond
	Microsecond
	Nanosecond
)

// PerSecond returns the number of units in a second.
func (u Unit) PerSecond() int64 { return [...]int64{1, 1, 1e3, 1e6, 1e9}[u] }

// String returns s, ms, us or ns.
func (u Unit) String() string { return [...]string{"", "s", "ms", "us", "ns"}[u] }

// Common types.
var (
	Int64   = Type{Class: Int, Bits: 64}
	Float64 = Type{Class: Float, Bits: 64}
	String  = Type{Class: Text}
)

// ListOf returns the type of lists of elements of type t.
func ListOf(t Type) Type { return Type{Class: List, Members: []Member{{Name: "item", Type: t}}} }

// MapOf returns the type of maps from keys to values.
func MapOf(key, value Type) Type {
	return Type{Class: Map, Members: []Member{{Name: "key", Type: key}, {Name: "value", Type: value}}}
}

// IsNested reports whether values contain other values.
func (t Type) IsNested() bool { return t.Class >= List }

// IsTemporal reports whether values are dates, times or durations.
func (t Type) IsTemporal() bool { return t.Class >= Date && t.Class <= Duration }

// IsClock reports whether values are times without a date.
func (t Type) IsClock() bool { return t.Class == Time || t.Class == Duration }

// IsText reports whether values are text.
func (t Type) IsText() bool {
	return t.Class == Text || t.Class == Enum || t.Class == Dictionary || t.Class == JSON
}

// IsNumber reports whether values are numbers or bools.
func (t Type) IsNumber() bool { return t.Class >= Bool && t.Class <= Float || t.Class == Decimal }

// Equal reports whether two types are equal, including the types inside.
func (t Type) Equal(u Type) bool {
	return slices.EqualFunc(t.Members, u.Members, func(a, b Member) bool { return a.Name == b.Name && a.Type.Equal(b.Type) }) &&
		t.Class == u.Class && t.Bits == u.Bits && t.Size == u.Size && t.Unit == u.Unit && t.Zone == u.Zone &&
		t.Precision == u.Precision && t.Scale == u.Scale
}

// String returns the name of the type, in the syntax of [Parse]: uint8, decimal(18,4),
// timestamp(us,UTC), list<"item":float32>.
func (t Type) String() string {
	name := t.Class.String()
	switch t.Class {
	case Int, Uint, Float:
		return name + strconv.Itoa(int(t.Bits))
	case Decimal:
		return fmt.Sprintf("%s(%d,%d)", name, t.Precision, t.Scale)
	case Bytes:
		if t.Size > 0 {
			return fmt.Sprintf("%s(%d)", name, t.Size)
		}
	case Date, Time, Timestamp, Duration:
		switch {
		case t.Zone != "":
			return fmt.Sprintf("%s(%s,%s)", name, t.Unit, t.Zone)
		case t.Unit != NoUnit:
			return fmt.Sprintf("%s(%s)", name, t.Unit)
		}
	case List, Struct, Map:
		var inside []string
		for _, m := range t.Members {
			inside = append(inside, strconv.Quote(m.Name)+":"+m.Type.String())
		}
		if t.Size > 0 {
			name += fmt.Sprintf("(%d)", t.Size)
		}
		return name + "<" + strings.Join(inside, ",") + ">"
	}
	return name
}
