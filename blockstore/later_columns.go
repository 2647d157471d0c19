package blockstore

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/file"
)

// absentReason explains why a column is dropped that one file has and another lacks.
func absentReason(lacks, has string) string { return fmt.Sprintf("not in %s, but in %s", lacks, has) }

// findAbsent returns the components of the first file that another file lacks, with the reason why
// they are dropped unless they are named. Columns without names are matched by position, and all
// files have them.
func findAbsent(members []*member) map[int]string {
	first := members[0]
	absent := make(map[int]string)
	for _, m := range members[1:] {
		if m.unnamed() || first.unnamed() {
			continue
		}
		for i, c := range first.components[:first.firstKey] {
			var wrong complaints
			if _, found := m.byName(i, c.name, &wrong); !found && len(wrong.unknown) > 0 && absent[i] == "" {
				absent[i] = absentReason(m.Path, first.Path)
			}
		}
	}
	return absent
}

// findLater returns the columns that only later files have.
func findLater(members []*member) (later []LeftOutColumn) {
	first := members[0]
	known := make(map[string]bool, len(first.Columns))
	for _, c := range first.Columns {
		known[c.Name] = true
	}
	for _, m := range members[1:] {
		if m.unnamed() || first.unnamed() {
			continue
		}
		for _, c := range m.Columns {
			if !known[c.Name] {
				known[c.Name] = true
				later = append(later, LeftOutColumn{c.Name, absentReason(first.Path, m.Path)})
			}
		}
	}
	return later
}

// unselectedLater returns the later columns that the items would select and do not exclude: all of them
// if no item selects columns.
func (s *selector) unselectedLater(items []string) (out []LeftOutColumn) {
	var excluded, chosen []string
	for _, item := range items {
		if bare, negated := strings.CutPrefix(item, "!"); negated {
			excluded = append(excluded, bare)
		} else {
			chosen = append(chosen, item)
		}
	}
	for _, c := range s.laterColumns {
		matches := func(item string) bool { return item == c.Name || matchesGlob(item, c.Name) }
		open := func(item string) bool { return s.isOpen(item) && (!file.IsGlob(item) || matches(item)) }
		if !slices.ContainsFunc(excluded, matches) && (len(chosen) == 0 || slices.ContainsFunc(chosen, open)) {
			out = append(out, c)
		}
	}
	return out
}

// isLater reports whether an item names or matches a later column.
func (s *selector) isLater(item string) bool {
	return slices.ContainsFunc(s.laterColumns, func(c LeftOutColumn) bool { return item == c.Name || matchesGlob(item, c.Name) })
}

// matchesGlob reports whether an item is a glob that matches a name.
func matchesGlob(item, name string) bool {
	matches, err := path.Match(item, name)
	return file.IsGlob(item) && matches && err == nil
}
