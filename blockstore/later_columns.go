package blockstore

import (
	"fmt"
	"slices"
	"strings"
)

// laterColumns returns the columns that only files behind the first have, unless items choose columns.
func laterColumns(members []*member, items []string) (out []LeftOutColumn) {
	if len(members) == 1 || slices.ContainsFunc(items, func(item string) bool { return !strings.HasPrefix(item, "!") }) {
		return nil
	}
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
				out = append(out, LeftOutColumn{c.Name, fmt.Sprintf("not in %s, but in %s", first.Path, m.Path)})
			}
		}
	}
	return out
}
