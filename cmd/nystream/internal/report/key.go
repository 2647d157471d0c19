package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Key is a key of JSON objects with its documentation. [Group.Key] is its only constructor, so every printed key is
// documented.
type Key struct{ name, doc string }

// Group holds the keys of one kind of reports, in the order of their declaration.
type Group struct {
	title string
	keys  []*Key
}

// groups holds all groups of the program.
var groups []*Group

// NewGroup declares a group. It is called while package variables are initialized. The title names
// the commands that print the keys.
func NewGroup(title string) *Group {
	g := &Group{title: title}
	groups = append(groups, g)
	return g
}

// Key declares a key. The doc is a noun phrase. If values are objects, it names their keys too.
func (g *Group) Key(name, doc string) *Key {
	k := &Key{name, doc}
	g.keys = append(g.keys, k)
	return k
}

// Docs returns the documentation of all declared keys: key to docs, one for each group that has it.
func Docs() map[string][]string {
	docs := make(map[string][]string)
	for _, g := range groups {
		for _, k := range g.keys {
			docs[k.name] = append(docs[k.name], k.doc)
		}
	}
	return docs
}

// Help returns all keys with their documentation, in a paragraph for each group, sorted by title.
func Help() string {
	const indent, width = 26, 80
	var b strings.Builder
	sorted := slices.SortedStableFunc(slices.Values(groups), func(a, b *Group) int { return cmp.Compare(a.title, b.title) })
	for _, g := range sorted {
		fmt.Fprintf(&b, "%s:\n\n", g.title)
		for _, k := range g.keys {
			fmt.Fprintf(&b, "    %-*s", indent-4, k.name)
			at := max(indent, 4+utf8.RuneCountInString(k.name))
			for i, word := range strings.Fields(k.doc) {
				n := utf8.RuneCountInString(word)
				switch {
				case i == 0 && at == indent:
				case i == 0 || at+1+n > width:
					fmt.Fprintf(&b, "\n%*s", indent, "")
					at = indent
				default:
					b.WriteByte(' ')
					at++
				}
				b.WriteString(word)
				at += n
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
