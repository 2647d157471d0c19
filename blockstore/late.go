package blockstore

import (
	"fmt"
	"path"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/file"
)

// late returns the columns that the first file does not have and others do, and that items
// would choose: columns are looked for in the first file.
func (s *fileSet) late(items []string) (out []LeftOutColumn) {
	first := s.members[0]
	known, seen := make(map[string]bool), make(map[string]bool)
	for _, m := range s.members[1:] {
		if m.unnamed() || first.unnamed() || m.sameNames(first) {
			continue
		}
		if len(known) == 0 {
			for _, c := range first.components {
				known[c.name] = true
			}
		}
		for _, name := range m.lateNames(known) {
			if !seen[name] && wouldChoose(items, name) {
				seen[name] = true
				out = append(out, LeftOutColumn{name, fmt.Sprintf("not in %s, but in %s", first.Path, m.Path)})
			}
		}
	}
	return out
}

// sameNames reports whether two files have the same columns in the same order.
func (m *member) sameNames(other *member) bool {
	if len(m.components) != len(other.components) {
		return false
	}
	for i := range m.components {
		if m.components[i].name != other.components[i].name {
			return false
		}
	}
	return true
}

// lateNames returns the columns that are not known, or the components of them where some
// are, each once.
func (m *member) lateNames(known map[string]bool) (names []string) {
	for from := 0; from < len(m.components); {
		column := m.components[from].column
		end := from
		var missing []string
		for ; end < len(m.components) && m.components[end].column == column; end++ {
			if name := m.components[end].name; !known[name] {
				missing = append(missing, name)
			}
		}
		if len(missing) == end-from {
			missing = []string{m.Columns[column].Name}
		}
		for _, name := range missing {
			if len(names) == 0 || names[len(names)-1] != name {
				names = append(names, name)
			}
		}
		from = end
	}
	return names
}

// later returns the first file behind the first that has a column which an item, a name or a
// glob, stands for; "" for none.
func (s *fileSet) later(item string) string {
	for _, m := range s.members[1:] {
		for _, c := range m.components {
			if standsFor(item, c.name) || standsFor(item, m.Columns[c.column].Name) {
				return m.Path
			}
		}
	}
	return ""
}

// standsFor reports whether an item, a name or a glob, stands for a name.
func standsFor(item, name string) bool {
	if item == name || !file.IsGlob(item) {
		return item == name
	}
	match, _ := path.Match(item, name)
	return match
}

// wouldChoose reports whether items would choose a column of a name if the first file had
// it: names and globs among them that match, or nothing but columns to be left out.
func wouldChoose(items []string, name string) bool {
	positive, chosen := false, false
	for _, item := range items {
		bare, negated := strings.CutPrefix(item, "!")
		match := standsFor(bare, name)
		if negated && match {
			return false
		}
		positive = positive || !negated
		chosen = chosen || match
	}
	return chosen || !positive
}
