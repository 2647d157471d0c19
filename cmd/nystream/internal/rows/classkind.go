package rows

import (
	"slices"
	"strconv"

	"github.com/nystream/nystream/stream"
)

// Kinds of classes. Readers of a model convert class names to values of this kind.
const (
	booleanKind = "boolean"
	integerKind = "integer"
	numberKind  = "number"
	textKind    = "text"
)

// ClassKind returns the kind of classes with these names. kept is the kind of the label column as read.
// told is the kind or meaning declared by the files, "" if unknown.
func ClassKind(names []string, kept stream.ColumnKind, declared string) string {
	all := func(is func(name string) bool) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !is(name) })
	}
	isBit := func(name string) bool { return name == "0" || name == "1" }
	isWhole := func(name string) bool { _, err := strconv.ParseInt(name, 10, 64); return err == nil }
	switch {
	case kept == stream.String:
		return textKind
	case declared == booleanKind && all(isBit):
		return booleanKind
	case kept == stream.Int64 || declared == integerKind && all(isWhole):
		return integerKind
	}
	return numberKind
}
