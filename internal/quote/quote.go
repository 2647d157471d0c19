// Package quote writes names that files bring along, such as those of columns, into
// messages: short, and without characters that do something to a terminal.
package quote

import (
	"strconv"
	"strings"
)

// most is how many characters of a name are written.
const most = 60

// Name returns a name in quotes. Of a long one the beginning is there, and …; control
// characters and broken UTF-8 are written as in Go.
func Name(name string) string { return strconv.Quote(cut(name)) }

// Bare returns a name like Name, without quotes around it where it needs none.
func Bare(name string) string {
	quoted := Name(name)
	if bare := quoted[1 : len(quoted)-1]; bare == cut(name) {
		return bare
	}
	return quoted
}

// Names lists names, of many the first 20.
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

// cut shortens a name.
func cut(name string) string {
	n := 0
	for i := range name {
		if n++; n > most {
			return name[:i] + "…"
		}
	}
	return name
}
