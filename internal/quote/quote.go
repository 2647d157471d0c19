// Package quote formats names from files, such as those of columns, for messages: shortened, and
// without control characters that affect a terminal.
package quote

import (
	"strconv"
	"strings"
)

// maxRunes is the maximal number of characters of a name.
const maxRunes = 60

// Name returns a quoted name. A long name is truncated and ends in …; control characters and
// invalid UTF-8 are escaped as in Go.
func Name(name string) string { return strconv.Quote(truncate(name)) }

// Bare returns the name like Name, but without quotes if it needs no escaping.
func Bare(name string) string {
	quoted := Name(name)
	if bare := quoted[1 : len(quoted)-1]; bare == truncate(name) {
		return bare
	}
	return quoted
}

// Names lists at most 20 of the names.
func Names(names []string) string {
	const most = 20
	if len(names) == 0 {
		return "none"
	}
	list := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		list = append(list, Bare(name))
	}
	text := strings.Join(list, ", ")
	if more := len(names) - most; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// truncate shortens a name.
func truncate(name string) string {
	n := 0
	for i := range name {
		if n++; n > maxRunes {
			return name[:i] + "…"
		}
	}
	return name
}
